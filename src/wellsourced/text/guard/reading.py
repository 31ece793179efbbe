"""Reading: the content words of a text with their directions, and what each negation turns round."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import Stemmer

from wellsourced.text.lexicon import (
    AXES,
    NEGATED_WORDS,
    NEGATIONS_OF_NOUNS,
    NEGATIONS_OF_VERBS,
    NOT_NEGATED,
    NOUN_SCOPE_ENDS,
    NUMBER_WORDS,
    PREFIXES,
    SCOPE_ENDS,
    STOP_WORDS,
)
from wellsourced.text.quantities import plain


class Token(NamedTuple):
    """A content word or a number.

    key     what it is compared by: a stem, an axis of directions, "#" for every number
    name    what its neighbours know it by: the key, or the number itself
    sign    its direction
    at      its place in the text, with a distance put in at every break
    """

    key: str
    name: str
    word: str
    sign: int
    at: int


class Cue(NamedTuple):
    """A negation and the tokens (indexes) that it turns round."""

    word: str
    governed: tuple[int, ...]


class Reading(NamedTuple):
    """A text as the guard reads it; `sense` holds +1 or -1 for each token, negations and directions multiplied."""

    tokens: list[Token]
    cues: list[Cue]
    sense: list[int]


NEGATED = {word: re.sub(r"^(?:un|in|ir|non)", "", word) for word in NEGATED_WORDS}
"""A word that has its negation within it → the word without."""

_OF_VERBS = NEGATIONS_OF_VERBS - {"failure"}
NEGATIONS = _OF_VERBS | NEGATIONS_OF_NOUNS
"""Words that deny what follows them; "heart failure" denies nothing, and "failure to" is read as "fail to"."""

stem: Callable[[str], str] = Stemmer.Stemmer("english").stemWord

_WORDS = re.compile(r"\d+(?:[.,]\d+)*(?![^\W_])|[^\W_]+|[.;:,!?()]")
_NONE = re.compile(NOT_NEGATED, re.VERBOSE | re.IGNORECASE)
_FAILURE = re.compile(r"\bfailure to\b", re.IGNORECASE)
_BARE = re.compile(r"(?<![\w.)])\.(?=\d)")
_PER_CENT = re.compile(r"(?<=\d)\s?per\s?cent\b", re.IGNORECASE)
_JOINED = re.compile(r"\b(pre|post|hyper|hypo|up|down|over|under|tachy|brady)-(?=[a-z])", re.IGNORECASE)
_BREAK = {".": 8, "!": 8, "?": 8, ";": 4, ":": 2}
_REACH = {"verb": 4, "noun": 3}


def _directions() -> dict[str, tuple[str, int]]:
    table = {}
    for number, axis in enumerate(AXES.split("|")):
        for sign, side in zip((1, -1), axis.split(":"), strict=True):
            for word in side.split():
                table[word] = (f"axis {number}", sign)
    return table


_DIRECTIONS = _directions()


def direction(word: str) -> tuple[str, int] | None:
    """The axis of a small word and its side on it (+1 or -1); None for a word without a direction."""
    if word in _DIRECTIONS:
        return _DIRECTIONS[word]
    for up, down in PREFIXES:
        for prefix, sign in ((up, 1), (down, -1)):
            if word.startswith(prefix) and len(word) > len(prefix) + 3:
                return f"{up}+{stem(word.removeprefix(prefix))}", sign
    return None


def in_spelling(text: str) -> str:
    """The text in one spelling: "not" by itself, "percent" a sign, without what looks like a negation and is none."""
    text = re.sub(r"n't\b", " not", plain(text).replace("annot", "an not"))
    text = _PER_CENT.sub("%", _NONE.sub(" ", text))
    text = _FAILURE.sub("fail to", _BARE.sub("0.", text))
    return _JOINED.sub(r"\1", text)


def read(text: str) -> Reading:
    """Content words with their directions, and what each negation governs."""
    words = [match.group() for match in _WORDS.finditer(in_spelling(text).lower())]
    tokens: list[Token] = []
    owner: list[int | None] = []
    at = 0
    for word in words:
        at += _BREAK.get(word, 0)
        token = _token(word, at)
        owner.append(len(tokens) if token else None)
        if token:
            tokens.append(token)
            at += 1
    cues = list(_cues(words, owner))
    sense = [token.sign for token in tokens]
    for cue in cues:
        for index in cue.governed:
            sense[index] = -sense[index]
    return Reading(tokens, cues, sense)


def _token(word: str, at: int) -> Token | None:
    """The token of a word; None for a mark, a cue or a word without content."""
    if word[0].isdigit() or word in NUMBER_WORDS:
        value = str(NUMBER_WORDS.get(word, word)).replace(",", "")
        return Token("#", value.rstrip("0").rstrip(".") if "." in value else value, word, 1, at)
    base = NEGATED.get(word, word)
    if base in _DIRECTIONS:
        key, sign = _DIRECTIONS[base]
        return Token(key, key, word, sign, at)
    if not word[0].isalnum() or word in STOP_WORDS or word in NEGATIONS:
        return None
    key, sign = direction(base) or (stem(base), 1)
    return Token(key, key, word, sign, at)


def _cues(words: list[str], owner: list[int | None]) -> Iterator[Cue]:
    for place, word in enumerate(words):
        if word in NEGATED:
            yield Cue(word, tuple(index for index in [owner[place]] if index is not None))
        elif word in NEGATIONS:
            kind = "verb" if word in _OF_VERBS else "noun"
            yield Cue(word, _governed(words, owner, place, kind) or _preceding(words, owner, place))


def _governed(words: list[str], owner: list[int | None], place: int, kind: str) -> tuple[int, ...]:
    """The content words behind a negation, as far as it reaches."""
    found: list[int] = []
    for step, word in enumerate(words[place + 1 : place + 16]):
        index = owner[place + 1 + step]
        ends = word in SCOPE_ENDS or not word[0].isalnum() or (kind == "noun" and word in NOUN_SCOPE_ENDS and step > 0)
        if ends or len(found) == _REACH[kind]:
            break
        if index is not None:
            found.append(index)
    return tuple(found)


def _preceding(words: list[str], owner: list[int | None], place: int) -> tuple[int, ...]:
    """The two content words before a negation that nothing follows ("reflexes were absent")."""
    found: list[int] = []
    for word, index in zip(words[max(0, place - 8) : place][::-1], owner[max(0, place - 8) : place][::-1], strict=True):
        if not word[0].isalnum() or len(found) == 2:
            break
        if index is not None:
            found.append(index)
    return tuple(found)
