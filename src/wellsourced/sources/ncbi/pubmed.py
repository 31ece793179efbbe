"""PubMed, live, through NCBI's E-utilities: abstracts, and chapters of GeneReviews and StatPearls."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import date

from pydantic import SecretStr

from wellsourced.http import Client
from wellsourced.readers import read_medline
from wellsourced.sources.base import SearchResult, SourceInfo
from wellsourced.sources.live_search import build_hits
from wellsourced.sources.ncbi.entrez import EntrezDatabase, FetchedRecords
from wellsourced.sources.ncbi.eutils import URL, EsearchResult, Eutils
from wellsourced.types import Document, Query, Reference, Retraction, SourceKind

BATCH_RECORDS = 200
"""Records asked for at a time."""


class PubMed:
    """PubMed as a source, and what else it can be asked.

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
        self._eutils = Eutils(client, url, key=key, email=email, tool=tool)
        self._database = EntrezDatabase(self._eutils, "pubmed", "PubMed", "pubmed:", BATCH_RECORDS, read_medline, kind)
        self._name, self._kind, self._record_count = name, kind, 0
        self._type_filter = " OR ".join(
            f'"{type_.replace(chr(34), "")}"[Publication Type]' for type_ in publication_types
        )

    @property
    def name(self) -> str:
        """What it is called in plans and gaps."""
        return self._name

    async def describe(self) -> SourceInfo:
        """What it is. It is not asked for that."""
        about = "abstracts of biomedical literature, and chapters of GeneReviews and StatPearls"
        return SourceInfo(self._name, self._kind, self._record_count, about=about, live=True, asks=("text", "boolean"))

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

    async def interpret_query(self, query: Query) -> EsearchResult:
        """How many records match, how PubMed reads the query, and the phrases in it that no record has."""
        return await self._database.interpret_query(query, self._type_filter)

    async def fetch_records(self, ids: Sequence[str]) -> FetchedRecords:
        """The records of these PMIDs, "31234567" or "pubmed:31234567", and the ids of those that were not given."""
        return await self._database.fetch_records(ids)

    async def correct_spelling(self, text: str) -> str:
        """The words as PubMed would spell them; "" when it has nothing to correct."""
        corrected = await self._eutils.spell("pubmed", text) if text.strip() else ""
        return "" if corrected == text else corrected

    async def fetch_field_names(self) -> Mapping[str, str]:
        """Its field tags → their names: "MESH" → "MeSH Terms"."""
        described = await self._eutils.describe_database("pubmed")
        self._record_count = described.total
        return described.fields

    async def find_similar(self, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """For each record, the records most like it, the likest first; ids as they were given → "pubmed:…"."""
        return await self._find_linked(ids, "pubmed_pubmed")

    async def find_citing(self, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """For each record, those that cite it, as far as PubMed Central knows; ids as they were given → "pubmed:…"."""
        return await self._find_linked(ids, "pubmed_pubmed_citedin")

    async def _find_linked(self, ids: Sequence[str], link: str) -> dict[str, tuple[str, ...]]:
        numbers = {id: number for id in ids if (number := self._database.record_number(id))}
        # One request each: asked together, NCBI does not say which link is whose.
        found = await asyncio.gather(
            *(self._eutils.find_linked_ids("pubmed", number, link) for number in numbers.values())
        )
        return {id: tuple(f"pubmed:{other}" for other in others) for id, others in zip(numbers, found, strict=True)}


class PubMedRegistry:
    """A registry of retractions: what the records of works with a PMID say today."""

    def __init__(self, pubmed: PubMed, today: Callable[[], date] = date.today) -> None:
        self._pubmed, self._today = pubmed, today

    @property
    def name(self) -> str:
        """Who says so."""
        return "PubMed"

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
