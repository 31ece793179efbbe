"""The words of a text as a search compares them."""

import re
import unicodedata
from functools import lru_cache

import Stemmer

from wellsourced.text.lexicon import STOP_WORDS

_WORD = re.compile(r"\d+(?:[.,]\d+)*(?![^\W\d_])|\w+(?:'\w+)?")
_LETTER_FOLDS = {"’": "'", "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "µ": "μ"}
_STEMMER = Stemmer.Stemmer("english")

MAX_REMEMBERED_CHARACTERS = 4_000
"""Longer texts are stemmed anew each time. One question stems the same few hundred passages four times over."""


def tokenize(text: str) -> list[str]:
    """The words in lower case, Latin letters without accents, digits kept; compounds are split at hyphens.

    "COX-2 inhibitors" → cox, 2, inhibitors; "Sjögren's" → sjogren's; "1,000.5" stays one word, without its comma.
    """
    # Only a number can have a comma in it.
    return [word.replace(",", "") for word in _WORD.findall(_fold_letters(text.lower()))]


def content_stems(text: str) -> list[str]:
    """The content words, reduced to their stems (Snowball English); a possessive is its noun."""
    return [*(_remembered_stems if len(text) <= MAX_REMEMBERED_CHARACTERS else _compute_stems)(text)]


def _compute_stems(text: str) -> tuple[str, ...]:
    content = [word for word in tokenize(text) if word not in STOP_WORDS]
    return tuple(_STEMMER.stemWords([word.removesuffix("'s") for word in content]))


_remembered_stems = lru_cache(maxsize=1024)(_compute_stems)


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
