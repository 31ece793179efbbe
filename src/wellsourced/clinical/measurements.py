"""What is measured in a patient, with its figures in a record and its limits in a guideline.

Units: as each row of `_MEASURES` says; a figure outside its plausible range is another unit or another thing, and is
left out. Creatinine in µmol/L and platelets per mm³ are converted.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_NUMBER = r"\d{1,3}(?:[,\u00a0 ]\d{3})+(?!\d)|\d+(?:[.,]\d+)?"
_UNIT_PATTERN = r"(?:\s?(?:%|[a-zµ]+(?:/[\w.²³]+){0,3}))?"


class Measure(NamedTuple):
    """Something that is measured.

    low, high   figures that are plausible in its unit, both included
    """

    name: str
    unit: str
    low: float
    high: float
    words: str


_MEASURES = (
    Measure("eGFR", "mL/min", 1, 200, r"e?GFR|FGe?|DFGe?"),
    Measure("creatinine clearance", "mL/min", 1, 250, r"CrCl|Cl ?Cr|creatinine clearance"),
    Measure(
        "potassium",
        "mmol/L",
        1.2,
        9.5,
        r"(?:[Ss]erum |[Bb]aseline )?(?:[Pp]otassium|[Pp]otasio|[Kk]alium)"
        r"|K\+?",
    ),
    Measure("sodium", "mmol/L", 95, 190, r"(?:[Ss]erum )?(?:[Ss]odium|[Ss]odio)|Na\+?"),
    Measure("creatinine", "mg/dL", 0.1, 20, r"(?:serum )?creatinin[ae]?|SCr|kreatinin"),
    Measure("platelets", "10⁹/L", 1, 1500, r"[Pp]latelets?(?: counts?)?|[Pp]laquetas|PLT"),
    Measure("INR", "", 0.5, 15, r"INR"),
    Measure("QTc", "ms", 300, 700, r"QTc?(?: interval)?"),
    Measure("LVEF", "%", 5, 80, r"LVEF|(?:left ventricular )?ejection fraction|EF|FEVI"),
    Measure("systolic blood pressure", "mmHg", 50, 260, r"SBP|systolic(?: BP| blood pressure)?|BP|blood pressure|TA"),
    Measure("heart rate", "/min", 20, 250, r"(?:resting )?(?:heart rate|HR)|pulse|FC"),
    Measure("weight", "kg", 1, 300, r"(?:body )?weight|weighs|weighing|peso|poids|Gewicht"),
    Measure("haemoglobin", "g/dL", 3, 22, r"Hb|Hgb|h[a]?emoglobin"),
    Measure("glucose", "mg/dL", 10, 1500, r"(?:blood |plasma )?glucose"),
    Measure("calcium", "mg/dL", 4, 18, r"(?:serum )?calcium"),
    Measure("bilirubin", "mg/dL", 0.1, 50, r"(?:total )?bilirubin"),
    Measure("aPTT", "s", 15, 200, r"aPTT"),
    Measure("neutrophils", "10⁹/L", 0.0, 50, r"ANC|neutrophils?"),
    Measure("eosinophils", "cells/µL", 0, 20000, r"eosinophils?"),
    Measure("triglycerides", "mg/dL", 20, 5000, r"triglycerides?|TG"),
    Measure("BMI", "kg/m²", 10, 90, r"BMI|body mass index"),
    Measure("age", "years", 0, 120, r"ages?(?:d)?|patients|adults|people|persons|women|men|those|individuals"),
)
_BY_NAME = {one.name: one for one in _MEASURES}
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
    """The figures of a record, in order; ages are read elsewhere. One that is said to be today's comes alone."""
    figures = []
    for measure in _MEASURES:
        if measure.name != "age":
            figures += list(_find_measure_figures(measure, record))
    return figures


def find_limits(text: str) -> list[Limit]:
    """The limits that a text sets: "eGFR < 30", "potassium > 5.0", "patients over 60", "CrCl 15–50"."""
    limits = [one for measure in _MEASURES for one in _find_measure_limits(measure, text)]
    return sorted((*limits, *_find_age_limits(text)), key=lambda one: one.start)


def measure_unit(name: str) -> str:
    """The unit of what is measured, as it is printed."""
    return _BY_NAME[name].unit


_BELOW, _ABOVE = (
    r"<=?|≤|⩽|below|under|less than|lower than|falls? (?:below|to)|no more than|at most",
    r">=?|≥|⩾|above|over|greater than|more than|exceed(?:s|ing)?|at least|higher than|older than",
)
_COMPARATOR = rf"(?:(?P<below>{_BELOW}|younger than)|(?P<above>{_ABOVE}))"
_RANGE = rf"(?P<low>{_NUMBER})\s?%?\s?(?:[-–—]{{1,2}}|to|and)\s?(?P<high>{_NUMBER})"


def _find_measure_figures(measure: Measure, record: str) -> Iterator[Figure]:
    pattern = (
        rf"(?<![\w+-])(?:{measure.words})(?![\w+])(?!\s?[-/]\s?[A-Za-z])"
        rf"(?P<between>(?:[^\d\n.;,()]|\([^)\d]*\)){{0,28}}?)(?P<value>{_NUMBER}){_UNIT_PATTERN}"
        rf"(?:\s(?:and|y|or)\s(?P<other>{_NUMBER}))?(?P<later>[^.;\n]{{0,24}}?,\s(?P<today>{_NUMBER})\stoday)?"
    )
    for match in re.finditer(pattern, record, _case_flag(measure)):
        for name in ("today",) if match["today"] else ("value", "other"):
            value = _parse_figure(measure, match[name]) if match[name] else None
            if value is not None:
                yield Figure(measure.name, value, match.group().strip())
    if measure.name == "weight":
        yield from _find_bare_weights(record)


def _find_bare_weights(record: str) -> Iterator[Figure]:
    """ "Ward scale next morning, standing: 58 kg": kilograms of nothing else are the patient's."""
    bare = rf"(?:\b(?:scales?|weighed|balance|b[aá]scula)\b[^\d.;\n]{{0,40}})(?P<value>{_NUMBER})\s?kg\b"
    for match in re.finditer(bare, record, re.IGNORECASE):
        value = _parse_figure(_BY_NAME["weight"], match["value"])
        if value is not None:
            yield Figure("weight", value, match.group().strip())


def _find_measure_limits(measure: Measure, text: str) -> Iterator[Limit]:
    if measure.name == "age":
        return
    between = r"(?:is|are|of|was|remains|persistently|still|baseline|level|:|,|\s){0,3}"
    named = rf"(?<![\w+-])(?:{measure.words})(?![\w+])\s*(?:\([^)\d]{{0,20}}\)\s*)?{between}\s*"
    pattern = rf"{named}(?:{_COMPARATOR}\s*(?P<one>{_NUMBER})|(?:between\s+)?{_RANGE})"
    for match in re.finditer(pattern, text, _case_flag(measure)):
        low, high, is_strict = _parse_bounds(measure, match)
        if low is not None and high is not None:
            yield Limit(measure.name, low, high, is_strict, match.group().strip(), match.start())


def _find_age_limits(text: str) -> Iterator[Limit]:
    age = _BY_NAME["age"]
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


def _parse_bounds(measure: Measure, match: re.Match[str]) -> tuple[float | None, float | None, bool]:
    if match["one"]:
        value = _parse_figure(measure, match["one"])
        sign = (match["below"] or match["above"]).lower()
        is_strict = sign not in ("<=", ">=", "≤", "≥", "⩽", "⩾", "at least", "at most", "no more than")
        if value is None:
            return None, None, False
        return (float("-inf"), value, is_strict) if match["below"] else (value, float("inf"), is_strict)
    return _parse_figure(measure, match["low"]), _parse_figure(measure, match["high"]), False


def _parse_figure(measure: Measure, words: str) -> float | None:
    """The number in the unit of the measure; None when it is not plausible there."""
    if re.fullmatch(r"\d{1,3}(?:[,\u00a0 ]\d{3})+", words):
        value = float(re.sub(r"\D", "", words))
    else:
        value = float(words.replace(",", "."))
    if measure.name == "platelets" and value > measure.high:
        value /= 1000
    elif measure.name == "creatinine" and value > measure.high:
        value = round(value / 88.4, 2)
    return value if measure.low <= value <= measure.high else None


def _case_flag(measure: Measure) -> re.RegexFlag:
    """ "K", "Na" and "BP" are written so and not otherwise; a name of a word is written in any way."""
    return re.IGNORECASE if measure.name not in ("potassium", "sodium", "platelets") else re.RegexFlag(0)
