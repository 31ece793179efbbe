"""The content words of a text with their directions, and which of them a negation reverses."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import Stemmer

from wellsourced.clinical.quantities import normalize_characters
from wellsourced.text.lexicon import (
    DIRECTION_AXES,
    FALSE_NEGATION_PATTERN,
    NEGATED_WORDS,
    NEGATIONS_OF_NOUNS,
    NEGATIONS_OF_VERBS,
    NOUN_SCOPE_ENDS,
    NUMBER_WORDS,
    OPPOSITE_PREFIXES,
    SCOPE_ENDS,
    STOP_WORDS,
)


class GuardToken(NamedTuple):
    """A content word or a number.

    key     what it is compared by: a stem, an axis of directions, "#" for every number
    name    what its neighbours know it by: the key, or the number itself
    sign    its direction
    position   its place in the text, with a distance put in at every break
    """

    key: str
    name: str
    word: str
    sign: int
    position: int


class NegationCue(NamedTuple):
    """A negation and the indexes of the tokens that it reverses."""

    word: str
    governed_indexes: tuple[int, ...]


class PolarityAnnotation(NamedTuple):
    """A text as the guard reads it; `sense` holds +1 or -1 for each token, negations and directions multiplied."""

    tokens: list[GuardToken]
    cues: list[NegationCue]
    polarity: list[int]


POSITIVE_FORMS = {word: re.sub(r"^(?:un|in|ir|non)", "", word) for word in NEGATED_WORDS}
"""A word that has its negation within it → the word without."""

_VERB_NEGATIONS = NEGATIONS_OF_VERBS - {"failure"}
NEGATIONS = _VERB_NEGATIONS | NEGATIONS_OF_NOUNS
"""Words that deny what follows them; "heart failure" denies nothing, and "failure to" is read as "fail to"."""

stem: Callable[[str], str] = Stemmer.Stemmer("english").stemWord

_WORD_OR_MARK = re.compile(r"\d+(?:[.,]\d+)*(?![^\W_])|[^\W_]+|[.;:,!?()]")
_FALSE_NEGATION = re.compile(FALSE_NEGATION_PATTERN, re.VERBOSE | re.IGNORECASE)
_FAILURE_TO = re.compile(r"\bfailure to\b", re.IGNORECASE)
_BARE_DECIMAL_POINT = re.compile(r"(?<![\w.)])\.(?=\d)")
_PER_CENT = re.compile(r"(?<=\d)\s?per\s?cent\b", re.IGNORECASE)
_HYPHENATED_PREFIX = re.compile(r"\b(pre|post|hyper|hypo|up|down|over|under|tachy|brady)-(?=[a-z])", re.IGNORECASE)
_BREAK_DISTANCES = {".": 8, "!": 8, "?": 8, ";": 4, ":": 2}
_NEGATION_REACH = {"verb": 4, "noun": 3}


_DIRECTIONS = {
    word: (f"axis {number}", sign)
    for number, axis in enumerate(DIRECTION_AXES.split("|"))
    for sign, side in zip((1, -1), axis.split(":"), strict=True)
    for word in side.split()
}
"""Word → its axis, and its side on it."""


def find_direction(word: str) -> tuple[str, int] | None:
    """The axis of a small word and its side on it (+1 or -1); None for a word without a direction."""
    if word in _DIRECTIONS:
        return _DIRECTIONS[word]
    for up, down in OPPOSITE_PREFIXES:
        for prefix, sign in ((up, 1), (down, -1)):
            if word.startswith(prefix) and len(word) > len(prefix) + 3:
                return f"{up}+{stem(word.removeprefix(prefix))}", sign
    return None


def normalize_spelling(text: str) -> str:
    """The text in one spelling: "not" by itself, "percent" a sign, without what looks like a negation and is none."""
    text = re.sub(r"n't\b", " not", normalize_characters(text).replace("annot", "an not"))
    text = _PER_CENT.sub("%", _FALSE_NEGATION.sub(" ", text))
    text = _FAILURE_TO.sub("fail to", _BARE_DECIMAL_POINT.sub("0.", text))
    return _HYPHENATED_PREFIX.sub(r"\1", text)


def annotate_polarity(text: str) -> PolarityAnnotation:
    """Content words with their directions, and what each negation governs."""
    words = [match.group() for match in _WORD_OR_MARK.finditer(normalize_spelling(text).lower())]
    tokens: list[GuardToken] = []
    owner: list[int | None] = []
    at = 0
    for word in words:
        at += _BREAK_DISTANCES.get(word, 0)
        token = _build_token(word, at)
        owner.append(len(tokens) if token else None)
        if token:
            tokens.append(token)
            at += 1
    cues = list(_find_cues(words, owner))
    sense = [token.sign for token in tokens]
    for cue in cues:
        for index in cue.governed_indexes:
            sense[index] = -sense[index]
    return PolarityAnnotation(tokens, cues, sense)


def _build_token(word: str, at: int) -> GuardToken | None:
    """The token of a word; None for a mark, a cue or a word without content."""
    if word[0].isdigit() or word in NUMBER_WORDS:
        value = str(NUMBER_WORDS.get(word, word)).replace(",", "")
        return GuardToken("#", value.rstrip("0").rstrip(".") if "." in value else value, word, 1, at)
    base = POSITIVE_FORMS.get(word, word)
    if base in _DIRECTIONS:
        key, sign = _DIRECTIONS[base]
        return GuardToken(key, key, word, sign, at)
    if not word[0].isalnum() or word in STOP_WORDS or word in NEGATIONS:
        return None
    key, sign = find_direction(base) or (stem(base), 1)
    return GuardToken(key, key, word, sign, at)


def _find_cues(words: list[str], owner: list[int | None]) -> Iterator[NegationCue]:
    for place, word in enumerate(words):
        if word in POSITIVE_FORMS:
            yield NegationCue(word, tuple(index for index in [owner[place]] if index is not None))
        elif word in NEGATIONS:
            kind = "verb" if word in _VERB_NEGATIONS else "noun"
            yield NegationCue(
                word, _find_governed_tokens(words, owner, place, kind) or _find_preceding_tokens(words, owner, place)
            )


def _find_governed_tokens(words: list[str], owner: list[int | None], place: int, kind: str) -> tuple[int, ...]:
    """The content words behind a negation, as far as it reaches."""
    found: list[int] = []
    for step, word in enumerate(words[place + 1 : place + 16]):
        index = owner[place + 1 + step]
        ends = word in SCOPE_ENDS or not word[0].isalnum() or (kind == "noun" and word in NOUN_SCOPE_ENDS and step > 0)
        if ends or len(found) == _NEGATION_REACH[kind]:
            break
        if index is not None:
            found.append(index)
    return tuple(found)


def _find_preceding_tokens(words: list[str], owner: list[int | None], place: int) -> tuple[int, ...]:
    """The two content words before a negation that nothing follows ("reflexes were absent")."""
    found: list[int] = []
    for word, index in zip(words[max(0, place - 8) : place][::-1], owner[max(0, place - 8) : place][::-1], strict=True):
        if not word[0].isalnum() or len(found) == 2:
            break
        if index is not None:
            found.append(index)
    return tuple(found)
