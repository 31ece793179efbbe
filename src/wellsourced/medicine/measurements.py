"""What is measured in a patient, with its figures in a record and its limits in a guideline.

`measures.tsv`: a measure, its unit, the least and the most that is plausible in it, whether its names are written so
and not otherwise, and its names. `measure_units.tsv`: how a unit of it is written, by what its figures are multiplied
(and what is added), and between which figures one without a unit is in this one; a figure of none of them, or of
another kind, is left out.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.text.tables import read_rows

_DIGIT = re.compile(r"\d")
_NUMBER = r"\d{1,3}(?:[,\u00a0 ]\d{3})+(?!\d)|\d+(?:[.,]\d+)?"
_UNIT_PATTERN = r"(?:\s?(?P<unit>%|[x×]\s?10\S*|/?[A-Za-zµμ]+[³\d]?(?:/(?:\d+\.\d+\s?)?[\w²³]+){0,3}))?"
_OTHER_UNIT = lazy_regex(
    r"m?[cg]g|[µmdn]?g|kg|m[lL]|L|m?eq|mmol|[µn]mol|units?|i?u|tab\w*|puffs?|%|hours?|hrs?|h|days?|d|weeks?|wks?|months?|years?|yrs?|y"
    r"|minutes?|mins?|times|x|m?g/(?:day|d|kg\S*|h\S*)|mg/\S+|µg/\S+|mm ?hg|cm|points?",
    re.IGNORECASE,
)
"""Units of doses and times: a figure with one of these is not of a measure that has no such unit."""


class Measure(NamedTuple):
    """Something that is measured.

    low, high   figures that are plausible in its unit, both included
    is_exact    whether its names are written so and not otherwise: "K", "Na"
    """

    name: str
    unit: str
    low: float
    high: float
    is_exact: bool
    words: str


class MeasureUnit(NamedTuple):
    """A unit that a measure is given in.

    factor      by which a figure is multiplied to be in the measure's own unit
    offset      what is added to it then
    low, high   a figure between these that has no unit is in this one; none is where low is above high
    """

    expression: re.Pattern[str]
    factor: float
    offset: float
    low: float
    high: float


@cache
def _load_measures() -> dict[str, Measure]:
    rows = read_rows("wellsourced.medicine", "measures.tsv")
    measures = [Measure(row[0], row[1], float(row[2]), float(row[3]), row[4] == "exact", row[5]) for row in rows]
    age = r"ages?(?:d)?|patients|adults|people|persons|women|men|those|individuals"
    return {one.name: one for one in (*measures, Measure("age", "years", 0, 120, False, age))}


@cache
def _load_units(measure: str) -> list[MeasureUnit]:
    rows = [row for row in read_rows("wellsourced.medicine", "measure_units.tsv") if row[0] == measure]
    units = []
    for _, expression, conversion, low, high in rows:
        factor, _, offset = conversion.partition(" ")
        pattern = lazy_regex(expression, re.IGNORECASE)
        units.append(MeasureUnit(pattern, float(factor), float(offset or 0), float(low or 1), float(high or 0)))
    return units


_UNITLESS_AGE = r"(?!\s*(?:mg|kg|%|mL|mm|mcg|/|\d|per|days?|months?|weeks?|hours?))"


class Figure(NamedTuple):
    """A figure of a record, in the unit of its measure, and the words that give it."""

    measure: str
    value: float
    words: str


class Limit(NamedTuple):
    """A limit of a text: reached where low <= figure <= high, an open end left out.

    low, high   infinite where there is none
    is_strict   whether the bounds themselves are left out ("<", "over")
    start       where its words begin
    """

    measure: str
    low: float
    high: float
    is_strict: bool
    words: str
    start: int

    def is_reached(self, value: float) -> bool:
        """Whether a figure lies within."""
        return self.low < value < self.high if self.is_strict else self.low <= value <= self.high


def find_figures(record: str) -> list[Figure]:
    """The figures of a record, measure by measure; ages are read elsewhere. One that is of today comes alone."""
    named = _find_names(record)
    names = [span for spans in named.values() for span in spans]
    return [figure for measure in named for figure in _find_measure_figures(measure, record, names)]


def find_limits(text: str) -> list[Limit]:
    """The limits that a text sets: "eGFR < 30", "potassium > 5.0", "patients over 60", "CrCl 15–50"."""
    if not _DIGIT.search(text):
        return []
    named = _find_names(text)
    names = [span for spans in named.values() for span in spans]
    limits = [one for measure in named for one in _find_measure_limits(measure, text, names)]
    others = (*_find_age_limits(text), *_find_gestation_limits(text), *_find_weight_limits(text, limits))
    return sorted((*limits, *others), key=lambda one: one.start)


def measure_unit(name: str) -> str:
    """The unit of what is measured, as it is printed."""
    return "weeks" if name == GESTATION else _load_measures()[name].unit


def _find_names(text: str) -> dict[Measure, list[tuple[int, int]]]:
    """The measures that are named, ages left out, and where each is."""
    measures = (one for one in _load_measures().values() if one.name != "age")
    found = {one: [match.span("name") for match in _compile_name(one).finditer(text)] for one in measures}
    return {one: spans for one, spans in found.items() if spans}


@cache
def _compile_name(measure: Measure) -> re.Pattern[str]:
    flag = re.RegexFlag(0) if measure.is_exact else re.IGNORECASE
    return lazy_regex(rf"(?<![\w+-])(?P<name>{measure.words})(?![\w+])", flag)


def _is_other_measure(start: int, end: int, names: list[tuple[int, int]], until: int) -> bool:
    """Whether a name is part of a longer one ("creatinine" of "creatinine clearance"), or another stands before the
    figure.
    """
    return any(
        (first <= start and end <= last and last - first > end - start) or end <= first < until for first, last in names
    )


_BELOW, _ABOVE = (
    r"<=?|≤|⩽|below|under|less than|lower than|falls? (?:below|to)|no more than|at most",
    r">=?|≥|⩾|above|over|greater than|more than|exceed(?:s|ing)?|at least|higher than|older than",
)
_COMPARATOR = rf"(?:(?P<below>{_BELOW}|younger than)|(?P<above>{_ABOVE}))"
_RANGE = rf"(?P<low>{_NUMBER})\s?%?\s?(?:[-–—]{{1,2}}|to|and)\s?(?P<high>{_NUMBER})"


def _find_measure_figures(measure: Measure, record: str, names: list[tuple[int, int]]) -> Iterator[Figure]:
    pattern = (
        rf"(?<![\w+-])(?P<name>{measure.words})(?![\w+])(?!\s?[-/]\s?[A-Za-z])"
        rf"(?P<between>(?:[^\d\n.;,()]|\([^)\d]*\)){{0,28}}?)(?P<value>{_NUMBER}){_UNIT_PATTERN}"
        rf"(?:\s?(?:→|->|-->|\bto\b|, now|\(now)\s?(?P<now>{_NUMBER})|\s(?:and|y|or)\s(?P<other>{_NUMBER}))?"
        rf"(?P<later>[^.;\n]{{0,24}}?,\s(?P<today>{_NUMBER})\stoday)?"
    )
    for match in re.finditer(pattern, record, re.RegexFlag(0) if measure.is_exact else re.IGNORECASE):
        if _is_other_measure(*match.span("name"), names, match.start("value")):
            continue
        latest = next((name for name in ("today", "now") if match[name]), "")
        for name in (latest,) if latest else ("value", "other"):
            value = _parse_figure(measure, match[name], match["unit"]) if match[name] else None
            if value is not None:
                yield Figure(measure.name, value, match.group().strip())
        if measure.name == "systolic blood pressure":
            yield from _find_diastolic(record, match)
    if measure.name == "weight":
        yield from _find_bare_weights(record)


def _find_diastolic(record: str, systolic: re.Match[str]) -> Iterator[Figure]:
    """The second figure of a blood pressure: "BP 192/118"."""
    second = re.compile(r"\s?/\s?(\d{2,3})\b").match(record, systolic.end("value"))
    value = _parse_figure(_load_measures()["diastolic blood pressure"], second[1], None) if second else None
    if second and value is not None:
        yield Figure("diastolic blood pressure", value, f"{systolic.group().strip()}{second.group()}")


def _find_bare_weights(record: str) -> Iterator[Figure]:
    """ "Ward scale next morning, standing: 58 kg": kilograms of nothing else are the patient's."""
    bare = rf"(?:\b(?:scales?|weighed|balance|b[aá]scula)\b[^\d.;\n]{{0,40}})(?P<value>{_NUMBER})\s?kg\b"
    for match in re.finditer(bare, record, re.IGNORECASE):
        value = _parse_figure(_load_measures()["weight"], match["value"], "kg")
        if value is not None:
            yield Figure("weight", value, match.group().strip())


def _find_measure_limits(measure: Measure, text: str, names: list[tuple[int, int]]) -> Iterator[Limit]:
    between = r"(?:is|are|of|was|remains|persistently|still|baseline|level|:|,|\s){0,3}"
    named = rf"(?<![\w+-])(?P<name>{measure.words})(?![\w+])\s*(?:\([^)\d]{{0,20}}\)\s*)?{between}\s*"
    pattern = rf"{named}(?:{_COMPARATOR}\s*(?P<one>{_NUMBER})|(?:between\s+)?{_RANGE}){_UNIT_PATTERN}"
    for match in re.finditer(pattern, text, re.RegexFlag(0) if measure.is_exact else re.IGNORECASE):
        if _is_other_measure(*match.span("name"), names, match.end("name")):
            continue
        low, high, is_strict = _parse_bounds(measure, match)
        if low is not None and high is not None:
            words = text[match.start() : match.start("unit") if match["unit"] else match.end()].strip()
            yield Limit(measure.name, low, high, is_strict, words, match.start())


def _find_age_limits(text: str) -> Iterator[Limit]:
    age = _load_measures()["age"]
    forms = (
        rf"\b(?:{age.words})(?:\s(?:is|of|aged|with age))?\s*{_COMPARATOR}\s*(?P<one>\d{{1,3}})\b{_UNITLESS_AGE}",
        rf"{_COMPARATOR}\s*(?P<one>\d{{1,3}})[\s-]?(?:years?|yrs?|y)(?:[\s-](?:old|of age))?\b",
        r"\b(?:(?:age|aged)\s)?(?P<one>\d{2,3})[\s-]?(?:years?|yrs?|y)?(?:[\s-](?:old|of age))?\s(?:or|and)\s"
        r"(?:(?P<above>older|over|above)|(?P<below>younger|under|below))\b",
    )
    taken: list[int] = []
    for form in forms:
        for match in re.finditer(form, text, re.IGNORECASE):
            value, below = float(match["one"]), match["below"]
            if any(abs(match.end() - end) < 12 for end in taken):
                continue
            taken.append(match.end())
            is_strict = bool(
                re.match(
                    r"[<>](?!=)|over|under|older|younger|above|below|less|more", (match["below"] or match["above"])
                )
            )
            is_strict = is_strict and form is not forms[2]
            low, high = (float("-inf"), value) if below else (value, float("inf"))
            yield Limit("age", low, high, is_strict, match.group().strip(), match.start())


_WEIGHT_LIMIT = lazy_regex(rf"{_COMPARATOR}\s*(?P<one>\d{{2,3}})\s?kg\b(?!\s?/)", re.IGNORECASE)


def _find_weight_limits(text: str, known: list[Limit]) -> Iterator[Limit]:
    """Limits in kilograms that name no measure: "in patients < 50 kg or > 120 kg"."""
    named = [(one.start, one.start + len(one.words) + 4) for one in known if one.measure in ("weight", "BMI")]
    for match in _WEIGHT_LIMIT.finditer(text):
        if not any(start <= match.start() <= end for start, end in named):
            value = float(match["one"])
            low, high = (float("-inf"), value) if match["below"] else (value, float("inf"))
            yield Limit(
                "weight",
                low,
                high,
                match.group()[0] in "<>" and match.group()[1:2] != "=",
                match.group(),
                match.start(),
            )


GESTATION = "gestational age"
"""Completed weeks of a pregnancy."""

_GESTATION_LIMIT = lazy_regex(
    rf"(?P<sign>{_BELOW}|before|until|up to|{_ABOVE}|after|from|beyond)\s*(?P<weeks>\d{{1,2}})(?:\+\d)?[\s-]?"
    r"(?:weeks?|wks?)(?:['’]| of)?\s?(?:gestation|pregnan|GA\b)",
    re.IGNORECASE,
)


def _find_gestation_limits(text: str) -> Iterator[Limit]:
    """Limits in weeks of a pregnancy: "after 20 weeks of gestation"."""
    for match in _GESTATION_LIMIT.finditer(text):
        is_below = re.fullmatch(rf"{_BELOW}|before|until|up to", match["sign"], re.IGNORECASE)
        weeks = float(match["weeks"])
        low, high = (float("-inf"), weeks) if is_below else (weeks, float("inf"))
        yield Limit(GESTATION, low, high, match["sign"] in ("<", ">"), match.group(), match.start())


def _parse_bounds(measure: Measure, match: re.Match[str]) -> tuple[float | None, float | None, bool]:
    unit = match["unit"]
    if match["one"]:
        value = _parse_figure(measure, match["one"], unit)
        sign = (match["below"] or match["above"]).lower()
        is_strict = sign not in ("<=", ">=", "≤", "≥", "⩽", "⩾", "at least", "at most", "no more than")
        if value is None:
            return None, None, False
        return (float("-inf"), value, is_strict) if match["below"] else (value, float("inf"), is_strict)
    return _parse_figure(measure, match["low"], unit), _parse_figure(measure, match["high"], unit), False


def _parse_figure(measure: Measure, words: str, unit: str | None) -> float | None:
    """The number in the unit of the measure; None when it is of another unit, or not plausible there."""
    if re.fullmatch(r"\d{1,3}(?:[,\u00a0 ]\d{3})+", words):
        value = float(re.sub(r"\D", "", words))
    else:
        value = float(words.replace(",", "."))
    units = _load_units(measure.name)
    written = (unit or "").replace("μ", "µ")
    known = next((one for one in units if written and one.expression.fullmatch(written)), None)
    if known is None and written and _OTHER_UNIT.fullmatch(written):
        return None
    known = known or next((one for one in units if one.low <= value <= one.high), None)
    if units and known is None:
        return None
    value = round(value * known.factor + known.offset, 2) if known and known.factor != 1 else value
    return value if measure.low <= value <= measure.high else None
