"""The words of a text as a search compares them, and how far apart two spellings are."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate

import Stemmer

from wellsourced.text.lexicon import STOP_WORDS

_WORD = re.compile(r"\d+(?:[.,]\d+)*(?![^\W\d_])|\w+(?:'\w+)?")
_LETTER_FOLDS = {"’": "'", "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "µ": "μ"}
_STEMMER = Stemmer.Stemmer("english")

MAX_REMEMBERED_CHARACTERS = 4_000
"""Longer texts are stemmed each time. One question stems the same few hundred passages four times over, and the next
one many of them."""


def tokenize(text: str) -> list[str]:
    """The words in lower case, Latin letters without accents, digits kept; compounds are split at hyphens.

    "COX-2 inhibitors" → cox, 2, inhibitors; "Sjögren's" → sjogren's; "1,000.5" stays one word, without its comma.
    """
    words = _WORD.findall(_fold_letters(text.lower()))
    # Only a number can have a comma in it.
    return [word.replace(",", "") for word in words] if "," in text else words


def content_stems(text: str) -> list[str]:
    """The content words, reduced to their stems (Snowball English); a possessive is its noun."""
    return [*(_remembered_stems if len(text) <= MAX_REMEMBERED_CHARACTERS else _compute_stems)(text)]


def _compute_stems(text: str) -> tuple[str, ...]:
    return tuple(stem_words(tokenize(text)))


def stem_words(words: Iterable[str]) -> list[str]:
    """The stems of those words of `tokenize` that have a content."""
    stems: list[str] = _STEMMER.stemWords([word.removesuffix("'s") for word in words if word not in STOP_WORDS])
    return stems


_remembered_stems = lru_cache(maxsize=4096)(_compute_stems)


def stem_coverage(claim: str, text: str) -> float:
    """Share of the claim's distinct content stems that occur in the text, in [0, 1]; 0 when the claim has none."""
    wanted = set(content_stems(claim))
    return len(wanted & set(content_stems(text))) / len(wanted) if wanted else 0.0


def _fold_letters(text: str) -> str:
    """Latin letters without their accents; other scripts as they are."""
    return text if text.isascii() else re.sub(r"[^\x00-\x7f]", lambda letter: _plain_letter(letter.group()), text)


@lru_cache(maxsize=4096)
def _plain_letter(letter: str) -> str:
    """One letter without its marks; "" for a mark that stands alone behind its letter."""
    plain = "".join(part for part in unicodedata.normalize("NFD", letter) if not unicodedata.combining(part))
    return _LETTER_FOLDS.get(plain, plain)


VOWELS = frozenset("aeiouy")
SIMILAR_SOUNDS = frozenset(
    map(frozenset, ("ck", "cs", "sz", "kq", "gj", "vw", "mn", "td", "bp", "fv", "cq", "xz", "cx"))
)
"""Letters that are taken for each other because they sound alike."""

SLIGHT_COST = 0.5
"""Of a vowel for another, a letter doubled or not, a mute h, two letters in the wrong order."""

LIKELY_COST = 0.75
"""Of letters that sound alike, and of a vowel that is missing or too many."""


@lru_cache(maxsize=16_384)
def edit_distance(wrong: str, right: str) -> float:
    """Edits from the one to the other (Damerau's, optimal string alignment), each at most 1."""
    before: list[float] = []
    additions = [_insertion_cost(right, place) for place in range(len(right))]
    row = list(accumulate(additions, initial=0.0))
    for at, letter in enumerate(wrong, start=1):
        omission = _insertion_cost(wrong, at - 1)
        line = [row[0] + omission]
        for place, other in enumerate(right, start=1):
            cost = min(
                row[place - 1] + _substitution_cost(letter, other),
                row[place] + omission,
                line[place - 1] + additions[place - 1],
            )
            if at > 1 and place > 1 and letter == right[place - 2] and wrong[at - 2] == other != letter:
                cost = min(cost, before[place - 2] + SLIGHT_COST)
            line.append(cost)
        before, row = row, line
    return row[-1]


def _substitution_cost(one: str, other: str) -> float:
    if one == other:
        return 0.0
    if one in VOWELS and other in VOWELS:
        return SLIGHT_COST
    return LIKELY_COST if frozenset((one, other)) in SIMILAR_SOUNDS else 1.0


def _insertion_cost(word: str, at: int) -> float:
    """The cost of a letter that the other spelling lacks."""
    letter = word[at]
    if letter == "h" or (at and word[at - 1] == letter) or (at + 1 < len(word) and word[at + 1] == letter):
        return SLIGHT_COST
    return LIKELY_COST if letter in VOWELS else 1.0
