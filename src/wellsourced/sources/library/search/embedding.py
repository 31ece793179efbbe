"""Computing the vectors that a library lacks: in the order that suits the encoder, saved as it goes."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Sequence

import numpy as np
import pyarrow as pa

from wellsourced.encoders.base import Encoder, Vectors
from wellsourced.events import Emit, Progress
from wellsourced.sources.library.search.lance_tables import column_values
from wellsourced.sources.library.search.passage_table import PassageTable
from wellsourced.sources.library.search.vector_table import VectorTable

WINDOW_PASSAGES = 1_000
"""Passages that are sorted by length and saved together."""

SLICE_PASSAGES = 64
"""Passages in one call of the encoder: nobody who stops the work waits for longer than that."""

SAVE_SECONDS = 5.0
"""Vectors are saved at least this often."""

SaveVectors = Callable[[pa.Table, Vectors], Awaitable[None]]
"""Saves the vectors of passages (rows of the passage table), except of those that have changed meanwhile."""


class EmbeddingRun:
    """One run of the encoder over all that lacks a vector."""

    def __init__(
        self, passages: PassageTable, vectors: VectorTable, encoder: Encoder, keep: SaveVectors, emit: Emit
    ) -> None:
        self.passages, self.vectors, self.encoder, self.save, self.emit = passages, vectors, encoder, keep, emit
        self.computed = 0
        self._started = time.monotonic()

    async def embed_missing(self) -> int:
        """Go through the passages that are there now; how many vectors were computed."""
        have, before = await self.vectors.ids(), self.computed
        old, total = len(have) - before, await self.passages.count()
        async for batch in self.passages.read_batches(WINDOW_PASSAGES):
            window = _exclude_ids(batch, have)
            async for rows, vectors in self._encode_window(window, old, total):
                await self.save(window.take(pa.array(rows)), vectors)
        return self.computed - before

    async def _encode_window(self, window: pa.Table, old: int, total: int) -> AsyncIterator[tuple[list[int], Vectors]]:
        """(row numbers, their vectors), in parts that are worth saving; `old` passages had a vector before this run."""
        texts: list[str] = column_values(window, "searched")
        rows: list[int] = []
        vectors: list[Vectors] = []
        saved = time.monotonic()
        # Texts of one length waste no padding.
        for part in _split_slices(sorted(range(len(texts)), key=lambda row: (len(texts[row]), row))):
            vectors.append(await asyncio.to_thread(self.encoder.encode, [texts[row] for row in part], "passage"))
            rows += part
            self.computed += len(part)
            self._report_progress(old + self.computed, total)
            if time.monotonic() - saved > SAVE_SECONDS:
                yield rows, np.concatenate(vectors)
                rows, vectors, saved = [], [], time.monotonic()
        if rows:
            yield rows, np.concatenate(vectors)

    def _report_progress(self, done: int, total: int) -> None:
        rate = self.computed / max(time.monotonic() - self._started, 1e-9)
        self.emit(Progress(task="embedding", done=done, total=total, unit="passages", passages=done, rate=rate))


def _exclude_ids(batch: pa.Table, have: Collection[str]) -> pa.Table:
    return batch.filter(pa.array([id not in have for id in column_values(batch, "id")], pa.bool_()))


def _split_slices(rows: Sequence[int]) -> Iterator[list[int]]:
    for start in range(0, len(rows), SLICE_PASSAGES):
        yield list(rows[start : start + SLICE_PASSAGES])
