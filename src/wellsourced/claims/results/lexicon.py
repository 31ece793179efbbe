"""The words with which reports of studies say what rose, what fell, and what made no difference."""

from collections import defaultdict
from importlib.resources import files

from wellsourced.text.lexicon import word_set


def _read_rows() -> dict[str, list[str]]:
    """The rows of lexicon.tsv, by their kind: kind, tab, words."""
    rows: dict[str, list[str]] = defaultdict(list)
    for line in files(__package__).joinpath("lexicon.tsv").read_text(encoding="utf-8").splitlines():
        kind, _, words = line.partition("\t")
        rows[kind].append(words)
    return rows


_ROWS = _read_rows()


def _load_words(kind: str) -> frozenset[str]:
    return word_set(" ".join(_ROWS[kind]))


INCREASE_WORDS = _load_words("increase")
DECREASE_WORDS = _load_words("decrease")
IMPROVEMENT_WORDS = _load_words("improvement")
WORSENING_WORDS = _load_words("worsening")
COMPARATIVES = _load_words("comparatives")
"""Words that compare; before or behind the name of a change they tell how large the change was."""
CHANGE_NOUNS = _load_words("change nouns")
DIFFERENCE_WORDS = _load_words("difference")
"""Words of an effect whose direction they do not tell."""
NEGATORS = _load_words("negators")
"""Words that deny; of "didn't" what stands before the apostrophe."""
DENIABLE_WORDS = _load_words("deniable")
"""What else a negation before it turns into "no difference"."""
EQUIVALENCE_WORDS = _load_words("equivalence")
COMPARISON_WORDS = word_set("than compared versus vs v relative comparison against comparing")
CONTRAST_WORDS = word_set("but whereas while although though however yet except exception nevertheless despite")
"""Words at which a sentence turns to another finding."""
BASELINE_WORDS = _load_words("baseline")

TREATED_ARM_WORDS = _load_words("treated arm")
CONTROL_ARM_WORDS = _load_words("control arm")
"""What reports call the two arms, where they do not name them."""

GENERIC_OUTCOME_STEMS = _load_words("generic outcome stems")
"""Stems that name no outcome by themselves."""
GENERIC_ARM_STEMS = _load_words("generic arm stems")
"""Stems of an arm's description that other arms may share."""
HARM_STEMS = _load_words("harm stems")
"""Stems of outcomes of which less is better."""

ABSENCE_WORDS = _load_words("absence")
"""Words that turn what an arm has into what it lacks."""
POSITIVE_ADVERBS = word_set("positive positively direct directly")
NEGATIVE_ADVERBS = word_set("negative negatively inverse inversely")
RATIO_WORDS = word_set("or hr rr irr aor ahr arr odds hazard ratio ratios relative")
"""Words of measures whose value without an effect is 1."""
BOTH_WORDS = word_set("both all either")

SYNONYM_STEMS = {
    other: stem for stem, others in (row.split(" : ") for row in _ROWS["synonym stems"]) for other in others.split()
}
"""Stem → the stem that stands for both."""

FILLER_WORDS = _load_words("filler")
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
DENIED_WORDS = _load_words("denied")
"""How a denial opens that takes the finding before it back, what may follow it, and what it denies."""

LINKING_WORDS = _load_words("linking")
"""Words of a link between two things, whichever comes first."""
OPENING_WORDS = _load_words("opening")
"""Words before a finding that name neither arm nor outcome."""
PREPOSITION_ROLES = {
    "between": "arm",
    "of": "arm",
    "among": "arm",
    "on": "outcome",
    "in": "outcome",
    "regarding": "outcome",
    "for": "outcome",
    "to": "outcome",
}
"""Which preposition opens which, behind "difference" or "effect"."""
OBJECTLESS_WORDS = ARM_PREPOSITIONS | word_set("from between more less during after at over . , ; (")
NO_VALUE_AFTER = word_set("± p < > = ≤ ≥ n ci interval group week weeks day month year at table fig")
NO_VALUE_BEFORE = word_set("mg mcg kg μg µg g week weeks month months")
"""Words before and behind a number that is no result."""
