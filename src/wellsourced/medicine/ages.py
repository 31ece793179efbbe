"""How old somebody is, and of which ages a text speaks."""

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.medicine.quantities import QuantityRange, find_ranges, normalize_text
from wellsourced.medicine.units import convert

ADULT_AGE = 18.0
"""Years."""

MAX_AGE = 120
"""Years."""

_UNITS = frozenset({"", "year", "month", "week", "day"})

_SELF_OLD = lazy_regex(r"(?:old|yo|\d ?[MF])\Z")
_SELF_OLD_BEHIND = lazy_regex(r"[ -]?(?:of age|old|/?o|\.o)\b|(?<=\d) ?(?-i:[MF])\b", re.IGNORECASE)
_SELF_AGED_BEFORE = lazy_regex(r"\bage[d:]?\s*:?\s*(?:is\s+)?\Z", re.IGNORECASE)
_PERSON_BEFORE = lazy_regex(
    r"\b(?:man|woman|male|female|boy|girl|patient|lady|gentleman)(?:,\s|\s?\()\Z", re.IGNORECASE
)
_END_BEHIND = lazy_regex(r"\s*(?:[,.;)\n]|\Z)")
_PEOPLE = (
    r"(?:adults?|patients?|people|persons?|individuals?|participants?|subjects?|those|children|men|women|boys|girls"
    r"|infants?|adolescents?|volunteers?)"
)
_AGED_BEFORE = lazy_regex(
    r"(?<!gestational )\b(?:aged?|ages)(?: (?:is|of|range|from|at|with|between|between the ages of))*,? ?\(?\Z",
    re.IGNORECASE,
)
_PEOPLE_BEFORE = lazy_regex(rf"\b{_PEOPLE} ?\(?\Z", re.IGNORECASE)
_OLD_BEHIND = lazy_regex(r"[ -]?(?:of age|old)\b", re.IGNORECASE)
_OLD_BOUND = lazy_regex(r"\b(?:older|younger) than\b|\bthe age of\b", re.IGNORECASE)
_OLD_BOUND_BEHIND = lazy_regex(r"\b(?:or|and) (?:older|over|above|younger|under|below)\Z|\+\Z", re.IGNORECASE)
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


class AgeRange(NamedTuple):
    """Ages in years that a text speaks of, both ends included, and the words that say so.

    low, high   as the text bounds them: of "≤ 5 years" `high` is 5
    unit        of the numbers; "" where they have none, and where the ages are told in words
    excludes_low, excludes_high   whether the bound itself is left out ("over", "<")
    start, end  where the words are in the text as it was given
    """

    low: float
    high: float
    words: str
    start: int
    end: int
    unit: str = ""
    excludes_low: bool = False
    excludes_high: bool = False

    def overlaps(self, other: "AgeRange") -> bool:
        """Whether two ranges have more than an end in common: children and adults have not."""
        return self.low < other.high and other.low < self.high


def extract_age(text: str) -> float | None:
    """How old the first person is whose age is told, in years; None when nobody's is."""
    plain = normalize_text(text).text
    found = next((one for one in find_ranges(text) if one.is_value and _is_of_person(one, plain, text)), None)
    years = found.low * _count_years({"m": "month"}.get(found.unit, found.unit)) if found else math.inf
    return years if years <= MAX_AGE else None


def _is_of_person(one: QuantityRange, text: str, printed: str) -> bool:
    if one.unit not in _UNITS | {"m"}:
        return False
    if _SELF_OLD.search(one.first.words) or _SELF_OLD_BEHIND.match(text, one.end):
        return True
    before = max(0, one.start - 24)
    return one.unit in ("", "year") and bool(
        _SELF_AGED_BEFORE.search(text, before, one.start)
        or (_PERSON_BEFORE.search(text, before, one.start) and _END_BEHIND.match(printed, one.first.printed[1]))
    )


def extract_age_ranges(text: str) -> list[AgeRange]:
    """The ages that a text speaks of in numbers; where it has none, in words ("adults", "infants").

    Who is 65 and 11 months old is 65: the last year counts as a whole, unless it is left out ("under 18").
    """
    found = [
        one._replace(low=max(0.0, one.low), high=one.high - 1e-6 + (not one.excludes_high) * _count_years(one.unit))
        for one in find_age_ranges(text)
    ]
    return found or list(_extract_worded_ranges(text))


def find_age_ranges(text: str, *, with_bare_years: bool = False) -> list[AgeRange]:
    """The ranges of ages that a text gives in numbers; "for 2 to 5 years" is none.

    with_bare_years  "> 75 years" too, of which nothing says that it is an age
    """
    given = normalize_text(text)
    plain = given.text
    found = []
    for one in find_ranges(text):
        if one.is_value or one.unit not in _UNITS or abs(float(one.last.value)) > MAX_AGE * 10:
            continue
        behind = _OLD_BEHIND.match(plain, one.end)
        aged = _AGED_BEFORE.search(plain, max(0, one.start - 40), one.start)
        people = _PEOPLE_BEFORE.search(plain, max(0, one.start - 24), one.start)
        words = plain[one.start : one.end]
        is_old = bool(behind or _OLD_BOUND.search(words) or "old" in one.last.words)
        is_bound_old = bool(_OLD_BOUND_BEHIND.search(words)) and (bool(one.unit) or float(one.last.value) >= 10)
        is_open = one.first is one.last
        is_bare = not one.unit and bool(_NO_YEARS_BEHIND.match(plain, one.end))
        is_age = (
            bool(aged and not is_bare)
            or ((is_old or is_bound_old) and not is_bare)
            or (is_open and bool(people) and not is_bare)
        )
        if not is_age and with_bare_years and one.unit == "year" and is_open and _BARE_BOUND.match(words):
            is_age = not (
                _LASTING.search(plain, max(0, one.start - 24), one.start) or _NO_YEARS_BEHIND.match(plain, one.end)
            )
        if is_age:
            factor = _count_years(one.unit)
            start = aged.start() if aged else people.start() if people and is_open else one.start
            first, last = given.original_span(start, behind.end() if behind else one.end)
            low, high, said = one.low * factor, one.high * factor, text[first:last].strip()
            found.append(AgeRange(low, high, said, first, last, one.unit, one.excludes_low, one.excludes_high))
    return found


def _count_years(unit: str) -> float:
    return convert(1.0, unit or "year", "year") or 1.0


def _extract_worded_ranges(text: str) -> Iterator[AgeRange]:
    taken: list[range] = []
    for words, low, high in _AGE_GROUPS:
        for match in re.finditer(rf"\b(?:{words})\b", text, re.IGNORECASE):
            if not any(match.start() in one for one in taken):
                taken.append(range(*match.span()))
                yield AgeRange(low, high, match.group(), *match.span())
