"""Vectors of passages computed where they are missing, in parts that are saved as they come."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from wellsourced.encoders.base import Encoder, ParallelEncoder, Vectors
from wellsourced.events import Emit, Progress
from wellsourced.sources.library.documents import DocumentStore
from wellsourced.sources.library.engines import IndexedPassage, PassageFinder, cut_document

WINDOW_PASSAGES = 1_000
"""Passages that are sorted by length together."""

SLICE_PASSAGES = 64
"""Passages in one call of the encoder: nobody who stops the work waits for longer than that."""

SLICES_PER_PROCESS = 2
"""Of an encoder with several processes: so many are given to each at once, so that none waits for the slowest."""

SAVE_SECONDS = 5.0
"""Vectors are saved at least this often."""

Item = TypeVar("Item")

SaveVectors = Callable[[Sequence[IndexedPassage], Vectors], Awaitable[None]]
"""Saves the vectors of passages, except of those that have gone meanwhile."""


class UnencodedPassage(NamedTuple):
    """A passage without a vector, and the words that it is found by."""

    passage: IndexedPassage
    text: str


class EmbeddingRun:
    """One run of the encoder over all that lacks a vector."""

    def __init__(
        self, catalogue: DocumentStore, engine: PassageFinder, encoder: Encoder, save: SaveVectors, emit: Emit
    ) -> None:
        self.catalogue, self.engine, self.encoder, self.save, self.emit = catalogue, engine, encoder, save, emit
        self.computed = 0
        at_once = SLICES_PER_PROCESS * encoder.processes if isinstance(encoder, ParallelEncoder) else 1
        self._slice = SLICE_PASSAGES * at_once
        self._started = time.monotonic()

    async def embed_missing(self) -> int:
        """Go through the passages that are there now; how many vectors were computed."""
        before, counts = self.computed, await self.engine.count()
        old, last = counts.vectors - before, None
        while missing := await self.engine.list_unencoded(last, max(WINDOW_PASSAGES, 2 * self._slice)):
            last = missing[-1]
            window = await asyncio.to_thread(self._read_window, missing)
            async for passages, vectors in self._encode_window(window, old, counts.passages):
                await self.save(passages, vectors)
        return self.computed - before

    def _read_window(self, missing: Sequence[IndexedPassage]) -> list[UnencodedPassage]:
        """These passages with their words; of a document that is changing none."""
        records = self.catalogue.load_documents({passage.document_id for passage in missing}).records.values()
        # By the hash too: a document that changed meanwhile has other words, which this vector would not be of.
        texts = {
            (one.id, one.document_hash): one.searched
            for record in records
            for one in cut_document(record.to_document(), record.hash)
        }
        return [
            UnencodedPassage(passage, texts[passage.id, passage.document_hash])
            for passage in missing
            if (passage.id, passage.document_hash) in texts
        ]

    async def _encode_window(
        self, window: Sequence[UnencodedPassage], old: int, total: int
    ) -> AsyncIterator[tuple[list[IndexedPassage], Vectors]]:
        """(passages, their vectors), in parts that are worth saving; `old` passages had a vector before this run."""
        passages: list[IndexedPassage] = []
        vectors: list[Vectors] = []
        saved = time.monotonic()
        # Texts of one length waste no padding.
        for part in split_slices(sorted(window, key=lambda one: len(one.text)), self._slice):
            vectors.append(await asyncio.to_thread(self.encoder.encode, [one.text for one in part], "passage"))
            passages += [one.passage for one in part]
            self.computed += len(part)
            self._report_progress(old + self.computed, total)
            # Each save takes the lock and publishes: too often, and searches have to load the vectors anew all the
            # time.
            if time.monotonic() - saved > SAVE_SECONDS:
                yield passages, np.concatenate(vectors)
                passages, vectors, saved = [], [], time.monotonic()
        if passages:
            yield passages, np.concatenate(vectors)

    def _report_progress(self, done: int, total: int) -> None:
        rate = self.computed / max(time.monotonic() - self._started, 1e-9)
        self.emit(Progress(task="embedding", done=done, total=total, unit="passages", passages=done, rate=rate))


def split_slices(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    """The items, so many at a time."""
    for start in range(0, len(items), size):
        yield items[start : start + size]
