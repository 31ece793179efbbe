"""Searches as the arms of a comparison make them: recorded by the first, read by all others, and kept to their date.

Arms that read the same searches differ in reading and writing alone: BriefContext replays a snapshot for this. A search
is known by its source, its query and its limit.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from wellsourced import config
from wellsourced.errors import SourceError, SourceRefused, SourceUnavailable
from wellsourced.sources.base import CountingSource, SearchResult, Source, SourceInfo
from wellsourced.text.dates import day_number, day_range
from wellsourced.types import Document, Hit, Query, Value
from wellsourced_evaluate.questions.answer_run import AnswerRunHeader, RecordedSource
from wellsourced_evaluate.questions.cases import Regime
from wellsourced_evaluate.record_log import LogForm, LogHeader, RecordLog
from wellsourced_evaluate.retrieval import relevant_settings

SEARCH_SETTINGS = (
    *("planner", "expand", "reranker", "encoder", "guidelines", "libraries", "live", "graph", "policy.tiers"),
    *("policy.candidates", "policy.per_query", "policy.rerank", "policy.passages", "policy.per_document"),
    *("policy.rrf_k", "read.section_length", "read.guideline_slices"),
)
"""What decides which passages are found, and how many of them are read."""

REMEDY = "Give both the same with --set, or leave out --same-searches."

SearchKey = tuple[str, str, int]
"""Source, query as JSON, limit."""


class SearchesHeader(LogHeader):
    """Of what the searches below are; `arm` is the preset that made them, with `settings`."""

    arm: str
    data: dict[str, Any]
    regime: Regime
    sources: tuple[RecordedSource, ...]
    settings: dict[str, Any]


class RecordedSearch(Value):
    """One search, and all that came of it; `failure`: why it could not be made."""

    source: str
    query: Query
    limit: int
    hits: tuple[Hit, ...] = ()
    notes: tuple[str, ...] = ()
    failure: str = ""

    @property
    def key(self) -> SearchKey:
        """By which it is found again."""
        return self.source, self.query.model_dump_json(), self.limit


SEARCH_LOG = LogForm(
    SearchesHeader,
    TypeAdapter(RecordedSearch),
    key=lambda one: one.key,
    stands=lambda _: True,
    contents="recorded searches",
    another="holds the searches of other arms or other data",
)

SearchLog = RecordLog[SearchesHeader, RecordedSearch, SearchKey]


def makes_searches(settings: Mapping[str, Any]) -> bool:
    """Whether an arm with these settings searches: an oracle is given its passages, and memory needs none."""
    return settings.get("planner") != "given" and settings.get("write.memory") != "always"


def search_settings(settings: config.Settings) -> dict[str, Any]:
    """Dotted name → value, of what decides what is searched and read."""
    return {name: value for name, value in relevant_settings(settings) if name in SEARCH_SETTINGS}


def describe_unlike(mine: Mapping[str, Any], its: Mapping[str, Any]) -> str:
    """What decides the search and differs: "policy.passages: 5, 16"."""
    names = [name for name in SEARCH_SETTINGS if mine.get(name) != its.get(name)]
    return "; ".join(f"{name}: {mine.get(name, 'as it comes')}, {its.get(name, 'as it comes')}" for name in names)


def require_same_searches(arms: Iterable[tuple[str, config.Settings]]) -> None:
    """Raise SourceRefused, naming two arms and what differs, where arms would search or read otherwise."""
    searching = [(name, search_settings(one)) for name, one in arms if makes_searches(dict(relevant_settings(one)))]
    for name, settings in searching[1:]:
        first, its = searching[0]
        if unlike := describe_unlike(its, settings):
            raise SourceRefused(f"{first} and {name} search differently ({unlike}): nothing was asked. {REMEDY}")


class ArmSearches:
    """The searches of one arm while it is asked; `missed` are those that the first arm did not make."""

    def __init__(self, log: SearchLog | None, arm: str) -> None:
        self.log, self.arm = log, arm
        self.missed: list[str] = []

    def wrap(self, source: Source) -> "ArmSource":
        """A source that reads what was recorded, and keeps to the date of a question."""
        return ArmSource(source, self)

    def require_complete(self, case: str) -> None:
        """Raise SourceRefused when a case searched for what the first arm did not."""
        if self.missed and self.log:
            raise SourceRefused(
                f"{self.arm} does not search as {self.log.header.arm} did: the case {case} asked {self.missed[0]}. "
                "The comparison is refused; leave out --same-searches, or plan searches without a model."
            )

    async def search(self, source: Source, query: Query, limit: int) -> SearchResult:
        """What the first arm found, or what the source finds now. Raises what the source raises."""
        if self.log is None:
            return await _search_strictly(source, query, limit)
        key = source.name, query.model_dump_json(), limit
        if (known := self.log.records.get(key)) is None and self.log.header.arm == self.arm:
            known = RecordedSearch(source=source.name, query=query, limit=limit)
            try:
                found = await _search_strictly(source, query, limit)
                known = known.model_copy(update={"hits": tuple(found.hits), "notes": found.notes})
            except SourceError as error:
                known = known.model_copy(update={"failure": str(error)})
            self.log.add(known)
        if known is None:
            self.missed.append(f"{source.name} for “{query.text}”")
            raise SourceRefused(f"{source.name} was not searched for “{query.text}” by {self.log.header.arm}")
        if known.failure:
            raise SourceUnavailable(known.failure)
        return SearchResult([*known.hits], known.notes)


async def _search_strictly(source: Source, query: Query, limit: int) -> SearchResult:
    """What the source finds; under a date without works of which only the year or month is known, and that may be
    younger.
    """
    found = await source.search(query, limit)
    if query.as_of is None:
        return found
    last = day_number(query.as_of)
    hits = [hit for hit in found.hits if day_range(hit.passage.reference.published).latest <= last]
    return SearchResult(hits, found.notes)


class ArmSource:
    """A source as an arm of a comparison searches it."""

    def __init__(self, source: Source, searches: ArmSearches) -> None:
        self._source, self._searches = source, searches

    @property
    def name(self) -> str:
        """The source's."""
        return self._source.name

    async def describe(self) -> SourceInfo:
        """What the source says of itself."""
        return await self._source.describe()

    async def open(self, document_id: str) -> Document:
        """The source's document. Raises what it raises."""
        return await self._source.open(document_id)

    async def search(self, query: Query, limit: int) -> SearchResult:
        """What was recorded, or is found. Raises what the source raises, and SourceRefused."""
        return await self._searches.search(self._source, query, limit)

    async def count(self, query: Query) -> int:
        """The number of documents that match; 1 of a source that does not count, which has to be searched."""
        return await self._source.count(query) if isinstance(self._source, CountingSource) else 1


class SharedSearches(NamedTuple):
    """Where the searches of a comparison are recorded; `fresh`: the first arm begins the file anew."""

    path: Path
    fresh: bool

    def open(self, arm: AnswerRunHeader, settings: config.Settings) -> SearchLog:
        """The file, begun by the first arm and read by others.

        Raises SourceRefused when it has the searches of other data, other sources or other settings.
        """
        own = {"data": arm.data, "regime": arm.regime, "sources": arm.sources}
        header = SearchesHeader(arm=arm.preset, settings=search_settings(settings), **own)
        if not self.fresh and self.path.exists() and (there := SEARCH_LOG.read(self.path).header).arm != arm.preset:
            if unlike := describe_unlike(there.settings, header.settings):
                reason = f"{arm.preset} searches differently from {there.arm} ({unlike})"
                raise SourceRefused(f"{reason}, whose searches {self.path} has: nothing was asked. {REMEDY}")
            header = header.model_copy(update={"arm": there.arm})
        return RecordLog(self.path, header, SEARCH_LOG, fresh=self.fresh)


def list_unlike_arms(headers: Sequence[AnswerRunHeader]) -> list[str]:
    """What decides the search and differs between the first arm and others that search for themselves."""
    searching = [one for one in headers if makes_searches(one.settings)]
    return [
        f"{one.preset} against {searching[0].preset} ({unlike})"
        for one in searching[1:]
        if (unlike := describe_unlike(searching[0].settings, one.settings))
    ]
