"""Figures in questions: the sort that is asked for (a dose, a duration, a threshold), and the values that are given.

A text has a figure of the sort that is asked for, or gives a range ("INR 4–6: …") in which a given value lies.
"""

import math
import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.medicine.measurements import find_figures, find_limits
from wellsourced.medicine.quantities import QuantityRange, find_bounds, find_ranges, normalize_characters
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.passages import SEPARATOR
from wellsourced.text.tables import read_alternatives
from wellsourced.text.tokens import tokenize


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
_CLAUSE_END = lazy_regex(r"[,;:?!]\s|(?<=[^\W\d_])\.\s|(?<=\d)\.\s|\s[-–—]+\s")


def question_values(question: str) -> list[float]:
    """The numbers that a question gives, but for years and those in names ("type 2", "CURB-65", "72-hour")."""
    text = normalize_characters(question)
    singles = (one for one in find_ranges(question) if one.first is one.last and one.first.words[0] in "-.0123456789")
    return [
        float(one.first.value)
        for one in singles
        if not _DAY_BEFORE.search(text, 0, one.first.start) and not _PART_OF_NAME.match(text, one.first.number_end)
    ]


def holds_for_named(question: str, condition: str) -> bool | None:
    """The same for the values of a question that are of what the condition names, or for its only one.

    Of "pH 7.1, K 3.1" the latter is potassium's; neither is of what holds when glucose is < 250.
    """
    named = set(filter(str.isalpha, tokenize(condition)))
    parts = _CLAUSE_END.split(question)
    of_it = [value for part in parts if named & set(tokenize(part)) - STOP_WORDS for value in question_values(part)]
    every = question_values(question)
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
    stated = question_values(heading)
    return holds is False or (holds is None and bool(stated) and not set(stated) & set(values))


def holds_for(values: Sequence[float], condition: str) -> bool | None:
    """Whether what a text says under a condition holds for one of these values; None where either gives none."""
    ranges = find_bounds(condition) if values else []
    return any(one.has(value) for value in values for one in ranges) if ranges else None


# Figures that a question gives, and whether a row, a step or a line of a list is for them.
#
# "K came back 3.1" falls into "K+ < 3.5 mmol/L", not into "Glucose < 250": a figure is held against a range only
# where both are of the same thing, by its name or by a unit that tells.


_LABEL = lazy_regex(r"(?:\bscores?(?: of)?|^|(?<=: ))\s?(?P<same>\d{1,2})(?= points?\b|:|$)", re.IGNORECASE)
"""A value that stands for itself: "Score 3", "3: admit"."""

_OF_FORTY = lazy_regex(r"/40\b")
_BREAK = lazy_regex(r"[,;.()]\s|[:;→|]|\n|(?<![A-Za-z]-)(?<![\w.])\d+(?:\.\d+)?%?\s")
"""What a name does not reach over: marks, and another figure ("FIB-4 1.6 at 72")."""

WORDS_BEFORE = 4
"""Words before a figure that may name what it is of."""

_OF_PEOPLE = frozenset({"kg", "year"})
"""Units that tell by themselves what a figure is of: how heavy or how old somebody is."""

_IDLE = frozenset(
    re.findall(
        r"\w+",
        "a an the is was of at on in to and or back came with for her his their our now about only just it its has "
        "level value reading up down from if patients patient adults more less than score scores points",
    )
)
"""Words before a figure that do not say what it is of."""


class GivenFigure(NamedTuple):
    """A figure of a question.

    names   the words before it, any of which may say what it is of
    unit    "" where it has none
    """

    value: float
    names: frozenset[str]
    unit: str


class StatedRange(NamedTuple):
    """A range of a text, with the words any of which may say what it is of."""

    bounds: QuantityRange
    names: frozenset[str]

    def has(self, value: float) -> bool:
        """Whether a value lies within."""
        return self.bounds.has(value)

    def is_of(self, figure: GivenFigure) -> bool:
        """Whether it is of the same thing as a figure."""
        unit = _comparable_unit(self.bounds.unit)
        if figure.unit and unit and figure.unit != unit:
            return False
        return bool(figure.names & self.names) or (figure.unit == unit and figure.unit in _OF_PEOPLE)


@lru_cache(maxsize=512)
def find_given_figures(question: str) -> tuple[GivenFigure, ...]:
    """The figures that a question gives, each with what may name it."""
    text = normalize_characters(question)
    found = []
    for one in find_ranges(question):
        if one.is_value and any(map(str.isdigit, one.first.words)) and text[: one.start][-1:] != "/":
            unit = "week" if _OF_FORTY.match(text, one.end) else _comparable_unit(one.unit)
            found.append(GivenFigure(float(one.first.value), _names_before(text, one.start), unit))
    return tuple(found)


def _comparable_unit(unit: str) -> str:
    return "mmol/l" if unit == "meq/l" else unit


class FigureFit(NamedTuple):
    """How a text and the figures of a question go together.

    suits       whether one lies within a range that is of the same thing; None where none is of any
    is_closed   whether that range has two ends: it is for these figures and for few others
    """

    suits: bool | None
    is_closed: bool = False


def fit_figures(question: str, condition: str, under: str = "") -> FigureFit:
    """Whether what a text says under a condition is for a figure of the question.

    condition   "K+ < 3.5 mmol/L", "70-79 kg"
    under       what names the figures of a row without a name: the head of its column, a heading
    """
    found = [*_compare_measures(question, condition), *_compare_names(question, condition, under)]
    suiting = [is_closed for suits, is_closed in found if suits]
    return FigureFit(bool(suiting) if found else None, any(suiting))


def _compare_measures(question: str, condition: str) -> list[tuple[bool, bool]]:
    """By measure: whether a figure lies within each limit that is set on it, and whether that has two ends."""
    figures = _list_measured(question)
    return [
        (limit.is_reached(value), math.inf not in (-limit.low, limit.high))
        for limit in (find_limits(condition) if figures else ())
        for measure, value in figures
        if measure == limit.measure
    ]


@lru_cache(maxsize=512)
def _list_measured(question: str) -> tuple[tuple[str, float], ...]:
    return tuple((one.measure, one.value) for one in find_figures(question))


def _compare_names(question: str, condition: str, under: str) -> list[tuple[bool, bool]]:
    """The same by what stands before a figure and after it."""
    given = find_given_figures(question)
    return [
        (stated.has(figure.value), math.inf not in (-stated.bounds.low, stated.bounds.high))
        for stated in (find_stated_ranges(condition, under) if given else ())
        for figure in given
        if stated.is_of(figure)
    ]


def find_stated_ranges(condition: str, under: str = "") -> list[StatedRange]:
    """The ranges of a text, each with what may name it; one without a name has those of what it stands under."""
    text = normalize_characters(condition)
    labels = {found.start("same") for found in _LABEL.finditer(text)}
    found = []
    for one in find_ranges(condition):
        if not one.is_value or one.start in labels:
            # "30% ≤ FEV1 < 50%" encloses its name.
            enclosed = _read_names(text[one.first.end : one.last.bounded_start] if one.first is not one.last else "")
            found.append(StatedRange(one, _names_before(text, one.start) | enclosed or _read_names(under)))
    return found


def _names_before(text: str, place: int) -> frozenset[str]:
    clause = _BREAK.split(text[:place])[-1]
    return _read_names(" ".join(clause.split()[-WORDS_BEFORE:]))


def _read_names(text: str) -> frozenset[str]:
    return frozenset(word for word in tokenize(text) if word not in _IDLE and not word[0].isdecimal())
