"""What the searches of each case gave, recorded once and given to every arm: so arms differ in reading and writing.

A search is known by its case, its source and its query. Documents are opened at their source, as ever.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from pydantic import ValidationError

from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced.evaluate.questions.answer_run import RecordedSource
from wellsourced.evaluate.record_log import LineFile
from wellsourced.sources.base import CountingSource, SearchResult, Source, SourceInfo
from wellsourced.storage.private_files import WriterLock
from wellsourced.types import Document, Hit, Query, Value

SearchKey = tuple[str, str, str]
"""Case, source, and query as JSON."""


class SnapshotHeader(Value):
    """Of what the searches below are.

    id        drawn when it was begun: who reads from two that were made of the same reads from two
    set, sha256   name of the data set, and of its file
    regime    under which it was asked
    """

    id: str
    set: str
    sha256: str
    regime: str
    sources: tuple[RecordedSource, ...]


class RecordedSearch(Value):
    """One search, and all that came of it; `limit`: so many hits were asked for."""

    case: str
    source: str
    query: Query
    limit: int
    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()

    @property
    def key(self) -> SearchKey:
        """By which it is found again."""
        return self.case, self.source, self.query.model_dump_json()


class CaseSearches:
    """How many searches of a case a snapshot gave, and the queries that it did not have."""

    def __init__(self, case: str) -> None:
        self.case, self.replayed = case, 0
        self.missed: list[str] = []


_CURRENT_CASE: ContextVar[CaseSearches | None] = ContextVar("case", default=None)


@contextmanager
def replay_case(case: str) -> Iterator[CaseSearches]:
    """What is searched inside, in tasks that are started inside too, is searched for this case."""
    searches = CaseSearches(case)
    token = _CURRENT_CASE.set(searches)
    try:
        yield searches
    finally:
        _CURRENT_CASE.reset(token)


class RetrievalSnapshot:
    """A file of searches that is read and added to, by one process at a time; closed in the end.

    only   a search that it does not have is refused; else it is made, and recorded for the arms that follow

    Raises SourceRefused when the file is of other data or other libraries; SourceUnavailable while another process has
    it; UnreadableFile for what is no snapshot.
    """

    def __init__(self, path: Path, header: SnapshotHeader, *, only: bool = False) -> None:
        self.path, self.only = path, only
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = WriterLock(path.with_suffix(".lock"), str(path))
        try:
            self._places: dict[SearchKey, int] = {}
            # A header that was itself cut off is no snapshot yet.
            resumes = path.exists() and _has_whole_line(path)
            if only and not resumes:
                raise SourceRefused(f"There is no snapshot {path} to read from: run one arm without --only-snapshot.")
            self.header = self._read_earlier(header) if resumes else header
            self._file = LineFile(path, resume=resumes)
            if not resumes:
                self._file.write(header)
            self._reader = path.open("rb")
        except BaseException:
            self._lock.close()
            raise

    def wrap(self, source: Source) -> "SnapshotSource":
        """A source that asks here first."""
        if isinstance(source, CountingSource):
            return CountingSnapshotSource(source, source, self)
        return SnapshotSource(source, self)

    def find(self, key: SearchKey, limit: int) -> SearchResult | None:
        """What a search gave; None where it was not made, or did not go as deep."""
        if key not in self._places:
            return None
        self._reader.seek(self._places[key])
        known = RecordedSearch.model_validate_json(self._reader.readline())
        is_cut = len(known.hits) >= known.limit
        return None if is_cut and known.limit < limit else SearchResult([*known.hits[:limit]], known.notes)

    def add(self, search: RecordedSearch) -> None:
        """Keep a search; it is on the disk when this returns."""
        self._places[search.key] = self.path.stat().st_size
        self._file.write(search)

    def close(self) -> None:
        """Let go of the file."""
        self._reader.close()
        self._file.close()
        self._lock.close()

    def _read_earlier(self, header: SnapshotHeader) -> SnapshotHeader:
        remedy = "Name another folder with --snapshot."
        try:
            with self.path.open("rb") as file:
                there = SnapshotHeader.model_validate_json(file.readline())
                place = file.tell()
                for line in file:
                    if line.endswith(b"\n"):
                        self._places[RecordedSearch.model_validate_json(line).key] = place
                    place += len(line)
        except ValidationError as error:
            raise UnreadableFile(self.path, "it holds no recorded searches", remedy) from error
        if there.model_copy(update={"id": header.id}) != header:
            mine, its = header.model_dump(), there.model_dump()
            unlike = ", ".join(name for name in mine if name != "id" and mine[name] != its[name])
            raise SourceRefused(f"{self.path} holds the searches of something else ({unlike} differ). {remedy}")
        return there


class SnapshotSource:
    """A source whose searches for a case come from a snapshot, as far as it has them."""

    def __init__(self, source: Source, snapshot: RetrievalSnapshot) -> None:
        self._source, self._snapshot = source, snapshot

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
        """What the search gave when it was first made. Raises what the source raises, and SourceRefused."""
        case = _CURRENT_CASE.get()
        if case is None:
            return await self._source.search(query, limit)
        key = case.case, self.name, query.model_dump_json()
        if found := self._snapshot.find(key, limit):
            case.replayed += 1
            return found
        case.missed.append(f"{self.name}: {query.text}")
        if self._snapshot.only:
            raise SourceRefused(f"the snapshot has no search of {self.name} for “{query.text}”")
        given = await self._source.search(query, limit)
        self._snapshot.add(
            RecordedSearch(
                case=case.case, source=self.name, query=query, limit=limit, hits=tuple(given.hits), notes=given.notes
            )
        )
        return given


class CountingSnapshotSource(SnapshotSource):
    """One that also says how much it would find, as its source does: a query that finds nothing is relaxed by that."""

    def __init__(self, source: Source, counter: CountingSource, snapshot: RetrievalSnapshot) -> None:
        super().__init__(source, snapshot)
        self._counter = counter

    async def count(self, query: Query) -> int:
        """The number of documents that match. Raises as `search` does."""
        return await self._counter.count(query)


def _has_whole_line(path: Path) -> bool:
    with path.open("rb") as file:
        return file.readline().endswith(b"\n")
