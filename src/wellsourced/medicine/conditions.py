"""Conditions by which a patient may differ from those studied, as records and articles write them: `conditions.tsv`;
and what a narrow term belongs to: `wider_terms.tsv`."""

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.medicine.scope import is_own
from wellsourced.text.tables import read_alternatives, read_rows

_EGFR = lazy_regex(r"\b(?:eGFR|GFR|CrCl|creatinine clearance)\D{0,15}(\d{1,3})(?![\d.]*\s*(?:years|mg))", re.IGNORECASE)
MIN_NORMAL_EGFR = 60
"""mL/min: a filtration rate below this is that of a kidney disease (KDIGO 2024)."""


class ConditionMention(NamedTuple):
    """A condition, and the words that name it."""

    condition: str
    words: str


def extract_patient_conditions(text: str) -> list[ConditionMention]:
    """What a record says its patient has, each condition once; what is denied, or somebody else's, is left out."""
    first = _first_mentions(one for one in _match_conditions(text) if is_own(text, *one[1].span()))
    rate = _EGFR.search(text)
    if rate and int(rate[1]) < MIN_NORMAL_EGFR:
        first.setdefault("kidney disease", ConditionMention("kidney disease", rate.group()))
    return list(first.values())


def extract_conditions(text: str) -> list[ConditionMention]:
    """The conditions that a text names, whatever it says of them, each once."""
    return list(_first_mentions(_match_conditions(text)).values())


def _first_mentions(matches: Iterable[tuple[str, re.Match[str]]]) -> dict[str, ConditionMention]:
    first: dict[str, ConditionMention] = {}
    for condition, match in matches:
        first.setdefault(condition, ConditionMention(condition, match.group()))
    return first


def _match_conditions(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    for condition, pattern in _compile_patterns().items():
        for match in pattern.finditer(text):
            # "AF" and "DM" are written in capitals; "af" is not the one, nor "dm" the other.
            if len(match.group()) > 4 or match.group() != match.group().lower():
                yield condition, match


@cache
def _compile_patterns() -> dict[str, re.Pattern[str]]:
    """What a condition is called here → how it is written. Short forms in capitals are written so and not otherwise."""
    patterns = read_alternatives("wellsourced.medicine", "conditions.tsv")
    return {name: lazy_regex(rf"\b(?:{words})\b", re.IGNORECASE) for (name,), words in patterns.items()}


@cache
def _load_wider_terms() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple(
        (re.compile(narrow, re.IGNORECASE), wide)
        for _, narrow, wide in read_rows("wellsourced.medicine", "wider_terms.tsv")
    )


@lru_cache(maxsize=4096)
def list_wider_expressions(term: str) -> tuple[str, ...]:
    """How a text speaks of what a disease, a germ or an operation belongs to, as regular expressions; () if unknown.

    Who asks of cellulitis before a sepsis score is answered by what is said of infection. Classes of drugs are in
    `drugs.py`.
    """
    return tuple(wide for narrow, wide in _load_wider_terms() if narrow.fullmatch(term))


@lru_cache(maxsize=4096)
def list_condition_expressions(name: str) -> tuple[str, ...]:
    """How a condition that is called by its name here is written, with what it is told by: "dementia", Alzheimer's
    disease; () of what is not its name, and so may be only one kind of it."""
    pattern = _compile_patterns().get(name.lower())
    return (pattern.pattern,) if pattern else ()


# Conditions for which guidelines warn, as they and records name them: `warned_conditions.tsv`.
#
# A row is a condition, the wider conditions that it implies, and how it is written, in a few languages besides
# English.


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
    rows = read_rows("wellsourced.medicine", "warned_conditions.tsv")
    return [
        (name, tuple(filter(None, re.split(r",\s*", wider))), re.compile(rf"\b(?:{words})\b", re.IGNORECASE))
        for name, wider, words in rows
    ]
