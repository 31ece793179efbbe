"""PubMed Central, live, through NCBI's E-utilities: the full text of articles that are free to read and to mine."""

import asyncio
from collections.abc import Sequence

from pydantic import SecretStr

from wellsourced.http import Client
from wellsourced.readers import File, Read, read_jats
from wellsourced.sources.base import Card
from wellsourced.sources.live import hits_of
from wellsourced.sources.ncbi.entrez import Database, Gathered
from wellsourced.sources.ncbi.eutils import URL, Eutils, Searched
from wellsourced.types import Document, Hit, Kind, Query

BATCH = 20
ARTICLES = 20
"""Full texts fetched for one search, at most: about 100 KB each, and dozens of passages."""

OPEN = '"open access"[filter] OR "author manuscript"[filter]'
"""Of all others PMC gives no more than the abstract."""


class Pmc:
    """A source of full texts. One that PMC may not give in full is known by its abstract, and says so."""

    def __init__(
        self,
        client: Client,
        url: str = URL,
        *,
        key: SecretStr | None = None,
        email: str = "",
        tool: str = "wellsourced",
        kind: Kind = "research",
        name: str = "pmc",
    ) -> None:
        eutils = Eutils(client, url, key=key, email=email, tool=tool)
        self._database = Database(eutils, "pmc", "PMC", "pmc:PMC", BATCH, _read, kind)
        self._name, self._kind = name, kind

    @property
    def name(self) -> str:
        """What it is called in plans and gaps."""
        return self._name

    async def card(self) -> Card:
        """What it is. It is not asked for that."""
        return Card(
            self._name, self._kind, about="full text of free biomedical articles", live=True, asks=("text", "boolean")
        )

    async def search(self, query: Query, limit: int) -> list[Hit]:
        """Passages of the articles that PMC finds most relevant."""
        if limit < 1:
            return []
        documents = await self._database.found(query, min(limit, ARTICLES), OPEN)
        return await asyncio.to_thread(hits_of, documents, query, limit)

    async def open(self, document_id: str) -> Document:
        """The article "pmc:PMC8435807". Raises NotFound."""
        return await self._database.open(document_id)

    async def count(self, query: Query) -> int:
        """How many articles match; nothing is fetched."""
        return await self._database.count(query, OPEN)

    async def understood(self, query: Query) -> Searched:
        """How many articles match, how PMC reads the query, and the phrases in it that no article has."""
        return await self._database.understood(query, OPEN)

    async def records(self, ids: Sequence[str]) -> Gathered:
        """The articles of these ids, "pmc:PMC8435807" or "8435807", and the ids of those that were not given."""
        return await self._database.records(ids)


def _read(path: File, kind: Kind) -> Read:
    for item in read_jats(path, kind):
        yield _as_deep_as_read(item) if isinstance(item, Document) else item


def _as_deep_as_read(document: Document) -> Document:
    """A publisher may forbid PMC to give more than the abstract."""
    if any(section.title.partition(" › ")[0] != "Abstract" for section in document.sections):
        return document
    return document.model_copy(update={"reference": document.reference.model_copy(update={"depth": "abstract"})})
