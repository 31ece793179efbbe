"""The index of a library kept as its catalogue says, by the one writer: what was begun is finished, what was lost is
made again."""

import asyncio
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypeVar

from wellsourced.encoders.base import Vectors
from wellsourced.events import Emit, Progress, ignore_event
from wellsourced.sources.library.documents import DocumentStore
from wellsourced.sources.library.engines import IndexedPassage, NewPassage, PassageFinder, cut_document

Result = TypeVar("Result")

BATCH_DOCUMENTS = 1_000
"""Documents that are indexed again at a time."""


class IndexUpkeep:
    """What one writer does to the index; whoever calls it holds the library's lock for writing."""

    def __init__(self, catalogue: DocumentStore, engine: PassageFinder) -> None:
        self.catalogue, self.engine = catalogue, engine
        self._has_audited = False

    async def index_passages(self, cuts: Mapping[str, Sequence[NewPassage]], before: AbstractSet[str]) -> None:
        """Put the passages of pending documents in place of what the index may hold of `before`, and say so."""
        await self.engine.replace(before, [passage for passages in cuts.values() for passage in passages])
        self.catalogue.set_state(cuts.keys(), "indexed")
        await self.publish_changes()

    async def finish_interrupted_work(self, emit: Emit = ignore_event) -> None:
        """Finish what was begun and not ended: by a process that was killed, on a full disk, or by a cancelled call."""
        await self.engine.prepare()
        await self._settle(emit)
        # Once for each opening, and when all is settled: of documents on their way the numbers do not agree.
        if not self._has_audited:
            if (await self.engine.count()).passages != self.catalogue.count_pending().passages:
                await self._mend(emit)
            self._has_audited = True

    async def _settle(self, emit: Emit) -> None:
        # Removals before additions: a document that comes back under its id must not be removed after it.
        for ids in split_batches(self.catalogue.ids_in_state("removing")):
            await run_to_completion(self._finish_removal(ids))
        pending = self.catalogue.ids_in_state("pending")
        for done, ids in enumerate(split_batches(pending)):
            emit(Progress(task="indexing", done=done * BATCH_DOCUMENTS, total=len(pending), unit="documents"))
            await run_to_completion(self._index_again(ids))

    async def _mend(self, emit: Emit) -> None:
        """Mend what a power failure may have left, when of two writes in a row only the later reached the disk.

        It compares all documents, and is called when the numbers of passages do not agree.
        """
        wrong, strange = await self.find_differences()
        self.catalogue.set_state(wrong, "pending")
        await self.engine.replace(strange, ())
        await self._settle(emit)

    async def _finish_removal(self, ids: Sequence[str]) -> None:
        await self.engine.replace(ids, ())
        self.catalogue.delete_removed_documents(ids)
        await self.publish_changes()

    async def _index_again(self, ids: Sequence[str]) -> None:
        # One that is damaged stays pending, and keeps no other from going in.
        records = self.catalogue.load_documents(ids).records
        cuts = await asyncio.to_thread(
            lambda: {id: cut_document(record.to_document(), record.hash) for id, record in records.items()}
        )
        await self.index_passages(cuts, set(ids))

    async def rebuild(self, *, vectors: bool) -> None:
        """Make the index anew; also the vectors, or else what of them can be read is kept."""
        await self.engine.drop(vectors=vectors)
        self._has_audited = True
        self.catalogue.set_state(self.catalogue.expected_passages().keys(), "pending")
        await self.publish_changes()
        await self.finish_interrupted_work()

    async def find_differences(self) -> tuple[set[str], set[str]]:
        """(documents with other passages than the catalogue says, documents with passages that it does not know)."""
        expected, present = self.catalogue.expected_passages(), await self.engine.count_by_document()
        wrong = {id for id, passages in expected.items() if passages[1] and present.get(id) != passages}
        unsettled = {*self.catalogue.ids_in_state("pending"), *self.catalogue.ids_in_state("removing")}
        return wrong, present.keys() - expected.keys() - unsettled

    async def add_vectors(self, passages: Sequence[IndexedPassage], vectors: Vectors) -> None:
        """Store vectors, and say so."""
        await self.engine.add_vectors(passages, vectors)
        await self.publish_changes()

    async def publish_changes(self) -> None:
        self.catalogue.publish_changes((await self.engine.count()).vectors)


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
