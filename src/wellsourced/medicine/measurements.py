"""What is measured in a patient, with its figures in a record and its limits in a guideline.

`measures.tsv`: a measure, its unit as printed and as quantities have it, the least and the most that is plausible in
it, whether its names are written so and not otherwise, between which figures one without a unit is in which unit, and
its names. A figure that is in no unit of the measure is left out.
"""

import math
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.medicine.ages import find_age_ranges
from wellsourced.medicine.quantities import (
    Quantity,
    QuantityRange,
    extract_quantities,
    find_ranges,
    normalize_text,
)
from wellsourced.medicine.units import convert, list_substances
from wellsourced.text.tables import read_rows


class Measure(NamedTuple):
    """Something that is measured.

    unit        as it is printed; `canonical_unit` as quantities have it
    low, high   figures that are plausible in its unit, both included
    unitless    units, with the figures between which one without a unit is in this one
    substance   by which its units are converted, "" where they need none
    names       how it is written
    """

    name: str
    unit: str
    canonical_unit: str
    low: float
    high: float
    unitless: tuple[tuple[str, float, float], ...]
    substance: str
    names: re.Pattern[str]


@cache
def _load_measures() -> dict[str, Measure]:
    return {row[0]: _read_measure(*row) for row in read_rows("wellsourced.medicine", "measures.tsv")}


def _read_measure(
    name: str, unit: str, canonical: str, low: str, high: str, exact: str, unitless: str, words: str
) -> Measure:
    ranges = [one.rsplit(maxsplit=2) for one in filter(None, unitless.split(", "))]
    pattern = lazy_regex(rf"(?<![\w+-])(?P<name>{words})(?![\w+])", 0 if exact else re.IGNORECASE)
    guesses = tuple((one[0] if len(one) > 2 else "", float(one[-2]), float(one[-1])) for one in ranges)
    substance = next(iter(list_substances(name)), "")
    return Measure(name, unit, canonical, float(low), float(high), guesses, substance, pattern)


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


class _NamedMeasure(NamedTuple):
    """A place that names a measure, which no longer name encloses."""

    measure: Measure
    start: int
    end: int


def _find_names(text: str) -> list[_NamedMeasure]:
    found = [
        _NamedMeasure(one, *match.span("name"))
        for one in _load_measures().values()
        for match in one.names.finditer(text)
    ]
    # "creatinine" is part of "creatinine clearance".
    return [
        one
        for one in found
        if not any(
            other.start <= one.start and one.end <= other.end and other.end - other.start > one.end - one.start
            for other in found
        )
    ]


# --- figures -------------------------------------------------------------------------------------------------------

_TO_FIGURE = lazy_regex(r"(?!\s?[-/]\s?[A-Za-z])(?:[^\d\n.;,()]|\([^)\d]*\)){0,28}")
_NOW_GAP = lazy_regex(r"\s?(?:→|-+>|-?to\b|, now|\(now)\s?")
_TODAY_GAP = lazy_regex(r"[^.;\n]{0,24}?,\s")
_TODAY = lazy_regex(r"\stoday")
_SCALES = lazy_regex(r"\b(?:scales?|weighed|balance|b[aá]scula)\b[^\d.;\n]{0,40}\Z", re.IGNORECASE)


def find_figures(record: str) -> list[Figure]:
    """The figures of a record, measure by measure; ages are read elsewhere. One that is of today comes alone."""
    plain = normalize_text(record)
    names, numbers = _find_names(plain.text), _list_numbers(record)
    return [figure for named in names for figure in _find_figures_of(named, names, numbers, plain.text)] + [
        Figure("weight", float(one.value), plain.text[found.start() : one.end])
        for one in numbers
        if one.unit == "kg" and (found := _SCALES.search(plain.text, max(0, one.start - 60), one.start))
    ]


def _list_numbers(text: str) -> list[Quantity]:
    """The quantities of a text that are printed in digits."""
    return [one for one in extract_quantities(text) if any(map(str.isdigit, one.words))]


def _find_figures_of(
    named: _NamedMeasure, names: Sequence[_NamedMeasure], numbers: Sequence[Quantity], text: str
) -> Iterator[Figure]:
    behind = [one for one in numbers if one.start >= named.end][:3]
    if not behind or not _TO_FIGURE.fullmatch(text, named.end, behind[0].start):
        return
    first, *others = behind
    if any(named.end <= other.start < first.start for other in names):
        return
    told = [first]
    if others and _NOW_GAP.fullmatch(text, first.end, others[0].start):
        told = [others.pop(0)]
    elif (
        others and named.measure.name == "systolic blood pressure" and text[first.end : others[0].start].strip() == "/"
    ):
        # The second figure of a blood pressure: "BP 192/118".
        diastolic = _load_measures()["diastolic blood pressure"]
        if (value := _read_figure(diastolic, others[0])) is not None:
            yield Figure(diastolic.name, value, text[named.start : others.pop(0).end])
    if others and _TODAY_GAP.fullmatch(text, told[-1].end, others[0].start) and _TODAY.match(text, others[0].end):
        told = [others[0]]
    for one in told:
        if (value := _read_figure(named.measure, one)) is not None:
            yield Figure(named.measure.name, value, text[named.start : told[-1].end])


def _read_figure(measure: Measure, quantity: Quantity) -> float | None:
    """The number in the unit of the measure; None when it is of another unit, or not plausible there."""
    value = abs(float(quantity.value))
    if quantity.unit:
        unit: str | None = _complete_unit(measure, quantity.unit.removesuffix("/m2" * (measure.unit == "mL/min")))
    else:
        fitting = (one for one, low, high in measure.unitless if low <= value <= high)
        unit = next(fitting, None if measure.unitless else "")
    converted = convert(value, unit, measure.canonical_unit, measure.substance) if unit is not None else None
    if converted is None:
        # Of "INR 5.1, 90 kg" the kilograms are the patient's.
        return (
            _read_figure(measure, quantity._replace(unit="", has_borrowed_unit=False))
            if quantity.has_borrowed_unit
            else None
        )
    value = value if unit == measure.canonical_unit else round(converted, 2)
    return value if measure.low <= value <= measure.high else None


def _complete_unit(measure: Measure, unit: str) -> str:
    """What a short unit stands for beside a measure: "mg" for mg/dL, "IU" for U/L, "G/L" for 10⁹/L."""
    if measure.canonical_unit == "10⁹/l" and unit == "g/l":
        return "10⁹/l"
    first, _, below = unit.replace("iu", "u").partition("/")
    known = (measure.canonical_unit, *(one for one, _, _ in measure.unitless), "mmol/l")
    return next((one for one in known if not below and one.startswith(f"{first}/")), unit.replace("iu", "u"))


# --- limits --------------------------------------------------------------------------------------------------------

GESTATION = "gestational age"
"""Completed weeks of a pregnancy."""

_TO_LIMIT = lazy_regex(
    r"\s*(?:\([^)\d]{0,20}\)\s*)?"
    r"(?:(?:is|are|of|was|remains|persistently|still|baseline|level|falls?|:|,|\s){1,3}|)(?:between\s)?\s*",
    re.IGNORECASE,
)
_GESTATION_BEFORE = lazy_regex(r"\b(?:(?P<until>before|until)|after|from)\s\Z", re.IGNORECASE)
_GESTATION_BEHIND = lazy_regex(r"(?:'| of)?\s?(?:gestation|pregnan|GA\b)", re.IGNORECASE)


def find_limits(text: str) -> list[Limit]:
    """The limits that a text sets: "eGFR < 30", "potassium > 5.0", "patients over 60", "CrCl 15–50"."""
    ranges = find_ranges(text)
    if not ranges:
        return []
    plain = normalize_text(text)

    def build(measure: str, low: float, high: float, is_strict: bool, start: int, end: int) -> Limit:
        first, last = plain.original_span(start, end)
        return Limit(measure, low, high, is_strict, text[first:last].strip(), first)

    limits, taken = [], []
    for named in _find_names(plain.text):
        one = next((one for one in ranges if one.start >= named.end), None)
        if one is None or one.is_value or not _TO_LIMIT.fullmatch(plain.text, named.end, one.start):
            continue
        low, high = _read_end(named.measure, one.low, one.first), _read_end(named.measure, one.high, one.last)
        if low is not None and high is not None:
            taken.append(one)
            limits.append(build(named.measure.name, low, high, _is_strict(one), named.start, one.end))
    for one in ranges:
        if one.unit == "kg" and not one.is_value and one not in taken and one.first is one.last:
            limits.append(build("weight", one.low, one.high, _is_strict(one), one.start, one.end))
        elif one.unit == "week" and (bounds := _read_gestation(one, plain.text)):
            limits.append(build(GESTATION, *bounds, one.start, one.end))
    limits += [
        Limit("age", age.low, age.high, age.excludes_low or age.excludes_high, age.words, age.start)
        for age in find_age_ranges(text, with_bare_years=True)
        if math.inf in (-age.low, age.high) and age.unit in ("", "year")
    ]
    return sorted(limits, key=lambda one: one.start)


def _is_strict(one: QuantityRange) -> bool:
    return one.excludes_low or one.excludes_high


def _read_end(measure: Measure, end: float, quantity: Quantity) -> float | None:
    return end if math.isinf(end) else _read_figure(measure, quantity)


def _read_gestation(one: QuantityRange, text: str) -> tuple[float, float, bool] | None:
    """Limits in weeks of a pregnancy: "after 20 weeks of gestation"."""
    if not _GESTATION_BEHIND.match(text, one.end):
        return None
    before = _GESTATION_BEFORE.search(text, 0, one.start)
    if one.is_value and before:
        return (-math.inf, one.high, False) if before["until"] else (one.low, math.inf, False)
    return None if one.is_value else (one.low, one.high, _is_strict(one))
