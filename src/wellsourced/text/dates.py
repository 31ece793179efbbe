"""Dates of publication, which sources give as a year, a month or a day."""

from datetime import date
from typing import NamedTuple

from wellsourced.types import Query, Reference

MONTH_NAMES = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
MONTH_ABBREVIATIONS = tuple(name[:3] for name in MONTH_NAMES)
_MONTH_NUMBERS = {name.lower(): number for number, name in enumerate(MONTH_ABBREVIATIONS, 1)}


def month_number(name: str) -> int:
    """Which month an English name begins with, in whatever case: "Sept" → 9; 0 for none."""
    return _MONTH_NUMBERS.get(name[:3].lower(), 0)


class DayRange(NamedTuple):
    """The days on which something may have been published, as integers yyyymmdd; both ends included."""

    earliest: int
    latest: int


NO_DAYS = DayRange(99_999_999, 0)
"""An unknown date lies in no period: under a date limit, what cannot be shown to be in time may not count."""

EVER = DayRange(1, 99_999_998)
"""The period of every known date, which has the ends of a period that is given one alone."""


def day_range(published: str) -> DayRange:
    """The days that an ISO 8601 date of any precision covers: "2022-05" → 20220501 to 20220531."""
    digits = published.replace("-", "")[:8]
    if not digits.isdecimal() or len(digits) not in (4, 6, 8):
        return NO_DAYS
    return DayRange(int(digits + "0101"[len(digits) - 4 :]), int(digits + "1231"[len(digits) - 4 :]))


def day_number(day: date) -> int:
    """A day as yyyymmdd."""
    return day.year * 10_000 + day.month * 100 + day.day


def limit_days(since: date | None, as_of: date | None) -> DayRange | None:
    """The days in which something may have been published; None where neither end is given."""
    if since is None and as_of is None:
        return None
    return DayRange(day_number(since) if since else EVER.earliest, day_number(as_of) if as_of else EVER.latest)


def is_eligible(query: Query, reference: Reference) -> bool:
    """Whether the dates and exclusions of a query let a work count as evidence.

    A work known by its year alone counts when any day of that year is within the limits. It is excluded by its id,
    and by its DOI ("doi:…"), PMID ("pubmed:…") or PMC id ("pmc:…") where it came under another.
    """
    if query.exclude and _has_excluded_id(query, reference):
        return False
    period = limit_days(query.since, query.as_of)
    if period is None:
        return True
    published = day_range(reference.published)
    return published.latest >= period.earliest and published.earliest <= period.latest


def _has_excluded_id(query: Query, reference: Reference) -> bool:
    ids = {"doi": reference.doi, "pubmed": reference.pmid, "pmc": reference.pmcid}
    its = {reference.id.casefold(), *(f"{kind}:{id}".casefold() for kind, id in ids.items() if id)}
    return any(id.strip().casefold() in its for id in query.exclude)
