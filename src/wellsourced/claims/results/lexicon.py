"""The words with which reports of studies say what rose, what fell, and what made no difference."""

from wellsourced.text.lexicon import word_set

INCREASE_WORDS = word_set("""
    increase increased increases increasing high higher highest more greater greatest rise rose risen rising rises
    elevate elevated elevates elevation elevations elevating raise raised raises raising augment augmented augments
    enhance enhanced enhances enhancement enhancing larger largest upregulated upregulates upregulation longer prolong
    prolonged prolongs prolongation exceed exceeded exceeds gain gained gains doubled doubles tripled promote promotes
    promoted promoting stimulate stimulates stimulated heavier older warmer faster quicker thicker taller stronger
    accelerated accelerates accelerate boost boosts boosted induce induces induced inducing induction overexpressed
    potentiates potentiated upregulate activates activated activation wider deeper hyperactivation
""")
DECREASE_WORDS = word_set("""
    decrease decreased decreases decreasing low lower lowest lowered lowers lowering less lesser least fewer fewest
    smaller smallest reduce reduced reduces reducing reduction reductions decline declined declines declining fell
    fall falls fallen falling drop dropped drops diminish diminished diminishes diminution downregulated downregulates
    downregulation attenuate attenuated attenuates attenuation attenuating lessen lessened shorter shorten shortened
    shortens shortening prevent prevented prevents preventing prevention inhibit inhibited inhibits inhibiting
    inhibition suppress suppressed suppresses suppressing suppression loss lost loses losing protect protected
    protects protective slower slowed slows delay delayed delays lighter weaker younger thinner blocks blocked block
    abolish abolished abolishes abrogated abrogates minimised minimized minimises minimizes halved curb eliminates
    eliminated depletes depleted depletion reverses reversed decreasingly downregulate mitigates mitigated limits
    limited earlier sooner
""")
IMPROVEMENT_WORDS = word_set("""
    improve improved improves improving improvement improvements better best superior superiority benefit benefits
    benefited benefitted beneficial favorable favourable favoring favouring favored favoured favors favours favor
    favour effective efficacious ameliorate ameliorated ameliorates amelioration alleviate alleviated alleviates
    alleviation relieve relieved relieves relief
""")
WORSENING_WORDS = word_set("""
    worsen worsened worsens worsening worse worst poorer poorest poor inferior inferiority impair impaired impairs
    impairment deteriorate deteriorated deteriorates deterioration exacerbate exacerbated exacerbates aggravate
    aggravated aggravates harmful detrimental
""")
COMPARATIVES = word_set(
    "more greater greatest higher highest larger largest less lesser lower lowest fewer smaller smallest better worse "
    "superior inferior stronger weaker faster slower longer shorter longest shortest high low"
)
"""Words that compare; before or behind the name of a change they tell how large the change was."""
CHANGE_NOUNS = word_set("""
    reduction reductions decrease decreases decline declines drop drops fall falls loss losses increase increases
    rise rises gain gains improvement improvements elevation elevations deterioration worsening enhancement
    suppression inhibition impairment lowering relief decreased increased reduced improved declined dropped fell
    lost gained
""")
DIFFERENCE_WORDS = word_set("""
    difference differences differ differed differs differing different differently effect effects affect affected
    affects affecting impact impacts impacted influence influenced influences change changes changed changing altered
    alter alters alteration association associations associated correlate correlated correlates correlation
    correlations correlating linked related relationship relation predicts predicted predictor predictive interaction
    varied vary variation distinguish depends
""")
"""Words of an effect whose direction they do not tell."""
NEGATORS = word_set("""
    no not nor neither never none without cannot non fail failed fails failing failure lack lacked unable didn wasn
    weren don doesn isn aren hasn hadn couldn unlikely
""")
"""Words that deny; of "didn't" what stands before the apostrophe."""
DENIABLE_WORDS = word_set("""
    significant significance significantly evidence statistical statistically superior likely influence benefit
    beneficial advantage reveal show demonstrate meaningful reach
""")
"""What else a negation before it turns into "no difference"."""
EQUIVALENCE_WORDS = word_set("""
    similar similarly comparable comparably equal equally equivalent identical unchanged unaffected unaltered
    nonsignificant insignificant nonsignificantly insignificantly ns noninferior noninferiority indistinguishable
    constant overlapping
""")
COMPARISON_WORDS = word_set("than compared versus vs v relative comparison against comparing")
CONTRAST_WORDS = word_set("but whereas while although though however yet except exception nevertheless despite")
"""Words at which a sentence turns to another finding."""
BASELINE_WORDS = word_set(
    "baseline pre pretest pretreatment before preoperative preoperatively initial entry admission"
)

TREATED_ARM_WORDS = word_set(
    "intervention treatment treated experimental active study test drug exposed supplemented trained case"
)
CONTROL_ARM_WORDS = word_set(
    "control controls placebo sham vehicle untreated conventional standard usual comparison dummy nonexposed"
)
"""What reports call the two arms, where they do not name them."""

GENERIC_OUTCOME_STEMS = word_set("""
    mean median average level score rate number change valu percentag total incid proport patient week day month year
    time baselin end studi result amount outcom measur group treatment post use index averag the frequenc occurr
    subject particip person case hour minut period overal scale concentr size ratio chang follow primari
    all per intens durat sever signific
""")
"""Stems that name no outcome by themselves."""
GENERIC_ARM_STEMS = word_set("""
    group receiv patient subject particip treatment treat therapi mg kg day week month dose daili use plus combin with
    g ml min mcg ug per year twice once hour intervent program programm studi administ given time arm women men
    children infant adult condit base alon increas decreas mean all first mice mous rat cell express peopl human level
""")
"""Stems of an arm's description that other arms may share."""
HARM_STEMS = word_set("""
    pain vas sever symptom mortal death deaths die anxieti depress stress distress fatigu nausea vomit risk advers
    complic infect recurr relaps bleed cost error toxic inflamm crp cough dyspnea dyspnoea prurit dlqi disabl impair
    burden failur fever smoke cari plaqu insomnia headach ulcer cholesterol ldl triglycerid glucos hba1c weight bmi
    pressur length hospit exacerb congest sneez itch hot flash flush reject injuri damag diseas morbid loss hypotens
    hypertens hyperten stroke hemorrhag haemorrhag edema oedema rash psoriasi pasi aggress anger problem worri fear
    tumor tumour cancer metastasi los urgenc inconti nocturia latenc lesion irrit apnea apnoea delirium hamd madrs
    bdi phq craving drink consumpt womac odi catastroph prolong diarrhea diarrhoea constip
""")
"""Stems of outcomes of which less is better."""

ABSENCE_WORDS = word_set("""
    deficient deficiency deficiencies knockout knockouts null lack lacking absence absent without silencing silenced
    depletion depleted deletion deleted knockdown ablation ablated removal insufficiency withdrawal cessation untreated
""")
"""Words that turn what an arm has into what it lacks."""
POSITIVE_ADVERBS = word_set("positive positively direct directly")
NEGATIVE_ADVERBS = word_set("negative negatively inverse inversely")
RATIO_WORDS = word_set("or hr rr irr aor ahr arr odds hazard ratio ratios relative")
"""Words of measures whose value without an effect is 1."""
BOTH_WORDS = word_set("both all either")

SYNONYM_STEMS = {
    other: stem
    for stem, others in {
        "mortal": "death die dead fatal deceas",
        "hospit": "admiss admit readmiss readmit",
        "vomit": "emesi emet",
        "adher": "complianc",
        "tumor": "tumour neoplasm",
        "kidney": "renal",
        "liver": "hepat",
        "heart": "cardiac",
        "lung": "pulmonari",
        "hba1c": "glycohemoglobin a1c hb1ac",
        "relaps": "recurr recur",
        "fatigu": "tired tiredness",
        "sleepi": "somnol drowsi",
        "bleed": "hemorrhag",
        "itch": "prurit",
        "seizur": "convuls",
        "dyspnea": "breathless",
        "satisfact": "satisfi",
        "accuraci": "accur",
        "qualiti": "qol",
    }.items()
    for other in others.split()
}
"""Stem → the stem that stands for both."""

FILLER_WORDS = word_set("""
    significantly significant statistically made make makes no not showed shown show demonstrated associated found
    observed reported led resulted produced caused exhibited clinically effect effects compared
""")
"""Words about a finding that name neither an arm nor an outcome."""

NONFINAL_WORDS = word_set("vs v fig e i g al approx ca resp no")
"""Words before a full stop that a lower-case word may follow."""
AUXILIARY_VERBS = word_set("was were is are had has have showed did")
COPULAS = word_set("is are was were be been being")
ARM_PREPOSITIONS = word_set("in among with for by")
"""Words before the arm of which something was found."""
GROUP_STEMS = word_set("group arm patient subject particip children women men school site side condit eye")
"""Stems of the words that name whom an arm consists of."""
DENIAL_OPENERS = word_set("this these it they but difference differences though although")
DENIAL_ENDINGS = word_set(". , ; ( after between statistically at [ significance")
DENIED_WORDS = word_set(
    "significant significantly significance statistical statistically difference differences different"
)
"""How a denial opens that takes the finding before it back, what may follow it, and what it denies."""

LINKING_WORDS = word_set(
    "associated association associations correlated correlates correlation linked related relationship relation"
)
"""Words of a link between two things, whichever comes first."""
OPENING_WORDS = word_set(
    "there was were is are no not any a an the evidence of we found observed significant statistically also had"
)
"""Words before a finding that name neither arm nor outcome."""
PREPOSITION_ROLES = {
    "between": "arm",
    "of": "arm",
    "among": "arm",
    "on": "outcome",
    "in": "outcome",
    "regarding": "outcome",
} | {
    "for": "outcome",
    "to": "outcome",
}
"""Which preposition opens which, behind "difference" or "effect"."""
OBJECTLESS_WORDS = ARM_PREPOSITIONS | word_set("from between more less during after at over . , ; (")
NO_VALUE_AFTER = word_set("± p < > = ≤ ≥ n ci interval group week weeks day month year at table fig")
NO_VALUE_BEFORE = word_set("mg mcg kg μg µg g week weeks month months")
"""Words before and behind a number that is no result."""
