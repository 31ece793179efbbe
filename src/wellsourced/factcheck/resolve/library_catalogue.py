"""The user's own libraries as catalogues: what is known here is found, and read, without the network."""

from collections.abc import Mapping, Sequence

from wellsourced.errors import SourceError
from wellsourced.factcheck.resolve.base import IdKind
from wellsourced.sources.base import Source
from wellsourced.types import Document, Query, Reference

ID_PREFIXES: dict[IdKind, str] = {"doi": "doi:", "pmid": "pubmed:", "pmcid": "pmc:"}


class LibraryCatalogue:
    """A library. It knows what was put into it and nothing else: its "no" is never final."""

    ids: Mapping[IdKind, bool] = {"doi": False, "pmid": False, "pmcid": False}
    has_title_search = True

    def __init__(self, source: Source) -> None:
        self._source = source

    @property
    def name(self) -> str:
        """As the library is called."""
        return self._source.name

    async def find_by_id(self, kind: IdKind, id: str) -> Reference:
        """The card of the document with that id. Raises NotFoundError."""
        return (await self._source.open(ID_PREFIXES[kind] + id)).reference

    async def find_by_citation(
        self, title: str, authors: Sequence[str], year: str, journal: str, limit: int
    ) -> list[Reference]:
        """The documents whose passages are found by the words of the title."""
        del authors, year, journal
        hits = (await self._source.search(Query(terms=(title,)), 4 * limit)).hits
        return list({hit.passage.reference.id: hit.passage.reference for hit in hits}.values())[:limit]

    async def find_page(self, address: str) -> Document | None:
        """The page of this address, however it is spelled; None where the library has none, or cannot be read."""
        try:
            return await self._source.open(f"url:{address}")
        except SourceError:
            return None

    async def open(self, document_id: str) -> Document:
        """A document, whole. Raises NotFoundError."""
        return await self._source.open(document_id)


def document_ids(reference: Reference) -> list[str]:
    """The ids under which somebody may have the words of a work, the most of them first: full text, then abstract."""
    doi = reference.doi.lower()
    named = (
        f"pmc:{reference.pmcid}" if reference.pmcid else "",
        f"pubmed:{reference.pmid}" if reference.pmid else "",
        f"doi:{doi}" if doi else "",
    )
    first = [reference.id] if reference.id.partition(":")[0] not in ("pmc", "pubmed", "doi") else []
    return [*first, *dict.fromkeys(filter(None, (*named, reference.id)))]
