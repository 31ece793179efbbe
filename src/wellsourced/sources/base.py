"""The seam to everything that can be searched: two calls, the same for a live database and a folder of files."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple, Protocol, runtime_checkable

from wellsourced.types import Document, Hit, Kind, Query


class Card(NamedTuple):
    """What a source says of itself, so that planning can choose.

    documents, passages   how many it holds now; for a live source what it last said, 0 when unknown
    first, last           years of publication, 0 when unknown
    vectors               how many of its passages can be found by meaning, not only by word
    """

    name: str
    kind: Kind
    documents: int = 0
    passages: int = 0
    vectors: int = 0
    first: int = 0
    last: int = 0
    about: str = ""


@runtime_checkable
class Source(Protocol):
    """Something that can be searched and opened.

    `search` gives at most `limit` hits, best first, that obey the dates and exclusions of the query; the same query
    on the same state gives the same list. `open` gives the document that a passage was cut from, so that
    document.text[passage.start:passage.end] == passage.text.
    Raises Unavailable (ask again later) or Refused (NotFound for an unknown id); never returns [] for an outage.
    """

    @property
    def name(self) -> str: ...

    async def card(self) -> Card: ...

    async def search(self, query: Query, limit: int) -> list[Hit]: ...

    async def open(self, document_id: str) -> Document: ...


@runtime_checkable
class Index(Source, Protocol):
    """A source one can write to. Adding a document replaces the one of the same id, whole."""

    async def add(self, documents: Sequence[Document]) -> None: ...

    async def remove(self, document_ids: Sequence[str]) -> int: ...


class FileState(NamedTuple):
    """A file as it was when all of it had been read.

    path        absolute
    mtime_ns    time of the last change, in nanoseconds since 1970
    sha256      of its bytes, in hex
    documents   how many it holds, and into how many `passages` they are cut
    """

    path: str
    size: int
    mtime_ns: int
    sha256: str
    documents: int = 0
    passages: int = 0


class Added(NamedTuple):
    """What a batch came to: its documents and their passages, and how many `changed` documents had to be written."""

    documents: int
    passages: int
    changed: int


@runtime_checkable
class Shelf(Index, Protocol):
    """An index that remembers the files it was filled from, so that an unchanged file costs nothing.

    `file` is what was known of a file when it was last read to its end, None if it never was. `add_from` adds a
    part of a file's documents and skips those that are as they were. `finish` records that a file was read to its
    end, and removes the documents that it held before and that are not among `kept` (None: keep all); it gives
    their number. `maintain` puts the index in order when enough has changed; call it after a run of additions.
    """

    def file(self, path: str) -> FileState | None: ...

    async def add_from(self, path: str, documents: Sequence[Document]) -> Added: ...

    async def finish(self, state: FileState, kept: AbstractSet[str] | None) -> int: ...

    async def maintain(self) -> None: ...
