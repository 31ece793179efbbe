"""The seams of looking for a source: who knows works by id and by title, and who can open their text."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from wellsourced.types import CitedSource, Document, FetchOutcome, Reference, SourceResolution

ADDRESS_FAULTS: frozenset[FetchOutcome] = frozenset({"dead", "soft 404", "unknown host", "malformed"})
"""The address itself leads nowhere, and stays so although the work is found elsewhere; none was only not reached."""


class TracedSource(NamedTuple):
    """A source that was looked for, and its words; None where they could not be had."""

    traced: SourceResolution
    document: Document | None = None


@runtime_checkable
class Tracer(Protocol):
    """Who finds the work that a text cites, says whether it is the right one and whether it stands, and reads it.

    Never raises for what a source is or is not: every outcome is a `TracedSource`. Safe to call for many at once; it
    keeps its own pace with every host.
    """

    @property
    def name(self) -> str: ...

    async def trace(self, cited: CitedSource) -> TracedSource: ...


IdKind = Literal["doi", "pmid", "pmcid"]


@runtime_checkable
class WorkCatalogue(Protocol):
    """Who lists works.

    ids       the kinds of id that it can be asked for, and whether its "no" is final: PubMed gives out PMIDs itself
    has_title_search   whether it can be asked for works by their titles

    `find_by_id` returns the reference of a work; raises NotFoundError where the catalogue knows none.
    `find_by_citation` returns the works that a citation may mean, the likeliest first, at most `limit`; "" and () stand
    for what the citation does not name. Both raise SourceUnavailable or SourceRefused when the catalogue could not be
    asked: an outage is never "no such work".
    """

    @property
    def name(self) -> str: ...

    @property
    def ids(self) -> Mapping[IdKind, bool]: ...

    @property
    def has_title_search(self) -> bool: ...

    async def find_by_id(self, kind: IdKind, id: str) -> Reference: ...

    async def find_by_citation(
        self, title: str, authors: Sequence[str], year: str, journal: str, limit: int
    ) -> list[Reference]: ...


@runtime_checkable
class TextOpener(Protocol):
    """Who has the words of works: any source. `open` raises NotFoundError for an id that it does not have."""

    @property
    def name(self) -> str: ...

    async def open(self, document_id: str) -> Document: ...


@runtime_checkable
class PageArchive(Protocol):
    """Who keeps old copies of pages. `seen` says whether a page that could be read was kept on or before a day.

    Raises SourceUnavailable or SourceRefused.
    """

    async def has_copy(self, url: str, before: date) -> bool: ...


@runtime_checkable
class DomainRegistrations(Protocol):
    """Who knows where a domain is registered. `country` gives two letters, "US"; "" when it is kept private.

    Raises SourceUnavailable or SourceRefused.
    """

    async def find_country(self, domain: str) -> str: ...
