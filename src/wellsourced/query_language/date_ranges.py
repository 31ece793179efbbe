"""Days as query languages write them: "2010/05/01", "20100501", "2010 May", "2010:2020", "2007 -Current"."""

import re
from typing import Literal

from wellsourced.query_language.query_notes import QueryNotes
from wellsourced.query_language.query_tree import DateRange
from wellsourced.text.dates import month_number

OPEN_START_YEAR, OPEN_END_YEAR = "1000", "3000"
"""Years that stand for an open end, as PubMed's own forms write them."""

MAX_PERIOD_CHARS = 60
"""Characters that two dates take at most."""

DAY_PATTERN = re.compile(
    r"(?P<year>\d{4})(?:[/. -]?(?P<month>\d{1,2}|[a-z]{3,9})(?:[/. -]?(?P<day>\d{1,2}))?)?(?:\s*\d\d:\d\d)?",
    re.IGNORECASE | re.ASCII,
)


def parse_day(said: str) -> str | None:
    """A date as the tree writes it, as precise as it was said; None when it is no date."""
    found = DAY_PATTERN.fullmatch(said.strip().strip("\"'").strip())
    if not found:
        return None
    month = _month_number(found["month"] or "")
    if month is None:
        return None
    if not month or not found["day"]:
        return f"{found['year']}/{month:02d}" if month else found["year"]
    return f"{found['year']}/{month:02d}/{int(found['day']):02d}" if 1 <= int(found["day"]) <= 31 else None


def _month_number(said: str) -> int | None:
    number = int(said) if said.isdigit() else (month_number(said) or 13) if said else 0
    return number if number <= 12 and (number or not said) else None


def parse_period(
    said: str, separator: str, field: Literal["published", "entered"], at: int, notes: QueryNotes
) -> DateRange | None:
    """A date, or two with a separator between them; None when they are none. "current" is an open end."""
    only = parse_day(said)
    ends = (only, only) if only else _split_period(said, separator)
    if ends is None:
        return None
    first, last = ends
    if first and last and first[:4] > last[:4]:
        notes.add_note(at, f"The dates “{said.strip()}” were exchanged: the earlier one comes first")
        first, last = last, first
    return DateRange(
        "" if first[:4] <= OPEN_START_YEAR else first, "" if last[:4] >= OPEN_END_YEAR else last, field, at
    )


def _split_period(said: str, separator: str) -> tuple[str, str] | None:
    """The first way to part it that leaves two dates, or one and an open end."""
    pieces = said[:MAX_PERIOD_CHARS].split(separator)
    for place in range(1, len(pieces)):
        first, last = separator.join(pieces[:place]), separator.join(pieces[place:])
        begun = parse_day(first) if first.strip() else ""
        ended = "" if last.strip().lower() in ("", "current", "present") else parse_day(last)
        if begun is not None and ended is not None and (begun or ended):
            return begun, ended
    return None
