"""Computing the vectors that a library lacks: in the order that suits the encoder, saved as it goes."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from wellsourced.encoders.base import Encoder, Vectors
from wellsourced.events import Emit, Progress
from wellsourced.sources.library.search.passage_rows import cut_document, search_text
from wellsourced.sources.library.search.passage_table import PassageTable
from wellsourced.sources.library.store.documents import DocumentStore

WINDOW_DOCUMENTS = 500
"""Documents whose passages are sorted by length together."""

SLICE_PASSAGES = 64
"""Passages in one call of the encoder: nobody who stops the work waits for longer than that."""

SAVE_SECONDS = 5.0
"""Vectors are saved at least this often."""

SaveVectors = Callable[[Sequence[int], Vectors], Awaitable[None]]
"""Saves the vectors of passages, by their numbers, except of those that have gone meanwhile."""


class UnencodedPassage(NamedTuple):
    """A passage without a vector: its number, and the words that it is found by."""

    number: int
    text: str


class EmbeddingRun:
    """One run of the encoder over all that lacks a vector."""

    def __init__(
        self, catalogue: DocumentStore, passages: PassageTable, encoder: Encoder, save: SaveVectors, emit: Emit
    ) -> None:
        self.catalogue, self.passages, self.encoder, self.save, self.emit = catalogue, passages, encoder, save, emit
        self.computed = 0
        self._started = time.monotonic()

    async def embed_missing(self) -> int:
        """Go through the passages that are there now; how many vectors were computed."""
        ids, before = await asyncio.to_thread(self.passages.list_unencoded), self.computed
        old, total = await asyncio.to_thread(lambda: (self.passages.count_vectors() - before, self.passages.count()))
        for start in range(0, len(ids), WINDOW_DOCUMENTS):
            window = await asyncio.to_thread(self._cut_window, ids[start : start + WINDOW_DOCUMENTS])
            async for numbers, vectors in self._encode_window(window, old, total):
                await self.save(numbers, vectors)
        return self.computed - before

    def _cut_window(self, document_ids: Sequence[str]) -> list[UnencodedPassage]:
        """The passages of these documents that lack a vector; of a document that is changing none."""
        missing = self.passages.find_unencoded(document_ids)
        records = self.catalogue.load_documents(document_ids).records.values()
        cuts = [cut_document(record.to_document(), record.hash) for record in records]
        return [
            UnencodedPassage(missing[passage.id, cut.hash], search_text(cut.document, passage))
            for cut in cuts
            for passage in cut.passages
            # By the hash too: a document that changed meanwhile has other words, to which this number does not belong.
            if (passage.id, cut.hash) in missing
        ]

    async def _encode_window(
        self, window: Sequence[UnencodedPassage], old: int, total: int
    ) -> AsyncIterator[tuple[list[int], Vectors]]:
        """(numbers, their vectors), in parts that are worth saving; `old` passages had a vector before this run."""
        numbers: list[int] = []
        vectors: list[Vectors] = []
        saved = time.monotonic()
        # Texts of one length waste no padding.
        for part in _split_slices(sorted(window, key=lambda one: (len(one.text), one.number))):
            vectors.append(await asyncio.to_thread(self.encoder.encode, [one.text for one in part], "passage"))
            numbers += [one.number for one in part]
            self.computed += len(part)
            self._report_progress(old + self.computed, total)
            # Each save takes the lock and publishes: too often, and searches have to load the vectors anew all the
            # time.
            if time.monotonic() - saved > SAVE_SECONDS:
                yield numbers, np.concatenate(vectors)
                numbers, vectors, saved = [], [], time.monotonic()
        if numbers:
            yield numbers, np.concatenate(vectors)

    def _report_progress(self, done: int, total: int) -> None:
        rate = self.computed / max(time.monotonic() - self._started, 1e-9)
        self.emit(Progress(task="embedding", done=done, total=total, unit="passages", passages=done, rate=rate))


def _split_slices(passages: Sequence[UnencodedPassage]) -> Iterator[Sequence[UnencodedPassage]]:
    for start in range(0, len(passages), SLICE_PASSAGES):
        yield passages[start : start + SLICE_PASSAGES]
