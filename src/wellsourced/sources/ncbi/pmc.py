"""PubMed Central, live, through NCBI's E-utilities: the full text of articles that are free to read and to mine."""

import asyncio

from pydantic import SecretStr

from wellsourced.http import Client
from wellsourced.readers.base import DocumentStream, File
from wellsourced.readers.jats.articles import read_jats
from wellsourced.sources.base import SearchResult, SourceInfo
from wellsourced.sources.live_search import build_hits
from wellsourced.sources.ncbi.entrez import EntrezDatabase
from wellsourced.sources.ncbi.eutils import URL, Eutils
from wellsourced.types import Document, Query, SourceKind

BATCH_RECORDS = 20
MAX_ARTICLES = 20
"""Full texts fetched for one search, at most: about 100 KB each, and dozens of passages."""

FULL_TEXT_FILTER = '"open access"[filter] OR "author manuscript"[filter]'
"""Of all others PMC gives no more than the abstract."""


class Pmc:
    """PubMed Central as a source of full texts. An article that may not be given in full is known by its abstract."""

    def __init__(
        self,
        client: Client,
        url: str = URL,
        *,
        key: SecretStr | None = None,
        email: str = "",
        tool: str = "wellsourced",
        kind: SourceKind = "research",
        name: str = "pmc",
    ) -> None:
        eutils = Eutils(client, url, key=key, email=email, tool=tool)
        self._database = EntrezDatabase(eutils, "pmc", "PMC", "pmc:PMC", BATCH_RECORDS, _read_articles, kind)
        self.name, self._kind = name, kind

    async def describe(self) -> SourceInfo:
        """What it is. It is not asked for that."""
        return SourceInfo(
            self.name, self._kind, about="full text of free biomedical articles", live=True, asks=("text", "boolean")
        )

    async def search(self, query: Query, limit: int) -> SearchResult:
        """Passages of the articles that PMC finds most relevant."""
        if limit < 1:
            return SearchResult([])
        found = await self._database.find_documents(query, min(limit, MAX_ARTICLES), FULL_TEXT_FILTER)
        return SearchResult(await asyncio.to_thread(build_hits, found.documents, query, limit), found.notes)

    async def open(self, document_id: str) -> Document:
        """The article "pmc:PMC8435807". Raises NotFoundError."""
        return await self._database.open(document_id)

    async def count(self, query: Query) -> int:
        """How many articles match; nothing is fetched."""
        return await self._database.count(query, FULL_TEXT_FILTER)


def _read_articles(path: File, kind: SourceKind) -> DocumentStream:
    for item in read_jats(path, kind):
        yield _correct_depth(item) if isinstance(item, Document) else item


def _correct_depth(document: Document) -> Document:
    """A publisher may forbid PMC to give more than the abstract."""
    if any(section.title.partition(" › ")[0] != "Abstract" for section in document.sections):
        return document
    return document.model_copy(update={"reference": document.reference.model_copy(update={"depth": "abstract"})})
