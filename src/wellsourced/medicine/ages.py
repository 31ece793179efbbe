"""How old somebody is, and of which ages a text speaks."""

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from wellsourced.medicine.quantities import normalize_bound_signs

ADULT_AGE = 18.0
"""Years."""

_YEARS_PER_UNIT = {"y": 1.0, "m": 1 / 12, "w": 1 / 52, "d": 1 / 365}

_AGE_OF_PERSON = re.compile(
    r"\b(?P<n>\d{1,3})[\s-]*(?P<unit>years?|yrs?|months?|weeks?|days?|y|m)[\s-]*(?:old\b|/?o\b)"
    r"|\bage[d:]?\s*:?\s*(?:is\s+)?(?P<aged>\d{1,3})\b(?!\s*(?:to|and|or|-|–)\s*(?:\d|older|over|young))"
    r"|\b(?P<coded>\d{1,3})\s?(?:[MF]\b|yo\b|y/o\b)"
    r"|\b(?:man|woman|male|female|boy|girl|patient|lady|gentleman)(?:,\s|\s?\()(?P<behind>\d{1,3})"
    r"(?=\s*(?:years?|yrs?|yo?|y/o)?\s*(?:[,.;)\n]|$))"
    r"|\b(?P<plain>\d{1,3})\s?(?:years|yrs) of age\b(?!\s*(?:or|and) (?:older|over|young))",
    re.IGNORECASE,
)

_PEOPLE = (
    r"(?:adults?|patients?|people|persons?|individuals?|participants?|subjects?|those|children|men|women|boys|girls"
    r"|infants?|adolescents?|volunteers?)"
)
_LOW, _HIGH, _UNITS = r"(?P<low>\d{1,3})", r"(?P<high>\d{1,3})", r"years?|yrs?|months?|weeks?|days?"
_OF_AGE = r"(?:\s*[-–]?\s*(?:of age|old))"
_UNIT = rf"(?P<unit>{_UNITS})"
_SPAN = rf"{_LOW}\s*(?:(?P<low_unit>{_UNITS})\s*)?(?:to|and|through|-|–|—)\s*{_HIGH}"
_YEARS = rf"(?:\s*[-–]?\s*{_UNIT}{_OF_AGE}?)?"
_AGE_AHEAD = r"(?=\s*\d+\s*\w+\s*(?:of age|old))"

_RANGE_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:aged?|ages|ages? (?:of|range|from))\s+(?:between\s+|from\s+)?{_SPAN}{_YEARS}",
        rf"\b(?:between (?:the ages of )?)?{_SPAN}\s*[-–]?\s*{_UNIT}{_OF_AGE}",
        rf"\b{_LOW}\s*[-–]?\s*{_UNIT}{_OF_AGE}?\s*(?:or|and)\s*(?:older|over|above)\b",
        rf"\b(?:aged?|ages)\s*(?:≥|>=?|⩾|at least|over|above|older than|more than|greater than)\s*{_LOW}{_YEARS}",
        rf"\b(?:older than|over the age of|above the age of|(?:over|above|at least){_AGE_AHEAD})\s*{_LOW}{_YEARS}",
        rf"\b{_PEOPLE}\s*\(?(?:≥|>=?|⩾)\s*{_LOW}\s*{_UNIT}{_OF_AGE}?",
        rf"\b{_HIGH}\s*[-–]?\s*{_UNIT}{_OF_AGE}?\s*(?:or|and)\s*(?:younger|under|below)\b",
        rf"\b(?:aged?|ages)\s*(?:≤|<=?|⩽|at most|under|below|younger than|less than|up to)\s*{_HIGH}{_YEARS}",
        rf"\b(?:younger than|under the age of|below the age of|(?:under|below|up to){_AGE_AHEAD})\s*{_HIGH}{_YEARS}",
        rf"\b{_PEOPLE}\s*\(?(?:≤|<=?|⩽|under|below)\s*{_HIGH}\s*{_UNIT}{_OF_AGE}?",
    )
)
"""How texts write ranges of ages; "for 2 to 5 years" is none."""

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

_EXCLUSIVE_BOUND = re.compile(r"\b(?:under|below|younger than|less than)\b|<(?!=)", re.IGNORECASE)


class AgeRange(NamedTuple):
    """Ages in years that a text speaks of, both ends included, and the words that say so."""

    low: float
    high: float
    words: str

    def contains(self, age: float) -> bool:
        """Whether somebody of that age is meant."""
        return self.low <= age <= self.high


def extract_age(text: str) -> float | None:
    """How old the first person is whose age is told, in years; None when nobody's is."""
    found = _AGE_OF_PERSON.search(text)
    if not found:
        return None
    number = next(int(found[name]) for name in ("n", "aged", "coded", "behind", "plain") if found[name])
    years = number * _YEARS_PER_UNIT[(found["unit"] or "y")[0].lower()]
    return years if years <= 120 else None


def extract_age_ranges(text: str) -> list[AgeRange]:
    """The ages that a text speaks of in numbers; where it has none, in words ("adults", "infants")."""
    return _extract_numeric_ranges(text) or list(_extract_worded_ranges(text))


def _extract_numeric_ranges(text: str) -> list[AgeRange]:
    found: list[tuple[int, int, AgeRange]] = []
    plain = normalize_bound_signs(text)
    for pattern in _RANGE_PATTERNS:
        for match in pattern.finditer(plain.text):
            if all(match.end() <= start or end <= match.start() for start, end, _ in found):
                start, end = plain.original_span(*match.span())
                found.append((*match.span(), _build_range(match, text[start:end].strip())))
    return [one for _, _, one in sorted(found)]


def _build_range(match: re.Match[str], words: str) -> AgeRange:
    parts = match.groupdict()
    factor = _YEARS_PER_UNIT[(parts.get("unit") or parts.get("low_unit") or "y")[0].lower()]
    low_factor = _YEARS_PER_UNIT[(parts.get("low_unit") or parts.get("unit") or "y")[0].lower()]
    low = int(parts["low"]) * low_factor if parts.get("low") else 0.0
    # Who is 65 and 11 months old is 65: the last year counts as a whole, unless it is left out ("under 18").
    last = 0 if _EXCLUSIVE_BOUND.search(match.group()) else 1
    high = (int(parts["high"]) + last) * factor - 1e-6 if parts.get("high") else math.inf
    return AgeRange(low, high, words)


def _extract_worded_ranges(text: str) -> Iterator[AgeRange]:
    taken: list[range] = []
    for words, low, high in _AGE_GROUPS:
        for match in re.finditer(rf"\b(?:{words})\b", text, re.IGNORECASE):
            if not any(match.start() in one for one in taken):
                taken.append(range(*match.span()))
                yield AgeRange(low, high, match.group())
