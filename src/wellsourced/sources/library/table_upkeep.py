"""Keeping the search tables of a library as its catalogue says: what is pending goes in, what is removed goes out."""

import asyncio
from collections.abc import Collection, Coroutine, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypeVar

from wellsourced.sources.library.search.passage_table import DocumentPassages, PassageTable, build_rows
from wellsourced.sources.library.search.vector_table import VectorTable, reuse_vectors
from wellsourced.sources.library.store.documents import DocumentStore
from wellsourced.text.passages import cut_index_passages
from wellsourced.types import Document

Result = TypeVar("Result")

BATCH_DOCUMENTS = 1_000
"""Documents that are indexed again at a time."""


class TableUpkeep:
    """What one writer does to the tables; whoever calls it holds the library's lock for writing."""

    def __init__(self, catalogue: DocumentStore, passages: PassageTable, vectors: VectorTable) -> None:
        self.catalogue, self.passages, self.vectors = catalogue, passages, vectors
        self._has_audited = False

    async def index_passages(self, cuts: Sequence[DocumentPassages], before: AbstractSet[str]) -> None:
        """Put the passages of pending documents in place of what the tables may hold of `before`, and say so."""
        table = await asyncio.to_thread(build_rows, cuts)
        old = await self.vectors.vectors_of_documents(before)
        await self.drop_passages(before)
        await self.passages.add(table)
        again = reuse_vectors(old, table)
        if again is not None:
            await self.vectors.add_rows(again)
        self.catalogue.set_state([c.document.reference.id for c in cuts], "indexed")
        await self.publish_changes()

    async def drop_passages(self, document_ids: Collection[str]) -> None:
        await self.vectors.delete(document_ids)
        await self.passages.delete(document_ids)

    async def finish_interrupted_work(self) -> None:
        """Finish what was begun and not ended: by a process that was killed, on a full disk, or by a cancelled call."""
        if not self._has_audited:
            await self._repair_differences()
            self._has_audited = True
        for ids in split_batches(self.catalogue.ids_in_state("removing")):
            await run_to_completion(self._finish_removal(ids))
        for ids in split_batches(self.catalogue.ids_in_state("pending")):
            await run_to_completion(self._index_again(ids))

    async def _finish_removal(self, ids: Sequence[str]) -> None:
        await self.drop_passages(ids)
        self.catalogue.delete_removed_documents(ids)
        await self.publish_changes()

    async def _index_again(self, ids: Sequence[str]) -> None:
        # One that is damaged stays pending, and keeps no other from going in.
        records = self.catalogue.load_documents(ids).records
        cuts = await asyncio.to_thread(
            lambda: [cut_document(record.to_document(), record.hash) for record in records.values()]
        )
        await self.index_passages(cuts, set(ids))

    async def _repair_differences(self) -> None:
        """Mend what a power failure may have left, when of two writes in a row only the later reached the disk."""
        if await self.passages.count() != self.catalogue.counts().passages:
            wrong, strange = await self.find_differences()
            self.catalogue.set_state(wrong, "pending")
            await self.drop_passages(strange)

    async def rebuild_tables(self) -> None:
        self.passages.drop()
        self._has_audited = True
        self.catalogue.set_state(self.catalogue.expected_passages().keys(), "pending")
        await self.publish_changes()
        await self.finish_interrupted_work()
        await self.optimize_tables()

    async def find_differences(self) -> tuple[set[str], set[str]]:
        """(documents with other passages than the catalogue says, documents with passages that it does not know)."""
        expected, present = self.catalogue.expected_passages(), await self.passages.count_passages()
        wrong = {id for id, passages in expected.items() if passages[1] and present.get(id) != passages}
        unsettled = {*self.catalogue.ids_in_state("pending"), *self.catalogue.ids_in_state("removing")}
        return wrong, present.keys() - expected.keys() - unsettled

    async def publish_changes(self) -> None:
        self.catalogue.publish_changes(await self.vectors.count())

    async def optimize_tables(self) -> None:
        """Put the tables in order when enough rows have changed."""
        if await self.passages.maintain():
            await self.vectors.maintain()
            await self.publish_changes()


async def run_to_completion(work: Coroutine[Any, Any, Result]) -> Result:
    """Do a short piece of work whole: who cancels it waits until it is done.

    A Lance call that is cancelled may still commit later, behind the back of whoever repeats it.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # looked at, so that nobody warns of it: the catalogue knows what is unfinished
        raise


def cut_document(document: Document, hash: int) -> DocumentPassages:
    """A document with its passages, as it is indexed."""
    return DocumentPassages(document, hash, cut_index_passages(document))


def split_batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """The ids, so many at a time as are indexed at once."""
    for start in range(0, len(ids), BATCH_DOCUMENTS):
        yield ids[start : start + BATCH_DOCUMENTS]
