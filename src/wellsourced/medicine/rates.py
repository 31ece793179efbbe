"""How often, and how many of how many: "q6h", "every 4-6 hours", "twice weekly"; "12 of 340", "one in five", "half"."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.medicine.quantities import COUNT, ValueRange, find_comparator, list_counts
from wellsourced.medicine.units import CANONICAL_UNITS
from wellsourced.text.typography import normalize_characters

MAX_COUNTED = 12
"""Wholes up to which "two of the three" counts, and tells no share."""


@dataclass(frozen=True)
class Frequency(ValueRange):
    """How often something is done: times in a period, of "every 4-6 hours" 4 to 6 a day.

    period      "day", "week" …
    start, end  where it stands in the text as `normalize_characters` has it
    """

    period: str
    start: int
    end: int


class Share(NamedTuple):
    """A part of a whole, with the place that it takes in the text as `normalize_characters` has it."""

    part: float
    whole: float
    start: int
    end: int


_COUNT_WORDS = {"once": 1, "one time": 1, "twice": 2, "thrice": 3}
_LATIN = {"qd": 1, "od": 1, "bid": 2, "bd": 2, "tid": 3, "tds": 3, "qid": 4, "qds": 4}
_FREQUENCY = lazy_regex(
    rf"\b(?:(?:(?P<word>{'|'.join(_COUNT_WORDS)})|(?P<times>{COUNT}(?:(?:-| to | or ){COUNT})?)\s?(?:times|x|×))"
    r"[ -]?(?:(?:a|per|each|every) |/)?(?P<of>day|daily|d\b|week(?:ly)?|wk\b|month(?:ly)?|year(?:ly)?|h\b|hour(?:ly)?)"
    r"|(?P<latin>q\.?d|o\.?d|b\.?i\.?d|t\.?i\.?d|t\.?d\.?s|q\.?i\.?d|q\.?d\.?s)\b"
    rf"|(?:every|q) ?(?P<every>{COUNT}(?:(?:-| to ){COUNT})?)[ -]?"
    r"(?P<unit>h(?:ours?|r|rs)?|days?|d|weeks?|wks?|months?|minutes?|min)\b"
    r"|(?:every (?:other|second)|alternate) (?P<other>day|week|month)s?"
    r"|(?:a|per|each|every) (?P<plain>day|week|month|night)|(?P<ly>daily|weekly|monthly|nightly))",
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
    low = -math.inf if comparator in ("<", "≤") else low
    high = math.inf if comparator in (">", "≥") else high
    return Frequency(low, high, comparator == ">", comparator == "<", period, start, end)


def _count_times(found: re.Match[str]) -> tuple[float, float, str]:
    """How often, at least and at most, in which period: what comes every 12 hours comes twice a day."""
    counts = list_counts(found["times"] or found["every"] or "") or [1.0]
    if latin := found["latin"]:
        times = float(_LATIN[latin.lower().replace(".", "")])
        return times, times, "day"
    if found["every"]:
        unit = CANONICAL_UNITS[found["unit"].lower()]
        scale = _HOURS_OF_DAY if unit == "hour" else 1
        return scale / (counts[-1] or 1), scale / (counts[0] or 1), "day" if unit == "hour" else unit
    if found["other"]:
        return 0.5, 0.5, found["other"].lower()
    if found["word"]:
        counts = [float(_COUNT_WORDS[found["word"].lower()])]
    period = (found["of"] or found["plain"] or found["ly"]).lower()
    name = period.removesuffix("ly")
    return counts[0], counts[-1], CANONICAL_UNITS.get(period, "day" if name == "night" else name)


# --- parts of a whole ----------------------------------------------------------------------------------------------

_RATIO = lazy_regex(
    rf"(?<![\w./:;])(?!0\d)(?P<part>\d+\.\d+(?= ?:)|{COUNT})(?:"
    r" (?:(?!out )[a-z]+ )?(?P<joint>in|out of|of|for|per) (?P<each>(?:(?:the|every|each|all|these) )*)"
    rf"| ?(?P<mark>[/:]) ?)(?P<whole>{COUNT})(?![\w/:]|\.\d)",
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
        ((part,), (whole,)) = list_counts(found["part"]), list_counts(found["whole"])
        is_count = found["joint"] == "of" and whole <= MAX_COUNTED
        is_part = part < whole or found["mark"] == ":" or (found["joint"] == "for" and "every" in found["each"])
        if whole and is_part and not is_count:
            yield Share(part, whole, *found.span())
    for found in _FRACTION.finditer(plain):
        word = found["of"].lower()
        if found["count"] or word in ("half", "halves"):
            count = _COUNTS[(found["count"] or "").lower()]
            yield Share(count, _DENOMINATORS[word.removesuffix("s")], *found.span())
