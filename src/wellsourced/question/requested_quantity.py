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


_NUMBER = r"\d+(?:\.\d+)?"
_VALUE = lazy_regex(
    rf"(?<![\w.,/-])({_NUMBER})(?![\w.,]*\d|[-–]?(?:factor|drug|lead|hour|h\b)|[-–]\d)(?!\s*(?:st|nd|rd|th)\b)"
)
_NAMES_BEFORE = lazy_regex(r"\b(?:type|stage|grade|class|group|phase|step|day|version|factor)\s*$", re.IGNORECASE)
_YEAR = lazy_regex(r"(?:19|20)\d\d")
_BETWEEN = lazy_regex(rf"({_NUMBER})\s*(?:%|[a-zA-Z/]+)?\s*(?:-{{1,2}}|–|to)\s*(?:[<≤]=?\s*)?({_NUMBER})")
_BELOW = lazy_regex(rf"(?:<|≤|<=|\b(?:less than|below|under|up to|at most))\s*=?\s*({_NUMBER})", re.IGNORECASE)
_ABOVE = lazy_regex(
    rf"(?:>|≥|>=|\b(?:more than|above|over|at least|greater than))\s*=?\s*({_NUMBER})"
    rf"|({_NUMBER})\s*(?:or (?:more|higher|above|greater|older)|\+)",
    re.IGNORECASE,
)

_CLAUSE_END = lazy_regex(r"[,;:?!]\s|(?<=[^\W\d_])\.\s|(?<=\d)\.\s|\s[-–—]+\s")

ValueRange = tuple[float, float]
"""Both ends belong to it."""


def question_values(question: str) -> list[float]:
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
    ranges = find_ranges(condition)
    if not values or not ranges:
        return None
    return any(low <= value <= high for value in values for low, high in ranges)


# Figures that a question gives, and whether a row, a step or a line of a list is for them.
#
# "K came back 3.1" falls into "K+ < 3.5 mmol/L", not into "Glucose < 250": a figure is held against a range only
# where both are of the same thing, by its name or by a unit that tells.


_UNIT = (
    r"(?P<unit{}>%|kgs?|kilos?|g/dl|mg/dl|mmol/l|meq/l|mm ?hg|bpm|m[sl]|ml/min|weeks?|wks?|/40|months?|mo\b|days?"
    r"|hours?|hrs?|h\b|minutes?|mins?|cm|mm|years?|yrs?|y/?o\b|points?)?"
)
_GIVEN = lazy_regex(
    rf"(?<![\w.,/<>≤≥=-])(?P<value>{_NUMBER})(?!\.?\d)[\s-]?{_UNIT.format('')}(?![-–]\d)", re.IGNORECASE
)
_RANGE = lazy_regex(
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
_ENCLOSED = lazy_regex(rf"({_NUMBER})\s?%?\s?[<≤]=?\s?([A-Za-z][\w ]{{0,15}}?)\s?[<≤]=?\s?({_NUMBER})")
"""A range that encloses what it is of: "30% ≤ FEV1 < 50%"."""

_STRICT = frozenset({"<", ">", "less than", "more than", "below", "under", "above", "over", "greater than"})
_BREAK = lazy_regex(r"[,;.()]\s|[:;→|]|\n|(?<![\w.-])\d+(?:\.\d+)?%?\s")
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
