"""The passages of a library as they are searched: where each is, its vector, and its words, kept in step.

Where passages are (passage_table) is written first, and then their words (bm25_index). What the words find and the
table does not know is left out; what the table holds and the words lack is found by who compares with the catalogue.
"""

import asyncio
from collections.abc import Collection, Sequence
from pathlib import Path

from wellsourced.sources.library.search.bm25_index import Bm25Index, NumberedScore
from wellsourced.sources.library.search.passage_rows import DocumentPassages, PassageFilter, build_rows
from wellsourced.sources.library.search.passage_table import PassageTable
from wellsourced.sources.library.search.score_fusion import ScoredSpan
from wellsourced.worker_pool import run_in_worker

TIE_MARGIN = 50
"""Passages asked for beyond the limit, so that ties at its edge can be told apart."""

MAX_TIED_PASSAGES = 20_000
"""Passages that are looked through to tell ties apart."""


class PassageIndex:
    """The passages of one library, for readers and for its one writer. Errors as of its two parts."""

    def __init__(self, folder: Path, *, write: bool) -> None:
        self.table, self.words = PassageTable(folder, write=write), Bm25Index(folder)

    def close(self) -> None:
        self.table.close()
        self.words.close()

    def refresh(self) -> None:
        """See what others have written."""
        self.table.refresh()
        self.words.refresh()

    async def search(self, text: str, wanted: PassageFilter, limit: int, also: str = "") -> list[ScoredSpan]:
        """The best passages by BM25, equal scores in the order of their ids. The texts are words, never a syntax.

        also   words that count for less (bm25_index.EXTRA_WORD_WEIGHT)
        """
        return await run_in_worker(self._search, text, also, wanted, limit)

    def _search(self, text: str, also: str, wanted: PassageFilter, limit: int) -> list[ScoredSpan]:
        asked = limit + TIE_MARGIN
        while True:
            found = self.words.search(text, also, wanted, asked)
            # Of the passages that tie with the last one, which of them are here is chance: they are left out, unless
            # there are so many that all of them have to be seen.
            sure = len(found) if len(found) < asked else _count_above_last(found)
            if sure >= limit or len(found) < asked or asked >= MAX_TIED_PASSAGES:
                break
            asked *= 8
        spans = self.table.find_spans([one.number for one in found])
        ranked = [ScoredSpan(spans[one.number], one.score) for one in found if one.number in spans]
        return sorted(ranked, key=lambda one: (-one.score, one.span.id))[:limit]

    async def count(self) -> int:
        """Passages that can be found: those that both parts hold."""
        return await asyncio.to_thread(lambda: min(self.table.count(), self.words.count()))

    async def count_by_document(self) -> dict[str, tuple[int, int]]:
        """id → (hash, passages that can be found) of every document that has passages here."""
        return await asyncio.to_thread(lambda: self.table.count_by_document(self.words.find_numbers()))

    async def replace(self, document_ids: Collection[str], cuts: Sequence[DocumentPassages]) -> None:
        """Store passages in place of those that these documents have; what says the same keeps its vector."""
        await asyncio.to_thread(self._replace, document_ids, cuts)

    def _replace(self, document_ids: Collection[str], cuts: Sequence[DocumentPassages]) -> None:
        rows = build_rows(cuts)
        # The table first: words without a place are left out of every search, a place without words is found by the
        # audit.
        self.words.replace(document_ids, rows, self.table.replace(document_ids, rows))

    async def delete(self, document_ids: Collection[str]) -> None:
        await self.replace(document_ids, ())


def _count_above_last(found: Sequence[NumberedScore]) -> int:
    return sum(one.score > found[-1].score for one in found)
