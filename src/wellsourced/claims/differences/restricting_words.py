"""Words that narrow down of whom, of what or of when a sentence speaks: "severe", "elderly", "elective"."""

from functools import cache

from wellsourced.claims.guard.contrast_words import has_contrast
from wellsourced.text.tables import read_rows


def is_restricting(word: str) -> bool:
    """Whether leaving out a small word, or adding it, changes of whom or what is spoken."""
    return word in _load_words() or has_contrast(word)


@cache
def _load_words() -> frozenset[str]:
    rows = read_rows("wellsourced.claims.differences", "restricting_words.tsv")
    return frozenset(word for _, words in rows for word in words.split(" | "))
