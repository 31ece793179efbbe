"""The words by which records and documents are read here: `words.tsv`.

A row is a name and an expression; the rows of a name are alternatives. "before …" ends before what it speaks of,
"behind …" begins behind it. "no warning" only looks like one; "forbids" warns of a use, "limits" of a dose, a risk or
an interaction.
"""

import re
from functools import cache

from wellsourced.expressions import compile_regex
from wellsourced.text.tables import read_alternatives


@cache
def _load_table() -> dict[tuple[str, ...], str]:
    return read_alternatives("wellsourced.patients", "words.tsv")


def read_words(name: str) -> str:
    """The expression for the words of a name, as it is written."""
    return _load_table()[(name,)]


@cache
def load_words(name: str) -> re.Pattern[str]:
    """The expression for the words of a name."""
    return compile_regex(read_words(name), re.IGNORECASE)


def find_words(name: str, text: str) -> re.Match[str] | None:
    """Where a text has words of this name first."""
    return load_words(name).search(text)


def match_words(name: str, text: str) -> re.Match[str] | None:
    """The words of this name with which a text begins."""
    return load_words(name).match(text)
