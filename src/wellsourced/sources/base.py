"""The seam to everything that can be searched: two calls, the same for a live database and a folder of files."""

from collections.abc import Sequence
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
