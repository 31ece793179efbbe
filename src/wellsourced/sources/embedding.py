"""Computing the vectors that a library lacks: in the order that suits the encoder, saved as it goes."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Sequence

import numpy as np
import pyarrow as pa

from wellsourced.encoders.base import Encoder, Vectors
from wellsourced.events import Progress, Tell
from wellsourced.sources.lance import values
from wellsourced.sources.passage_table import PassageTable
from wellsourced.sources.vector_table import VectorTable

WINDOW = 1_000
"""Passages that are sorted by length and saved together."""

SLICE = 64
"""Passages in one call of the encoder: nobody who stops the work waits for longer than that."""

SECONDS = 20.0
"""Vectors are saved at least this often."""

Keep = Callable[[pa.Table, Vectors], Awaitable[None]]
"""Saves the vectors of passages (rows of the passage table), except of those that have changed meanwhile."""


class Embedding:
    """One run of the encoder over all that lacks a vector."""

    def __init__(self, passages: PassageTable, vectors: VectorTable, encoder: Encoder, keep: Keep, tell: Tell) -> None:
        self.passages, self.vectors, self.encoder, self.keep, self.tell = passages, vectors, encoder, keep, tell
        self.computed = 0
        self._began = time.monotonic()

    async def once(self) -> int:
        """Go through the passages that are there now; how many vectors were computed."""
        have, total, before = await self.vectors.ids(), await self.passages.count(), self.computed
        async for batch in self.passages.batches(WINDOW):
            window = _without(batch, have)
            async for rows, vectors in self._encoded(window):
                await self.keep(window.take(pa.array(rows)), vectors)
                self.computed += len(rows)
                self._say(len(have) + self.computed - before, total)
        return self.computed - before

    async def _encoded(self, window: pa.Table) -> AsyncIterator[tuple[list[int], Vectors]]:
        """(row numbers, their vectors), in parts that are worth saving."""
        texts: list[str] = values(window, "searched")
        rows: list[int] = []
        vectors: list[Vectors] = []
        saved = time.monotonic()
        # Texts of one length waste no padding.
        for part in _parts(sorted(range(len(texts)), key=lambda row: (len(texts[row]), row))):
            vectors.append(await asyncio.to_thread(self.encoder.encode, [texts[row] for row in part], "passage"))
            rows += part
            if time.monotonic() - saved > SECONDS:
                yield rows, np.concatenate(vectors)
                rows, vectors, saved = [], [], time.monotonic()
        if rows:
            yield rows, np.concatenate(vectors)

    def _say(self, done: int, total: int) -> None:
        rate = self.computed / max(time.monotonic() - self._began, 1e-9)
        self.tell(Progress(task="embedding", done=done, total=total, unit="passages", passages=done, rate=rate))


def _without(batch: pa.Table, have: Collection[str]) -> pa.Table:
    return batch.filter(pa.array([id not in have for id in values(batch, "id")], pa.bool_()))


def _parts(rows: Sequence[int]) -> Iterator[list[int]]:
    for start in range(0, len(rows), SLICE):
        yield list(rows[start : start + SLICE])
