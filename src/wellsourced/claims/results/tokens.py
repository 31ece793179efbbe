"""The sentences of a report as words with their places and clauses, and the words that say what rose, what fell, and
what made no difference.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

import Stemmer

from wellsourced.text.lexicon import word_set
from wellsourced.text.tables import read_rows, read_word_lists
from wellsourced.text.typography import BOUND_SIGN, normalize_bound_sign

_LISTS = read_word_lists("wellsourced.claims.results", "lexicon.tsv")


def _load_words(kind: str) -> frozenset[str]:
    return frozenset(_LISTS[kind])


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

_SYNONYM_ROWS = (
    row.split(" : ") for kind, row in read_rows("wellsourced.claims.results", "lexicon.tsv") if kind == "synonym stems"
)
SYNONYM_STEMS = {other: stem for stem, others in _SYNONYM_ROWS for other in others.split()}
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
    "between": "arm", "of": "arm", "among": "arm", "on": "outcome", "in": "outcome", "regarding": "outcome",
    "for": "outcome", "to": "outcome",
}  # fmt: skip
"""Which preposition opens which, behind "difference" or "effect"."""
OBJECTLESS_WORDS = ARM_PREPOSITIONS | word_set("from between more less during after at over . , ; (")
NO_VALUE_AFTER = word_set("± p < > = ≤ ≥ n ci interval group week weeks day month year at table fig")
NO_VALUE_BEFORE = word_set("mg mcg kg μg µg g week weeks month months")
"""Words before and behind a number that is no result."""

CueKind = Literal["turn", "valued", "differ", "same"]


class ResultToken(NamedTuple):
    """A word, number or mark of a text: `key` is its stem, or the number; text[start:end] is how it is printed."""

    word: str
    key: str
    start: int
    end: int


class ResultCue(NamedTuple):
    """A word that reports a result.

    kind  "turn" rises or falls; "valued" gets better or worse; "differ" differs, not said how; "same" does not differ
    sign  +1 or -1 for a turn or a value; of "same" the direction that is denied, 0 if none
    position   index of the word in its sentence
    significance   in [-1, 1]: said or computed to be significant (+), not to be (-), 0 where nothing is said
    """

    kind: CueKind
    sign: int
    position: int
    significance: float = 0.0


_stem: Callable[[str], str] = Stemmer.Stemmer("english").stemWord
_BRITISH_SPELLING = re.compile(
    r"(?<=[a-z]{2})(?:ae|oe)(?=[a-z]{2})|(?<=[a-z]{3})our(?=$|s$)|(?<=[a-z]{3})is(?=(?:e|ed|es|ing|ation)$)"
)
_AMERICAN_SPELLINGS = {"ae": "e", "oe": "e", "our": "or", "is": "iz"}


@lru_cache(maxsize=16384)
def _normalize_key(word: str) -> str:
    """The stem of a word, spelled in one way, and by the word that reports use for the same."""
    stem = _stem(_BRITISH_SPELLING.sub(lambda match: _AMERICAN_SPELLINGS[match.group()], word))
    return SYNONYM_STEMS.get(stem, stem)


_MAX_WORD_LENGTH = 40
_TOKEN = re.compile(
    rf"(?P<bound>{BOUND_SIGN})"
    r"|[=≤≥]|\d+(?:[.,·]\d+)*|\.\d+|[^\W\d_][^\W_]*|[();:,.!?%±/+−–-]"
)
MAX_WORDS = 6000
"""Words of a text that are read; the rest of a longer text is left out."""
_MAX_SENTENCE_WORDS = 400
"""Words at which a sentence is cut, where nothing ends it."""
SENTENCE_ENDS = frozenset(".!?")


def tokenize(text: str, most: int = MAX_WORDS) -> list[ResultToken]:
    """The words, numbers and marks of a text, in order, at most so many."""
    found = []
    for match in _TOKEN.finditer(text):
        printed = normalize_bound_sign(match.group()) if match["bound"] else match.group()
        word = printed.lower()
        if word[0].isalpha():
            key = (
                word[:-1] if printed[-1] == "s" and printed[:-1].isupper() else _normalize_key(word[:_MAX_WORD_LENGTH])
            )
        else:
            key = word.replace("·", ".").replace(",", "") if len(word) > 1 else word
        found.append(ResultToken(word, key, match.start(), match.end()))
        if len(found) == most:
            break
    return found


def split_sentences(told: list[ResultToken], text: str) -> Iterator[list[ResultToken]]:
    """The words sentence by sentence: a full stop, or a semicolon outside brackets, ends one."""
    begun, depth = 0, 0
    for at, word in enumerate(told):
        if word.word == "(":
            depth += 1
        elif word.word == ")":
            depth = max(0, depth - 1)
        if at - begun >= _MAX_SENTENCE_WORDS or _is_sentence_end(told, at, text, depth):
            yield told[begun : at + 1]
            begun, depth = at + 1, 0
    if begun < len(told):
        yield told[begun:]


def _is_sentence_end(told: list[ResultToken], at: int, text: str, depth: int) -> bool:
    word = told[at]
    if word.word == ";":
        return depth == 0
    if word.word not in SENTENCE_ENDS:
        return False
    following = text[word.end : word.end + 2]
    if following and not following[0].isspace() and not following[0].isupper():
        return False
    before = told[at - 1].word if at else ""
    return before not in NONFINAL_WORDS or not following[1:].islower()


_NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d+")


def locate_p_values(sentence: list[ResultToken]) -> list[tuple[int, float]]:
    """Places of p-values, and of words about significance, with +1 for significant and -1 for not."""
    found: list[tuple[int, float]] = []
    for at, word in enumerate(sentence):
        if word.word == "p" and at + 2 < len(sentence):
            found += _parse_p_value(sentence, at)
    return found


def _parse_p_value(sentence: list[ResultToken], at: int) -> Iterator[tuple[int, float]]:
    """The p-value behind a "p": "p < 0.05", "P-value: .222", "p = 0 . 02"."""
    sign = ""
    for word in sentence[at + 1 : at + 6]:
        if word.word in "<>=≤≥":
            sign = word.word
        elif _NUMBER.fullmatch(word.key):
            value = float(word.key if not word.key.startswith("0") or "." in word.key else "0")
            if sign and value <= 1:
                yield at, 1.0 if value < 0.05 or (value == 0.05 and sign in "<≤=") else -1.0
            return
        elif word.word not in {"value", "values", "-", ":", "for", "all", "both"}:
            return


def extract_ratio_cues(sentence: list[ResultToken], text: str) -> list[ResultCue]:
    """Ratios with their intervals, as turns: "HR .72 (.60-.86)" is a fall, and significant."""
    if not any(word.word in RATIO_WORDS for word in sentence):
        return []
    found = []
    for at, word in enumerate(sentence):
        if word.word[0].isdigit() or (len(word.word) > 1 and word.word[0] == "."):
            match = _INTERVAL.match(text, word.start, word.start + _MAX_INTERVAL_LENGTH)
            if match:
                value, low, high = (float(number.replace("·", ".")) for number in match.groups())
                if 0 < low <= value <= high:
                    sure = 1.0 if low > 1 or high < 1 else -1.0 if low < 1 < high else 0.0
                    found.append(ResultCue("turn", 1 if value >= 1 else -1, at, sure))
    return found


_MAX_INTERVAL_LENGTH = 80
_DECIMAL = r"(\d{0,6}[.·]\d{1,6}|\d{1,6})"
_INTERVAL = re.compile(
    rf"{_DECIMAL}\s?[,;:]?\s?[(\[]?\s?(?:9[059]\s?%\s?)?"
    r"(?:CIs?|[Cc]onfidence [Ii]ntervals?(?: ?[(\[]CI[)\]])?|C\.I\.)?"
    rf"\s?[(\[]?[,:=]?\s?[(\[]?{_DECIMAL}\s?(?:-|–|−|to|,|;)\s?{_DECIMAL}"
)
"""A value and its interval: "0.72 (0.60-0.86)", "1.06; 95% CI 1.02 to 1.09"."""
