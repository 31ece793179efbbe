"""Figures that a question gives, and whether a row, a step or a line of a list is for them.

"K came back 3.1" falls into "K+ < 3.5 mmol/L", not into "Glucose < 250": a figure is held against a range only where
both are of the same thing, by its name or by a unit that tells.
"""

import math
import re
from functools import lru_cache
from typing import NamedTuple

from wellsourced.clinical.measurements import find_figures, find_limits
from wellsourced.late import compile_late
from wellsourced.text.tokens import tokenize

_NUMBER = r"\d+(?:\.\d+)?"
_UNIT = (
    r"(?P<unit{}>%|kgs?|kilos?|g/dl|mg/dl|mmol/l|meq/l|mm ?hg|bpm|m[sl]|ml/min|weeks?|wks?|/40|months?|mo\b|days?"
    r"|hours?|hrs?|h\b|minutes?|mins?|cm|mm|years?|yrs?|y/?o\b|points?)?"
)
_GIVEN = compile_late(
    rf"(?<![\w.,/<>≤≥=-])(?P<value>{_NUMBER})(?!\.?\d)[\s-]?{_UNIT.format('')}(?![-–]\d)", re.IGNORECASE
)
_RANGE = compile_late(
    rf"(?P<low>{_NUMBER})\s?(?:%|[a-zA-Z]+(?:/[a-zA-Z]+)?)?\s?(?:-{{1,2}}|–|to)\s?(?:[<≤]=?\s?)?(?P<high>{_NUMBER})"
    rf"[\s-]?{_UNIT.format('')}"
    rf"|(?P<below><=|[<≤⩽]|\b(?:less than|below|under|up to|at most|younger than))\s?(?P<most>{_NUMBER})[\s-]?"
    rf"{_UNIT.format('_below')}"
    rf"|(?P<above>>=|[>≥⩾]|\b(?:more than|above|over|at least|greater than|older than))\s?(?P<least>{_NUMBER})[\s-]?"
    rf"{_UNIT.format('_above')}"
    rf"|(?P<from>{_NUMBER})\s?{_UNIT.format('_from')}\s?(?:or (?:more|higher|above|greater|older)|\+)"
    rf"|(?:\bscores?(?: of)?|^|(?<=: ))\s?(?P<same>\d{{1,2}})(?= points?\b|:|$)",
    re.IGNORECASE,
)
_ENCLOSED = compile_late(rf"({_NUMBER})\s?%?\s?[<≤]=?\s?([A-Za-z][\w ]{{0,15}}?)\s?[<≤]=?\s?({_NUMBER})")
"""A range that encloses what it is of: "30% ≤ FEV1 < 50%"."""

_STRICT = frozenset({"<", ">", "less than", "more than", "below", "under", "above", "over", "greater than"})
_BREAK = compile_late(r"[,;.()]\s|[:;→|]|\n|(?<![\w.-])\d+(?:\.\d+)?%?\s")
"""What a name does not reach over: marks, and another figure ("FIB-4 1.6 at 72")."""

WORDS_BEFORE = 4
"""Words before a figure that may name what it is of."""

_SAME_UNIT = {
    "kgs": "kg", "kilo": "kg", "kilos": "kg", "week": "weeks", "wk": "weeks", "wks": "weeks", "/40": "weeks",
    "month": "months", "mo": "months", "day": "days", "hour": "hours", "hr": "hours", "hrs": "hours", "h": "hours",
    "minute": "minutes", "min": "minutes", "mins": "minutes", "year": "years", "yr": "years", "yrs": "years",
    "yo": "years", "y/o": "years", "mm hg": "mmhg", "point": "points", "meq/l": "mmol/l",
}  # fmt: skip
_OF_PEOPLE = frozenset({"kg", "years"})
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
    """A range of a text, its open end infinite.

    is_strict  whether the bounds themselves lie outside
    """

    low: float
    high: float
    names: frozenset[str]
    unit: str
    is_strict: bool = False

    def has(self, value: float) -> bool:
        """Whether a value lies within."""
        return self.low < value < self.high if self.is_strict else self.low <= value <= self.high

    def is_of(self, figure: GivenFigure) -> bool:
        """Whether it is of the same thing as a figure."""
        if figure.unit and self.unit and figure.unit != self.unit:
            return False
        return bool(figure.names & self.names) or (figure.unit == self.unit and figure.unit in _OF_PEOPLE)


@lru_cache(maxsize=512)
def find_given_figures(question: str) -> tuple[GivenFigure, ...]:
    """The figures that a question gives, each with what may name it."""
    return tuple(
        GivenFigure(float(found["value"]), _names_before(question, found.start()), _read_unit(found["unit"]))
        for found in _GIVEN.finditer(question)
    )


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
        (stated.has(figure.value), math.inf not in (-stated.low, stated.high))
        for stated in (find_stated_ranges(condition, under) if given else ())
        for figure in given
        if stated.is_of(figure)
    ]


def find_stated_ranges(condition: str, under: str = "") -> list[StatedRange]:
    """The ranges of a text, each with what may name it; one without a name has those of what it stands under."""
    found = []
    text = _ENCLOSED.sub(r"\2 \1-\3", condition)
    for match in _RANGE.finditer(text):
        names = _names_before(text, match.start()) or _read_names(under)
        unit = _read_unit(match["unit"] or match["unit_below"] or match["unit_above"] or match["unit_from"])
        low, high = _read_bounds(match)
        is_strict = (match["below"] or match["above"] or "").lower() in _STRICT
        if low <= high:
            found.append(StatedRange(low, high, names, unit, is_strict))
    return found


def _read_bounds(match: re.Match[str]) -> tuple[float, float]:
    if match["low"]:
        return float(match["low"]), float(match["high"])
    if match["most"]:
        return -math.inf, float(match["most"])
    if match["same"]:
        return float(match["same"]), float(match["same"])
    return float(match["least"] or match["from"]), math.inf


def _names_before(text: str, place: int) -> frozenset[str]:
    clause = _BREAK.split(text[:place])[-1]
    return _read_names(" ".join(clause.split()[-WORDS_BEFORE:]))


def _read_names(text: str) -> frozenset[str]:
    return frozenset(word for word in tokenize(text) if word not in _IDLE and not word[0].isdecimal())


def _read_unit(unit: str | None) -> str:
    written = (unit or "").lower()
    return _SAME_UNIT.get(written, written)
