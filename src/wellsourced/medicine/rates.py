"""How often, and how many of how many: "q6h", "every 4-6 hours", "twice weekly"; "12 of 340", "one in five", "half"."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.medicine.quantities import extract_quantities, find_comparator, normalize_characters
from wellsourced.medicine.units import CANONICAL_UNITS
from wellsourced.text.lexicon import NUMBER_WORDS, TENS

MAX_COUNTED = 12
"""Wholes up to which "two of the three" counts, and tells no share."""

_SMALL = rf"(?:\d{{1,3}}(?:,\d{{3}})+|\d+|(?:{'|'.join(TENS)})(?:-[a-z]+)?|{'|'.join(NUMBER_WORDS)})"


class Frequency(NamedTuple):
    """How often something is done.

    low, high   times in a period, alike but for a range: of "every 4-6 hours" 4 to 6 a day
    period      "day", "week" …
    comparator  as of a quantity
    start, end  where it stands in the text as `normalize_characters` has it
    """

    low: float
    high: float
    period: str
    comparator: str
    start: int
    end: int


class Share(NamedTuple):
    """A part of a whole, with the place that it takes in the text as `normalize_characters` has it."""

    part: float
    whole: float
    start: int
    end: int


_PERIODS = {"daily": "day", "night": "day", "nightly": "day", "hourly": "hour", "yearly": "year"}
_OF = r"(?P<of>day|daily|d\b|week(?:ly)?|wk\b|month(?:ly)?|year(?:ly)?|h\b|hour(?:ly)?)"
_COUNT_WORDS = {"once": 1, "one time": 1, "twice": 2, "thrice": 3}
_LATIN = {"qd": 1, "od": 1, "bid": 2, "bd": 2, "tid": 3, "tds": 3, "qid": 4, "qds": 4}
_FREQUENCY = lazy_regex(
    rf"\b(?:(?:(?P<count>{'|'.join(_COUNT_WORDS)})"
    rf"|(?P<times>{_SMALL})(?:(?:-| to | or )(?P<to>{_SMALL}))?\s?(?:times|x|×))"
    rf"[ -]?(?:(?:a|per|each|every) |/)?{_OF}"
    r"|(?P<latin>q\.?d|o\.?d|b\.?i\.?d|t\.?i\.?d|t\.?d\.?s|q\.?i\.?d|q\.?d\.?s)\b"
    rf"|(?:every|q) ?(?P<every>{_SMALL})(?:(?:-| to )(?P<every_to>{_SMALL}))?[ -]?"
    r"(?P<unit>h(?:ours?|r|rs)?|days?|d|weeks?|wks?|months?|minutes?|min)\b"
    r"|(?P<other>(?:every (?:other|second)|alternate) (?:day|week|month)s?)"
    r"|(?:(?:a|per|each|every) (?P<plain>day|week|month|night)|(?P<ly>daily|weekly|monthly|nightly)))",
    re.IGNORECASE,
)
_HOURS_OF_DAY = 24


def find_frequencies(text: str) -> list[Frequency]:
    """The frequencies of a text, in order."""
    plain = normalize_characters(text)
    return [_read_frequency(plain, found) for found in _FREQUENCY.finditer(plain)]


def _read_frequency(text: str, found: re.Match[str]) -> Frequency:
    comparator, start, end = find_comparator(text, *found.span())
    low, high, period = _count_times(found)
    if comparator in ("<", "≤"):
        low = float("-inf")
    elif comparator in (">", "≥"):
        high = float("inf")
    return Frequency(low, high, period, comparator.strip("="), start, end)


def _count_times(found: re.Match[str]) -> tuple[float, float, str]:
    """How often, at least and at most, in which period: what comes every 12 hours comes twice a day."""
    if latin := found["latin"]:
        times = float(_LATIN[latin.lower().replace(".", "")])
        return times, times, "day"
    if every := found["every"]:
        step, unit = _parse_number(every), CANONICAL_UNITS[found["unit"].lower()]
        longest = _parse_number(found["every_to"]) if found["every_to"] else step
        scale = _HOURS_OF_DAY if unit == "hour" else 1
        return scale / (longest or 1), scale / (step or 1), "day" if unit == "hour" else unit
    if other := found["other"]:
        return 0.5, 0.5, other.split()[-1].lower().removesuffix("s")
    period = (found["of"] or found["plain"] or found["ly"]).lower()
    period = CANONICAL_UNITS.get(_PERIODS.get(period, period.removesuffix("ly")), period)
    times = _COUNT_WORDS.get((found["count"] or "once").lower()) or 1
    low = float(_parse_number(found["times"]) or 0) if found["times"] else float(times)
    return low, float(_parse_number(found["to"]) or 0) if found["to"] else low, period


# --- parts of a whole ----------------------------------------------------------------------------------------------

_RATIO = lazy_regex(
    rf"\b(?P<part>{_SMALL}) (?:[a-z]+ )?(?:in|out of|of|for|per) (?:(?:the|every|each|all"
    rf"|these) )*(?P<whole>{_SMALL})\b"
    rf"|(?<![\w./])(?P<upper>\d+) ?/ ?(?P<lower>\d+)(?![\w/]|\.\d)"
    rf"|(?<![\w.:;])(?P<odds>(?!0\d)\d+(?:\.\d+)?) ?: ?(?P<against>\d+)(?![\w:])",
    re.IGNORECASE,
)
_FRACTION = lazy_regex(
    r"\b(?:(?P<count>an?|one|two|three|four) )?(?P<of>half|halves|thirds?|quarters?|fifths?|sixths?|tenths?)\b"
    r"(?P<share>(?: as | of (?:the|all|these|those|them|its|an?) |\s(?:the|an?) )?)",
    re.IGNORECASE,
)
_DENOMINATORS = {"half": 2, "halve": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "tenth": 10}
_COUNTS = {"": 1, "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4}


def find_shares(text: str) -> Iterator[Share]:
    """The parts of a whole that a text tells: "one in nine", "179 of 287", "9/11", "2.5:1", "two thirds of"."""
    plain = normalize_characters(text)
    for found in _RATIO.finditer(plain):
        names = ("part", "whole") if found["part"] else ("upper", "lower") if found["upper"] else ("odds", "against")
        part, whole = (_parse_number(found[name]) for name in names)
        is_count = " of " in found.group() and " out of " not in found.group() and (whole or 0) <= MAX_COUNTED
        is_part = part is not None and whole and (part < whole or found["odds"] or " for every " in found.group())
        if is_part and not is_count:
            yield Share(part or 0, whole or 1, *found.span())
    for found in _FRACTION.finditer(plain):
        word = found["of"].lower()
        if found["count"] or word in ("half", "halves"):
            count = _COUNTS[(found["count"] or "").lower()]
            yield Share(count, _DENOMINATORS[word.removesuffix("s")], *found.span())


def _parse_number(words: str) -> float | None:
    if re.fullmatch(r"\d+(?:\.\d+)?", words):
        return float(words)
    if words.lower() == "one":
        return 1.0
    found = extract_quantities(words)
    return float(found[0].value) if len(found) == 1 and not found[0].unit and found[0].words == words else None
