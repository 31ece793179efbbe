"""What is measured in a patient, age among it: its figures in a record and its limits in a guideline.

`measures.tsv`: a measure, its unit as printed and as quantities have it, the least and the most that is plausible in
it, whether its names are written so and not otherwise, between which figures one without a unit is in which unit, and
its names. A figure that is in no unit of the measure is left out. `named_limits.tsv`: a measure, the least and the most
that a name stands for, the name, and the source.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.medicine.quantities import Quantity, QuantityRange, ValueRange, extract_quantities, find_ranges
from wellsourced.medicine.units import convert, list_substances
from wellsourced.text.tables import read_rows
from wellsourced.text.typography import NormalizedText, normalize_text

AGE, GESTATION = "age", "gestational age"
"""Years of a life, and completed weeks of a pregnancy."""

ADULT_AGE = 18.0
"""Years."""

MAX_AGE = 120
"""Years."""


class Figure(NamedTuple):
    """A figure of a record, in the unit of its measure, and the words that give it."""

    measure: str
    value: float
    words: str

    def as_limit(self) -> "Limit":
        """The range that has its value alone."""
        return Limit(self.value, self.value, False, False, self.measure, self.words, 0, 0)


@dataclass(frozen=True)
class Limit(ValueRange):
    """The values of a measure that a text speaks of, in its unit: ages in years, weight in kg.

    unit        in which the text has them; "" where it has none, or no number
    start, end  where the words are in the text as it was given
    """

    measure: str
    words: str
    start: int
    end: int
    unit: str = ""

    def overlaps(self, other: "Limit") -> bool:
        """Whether two ranges have more than an end in common: children and adults have not. A single value has to lie
        within."""
        if self.low == self.high or other.low == other.high:
            return other.has(self.low) if self.low == self.high else self.has(other.low)
        return self.low < other.high and other.low < self.high


# --- ages ----------------------------------------------------------------------------------------------------------

_AGE_UNITS = frozenset({"", "year", "month", "week", "day"})

_PERSON_OLD = lazy_regex(r"(?:old|yo|(?<!\.)(?<!\.\d)\d ?[MF])\Z")
_PERSON_OLD_BEHIND = lazy_regex(r"[ -]?(?:of age|old|/?o|\.o)\b|(?<=\d)(?<!\.\d)(?<!\.\d\d) ?(?-i:[MF])\b", re.I)
_PERSON_AGED_BEFORE = lazy_regex(r"\bage[d:]?\s*:?\s*(?:is\s+)?\Z", re.IGNORECASE)
_PERSON_BEFORE = lazy_regex(
    r"\b(?:(?:man|woman|male|female|patient|lady|gentleman)(?:,\s|\s?\()"
    r"|(?P<child>bab(?:y|ies)|infant|newborn|neonate|toddler|child|kid|boy|girl|son|daughter)(?:,?\s(?:(?:is|of)\s)?|\s?\())\Z",
    re.IGNORECASE,
)
_END_BEHIND = lazy_regex(r"\s*(?:[,.;)\n]|\Z)")

_AGED_BEFORE = lazy_regex(
    r"(?<!gestational )\b(?:aged?|ages)(?: (?:is|of|range|from|at|with|between|between the ages of))*,? ?\(?\Z",
    re.IGNORECASE,
)
_PEOPLE_BEFORE = lazy_regex(
    r"\b(?:adults?|patients?|people|persons?|individuals?|participants?|subjects?|those|children|men|women|boys|girls"
    r"|infants?|adolescents?|volunteers?) ?\(?\Z",
    re.IGNORECASE,
)
_OLD_BEHIND = lazy_regex(r"[ -]?(?:of age|old)\b", re.IGNORECASE)
_OLD = lazy_regex(r"old|younger|\bthe age of\b", re.IGNORECASE)
_OVER_BEHIND = lazy_regex(r"\b(?:or|and) (?:over|above|under|below)\Z|\+\Z", re.IGNORECASE)
_LASTING = lazy_regex(
    r"\b(?:(?<!approved )(?<!licensed )(?<!indicated )for"
    r"|last|past|lasting|duration|durations|after|every|survival|history|prior|first|of)(?: of)? ?"
    r"\(?\Z",
    re.IGNORECASE,
)
_BARE_BOUND = lazy_regex(
    r"[<>≤≥]|(?:over|under|above|below|at (?:least|most)|(?:more|less|greater) than)\b", re.IGNORECASE
)
_NO_YEARS_BEHIND = lazy_regex(
    r" ?(?:ago|later|after|before|of (?!age)|duration|since|post|mg|kg|%|mL|mm|mcg|/|per |\d)", re.I
)

_AGE_GROUPS = (
    (r"(?:older|elderly|geriatric) (?:adults?|patients?|people|persons?|men|women)|the elderly", 55.0, math.inf),
    (r"neonates?|newborns?|neonatal", 0.0, 0.25),
    (r"infants?", 0.0, 2.0),
    (r"toddlers?|preschool children", 0.5, 6.0),
    (r"adolescents?|teenagers?", 9.0, 20.0),
    (r"(?:school-?aged? )?child(?:ren)?|p(?:a)?ediatric|boys|girls", 0.0, ADULT_AGE),
    (r"adults?", ADULT_AGE, math.inf),
    (r"post-?menopausal", 38.0, math.inf),
)


def extract_age(text: str) -> float | None:
    """How old the first person is whose age is told, in years; None when nobody's is."""
    plain = normalize_text(text).text
    found = next((one for one in find_ranges(text) if one.is_value and _is_of_person(one, plain, text)), None)
    years = found.low * _count_years({"m": "month"}.get(found.unit, found.unit)) if found else math.inf
    return years if years <= MAX_AGE else None


def _is_of_person(one: QuantityRange, text: str, printed: str) -> bool:
    if one.unit not in _AGE_UNITS | {"m"}:
        return False
    if _PERSON_OLD.search(one.first.words) or _PERSON_OLD_BEHIND.match(text, one.end):
        return True
    before = max(0, one.start - 24)
    person = _PERSON_BEFORE.search(text, before, one.start)
    if person and person["child"] and one.unit not in ("", "m"):
        return True
    return one.unit in ("", "year") and bool(
        _PERSON_AGED_BEFORE.search(text, before, one.start)
        or (person and _END_BEHIND.match(printed, one.first.printed[1]))
    )


def extract_age_ranges(text: str) -> list[Limit]:
    """The ages that a text speaks of in numbers; where it has none, in words ("adults", "infants").

    Who is 65 and 11 months old is 65: the last year counts as a whole, unless it is left out ("under 18").
    """
    return [
        replace(one, low=max(0.0, one.low), high=one.high - 1e-6 + (not one.excludes_high) * _count_years(one.unit))
        for one in find_age_ranges(text)
    ] or list(_extract_worded_ranges(text))


def find_age_ranges(text: str, *, with_bare_years: bool = False) -> list[Limit]:
    """The ranges of ages that a text gives in numbers; "for 2 to 5 years" is none.

    with_bare_years  "> 75 years" too, of which nothing says that it is an age
    """
    given = normalize_text(text)
    plain, found = given.text, []
    for one in find_ranges(text):
        if one.is_value or one.unit not in _AGE_UNITS or abs(float(one.last.value)) > MAX_AGE * 10:
            continue
        is_open, words = one.first is one.last, plain[one.start : one.end]
        aged = _AGED_BEFORE.search(plain, max(0, one.start - 40), one.start)
        people = _PEOPLE_BEFORE.search(plain, max(0, one.start - 24), one.start) if is_open else None
        behind = _OLD_BEHIND.match(plain, one.end)
        is_over = _OVER_BEHIND.search(words) and (one.unit or float(one.last.value) >= 10)
        is_other = _NO_YEARS_BEHIND.match(plain, one.end)
        if aged or people or behind or is_over or _OLD.search(words):
            is_age = bool(one.unit) or not is_other
        else:
            is_bare = with_bare_years and one.unit == "year" and is_open and _BARE_BOUND.match(words) and not is_other
            is_age = bool(is_bare) and not _LASTING.search(plain, max(0, one.start - 24), one.start)
        if is_age:
            first = aged or people
            start, end = first.start() if first else one.start, behind.end() if behind else one.end
            found.append(_build_limit(AGE, one, given, text, start, end, _count_years(one.unit)))
    return found


def _count_years(unit: str) -> float:
    return convert(1.0, unit or "year", "year") or 1.0


def _extract_worded_ranges(text: str) -> Iterator[Limit]:
    taken: list[range] = []
    for words, low, high in _AGE_GROUPS:
        for match in re.finditer(rf"\b(?:{words})\b", text, re.IGNORECASE):
            if not any(match.start() in one for one in taken):
                taken.append(range(*match.span()))
                yield Limit(low, high, False, False, AGE, match.group(), *match.span())


# --- measures ------------------------------------------------------------------------------------------------------


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
    pattern = lazy_regex(rf"(?<![\w+-])(?:{words})(?![\w+])", 0 if exact else re.IGNORECASE)
    guesses = tuple((one[0] if len(one) > 2 else "", float(one[-2]), float(one[-1])) for one in ranges)
    substance = next(iter(list_substances(name)), "")
    return Measure(name, unit, canonical, float(low), float(high), guesses, substance, pattern)


class _NamedMeasure(NamedTuple):
    """A place that names a measure."""

    measure: Measure
    start: int
    end: int


def _find_names(text: str) -> list[_NamedMeasure]:
    """The places that name measures, measure by measure; "creatinine" is part of "creatinine clearance"."""
    found = [
        _NamedMeasure(one, *match.span()) for one in _load_measures().values() for match in one.names.finditer(text)
    ]
    spans = {one[1:] for one in found}
    return [
        one
        for one in found
        if not any(start <= one.start and one.end <= end and (start, end) != one[1:] for start, end in spans)
    ]


# --- figures -------------------------------------------------------------------------------------------------------

_TO_FIGURE = lazy_regex(r"(?!\s?[-/]\s?[A-Za-z])(?:[^\d\n.;,()]|\([^)\d]*\)){0,28}")
_NOW_GAP = lazy_regex(r"\s?(?:→|-+>|-?to\b|, now|\(now)\s?")
_TODAY_GAP = lazy_regex(r"[^.;\n]{0,24}?,\s")
_TODAY = lazy_regex(r"\stoday")
_SCALES = lazy_regex(r"\b(?:scales?|weighed|balance|b[aá]scula)\b[^\d.;\n]{0,40}\Z", re.IGNORECASE)


def find_figures(record: str) -> list[Figure]:
    """The figures of a record, measure by measure; ages are read elsewhere. One that is of today comes alone."""
    text = normalize_text(record).text
    names = _find_names(text)
    numbers = [one for one in extract_quantities(record) if any(map(str.isdigit, one.words))]
    return [figure for named in names for figure in _find_figures_of(named, names, numbers, text)] + [
        Figure("weight", float(one.value), text[found.start() : one.end])
        for one in numbers
        if one.unit == "kg" and (found := _SCALES.search(text, max(0, one.start - 60), one.start))
    ]


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
    given = normalize_text(text)
    limits, taken = [], []
    for named in _find_names(given.text):
        one = next((one for one in ranges if one.start >= named.end), None)
        if one is None or one.is_value or not _TO_LIMIT.fullmatch(given.text, named.end, one.start):
            continue
        low, high = _read_end(named.measure, one.low, one.first), _read_end(named.measure, one.high, one.last)
        if low is not None and high is not None:
            taken.append(one)
            read = replace(one, low=low, high=high)
            limits.append(_build_limit(named.measure.name, read, given, text, named.start, one.end))
    for one in ranges:
        if one.unit == "kg" and not one.is_value and one not in taken and one.first is one.last:
            limits.append(_build_limit("weight", one, given, text, one.start, one.end))
        elif one.unit == "week" and (weeks := _read_gestation(one, given.text)):
            limits.append(_build_limit(GESTATION, weeks, given, text, one.start, one.end))
    limits += [
        age
        for age in find_age_ranges(text, with_bare_years=True)
        if math.inf in (-age.low, age.high) and age.unit in ("", "year")
    ]
    return sorted(limits, key=lambda one: one.start)


def find_named_limits(text: str) -> list[Limit]:
    """The limits that a text sets by names alone: "HFrEF" is an LVEF of 40 % at most (`named_limits.tsv`)."""
    return [
        Limit(low, high, False, False, measure, match.group(), *match.span())
        for measure, low, high, pattern in _load_named_limits()
        for match in pattern.finditer(text)
    ]


@cache
def _load_named_limits() -> tuple[tuple[str, float, float, re.Pattern[str]], ...]:
    return tuple(
        (measure, float(low), float(high), lazy_regex(rf"\b(?:{words})(?!\w)", re.IGNORECASE))
        for measure, low, high, words, _ in read_rows("wellsourced.medicine", "named_limits.tsv")
    )


def _build_limit(
    measure: str, one: QuantityRange, given: NormalizedText, text: str, start: int, end: int, scale: float = 1.0
) -> Limit:
    """A range as a limit, with the words between two places of the text as it is read."""
    first, last = given.original_span(start, end)
    sides = one.low * scale, one.high * scale, one.excludes_low, one.excludes_high
    return Limit(*sides, measure, text[first:last].strip(), first, last, one.unit)


def _read_end(measure: Measure, end: float, quantity: Quantity) -> float | None:
    return end if math.isinf(end) else _read_figure(measure, quantity)


def _read_gestation(one: QuantityRange, text: str) -> QuantityRange | None:
    """Limits in weeks of a pregnancy: "after 20 weeks of gestation"."""
    if not _GESTATION_BEHIND.match(text, one.end):
        return None
    if not one.is_value:
        return one
    if before := _GESTATION_BEFORE.search(text, 0, one.start):
        return replace(one, low=-math.inf) if before["until"] else replace(one, high=math.inf)
    return None
