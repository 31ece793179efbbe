"""Keeping the search index of a library as its catalogue says: what is pending goes in, what is removed goes out."""

import asyncio
import shutil
from collections.abc import Coroutine, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypeVar

from wellsourced.events import Emit, Progress, ignore_event
from wellsourced.sources.library.folders import list_former_index
from wellsourced.sources.library.search.passage_index import PassageIndex
from wellsourced.sources.library.search.passage_rows import DocumentPassages, cut_document
from wellsourced.sources.library.store.documents import DocumentStore

Result = TypeVar("Result")

BATCH_DOCUMENTS = 1_000
"""Documents that are indexed again at a time."""


class IndexUpkeep:
    """What one writer does to the index; whoever calls it holds the library's lock for writing."""

    def __init__(self, catalogue: DocumentStore, passages: PassageIndex) -> None:
        self.catalogue, self.passages = catalogue, passages
        self._has_audited = False

    async def index_passages(self, cuts: Sequence[DocumentPassages], before: AbstractSet[str]) -> None:
        """Put the passages of pending documents in place of what the index may hold of `before`, and say so."""
        await self.passages.replace(before, cuts)
        self.catalogue.set_state([c.document.reference.id for c in cuts], "indexed")
        await self.publish_changes()

    async def finish_interrupted_work(self, emit: Emit = ignore_event) -> None:
        """Finish what was begun and not ended: by a process that was killed, on a full disk, or by a cancelled call.

        Or by an earlier version: then nothing is indexed, and its index is deleted in the end.
        """
        # Once for each opening: it compares all documents, and only a power failure makes it necessary.
        if not self._has_audited:
            await self._repair_differences()
            self._has_audited = True
        # Removals before additions: a document that comes back under its id must not be removed after it.
        for ids in split_batches(self.catalogue.ids_in_state("removing")):
            await run_to_completion(self._finish_removal(ids))
        pending = self.catalogue.ids_in_state("pending")
        for done, ids in enumerate(split_batches(pending)):
            emit(Progress(task="indexing", done=done * BATCH_DOCUMENTS, total=len(pending), unit="documents"))
            await run_to_completion(self._index_again(ids))
        # Last, when all that was in it can be found without it.
        for path in list_former_index(self.catalogue.folder):
            shutil.rmtree(path, ignore_errors=True)

    async def _finish_removal(self, ids: Sequence[str]) -> None:
        await self.passages.delete(ids)
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
        # Counting takes milliseconds, comparing each document seconds: mostly the numbers agree.
        if await self.passages.count() != self.catalogue.count_pending().passages:
            wrong, strange = await self.find_differences()
            self.catalogue.set_state(wrong, "pending")
            await self.passages.delete(strange)

    async def rebuild(self) -> None:
        """Make the words anew; of passages and vectors what can be read is kept."""
        self.passages.words.drop()
        self._has_audited = True
        self.catalogue.set_state(self.catalogue.expected_passages().keys(), "pending")
        await self.publish_changes()
        await self.finish_interrupted_work()

    async def find_differences(self) -> tuple[set[str], set[str]]:
        """(documents with other passages than the catalogue says, documents with passages that it does not know)."""
        expected, present = self.catalogue.expected_passages(), await self.passages.count_by_document()
        wrong = {id for id, passages in expected.items() if passages[1] and present.get(id) != passages}
        unsettled = {*self.catalogue.ids_in_state("pending"), *self.catalogue.ids_in_state("removing")}
        return wrong, present.keys() - expected.keys() - unsettled

    async def publish_changes(self) -> None:
        self.catalogue.publish_changes(await asyncio.to_thread(self.passages.table.count_vectors))


async def run_to_completion(work: Coroutine[Any, Any, Result]) -> Result:
    """Do a short piece of work whole: who cancels it waits until it is done.

    What a thread does is done whether or not anybody waits for it, behind the back of whoever repeats it.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # looked at, so that nobody warns of it: the catalogue knows what is unfinished
        raise


def split_batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """The ids, so many at a time as are indexed at once."""
    for start in range(0, len(ids), BATCH_DOCUMENTS):
        yield ids[start : start + BATCH_DOCUMENTS]
