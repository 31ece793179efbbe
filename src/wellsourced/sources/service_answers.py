"""JSON as services answer it, read by paths: what is absent or null is empty, one bad record costs only itself."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple, Self, TypeVar

from wellsourced.errors import SourceRefused, SourceUnavailable
from wellsourced.http import Response

MAX_QUERY_CHARACTERS = 2_000
"""Characters of a query in an address: services refuse longer ones, and no question has as many."""

PAGE_SIZE = 100
"""Records of one page: services allow 1,000, with megabytes to wait for."""

HOUR, DAY = 3_600.0, 86_400.0
"""Seconds for which an answer may be used again."""


class UnknownForm(SourceRefused):
    """A part of an answer is not what the service promises; `fault` is where, and what is wrong with it."""

    def __init__(self, service: str, fault: str) -> None:
        super().__init__(f"{service} answered in an unknown form ({fault})")
        self.fault = fault


class AnswerPart:
    """An object of an answer, whose fields are read by their paths: "journalInfo.journal.title".

    A field that is absent or null is empty; with `must` it has to be there. Raises UnknownForm for what is no object,
    and for a field of another type.
    """

    def __init__(self, value: Any, service: str, place: str = "") -> None:
        self._service, self._place = service, place
        if not isinstance(value, dict):
            raise self._fault("", "not an object")
        self.value: Mapping[str, Any] = value

    @classmethod
    def of(cls, reply: Response, service: str) -> Self:
        """The whole answer. Raises SourceRefused when it is no JSON."""
        return cls(reply.json(), service)

    def text(self, path: str, *, must: bool = False) -> str:
        """A text, or a number as a text."""
        value = self.find(path, must)
        return "" if value is None else self._to_text(path, value)

    def texts(self, path: str) -> tuple[str, ...]:
        return tuple(self._to_text(path, value) for value in self._list(path))

    def number(self, path: str, default: int = 0, *, must: bool = False) -> int:
        value = self.find(path, must)
        try:
            return default if value is None else int(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise self._fault(path, "not a number") from error

    def flag(self, path: str) -> bool | None:
        """Yes or no; None where it is not said."""
        value = self.find(path)
        if value is None or isinstance(value, bool):
            return value
        raise self._fault(path, "neither true nor false")

    def parts(self, path: str) -> tuple["AnswerPart", ...]:
        return tuple(AnswerPart(value, self._service, f"{self._place}{path}.") for value in self._list(path))

    def records(self, path: str, *, must: bool = False) -> list[Any]:
        """A list whose items are not looked at yet."""
        value = self.find(path, must)
        if value is not None and not isinstance(value, list):
            raise self._fault(path, "not a list")
        return value or []

    def date(self, path: str) -> str:
        """A date of CSL, [[2020, 6, 5]], in ISO 8601, as precise as it is known; "" for none: [[null]]."""
        row = next(iter(self.records(path)), None)
        known = list(takewhile(lambda part: str(part).isdecimal(), row if isinstance(row, list) else ()))[:3]
        return "-".join(str(part).zfill(2 if place else 4) for place, part in enumerate(known))

    def find(self, path: str, must: bool = False) -> Any:
        """What stands there, of whatever type; None where nothing does."""
        value: Any = self.value
        for name in path.split("."):
            value = value.get(name) if isinstance(value, dict) else None
        if must and value is None:
            raise self._fault(path, "missing")
        return value

    def _list(self, path: str) -> list[Any]:
        value = self.find(path)
        # Lists that came about from XML: of one, some services give the thing itself.
        return value if isinstance(value, list) else [] if value is None else [value]

    def _to_text(self, path: str, value: Any) -> str:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise self._fault(path, "not a text")
        return str(value)

    def _fault(self, path: str, what: str) -> UnknownForm:
        place = f"{self._place}{path}".rstrip(".")
        return UnknownForm(self._service, f"{place}: {what}" if place else what)


Record = TypeVar("Record")


def parse_records(
    given: Sequence[Any], read: Callable[[AnswerPart], Record], service: str
) -> tuple[list[Record], list[str]]:
    """The records that can be read, in order, and for each other one what is wrong with it."""
    records: list[Record] = []
    faults: list[str] = []
    for item in given:
        try:
            records.append(read(AnswerPart(item, service)))
        except UnknownForm as error:
            faults.append(error.fault)
    return records, faults


class AnswerPage(NamedTuple):
    """One page of an answer: how many records match in all, those of this page, not yet read, and the next cursor."""

    total: int
    records: Sequence[Any]
    following: str


async def fetch_records(
    fetch: Callable[[str, int], Awaitable[AnswerPage]],
    cursor: str,
    most: int,
    read: Callable[[AnswerPart], Record],
    service: str,
) -> tuple[int, list[Record], list[str]]:
    """How many records match, the first of them, and what is wrong with those that cannot be read.

    fetch   is given a cursor, the first time this one, and how many to ask for

    A page without records, or without another cursor, is the last.
    """
    records: list[Record] = []
    faults: list[str] = []
    total = -1
    while len(records) < most:
        page = await fetch(cursor, min(most - len(records), PAGE_SIZE))
        total = page.total if total < 0 else total
        found, wrong = parse_records(page.records, read, service)
        records, faults = records + found, faults + wrong
        if not page.records or page.following in ("", cursor):
            break
        cursor = page.following
    return total, records, faults


def describe_unreadable_records(service: str, faults: Sequence[str], records: Sequence[object], noun: str) -> list[str]:
    """One note for all records that could not be read; none where all could. Raises SourceUnavailable if none could."""
    if faults and not records:
        raise SourceUnavailable(f"{service} returned no readable {noun} ({faults[0]}). Try again later.")
    number = "one record" if len(faults) == 1 else f"{len(faults)} records"
    return [f"{service} returned {number} that cannot be read ({faults[0]})"] if faults else []
