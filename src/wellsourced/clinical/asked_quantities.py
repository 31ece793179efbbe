"""Figures in questions: the sort that is asked for (a dose, a duration, a threshold), and the values that are given.

A text has a figure of the sort that is asked for, or gives a range ("INR 4–6: …") in which a given value lies.
"""

import math
import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from wellsourced.late import compile_late
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.section_paths import SEPARATOR
from wellsourced.text.tables import read_alternatives
from wellsourced.text.tokens import tokenize


class AskedQuantity(NamedTuple):
    """A sort of figure: how a question asks for it, and how it is written."""

    name: str
    question_pattern: re.Pattern[str]
    figure_pattern: re.Pattern[str]


@cache
def quantity_types() -> tuple[AskedQuantity, ...]:
    """Every sort of figure that is told apart."""
    patterns = {
        key: compile_late(rf"(?:{words})", re.IGNORECASE)
        for key, words in read_alternatives("wellsourced.clinical", "asked_quantities.tsv").items()
    }
    names = dict.fromkeys(name for name, _ in patterns)
    return tuple(AskedQuantity(name, patterns[name, "asked"], patterns[name, "figure"]) for name in names)


def detect_asked_quantities(question: str) -> tuple[AskedQuantity, ...]:
    """The sorts of figures that the question asks for; () where it asks for none."""
    return tuple(one for one in quantity_types() if one.question_pattern.search(question))


def has_asked_figure(wanted: Sequence[AskedQuantity], text: str) -> bool:
    """Whether a text has a figure of any of the sorts that are wanted."""
    return any(one.figure_pattern.search(text) for one in wanted)


_NUMBER = r"\d+(?:\.\d+)?"
_VALUE = compile_late(
    rf"(?<![\w.,/-])({_NUMBER})(?![\w.,]*\d|[-–]?(?:factor|drug|lead|hour|h\b)|[-–]\d)(?!\s*(?:st|nd|rd|th)\b)"
)
_NAMES_BEFORE = compile_late(r"\b(?:type|stage|grade|class|group|phase|step|day|version|factor)\s*$", re.IGNORECASE)
_YEAR = compile_late(r"(?:19|20)\d\d")
_BETWEEN = compile_late(rf"({_NUMBER})\s*(?:%|[a-zA-Z/]+)?\s*(?:-{{1,2}}|–|to)\s*(?:[<≤]=?\s*)?({_NUMBER})")
_BELOW = compile_late(rf"(?:<|≤|<=|\b(?:less than|below|under|up to|at most))\s*=?\s*({_NUMBER})", re.IGNORECASE)
_ABOVE = compile_late(
    rf"(?:>|≥|>=|\b(?:more than|above|over|at least|greater than))\s*=?\s*({_NUMBER})"
    rf"|({_NUMBER})\s*(?:or (?:more|higher|above|greater|older)|\+)",
    re.IGNORECASE,
)

_CLAUSE_END = compile_late(r"[,;:?!]\s|(?<=[^\W\d_])\.\s|(?<=\d)\.\s|\s[-–—]+\s")

ValueRange = tuple[float, float]
"""Both ends belong to it."""


def find_values(question: str) -> list[float]:
    """The numbers that a question gives, but for years and those in names ("type 2", "CURB-65")."""
    return [
        float(found[1])
        for found in _VALUE.finditer(question)
        if not _YEAR.fullmatch(found[1]) and not _NAMES_BEFORE.search(question[: found.start()])
    ]


def find_ranges(text: str) -> list[ValueRange]:
    """The ranges that a text gives, in any order."""
    found = [(float(one[1]), float(one[2])) for one in _BETWEEN.finditer(text)]
    rest = _BETWEEN.sub(" ", text)
    found += [(-math.inf, float(one[1])) for one in _BELOW.finditer(rest)]
    found += [(float(one[1] or one[2]), math.inf) for one in _ABOVE.finditer(rest)]
    return [(low, high) for low, high in found if low < high]


def holds_for_named(question: str, condition: str) -> bool | None:
    """The same for the values of a question that are of what the condition names, or for its only one.

    Of "pH 7.1, K 3.1" the latter is potassium's; neither is of what holds when glucose is < 250.
    """
    named = set(filter(str.isalpha, tokenize(condition)))
    parts = _CLAUSE_END.split(question)
    of_it = [value for part in parts if named & set(tokenize(part)) - STOP_WORDS for value in find_values(part)]
    every = find_values(question)
    return holds_for(of_it or (every if len(every) == 1 else []), condition)


def find_sections_on_other_values(
    values: Sequence[float], sections: Iterable[tuple[str, str]]
) -> frozenset[tuple[str, str]]:
    """Of sections (document, path of headings) those on other values than these, where one beside them does hold: with
    "CURB-65 3" what is given at 2 is no answer, since another section says what is given from 3 to 5.
    """
    headings = {section: section[1].rpartition(SEPARATOR)[::2] for section in sections}
    held = {(document, above) for (document, _), (above, heading) in headings.items() if holds_for(values, heading)}
    return frozenset(
        section
        for section, (above, heading) in headings.items()
        if (section[0], above) in held and _is_on_other_values(values, heading)
    )


def _is_on_other_values(values: Sequence[float], heading: str) -> bool:
    """Whether a heading gives a range in which none of these values lies, or a single value that is none: "Score 0"."""
    holds = holds_for(values, heading)
    stated = find_values(heading)
    return holds is False or (holds is None and bool(stated) and not set(stated) & set(values))


def holds_for(values: Sequence[float], condition: str) -> bool | None:
    """Whether what a text says under a condition holds for one of these values; None where either gives none."""
    ranges = find_ranges(condition)
    if not values or not ranges:
        return None
    return any(low <= value <= high for value in values for low, high in ranges)
