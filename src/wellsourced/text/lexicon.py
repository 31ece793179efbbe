"""Words about English and medicine that the functions of this folder and others use; most of them in `lexicon.tsv`."""

from wellsourced.text.tables import read_rows, read_word_lists


def word_set(words: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(words.split())


def name_set(names: str) -> frozenset[str]:
    """The names in a text, which may have several words each: commas part them."""
    return frozenset(" ".join(names.split()).split(", "))


_LISTS = read_word_lists("wellsourced.text", "lexicon.tsv")

# --- where sentences end -------------------------------------------------------------------------------------------

NONFINAL_ABBREVIATIONS = frozenset(_LISTS["nonfinal abbreviation"])
"""Words before a full stop, lower case, that something always follows."""

RARELY_FINAL_ABBREVIATIONS = frozenset(_LISTS["rarely final abbreviation"])
"""Words before a full stop that end a sentence only when a word follows that opens one."""

SENTENCE_OPENERS = frozenset(_LISTS["sentence opener"])
"""Lower-cased words that open a sentence far more often than they continue a name."""

# --- what is a whole sentence --------------------------------------------------------------------------------------

AUXILIARIES = _LISTS["auxiliary"]
VERBS = _LISTS["verb"]
"""Verbs of medical sentences; their -s and -ed forms are made from these."""

IRREGULAR_VERB_FORMS = _LISTS["irregular verb form"]
IMPERATIVES = _LISTS["imperative"]
"""What opens an order: "Do not stop aspirin." has no other finite verb."""

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

# --- numbers -------------------------------------------------------------------------------------------------------

NUMBER_WORDS = {word: value for value, word in enumerate(_LISTS["number below twenty"])}
TENS = {word: 10 * value for value, word in enumerate(_LISTS["tens"], start=2)}

# --- what turns a statement round ----------------------------------------------------------------------------------

NEGATIONS_OF_VERBS = word_set("not never nor neither fail fails failed failing failure unable")
NEGATIONS_OF_NOUNS = word_set("no without lack lacks lacked lacking absence absent none non devoid")

NEGATED_WORDS = _LISTS["negated word"]
"""Words that are the negation of what follows their prefix (un-, in-, ir-, non-)."""

DIRECTION_AXES = " | ".join(
    words for kind, words in read_rows("wellsourced.text", "lexicon.tsv") if kind == "opposites"
)
"""Opposites: forms of the one direction, a colon, forms of the other; axes are parted by bars."""

OPPOSITE_PREFIXES = [("hyper", "hypo"), ("pre", "post"), ("tachy", "brady"), ("over", "under"), ("intra", "extra")]
"""Prefixes that turn a word into its opposite when they are exchanged."""

SCOPE_ENDS = word_set("but whereas while although though however and because except unless until if when")
"""Words behind which a negation does not reach."""

# --- what a text is about ------------------------------------------------------------------------------------------

STOP_WORDS = frozenset(_LISTS["stop word"])
"""Words that say nothing about a subject. "no", "not" and "without" do."""
