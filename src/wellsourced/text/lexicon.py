"""Tables of words about English and medicine that the functions of this folder use."""


def _word_tuple(words: str) -> tuple[str, ...]:
    return tuple(words.split())


def word_set(words: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(words.split())


# --- where sentences end -------------------------------------------------------------------------------------------

NONFINAL_ABBREVIATIONS = word_set(
    "e.g i.e eg ie vs v.s dr mr mrs ms prof fig figs eq eqs ref refs approx ca cf viz dept univ subsp resp incl excl "
    "suppl vol chap ed eds st mt nr"
)
"""Words before a full stop, lower case, that something always follows."""

RARELY_FINAL_ABBREVIATIONS = word_set(
    "inc ltd co corp etc spp sp jr sr al bros assoc jan feb mar apr jun jul aug sept oct nov dec"
)
"""Words before a full stop that end a sentence only when a word follows that opens one."""

SENTENCE_OPENERS = word_set(
    "the this these those that there then they their it its we our i he she his her you your a an in on at for from to "
    "with without within of by as if when while where whereas although though because since after before during among "
    "between both each all any some most many several few no none not only other another such thus therefore hence "
    "however moreover furthermore finally also additionally overall similarly conversely consequently first second "
    "third one two three four five six seven eight nine ten patients participants subjects results conclusion "
    "conclusions methods background objective objectives data studies study treatment here further what who how why "
    "is are was were do does did can could should may but and or so yet people women men children adults"
)
"""Lower-cased words that open a sentence far more often than they continue a name."""

# --- what is a whole sentence --------------------------------------------------------------------------------------

AUXILIARIES = _word_tuple(
    "is are was were has have had does do did may might can cannot could should must will would isn't aren't wasn't "
    "weren't don't doesn't didn't can't won't hasn't haven't it's there's"
)

VERBS = _word_tuple("""
    accelerate accompany account accumulate achieve act activate adapt add address affect agree aggravate aid aim
    alert allow alter amplify analyse analyze appear apply arise ask assess associate attach attack attenuate avoid
    balance become begin behave believe belong benefit bind block boost break bring build call carry cause change
    characterise characterize circulate clear coexist collect combine come compare compensate complain complicate
    comprise concern conclude conduct confer confirm connect consider consist constitute contain continue contract
    contribute control convert cooperate correct correlate correspond cover create damage deal decide decline
    decrease define degrade delay deliver demonstrate depend derive describe destroy detect deteriorate determine
    develop diagnose die differ diminish disappear discover discuss disrupt distinguish divide double drain drive
    drop eat elevate eliminate emerge emphasise emphasize employ enable encode encourage end endorse engage enhance
    enlarge ensure enter establish estimate evaluate evolve examine exceed exclude exert exhibit exist expand expect
    experience explain explore expose express extend facilitate fail fall favor favour feel fight fill find fit flow
    focus follow form function gain gather generate get give go govern grow guide happen harbor harbour harm help
    hold highlight identify illustrate impact impair implicate imply improve include increase indicate induce infect
    influence inhibit initiate inject injure integrate interact interfere interrupt introduce invade investigate
    involve join keep kill know lack last lead learn leave let lie limit link live look lose lower maintain make
    manage manifest matter mean measure mediate meet migrate mimic mitigate modify modulate monitor move mutate need
    note notice obtain observe occupy occur offer originate outperform outweigh overlap participate pass perform
    permit persist play point possess postulate predict predispose prefer present preserve prevent proceed produce
    progress prolong promote prompt propose protect prove provide publish pump raise range reach react receive
    recognise recognize recommend record recover recruit reduce refer reflect regulate relate release relieve rely
    remain remove repair replace replicate report represent require resemble reside resist resolve respond rest
    restore restrict result retain return reveal reverse review rise run say secrete see seek seem select send
    separate serve share shift show shrink signal simplify slow speak speed spread stabilise stabilize start stay
    stem stimulate stop store strengthen stretch study substitute succeed suffer suggest summarise summarize
    supplement supply support suppress surround survive sustain switch synthesise synthesize take target tell tend
    terminate test think threaten tolerate transfer transform transmit transport travel treat trigger try turn
    undergo underlie underscore understand use utilise utilize validate vary view visit wait want warrant weaken
    work worsen yield
""")
"""Verbs of medical sentences; their -s and -ed forms are made from these."""

IRREGULAR_VERB_FORMS = _word_tuple("""
    arose ate became began bound brought built came chose drove fell felt found gave got grew held kept knew laid led
    left lost made meant met put ran rose said saw sent set shown spent stood sought taught thought told took underwent
    understood went won wrote cut hit shrank
""")

IMPERATIVES = _word_tuple("""
    Add Adjust Administer Always Apply Ask Assess Avoid Call Check Choose Confirm Consider Continue Correct Counsel
    Decrease Discontinue Do Drink Eat Encourage Ensure Establish Evaluate Follow Get Give Go Hold Identify Increase
    Initiate Intubate Keep Limit Maintain Make Measure Monitor Never Obtain Offer Optimise Optimize Overlap Perform
    Investigate Lower Prefer Prescribe Provide Recheck Reconcile Reassess Recommend Reduce Refer Repeat Restart
    Resume Review Screen See Seek Select Send Start Stop Suggest Switch Take Talk Target Tell Test Titrate
    Transition Treat Try Use Wash Withhold
""")
"""What opens an order: "Do not stop aspirin." has no other finite verb."""

SUBJECTLESS_OPENERS = _word_tuple("""
    Affects Allows Appears Avoids Can Consists Could Depends Does Eliminates Enables Had Has Helps Improves Includes
    Inhibits Involves Is May Might Must Occurs Prevents Provides Reduces Remains Requires Should Shows Was Will Would
""")
"""What opens a line of notes about something named before: "Requires dose adjustment." """

BACK_REFERENCE_PATTERN = r"""
    This|These|Those|They|Their|Them|Its|He|She|Her|His(?!\ bundle|-|\ Purkinje)|Such|Thus|Therefore|Hence|However
    |It(?!\ (?:is|was|has\ been|may\ be)\ (?:\w+ly\ )?(?:recommended|estimated|known|important|possible|essential|likely
       |necessary|unknown|unclear|unlikely|suggested|believed|thought|advisable|common|rare|reasonable|accepted
       |concluded)\b)
    |Moreover|Furthermore|Nevertheless|Nonetheless|Consequently|Accordingly|Conversely|Instead|Otherwise|Similarly
    |Likewise|Additionally|Also|Besides|Finally|Then|Meanwhile|Subsequently|Afterwards?|But|And|Or|So|Yet|Nor|Others?
    |Another|Alternatively|Secondly|Thirdly|Lastly|Indeed|Again|Rather|Yes,|No,
    |Both(?!\ [\w-]+(?:\ [\w-]+){0,4}\ and\ )
    |In\ (?:contrast|addition|turn|fact|particular|comparison|these|this|that|those|such|both|either|other\ words|it)
    |On\ the\ (?:other\ hand|contrary)|By\ (?:contrast|comparison)|At\ (?:the\ same|that)\ time
    |As\ (?:a\ result|a\ consequence|such|shown|described|mentioned|above|noted|expected|discussed|this|these|they|it)
    |For\ (?:example|instance)
    |(?:Of|From|With|To|At|After|Before|During|Among|Under|Despite|Because\ of|Due\ to|Based\ on|Using|Through|By|For
       |Between|Unlike|Like|Besides|Within|Without|Compared\ (?:to|with)|If|When|While|Although|Though|Because|Since
       |Once|As|Unless|Until|Where|Whether)\ (?:this|these|those|them|that|such|both|it|its|they|their|he|she|so)
    |(?:\w+\s){1,2}of\ (?:these|those|them|this|which|it|the\ latter)
    |The\ (?:latter|former|same|above|others?|rest|remaining|remainder|following|corresponding|respective|resulting
       |second|third)
    |(?:One|Another)\ (?:such|reason|example|possibility)
"""
"""Openings that mean nothing without the sentence before."""

# --- numbers and units ---------------------------------------------------------------------------------------------

NUMBER_WORDS = {
    word: value
    for value, word in enumerate(
        _word_tuple(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen"
        )
    )
}
TENS = {
    word: 10 * value
    for value, word in enumerate(_word_tuple("twenty thirty forty fifty sixty seventy eighty ninety"), start=2)
}
ORDINALS = {"first": "1", "1st": "1", "second": "2", "2nd": "2", "third": "3", "3rd": "3", "fourth": "4", "4th": "4"}
ROMAN_NUMERALS = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8"}

UNIT_SPELLINGS = {
    "%": "% percent per-cent",
    "mg": "mg mgs milligram milligrams",
    "mcg": "mcg µg ug microgram micrograms",
    "ng": "ng nanogram nanograms",
    "pg": "pg picogram picograms",
    "kg": "kg kgs kilogram kilograms",
    "g": "g gm gram grams",
    "l": "l liter liters litre litres",
    "dl": "dl deciliter deciliters decilitre",
    "ml": "ml milliliter milliliters millilitre millilitres cc",
    "µl": "µl ul microliter microliters",
    "mol": "mol",
    "mmol": "mmol millimole millimoles",
    "µmol": "µmol umol micromole micromoles",
    "nmol": "nmol",
    "pmol": "pmol",
    "mmol/l": "mM",
    "µmol/l": "µM uM",
    "nmol/l": "nM",
    "meq": "meq",
    "iu": "iu",
    "u": "u unit units",
    "mmhg": "mmhg mm-hg",
    "kpa": "kpa",
    "km": "km",
    "m": "m meter meters metre metres",
    "cm": "cm",
    "mm": "mm",
    "µm": "µm um",
    "nm": "nm",
    "m2": "m2 m²",
    "mm3": "mm3 mm³",
    "year": "year years yr yrs year-old",
    "month": "month months mo",
    "week": "week weeks wk wks weekly",
    "day": "day days d daily",
    "hour": "hour hours hr hrs h hourly",
    "minute": "minute minutes min mins",
    "second": "second seconds sec secs",
    "ms": "ms millisecond milliseconds",
    "bpm": "bpm",
    "kcal": "kcal",
    "kj": "kj",
    "hz": "hz",
    "gy": "gy",
    "fold": "fold",
    "time": "times",
    "°c": "°c ℃",
}
"""Canonical spelling → spellings. Only mM and its kin differ from another unit by case alone."""

BELOW_SIGNS = _word_tuple("< ≤ <= =< ⩽")
BELOW_WORDS = (
    *("less than", "fewer than", "lower than", "smaller than", "under", "below", "at most", "up to", "no more than"),
    "maximum of",
)
ABOVE_SIGNS = _word_tuple("> ≥ >= => ⩾")
ABOVE_WORDS = (
    *("more than", "greater than", "higher than", "larger than", "over", "above", "at least", "no less than"),
    *("minimum of", "exceeding"),
)
"""Comparators before a number. A bound counts with the side it stands on: a claim seldom keeps the difference."""

# --- what turns a statement round ----------------------------------------------------------------------------------

NEGATIONS_OF_VERBS = word_set("not never nor neither fail fails failed failing failure unable")
NEGATIONS_OF_NOUNS = word_set("no without lack lacks lacked lacking absence absent none non devoid")

FALSE_NEGATION_PATTERN = r"""
    \bno(?:t)?\ (?:more|less|fewer|later|earlier)\ than\b|\bnot\ (?:only|just|merely|simply|necessarily)\b
    |\bwith\ (?:or|and)\ without\b|\bwith\ or\ with\ no\b|\bwhether\ or\ not\b|\bor\ not\b(?=\s*[,.;:)])|\bno\.\ ?(?=\d)
"""
"""Words that look like a negation and are none."""

NEGATED_WORDS = _word_tuple("""
    unable unaffected unaltered uncertain unchanged unclear uncommon uncontrolled undetectable undetected unfavorable
    unfavourable unhealthy unimportant unlikely unnecessary unproven unrelated unresponsive unsafe unstable
    unsuccessful untreated unusual inactive inadequate inappropriate incomplete incorrect ineffective ineligible
    inefficient infrequent insensitive insignificant insufficient intolerant invalid irrelevant irreversible
    nonsignificant nonresponsive noninferior nondiabetic nonsmokers nonsmoking
""")
"""Words that are the negation of what follows their prefix (un-, in-, ir-, non-)."""

DIRECTION_AXES = """
    increase increased increases increasing increasingly high higher highest more greater greatest rise rose risen
      rising
      elevate elevated elevates elevation raise raised raises augment augmented enhance enhanced enhances enhancement
      upregulated upregulation upregulates larger largest raising raises
      rises heighten heightened escalate escalated
      surge surged exceed exceeded
    : decrease decreased decreases decreasing low lower lowest lowered lowers lowering less lesser least
      fewer smaller smallest
      reduce
      reduced reduces reducing reduction reductions decline declined declines declining fell diminish diminished
      diminishes downregulated downregulation downregulates attenuate attenuated attenuates lessen lessened
    | improve improved improves improving improvement improvements better best superior superiority benefit benefits
      beneficial favorable favourable ameliorate ameliorated ameliorates alleviate alleviated relieve relieved relieves
    : worsen worsened worsens worsening worse worst inferior inferiority harm harms harmful detrimental impair impaired
      impairs impairment deteriorate deteriorated deterioration exacerbate exacerbated exacerbates aggravate aggravated
    | gain gains gained : loss losses lost
    | recommend recommended recommends recommendation advised advisable : contraindicated contraindication
      contraindications discouraged avoid avoided avoidance
    | before prior preceding : after subsequent subsequently
    | positive positively positivity : negative negatively negativity
    | early earlier earliest : late later latest
    | short shorter shorten shortened shortens shortening shortest
    : long longer lengthen lengthened lengthens lengthening prolong prolonged prolongs prolonging prolongation longest
    | fast faster fastest quick quicker quickly rapid rapidly accelerate accelerated accelerates
    : slow slower slowest slowly slowed slows slowing delay delayed delays delaying decelerate decelerated
    | acute : chronic
    | agonist agonists : antagonist antagonists
    | activate activated activates activation stimulate stimulated stimulates stimulation promote promoted promotes
      induce induced induces induction
    : inhibit inhibited inhibits inhibition suppress suppressed suppresses suppression block blocked blocks prevent
      prevented prevents prevention
    | sensitive sensitivity : resistant resistance
    | mild : severe
    | rare rarely seldom : common commonly often frequent frequently
    | start started starting initiate initiated initiation : stop stopped stopping discontinue discontinued
      discontinuation
    | include included includes inclusion : exclude excluded excludes exclusion
    | maximum maximal : minimum minimal
    | strong strongly stronger : weak weakly weaker
    | benign : malignant
    | direct directly : indirect indirectly
    | dominant : recessive
    | success successful successfully : unsuccessful unsuccessfully
"""
"""Opposites: forms of the one direction, a colon, forms of the other; axes are parted by bars."""

OPPOSITE_PREFIXES = [("hyper", "hypo"), ("pre", "post"), ("tachy", "brady"), ("over", "under"), ("intra", "extra")]
"""Prefixes that turn a word into its opposite when they are exchanged."""

SCOPE_ENDS = word_set("but whereas while although though however and because except unless until if when")
"""Words behind which a negation does not reach."""

NOUN_SCOPE_ENDS = word_set(
    "in at for from on by to with among between during after before was were is are has have had did does do may might "
    "can could should would will that which who than as"
)
"""Words behind which the negation of a noun does not reach."""

# --- what a text is about --------------------------------------------------------------------------------------------

STOP_WORDS = word_set(
    "a about above after again all also am an and any are aren't as at be because been before being below between both "
    "but by can can't cannot could couldn't did didn't do does doesn't doing don't during each either etc few for from "
    "further had has hasn't have having he her here hers him his how i if in into is isn't it it's its itself just let "
    "may me might more most must my of off on once only or other ought our ours out over own per same shall she should "
    "so some such than that that's the their theirs them themselves then there there's these they this those through "
    "to too under until up upon us very via was wasn't we were weren't what what's when where whether which while who "
    "whom whose why will with would you your yours"
)
"""Words that say nothing about a subject. "no", "not" and "without" do."""
