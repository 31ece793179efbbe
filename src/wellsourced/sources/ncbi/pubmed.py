"""PubMed, live, through NCBI's E-utilities: abstracts, and chapters of GeneReviews and StatPearls."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import date

from pydantic import SecretStr

from wellsourced.http import Client
from wellsourced.readers.medline.documents import read_medline
from wellsourced.sources.base import SearchResult, SourceInfo
from wellsourced.sources.live_search import build_hits
from wellsourced.sources.ncbi.entrez import EntrezDatabase, FetchedRecords
from wellsourced.sources.ncbi.eutils import URL, Eutils
from wellsourced.types import Document, Query, Reference, Retraction, SourceKind

BATCH_RECORDS = 200
"""Records asked for at a time."""


class PubMed:
    """PubMed as a source of abstracts, whose records can also be asked for by their PMIDs.

    A Boolean query goes out as it was typed, one of Ovid or with a fault translated and repaired, which is told. Of
    keywords, the count is asked first, and the least important are dropped, which is told too, until there are enough
    records; those are fetched once. Dates are asked for and held against each record again; a record is known by the
    PMID that stands in it. What was found and could not be had is told as a note.

    publication_types   only works of these types ("Randomized Controlled Trial"), or of a type below them
    """

    def __init__(
        self,
        client: Client,
        url: str = URL,
        *,
        key: SecretStr | None = None,
        email: str = "",
        tool: str = "wellsourced",
        kind: SourceKind = "research",
        publication_types: Sequence[str] = (),
        name: str = "pubmed",
    ) -> None:
        eutils = Eutils(client, url, key=key, email=email, tool=tool)
        self._database = EntrezDatabase(eutils, "pubmed", "PubMed", "pubmed:", BATCH_RECORDS, read_medline, kind)
        self.name, self._kind = name, kind
        self._type_filter = " OR ".join(
            f'"{type_.replace(chr(34), "")}"[Publication Type]' for type_ in publication_types
        )

    async def describe(self) -> SourceInfo:
        """What it is. It is not asked for that."""
        about = "abstracts of biomedical literature, and chapters of GeneReviews and StatPearls"
        return SourceInfo(self.name, self._kind, about=about, live=True, asks=("text", "boolean"))

    async def search(self, query: Query, limit: int) -> SearchResult:
        """Passages of the records that PubMed finds most relevant."""
        if limit < 1:
            return SearchResult([])
        found = await self._database.find_documents(query, limit, self._type_filter)
        return SearchResult(await asyncio.to_thread(build_hits, found.documents, query, limit), found.notes)

    async def open(self, document_id: str) -> Document:
        """The record "pubmed:31234567". Raises NotFoundError."""
        return await self._database.open(document_id)

    async def count(self, query: Query) -> int:
        """How many records match; nothing is fetched."""
        return await self._database.count(query, self._type_filter)

    async def fetch_records(self, ids: Sequence[str]) -> FetchedRecords:
        """The records of these PMIDs, "31234567" or "pubmed:31234567", and the ids of those that were not given."""
        return await self._database.fetch_records(ids)


class PubMedRegistry:
    """A registry of retractions: what the records of works with a PMID say today."""

    name = "PubMed"

    def __init__(self, pubmed: PubMed, today: Callable[[], date] = date.today) -> None:
        self._pubmed, self._today = pubmed, today

    async def retractions(self, references: Sequence[Reference]) -> dict[str, Retraction]:
        """By the id of each reference whose record PubMed gives: "true" with its notices, or "false" as of today."""
        named = {
            reference.id: f"pubmed:{reference.pmid}" if reference.pmid else reference.id for reference in references
        }
        wanted = [id for id in named.values() if id.startswith("pubmed:")]
        documents = (await self._pubmed.fetch_records(wanted)).documents
        return {
            id: self._date_today(documents[record].reference.retraction)
            for id, record in named.items()
            if record in documents
        }

    def _date_today(self, said: Retraction) -> Retraction:
        status = "true" if said.status == "true" else "false"
        return said.model_copy(update={"status": status, "as_of": self._today()})
