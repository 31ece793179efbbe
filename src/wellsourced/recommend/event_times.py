"""How long ago a record says that something happened, and within which time a guideline says that it counts.

Months are 30.4 days. What has no time in the record is not told to be old: it counts in any window.
"""

import re
from datetime import date
from typing import NamedTuple

from wellsourced.medicine.units import CANONICAL_UNITS, convert
from wellsourced.text.lexicon import NUMBER_WORDS

_NUMBERS = NUMBER_WORDS | {"": 1, "a": 1, "an": 1, "few": 3, "couple of": 2, "a couple of": 2, "a few": 3}
_COUNT = rf"(?P<count>\d+(?:\.\d+)?|(?:an?\s)?(?:couple of|few)|an?|{'|'.join(NUMBER_WORDS)})"
_UNIT = r"(?P<unit>hour|hr|day|week|wk|month|mo|year|yr|y|d|w|h)s?"
_AGO = re.compile(rf"\b{_COUNT}[\s-]?{_UNIT}\s(?:ago|back|before|prior|earlier|previously|hence)\b", re.IGNORECASE)
_SINCE = re.compile(
    rf"\b{_COUNT}[\s-]?{_UNIT}\s(?:after|since|post|following|out from|status post|s/p|from)\s(?:\w+\s){{0,3}}$"
    rf"|\b(?:POD|post-?op(?:erative)? day|day)\s?#?(?P<day>\d{{1,3}})\s(?:after|of|post)\b[^.;]{{0,15}}$",
    re.IGNORECASE,
)
_LAST = re.compile(r"\b(?:last|past|previous|this)\s(?P<unit>week|month|year)\b", re.IGNORECASE)
_JUST = re.compile(r"\b(?:yesterday|today|tonight|this morning|last night|just now|acutely|now)\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_CLAUSE_END = re.compile(r"\n|[.;:]\s|[.;]$|,\s(?!\d|\w+\s(?:days?|weeks?|months?|years?)\sago)")
_WINDOW = re.compile(
    rf"\b(?:within|in|during|over|for)?\s?(?:the\s)?(?:past|last|previous|preceding|prior|within|<|≤|less than)\s"
    rf"(?:the\s)?(?:(?:past|last|previous|preceding|prior)\s)?(?:{_COUNT}[\s-]?)?{_UNIT}\b"
    rf"|\b(?:fewer|less) than {_COUNT.replace('count', 'fewer')}[\s-]?{_UNIT.replace('unit', 'span')}\sago\b",
    re.IGNORECASE,
)
_EARLIER = re.compile(
    rf"(?:>|≥|>=|more than|at least|over|longer than)\s?{_COUNT}[\s-]?{_UNIT}\s"
    r"(?:ago|prior|previously|earlier|before|old)\b",
    re.IGNORECASE,
)
_RECENT = re.compile(r"\brecent(?:ly)?\s+(?:[\w-]+\s+){0,3}$", re.IGNORECASE)

RECENT_DAYS = 365.25
"""Days for which something is "recent" where a guideline gives no figure: longer ago it is not."""

RECENT_SURGERY_DAYS = 92.0
"""Days for which an operation is a recent one."""

_TOLERANCE = 1.03
"""A year is not longer than twelve months."""

_SURGERY = re.compile(
    r"\b(?:\w+ )?(?:surgery|operation|laparotomy|laparoscopy|craniotomy|arthroplasty|(?:hip|knee) replacement|CABG"
    r"|c(?:a?esarean|-section)|\w{4,}ectomy|transplantation)\b",
    re.IGNORECASE,
)

MAX_DISTANCE = 60
"""Characters between an event and its time, at most."""


def find_days_ago(record: str, start: int, end: int, today: date | None = None) -> float | None:
    """How many days ago the event at a place happened, by the words around it; None where they do not say.

    A year alone ("in 2012") is read as its last day, and one that is not over tells nothing.
    """
    behind = _CLAUSE_END.split(record[end : end + MAX_DISTANCE])[0]
    before = _CLAUSE_END.split(record[max(0, start - MAX_DISTANCE) : start])[-1]
    if since := _SINCE.search(before):
        return float(since["day"]) if since["day"] else _count_days(since["count"], since["unit"])
    for words in (behind, before):
        if ago := _AGO.search(words):
            return _count_days(ago["count"], ago["unit"])
        if last := _LAST.search(words):
            return _count_days("", last["unit"])
        if _JUST.search(words):
            return 0.0
    years = [int(year) for year in _YEAR.findall(behind)] or [int(year) for year in _YEAR.findall(before)]
    passed = ((today or date.today()) - date(years[0], 12, 31)).days if years else 0
    return float(passed) if passed > 0 else None


class EventWindow(NamedTuple):
    """How many days ago an event has to be, at least and at most, to count."""

    least: float = 0.0
    most: float = float("inf")

    def holds(self, days_ago: float | None) -> bool:
        """Whether an event counts; one without a time does."""
        return days_ago is None or self.least / _TOLERANCE <= days_ago <= self.most * _TOLERANCE


def find_window(text: str, start: int, end: int) -> EventWindow | None:
    """When the event at a place counts: "within 3 months", "in the past year", "> 3 months prior", "recent"."""
    behind = re.split(r"[.;|]\s?", text[end : end + MAX_DISTANCE])[0]
    before = re.split(r"[.;|]\s?", text[max(0, start - MAX_DISTANCE) : start])[-1]
    for words in (behind, before):
        if earlier := _EARLIER.search(words):
            return EventWindow(least=_count_days(earlier["count"], earlier["unit"]))
        if window := _WINDOW.search(words):
            days = _count_days(window["count"] or window["fewer"] or "", window["unit"] or window["span"])
            return EventWindow(most=days)
    is_recent = _RECENT.search(before) or text[start:end].lower().startswith("recent")
    return EventWindow(most=RECENT_DAYS) if is_recent else None


def find_recent_surgery(record: str) -> list[tuple[int, int, float]]:
    """Where a record names an operation of the last months, and how many days ago it was."""
    places = [match.span() for match in _SURGERY.finditer(record)]
    timed = [(start, end, find_days_ago(record, start, end)) for start, end in places]
    return [(start, end, days) for start, end, days in timed if days is not None and days <= RECENT_SURGERY_DAYS]


def _count_days(count: str, unit: str) -> float:
    words = count.lower()
    number = _NUMBERS[words] if words in _NUMBERS else float(words)
    return number * (convert(1.0, CANONICAL_UNITS[unit.lower()], "day") or 0.0)
