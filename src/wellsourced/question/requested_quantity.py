"""Figures in questions: the sort that is asked for (a dose, a duration, a threshold), and the values that are given.

A text has a figure of the sort that is asked for, or gives a range ("INR 4–6: …") in which a given value lies.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.medicine.quantities import find_ranges
from wellsourced.text.passages import SEPARATOR
from wellsourced.text.tables import read_alternatives
from wellsourced.text.typography import normalize_characters


class RequestedQuantity(NamedTuple):
    """A sort of figure: how a question asks for it, and how it is written."""

    name: str
    question_pattern: re.Pattern[str]
    figure_pattern: re.Pattern[str]


@cache
def quantity_types() -> tuple[RequestedQuantity, ...]:
    """Every sort of figure that is told apart."""
    patterns = {
        key: lazy_regex(rf"(?:{words})", re.IGNORECASE)
        for key, words in read_alternatives("wellsourced.question", "requested_quantity.tsv").items()
    }
    names = dict.fromkeys(name for name, _ in patterns)
    return tuple(RequestedQuantity(name, patterns[name, "asked"], patterns[name, "figure"]) for name in names)


def detect_requested_quantities(question: str) -> tuple[RequestedQuantity, ...]:
    """The sorts of figures that the question asks for; () where it asks for none."""
    return tuple(one for one in quantity_types() if one.question_pattern.search(question))


def has_asked_figure(wanted: Sequence[RequestedQuantity], text: str) -> bool:
    """Whether a text has a figure of any of the sorts that are wanted."""
    return any(one.figure_pattern.search(text) for one in wanted)


_PART_OF_NAME = lazy_regex(r"-?(?:factor|drug|lead|hour|h)\b", re.IGNORECASE)
_DAY_BEFORE = lazy_regex(r"(?:\bday\s|/)\Z", re.IGNORECASE)


def question_values(question: str) -> list[float]:
    """The numbers that a question gives, but for years and those in names ("type 2", "CURB-65", "72-hour")."""
    if not any(map(str.isnumeric, question)):
        return []
    text = normalize_characters(question)
    singles = (one for one in find_ranges(question) if one.first is one.last and one.first.words[0] in "-.0123456789")
    return [
        float(one.first.value)
        for one in singles
        if not _DAY_BEFORE.search(text, 0, one.first.start) and not _PART_OF_NAME.match(text, one.first.number_end)
    ]


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
    stated = question_values(heading)
    return holds is False or (holds is None and bool(stated) and not set(stated) & set(values))


def holds_for(values: Sequence[float], condition: str) -> bool | None:
    """Whether what a text says under a condition holds for one of these values; None where either gives none."""
    ranges = [one for one in find_ranges(condition) if not one.is_value] if values else []
    return any(one.has(value) for value in values for one in ranges) if ranges else None
