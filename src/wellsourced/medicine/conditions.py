"""Conditions as records, guidelines and articles name them, and what a narrow term belongs to (`wider_terms.tsv`).

A row of `conditions.tsv` is a condition, the wider conditions that it implies, the kinds by which people are told
apart that it is of, and how it is written, in a few languages besides English.
"""

import re
from collections.abc import Collection
from functools import cache, lru_cache
from typing import NamedTuple

from wellsourced.expressions import compile_regex
from wellsourced.lazy import lazy_regex
from wellsourced.text.tables import read_rows


class ConditionMention(NamedTuple):
    """A condition, and the words that name it."""

    condition: str
    words: str


def extract_conditions(text: str) -> list[ConditionMention]:
    """The conditions by which people are told apart that a text names, whatever it says of them, each once."""
    first: dict[str, ConditionMention] = {}
    for one in find_conditions(text):
        for kind in one.kinds:
            first.setdefault(kind, ConditionMention(kind, one.words))
    return list(first.values())


@cache
def _load_wider_terms() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple(
        (compile_regex(narrow, re.IGNORECASE), wide)
        for _, narrow, wide in read_rows("wellsourced.medicine", "wider_terms.tsv")
    )


@lru_cache(maxsize=4096)
def list_wider_expressions(term: str) -> tuple[str, ...]:
    """How a text speaks of what a disease, a germ or an operation belongs to, as regular expressions; () if unknown.

    Who asks of cellulitis before a sepsis score is answered by what is said of infection. Classes of drugs are in
    `drugs.py`.
    """
    return tuple(wide for narrow, wide in _load_wider_terms() if narrow.fullmatch(term))


MAX_CAPITALS = 3
"""Letters of an abbreviation that counts in capitals alone: "MI", "RA", and not "mi" or "ra"."""


class ConditionName(NamedTuple):
    """A place in a text that names a condition, with the wider conditions that it implies.

    kinds  those by which people are told apart: "kidney disease" of dialysis
    """

    name: str
    wider: tuple[str, ...]
    kinds: tuple[str, ...]
    words: str
    start: int

    @property
    def end(self) -> int:
        """Where the words end."""
        return self.start + len(self.words)


@lru_cache(maxsize=4096)
def find_conditions(text: str) -> tuple[ConditionName, ...]:
    """The conditions that a text names, in order; the shortest names count in capitals alone."""
    found = [
        ConditionName(name, wider, kinds, match.group(), match.start())
        for name, wider, kinds, pattern in _load_conditions()
        for match in pattern.finditer(text)
        if _counts(match.group())
    ]
    found.sort(key=lambda one: (one.start, -len(one.words)))
    kept: list[ConditionName] = []
    for one in found:
        if not any(other.start <= one.start and one.end <= other.end for other in kept):
            kept.append(one)
    return tuple(kept)


def names_condition(text: str, names: Collection[str]) -> bool:
    """Whether a text names one of some conditions of the table, or one that implies it."""
    rows = (row for row in _load_conditions() if not {row[0], *row[1]}.isdisjoint(names))
    found = (match.group() for *_, pattern in rows for match in pattern.finditer(text))
    return any(map(_counts, found))


def _counts(words: str) -> bool:
    return len(words) > MAX_CAPITALS or words != words.lower()


def wider_conditions(name: str) -> tuple[str, ...]:
    """The conditions that one implies: reduced ejection fraction is heart failure."""
    return next((wider for known, wider, *_ in _load_conditions() if known == name), ())


@cache
def _load_conditions() -> list[tuple[str, tuple[str, ...], tuple[str, ...], re.Pattern[str]]]:
    return [
        (name, _split(wider), _split(kinds), lazy_regex(rf"\b(?:{words})\b", re.IGNORECASE))
        for name, wider, kinds, words in read_rows("wellsourced.medicine", "conditions.tsv")
    ]


def _split(names: str) -> tuple[str, ...]:
    return tuple(filter(None, names.split(", ")))
