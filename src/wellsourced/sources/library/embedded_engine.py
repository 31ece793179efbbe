"""The engine of a library that lies on this machine: words in tantivy (bm25_index), vectors in mapped files
(vector_search), and both by the numbers that passages have in one table (passage_table).

The table is written first, and then the words. What the words find and the table does not know is left out; what the
table holds and the words lack is found by who compares with the catalogue.
"""

import asyncio
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import Vectors
from wellsourced.errors import SourceRefused
from wellsourced.sources.library.bm25_index import Bm25Index
from wellsourced.sources.library.engines import (
    IndexedPassage,
    NewPassage,
    PassageCounts,
    PassageFilter,
    Ranking,
    ScoredPassage,
)
from wellsourced.sources.library.passage_table import PassageTable
from wellsourced.sources.library.vector_search import MAX_EXACT_VECTORS, VectorSearch
from wellsourced.types import Query
from wellsourced.worker_pool import run_in_worker

TIE_MARGIN = 50
"""Passages asked for beyond the limit, so that ties at its edge can be told apart."""

MAX_TIED_PASSAGES = 20_000
"""Passages that are looked through to tell ties apart."""


class EmbeddedEngine:
    """A PassageFinder whose files lie in the library's folder.

    exact   up to so many vectors every one is compared
    """

    host = ""

    def __init__(self, folder: Path, *, write: bool, exact: int = MAX_EXACT_VECTORS) -> None:
        self.table, self.words = PassageTable(folder, write=write), Bm25Index(folder)
        self.vectors = VectorSearch(self.table, exact)

    def clear_query(self, query: Query) -> Query:
        return query

    async def rank_by_words(self, text: str, also: str, wanted: PassageFilter, limit: int) -> Ranking:
        return Ranking(await run_in_worker(self._rank_by_words, text, also, wanted, limit))

    def _rank_by_words(self, text: str, also: str, wanted: PassageFilter, limit: int) -> list[ScoredPassage]:
        asked = limit + TIE_MARGIN
        while True:
            found = self.words.search(text, also, wanted, asked)
            # Of the passages that tie with the last one, which of them are here is chance: they are left out, unless
            # there are so many that all of them have to be seen.
            sure = len(found) if len(found) < asked else sum(one.score > found[-1].score for one in found)
            if sure >= limit or len(found) < asked or asked >= MAX_TIED_PASSAGES:
                break
            asked *= 8
        passages = self.table.find_passages([one.number for one in found])
        ranked = [ScoredPassage(passages[one.number], one.score) for one in found if one.number in passages]
        return sorted(ranked, key=lambda one: (-one.score, one.passage.id))[:limit]

    async def rank_by_vector(self, vector: NDArray[np.float32], wanted: PassageFilter, limit: int) -> Ranking:
        return Ranking(await run_in_worker(self.vectors.search, vector, wanted, limit))

    async def load_vectors(self, passages: Sequence[IndexedPassage]) -> dict[str, NDArray[np.float32]]:
        return await run_in_worker(self.vectors.load_vectors, passages) if passages else {}

    async def prepare(self) -> None:
        """Nothing: the first passages make the files."""

    async def replace(self, document_ids: Collection[str], passages: Sequence[NewPassage]) -> None:
        def write() -> None:
            # The table first: words without a place are left out of every search, a place without words is found by
            # the audit.
            self.words.replace(document_ids, passages, self.table.replace(document_ids, passages))

        await asyncio.to_thread(write)

    async def add_vectors(self, passages: Sequence[IndexedPassage], vectors: Vectors) -> None:
        await asyncio.to_thread(self.table.add_vectors, passages, vectors)

    async def drop_vectors(self, encoder: str = "") -> None:  # noqa: ARG002 (the catalogue beside it has its name)
        await asyncio.to_thread(self.table.drop_vectors)

    async def list_unencoded(
        self, after: IndexedPassage | None, limit: int, only: Collection[str] = ()
    ) -> list[IndexedPassage]:
        return await asyncio.to_thread(self.table.list_unencoded, after.number if after else 0, limit, only)

    async def count(self) -> PassageCounts:
        """Passages that both parts hold."""

        def count() -> PassageCounts:
            totals = self.table.totals()
            return PassageCounts(min(totals.passages, self.words.count()), totals.vectors)

        return await asyncio.to_thread(count)

    async def count_by_document(self) -> dict[str, tuple[int, int]]:
        return await asyncio.to_thread(lambda: self.table.count_by_document(self.words.find_numbers()))

    async def drop(self, *, vectors: bool) -> None:
        def drop() -> None:
            self.words.drop()
            # What of the table or the vectors cannot be read makes the other of no use.
            if vectors or not self._can_read_vectors():
                self.table.drop()

        await asyncio.to_thread(drop)

    def _can_read_vectors(self) -> bool:
        try:
            self.table.map_vectors()
        except SourceRefused:
            return False
        return True

    def refresh(self) -> None:
        self.table.refresh()
        self.words.refresh()
        self.vectors.refresh()

    def close(self) -> None:
        self.table.close()
        self.words.close()
