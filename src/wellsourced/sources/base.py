"""The seam to everything that can be searched: two calls, the same for a live database and a folder of files."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from wellsourced.events import Emit
from wellsourced.types import Document, Hit, Query, QueryKind, Reference, Retraction, SourceKind


class SourceInfo(NamedTuple):
    """What a source says of itself, so that planning can choose.

    documents, passages   how many it holds now; for a live source what it last said, 0 when unknown
    first, last           years of publication, 0 when unknown
    vectors               how many of its passages can be found by meaning, not only by word
    live                  it is asked over the network, and how much it holds is not known here
    asks                  the kinds of query that it understands
    titles                of its documents, where there are few; () of more than can be read at a glance
    """

    name: str
    kind: SourceKind
    documents: int = 0
    passages: int = 0
    vectors: int = 0
    first: int = 0
    last: int = 0
    about: str = ""
    live: bool = False
    asks: tuple[QueryKind, ...] = ("text",)
    titles: tuple[str, ...] = ()


class SearchResult(NamedTuple):
    """What a source gives for a query.

    hits    best first
    notes   what a reader should know of this search: a threshold that the source lowered, records that it could not
            read. One sentence each, without a full stop
    """

    hits: list[Hit]
    notes: tuple[str, ...] = ()


@runtime_checkable
class LocalResource(Protocol):
    """Something that lies on this machine: whoever asks it waits as long as it takes, however busy the machine is."""

    is_local: bool


@runtime_checkable
class Source(Protocol):
    """Something that can be searched and opened.

    `search` gives at most `limit` hits that obey the dates and exclusions of the query, and what is to be told of them;
    the same query on the same state gives the same result. `open` gives the document that a passage was cut from, so
    that document.text[passage.start:passage.end] == passage.text.
    Raises SourceUnavailable (ask again later) or SourceRefused (NotFoundError for an unknown id); an outage is never a
    result.
    """

    @property
    def name(self) -> str: ...

    async def describe(self) -> SourceInfo: ...

    async def search(self, query: Query, limit: int) -> SearchResult: ...

    async def open(self, document_id: str) -> Document: ...


class IdMatches(NamedTuple):
    """How many records a Boolean query finds, and which of the ids that were asked for are among them."""

    total: int
    ids: frozenset[str]


@runtime_checkable
class IdMatcher(Protocol):
    """A source that says which of some records a Boolean query finds, without giving the records.

    The ids are those of the service itself (digits alone for PubMed). Raises as `search` does, BadQuery besides.
    """

    async def match_ids(self, query: Query, ids: Sequence[str]) -> IdMatches: ...


@runtime_checkable
class DocumentCatalogue(Source, Protocol):
    """A source all documents of which can be listed.

    `list_references` gives at most `limit` references, in the order of their ids, of documents whose ids come after
    `after` ("" before all): who goes on from the last id meets each document that stays once, whatever is added.
    """

    async def list_references(self, after: str, limit: int) -> list[Reference]: ...


IdKind = Literal["doi", "pmid", "pmcid"]
"""The ids by which a catalogue may know a work."""

ReadState = Literal["queued", "reading", "done", "failed"]


class FileState(NamedTuple):
    """A file as it was when it was last read.

    path        absolute
    mtime_ns    time of the last change, in nanoseconds since 1970
    size        bytes, with those of a digest or a template beside it, as in `mtime_ns` and `sha256`
    sha256      of its bytes, in hex; "" when it was never read
    documents   how many it holds, and into how many `passages` they are cut
    state       "reading": some of it may be in; "failed": nothing of it can be read as it is
    faulty      parts that cannot be read
    tries       how often it was read since it last changed
    at          when it was last read to its end, or to where it could not be read; ISO 8601 in UTC, "" when never
    """

    path: str
    size: int
    mtime_ns: int
    sha256: str
    documents: int = 0
    passages: int = 0
    state: ReadState = "done"
    faulty: int = 0
    tries: int = 1
    at: str = ""


WAITING_STATES: tuple[ReadState, ...] = ("queued", "reading")
"""The states of a file that is still to be read, from its beginning or to its end."""


@runtime_checkable
class FileBackedSource(Source, Protocol):
    """A source that says from which file it has a document.

    `find_file` gives the file as it was when it was last read; None for a document that came by itself.
    `unsettled_files` gives those that were not read, or not whole.
    """

    async def find_file(self, document_id: str) -> FileState | None: ...

    def unsettled_files(self) -> list[FileState]: ...


class FileFault(NamedTuple):
    """A file, or a part of it, that cannot be read.

    where       "line 17"; "" for the whole file
    transient   it may go well at another time, without anyone changing the file
    """

    path: str
    where: str
    reason: str
    remedy: str
    transient: bool = False

    @property
    def summary(self) -> str:
        """Where and why, in one line."""
        return f"{self.where}: {self.reason}" if self.where else self.reason


class PreparedDocument(Protocol):
    """A document as one kind of index stores it, made by another process, so that only writing it is left to do."""

    @property
    def id(self) -> str: ...


class AddResult(NamedTuple):
    """What a batch came to: its documents and their passages, and how many `changed` documents had to be written.

    Documents that a later file has replaced or deleted stay as they are there, and are not counted.
    """

    documents: int
    passages: int
    changed: int


class CopiedLibrary(NamedTuple):
    """What a copy, or a move, did, and how both libraries or engines compare afterwards.

    documents   copied; `present` were there already
    passages    of all documents; `vectors` of them were carried over, `embedded` have one now
    damaged     ids of documents that could not be copied, since what is stored of them is damaged
    differing   ids of documents that are not the same in both: one of the two was written meanwhile
    lost        passages that the engine should find and does not have
    places      of the searches that were compared; in `same` of them both libraries found the same passage
    """

    documents: int
    present: int
    passages: int
    vectors: int
    embedded: int
    damaged: tuple[str, ...]
    differing: tuple[str, ...]
    lost: int
    places: int
    same: int

    @property
    def is_whole(self) -> bool:
        """Whether the copy holds the very documents, and its engine all passages."""
        return not (self.damaged or self.differing or self.lost)


@runtime_checkable
class IncrementalIndex(Source, Protocol):
    """A source one can write to, which remembers the files it was filled from: an unchanged file costs nothing.

    `add` stores documents, each whole in place of the one of its id; `remove` gives how many there were.

    `file` is what is known of a file, None if it was never named; `files` are all of them, `unsettled` those that were
    not read to their end without a fault, `faults` what could not be read of one. `queue` names files that are to be
    read, `forget` makes one unknown; its documents stay. `add_from` adds a part of a file's documents and skips those
    that are as they were. `withdraw` removes documents that a file deletes, and gives their number; no earlier file
    brings them back. `finish` records that a file was read as far as it can be, with its faults; it removes the
    documents that it held before and that are not among `kept` (None: keep all) and gives their number; what it
    deleted before and is not among `deleted` (None: all is) may come back. `maintain` puts the index in order when
    enough has changed; call it after a run of additions. `find_unsearchable` gives ids of documents whose passages
    cannot be searched as they should, `find_damaged` of those whose words are no longer what was stored.
    """

    async def add(self, documents: Sequence[Document]) -> None: ...

    async def remove(self, document_ids: Sequence[str]) -> int: ...

    def file(self, path: str) -> FileState | None: ...

    def files(self) -> list[FileState]: ...

    def unsettled_files(self) -> list[FileState]: ...

    def faults(self, path: str) -> list[FileFault]: ...

    async def queue_files(self, paths: Sequence[str]) -> None: ...

    async def forget_file(self, path: str) -> None: ...

    async def add_from(self, path: str, documents: Sequence[Document | PreparedDocument]) -> AddResult: ...

    async def withdraw(self, path: str, document_ids: Sequence[str]) -> int: ...

    async def finish_file(
        self,
        state: FileState,
        kept: AbstractSet[str] | None,
        faults: Sequence[FileFault] = (),
        deleted: AbstractSet[str] | None = None,
    ) -> int: ...

    async def maintain(self, emit: Emit = ...) -> None: ...

    async def find_unsearchable(self) -> list[str]: ...

    async def find_damaged(self) -> list[str]: ...


@runtime_checkable
class CountingSource(Protocol):
    """A source that says how much it would find, for less than finding it: who relaxes a query asks this first.

    `count` gives the number of documents that match. Raises as `search` does.
    """

    async def count(self, query: Query) -> int: ...


@runtime_checkable
class HeadingVocabulary(Protocol):
    """Who knows the headings of a controlled vocabulary (MeSH).

    `heading` gives the heading that a term names, as it is written there ("Heart Attack" → "Myocardial Infarction");
    "" when there is none. `explode` gives the heading itself, then all that stand below it; [] for what is none.
    Raises as a source does.
    """

    @property
    def name(self) -> str: ...

    async def heading(self, term: str) -> str: ...

    async def explode(self, heading: str) -> list[str]: ...


@runtime_checkable
class RetractionRegistry(Protocol):
    """Who keeps count of works that were withdrawn, doubted or corrected.

    `retractions` gives, by the id of each reference that the registry knows, what it knows; one that it does not know
    is not in the mapping. Raises SourceUnavailable or SourceRefused: its silence is never "not retracted".
    """

    @property
    def name(self) -> str: ...

    async def retractions(self, references: Sequence[Reference]) -> dict[str, Retraction]: ...
