"""Polarity: which way a statement points, and what the opposite statement would be.

Two tables know it: words that point up or down ("promotes", "loss"), whatever they speak of, and words with the one
that says the opposite ("promotes" and "inhibits"). A word that is governed by a negation points the other way.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from wellsourced.judges.overlap import has_stem_count
from wellsourced.text.lexicon import NEGATIONS_OF_NOUNS, NEGATIONS_OF_VERBS
from wellsourced.text.tokens import content_stems

POLARITY_FILE = "polarity.tsv"
"""Rows of kind, tab, words: "up" and "down" hold words parted by spaces, "opposites" pairs parted by a slash."""

NEGATION_WORDS = NEGATIONS_OF_NOUNS | NEGATIONS_OF_VERBS | {"cannot"}
NEGATION_REACH = 4
"""Words behind a negation that it turns round."""

MAX_OPPOSITES = 4
"""Opposites of one claim that are looked at."""

_AFFIRMATIVES = {
    "does not": "does", "do not": "do", "did not": "did", "are not": "are", "is not": "is", "was not": "was",
    "were not": "were", "has not": "has", "have not": "have", "has no": "has", "have no": "have", "had no": "had",
    "cannot": "can", "can not": "can", "not": "", "no": "", "never": "", "without": "with", "fails to": "does",
    "fail to": "do", "failed to": "did",
}  # fmt: skip
_NEGATION = re.compile(rf"\b(?:{'|'.join(sorted(_AFFIRMATIVES, key=len, reverse=True))})\b", re.IGNORECASE)
_AUXILIARY = re.compile(r"\b(?:is|are|was|were|can|may|might|could|will|would|should|has|have|had|does|do|did|must)\b")
_VERB = re.compile(
    r"(?<=[a-z\d)] )(?!(?:this|its|his|thus|as|is|was|has)\b)[a-z]{3,}[^\Ws]s\b"
    r"(?= (?!(?:of|and|in|with|are|were)\b))"
)
_DENYING_PREFIX = re.compile(
    r"(?:un|in(?=[^fst]|suf|sen|sig|fre|sta)|im(?=[mp])|ir(?=r)|non|dis(?=s|ab|ad|ap|co|qu)|de(?=act|sens|stab|meth|poly|phos)|dys)([a-z]{4,})"
)
"""A word with a prefix that may deny it; it does where the rest is a word."""
_WORD = re.compile(r"[A-Za-z]+")


def word_directions(words: Sequence[str]) -> NDArray[np.float32]:
    """float32 (words,): 1 for a word that points up, -1 for one that points down, 0 for any other; negations heeded."""
    found = np.zeros(len(words), np.float32)
    for place, word in enumerate(words):
        direction = _word_direction(word)
        if direction:
            turns = sum(before in NEGATION_WORDS for before in words[max(0, place - NEGATION_REACH) : place])
            found[place] = direction * (-1) ** turns
    return found


def has_negation(words: Sequence[str]) -> bool:
    """Whether any word is a negation."""
    return any(word in NEGATION_WORDS for word in words)


def opposite_claims(claim: str) -> list[str]:
    """The claim turned into its opposite, in a few ways; not always good English. None where no way is known."""
    bare = _NEGATION.sub(lambda found: _AFFIRMATIVES[found[0].lower()], claim)
    if bare != claim:
        return [" ".join(bare.split())]
    found = [*islice(_exchange_words(claim), MAX_OPPOSITES - 1), _insert_not(claim)]
    return [one for one in dict.fromkeys(found) if one != claim]


def _exchange_words(claim: str) -> Iterator[str]:
    """The claim with one word at a time exchanged for its opposite."""
    for match in _WORD.finditer(claim):
        other = _opposite_word(match[0].lower())
        if other:
            yield (
                claim[: match.start()] + (other.capitalize() if match[0][0].isupper() else other) + claim[match.end() :]
            )


@lru_cache(maxsize=50_000)
def _opposite_word(word: str) -> str:
    """The word that says the opposite: from the table, or without the prefix that denies it; else ""."""
    found = _load_polarity()[1].get(word)
    denied = _DENYING_PREFIX.match(word) if not found else None
    return found or (denied[1] if denied and has_stem_count(denied[1]) else "")


def _insert_not(claim: str) -> str:
    """With a "not" at the first verb that is recognised."""
    denied = _AUXILIARY.sub(r"\g<0> not", claim, count=1)
    return denied if denied != claim else _VERB.sub(lambda verb: f"does not {verb[0][:-1]}", claim, count=1)


@lru_cache(maxsize=50_000)
def _word_direction(word: str) -> int:
    found = content_stems(word)
    if not found:
        return 0
    known = _load_polarity()[0].get(found[0], 0)
    denied = _DENYING_PREFIX.match(word) if not known else None
    return -1 if denied and has_stem_count(denied[1]) else known


@cache
def _load_polarity() -> tuple[dict[str, int], dict[str, str]]:
    content = files("wellsourced.judges").joinpath(POLARITY_FILE).read_text(encoding="utf-8")
    signs: dict[str, int] = {}
    opposites: dict[str, str] = {}
    backward: dict[str, str] = {}
    for line in content.splitlines():
        kind, _, words = line.partition("\t")
        if kind == "opposites":
            pairs = [pair.split("/") for pair in words.split()]
            # What stands on the left goes before what stands on the right, and the first of its pairs before others.
            for one, other in pairs:
                opposites.setdefault(one, other)
            for one, other in pairs:
                backward.setdefault(other, one)
        else:
            sign = 1 if kind == "up" else -1
            signs |= {stem: sign for word in words.split() for stem in content_stems(word)}
    return signs, backward | opposites
