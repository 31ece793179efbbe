"""Tokens: the words of a text as a search compares them."""

import re
import unicodedata

import Stemmer  # type: ignore[import-not-found]

from wellsourced.text.lexicon import STOP_WORDS

_WORD = re.compile(r"\d+(?:[.,]\d+)*(?![^\W\d_])|\w+(?:'\w+)?")
_FOLDED = str.maketrans({"’": "'", "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "µ": "μ"})
_STEMMER = Stemmer.Stemmer("english")


def words(text: str) -> list[str]:
    """The words in lower case, Latin letters without accents, digits kept; compounds are split at hyphens.

    "COX-2 inhibitors" → cox, 2, inhibitors; "Sjögren's" → sjogren's; "1,000.5" stays one word, without its comma.
    """
    return [_unified(word) for word in _WORD.findall(_folded(text.lower()))]


def stems(text: str) -> list[str]:
    """The content words, reduced to their stems (Snowball English); a possessive is its noun."""
    content = [word for word in words(text) if word not in STOP_WORDS]
    stemmed: list[str] = _STEMMER.stemWords([word.removesuffix("'s") for word in content])
    return stemmed


def coverage(claim: str, text: str) -> float:
    """Share of the claim's distinct content stems that occur in the text, in [0, 1]; 0 when the claim has none."""
    wanted = set(stems(claim))
    return len(wanted & set(stems(text))) / len(wanted) if wanted else 0.0


def _unified(word: str) -> str:
    return word.replace(",", "") if word[0].isdigit() else word


def _folded(text: str) -> str:
    """Latin letters without their accents; other scripts as they are."""
    text = text.translate(_FOLDED)
    if text.isascii():
        return text
    return re.sub(r"[\u0300-\u036f]", "", unicodedata.normalize("NFD", text))
