"""Conditions for which guidelines warn, as they and records name them: `warned_conditions.tsv`.

A row is a condition, the wider conditions that it implies, and how it is written, in a few languages besides English.
"""

import re
from functools import cache
from typing import NamedTuple

from wellsourced.text.tables import read_rows

MAX_CAPITALS = 3
"""Letters of an abbreviation that counts in capitals alone: "MI", "RA", and not "mi" or "ra"."""


class ConditionName(NamedTuple):
    """A place in a text that names a condition, with the wider conditions that it implies."""

    name: str
    wider: tuple[str, ...]
    words: str
    start: int

    @property
    def end(self) -> int:
        """Where the words end."""
        return self.start + len(self.words)


def find_conditions(text: str) -> list[ConditionName]:
    """The conditions that a text names, in order; the shortest names count in capitals alone."""
    found = []
    for name, wider, pattern in _load_conditions():
        for match in pattern.finditer(text):
            words = match.group()
            if len(words) > MAX_CAPITALS or words != words.lower():
                found.append(ConditionName(name, wider, words, match.start()))
    found.sort(key=lambda one: (one.start, -len(one.words)))
    kept: list[ConditionName] = []
    for one in found:
        if not any(other.start <= one.start and one.end <= other.end for other in kept):
            kept.append(one)
    return kept


def known_conditions() -> frozenset[str]:
    """The names of all conditions of the table."""
    return frozenset(name for name, _, _ in _load_conditions())


def wider_conditions(name: str) -> tuple[str, ...]:
    """The conditions that one implies: reduced ejection fraction is heart failure."""
    return next((wider for known, wider, _ in _load_conditions() if known == name), ())


@cache
def _load_conditions() -> list[tuple[str, tuple[str, ...], re.Pattern[str]]]:
    rows = read_rows("wellsourced.clinical", "warned_conditions.tsv")
    return [
        (name, tuple(filter(None, re.split(r",\s*", wider))), re.compile(rf"\b(?:{words})\b", re.IGNORECASE))
        for name, wider, words in rows
    ]
