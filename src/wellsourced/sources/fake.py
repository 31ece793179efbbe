"""A source that holds what a test or an example gives it."""

from collections.abc import Sequence

from wellsourced.errors import NotFoundError, SourceError
from wellsourced.sources.base import SearchResult, SourceInfo
from wellsourced.text.dates import is_eligible
from wellsourced.types import Document, Hit, Passage, Query, SourceKind


class FakeSource:
    """Answers every query with the same passages, in the order given, and remembers what it was asked.

    failure   raised instead of answering, to play a source that is down
    """

    def __init__(
        self,
        name: str,
        documents: Sequence[Document] = (),
        passages: Sequence[Passage] = (),
        kind: SourceKind = "own",
        failure: SourceError | None = None,
    ) -> None:
        self.name, self.kind, self.failure = name, kind, failure
        self.documents = {document.reference.id: document for document in documents}
        self.passages = list(passages)
        self.queries: list[Query] = []

    async def describe(self) -> SourceInfo:
        return SourceInfo(self.name, self.kind, len(self.documents), len(self.passages))

    async def search(self, query: Query, limit: int) -> SearchResult:
        """Its passages, best first, that the query's exclusions and dates allow."""
        self.queries.append(query)
        if self.failure:
            raise self.failure
        allowed = [p for p in self.passages if is_eligible(query, p.reference)]
        return SearchResult([Hit(passage=p, score=1 / rank) for rank, p in enumerate(allowed[:limit], start=1)])

    async def open(self, document_id: str) -> Document:
        if document_id not in self.documents:
            raise NotFoundError(f"{self.name} has no document {document_id}")
        return self.documents[document_id]
