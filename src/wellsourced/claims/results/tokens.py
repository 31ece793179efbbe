"""The sentences of a report as words with their places, clauses, and words that report a result."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

import Stemmer

from wellsourced.claims.results.lexicon import NONFINAL_WORDS, RATIO_WORDS, SYNONYM_STEMS
from wellsourced.clinical.quantities import BOUND_SIGN, normalize_bound_sign

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


# --- significance --------------------------------------------------------------------------------------------------

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
