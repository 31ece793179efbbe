"""Passages ranked by meaning: vectors computed where they are missing, and compared, or of very many those with the
nearest signs.
"""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import Encoder, Vectors, in_one_thread
from wellsourced.events import Emit, Progress
from wellsourced.sources.library import passage_table
from wellsourced.sources.library.documents import DocumentStore
from wellsourced.sources.library.mapped_vectors import FAR, MappedVectors, Rows
from wellsourced.worker_pool import run_in_worker

MAX_EXACT_VECTORS = 100_000
"""Up to so many vectors every one is compared: at 55,000 that takes 7 ms and 84 MB."""

CANDIDATES_PER_HIT = 10
"""Of more vectors: candidates by their signs whose vectors are compared, for each hit that is asked for."""

VECTORS_PER_CANDIDATE = 250
"""Of very many vectors one in so many is a candidate, since more of them come between a question and what is near."""

EXACT_DIGITS = 6
"""Decimals of a cosine: two passages of the same words are equally near, and rounding hides the rest."""


class ExactVectors:
    """The vectors of a small library in single precision, each computed once; `values` is float32 (capacity, dim)."""

    def __init__(self) -> None:
        self.values, self._numbers = np.zeros((0, 0), np.float32), np.zeros(0, np.int64)

    def follow(self, mapped: MappedVectors) -> None:
        """Compute those that are new, or another passage's than they were."""
        rows, dim = mapped.vectors.shape
        numbers = mapped.numbers_at(np.arange(rows))
        if self.values.shape[1] != dim:
            self.values, self._numbers = np.zeros((0, dim), np.float32), np.zeros(0, np.int64)
        before = np.zeros(rows, np.int64)
        before[: min(rows, len(self._numbers))] = self._numbers[:rows]
        if len(self.values) < rows:
            # More than are needed, so that few commits have to copy what is there.
            values = np.zeros((rows + rows // 2, dim), np.float32)
            values[: len(self.values)] = self.values
            self.values = values
        changed = np.flatnonzero(numbers != before)
        self.values[changed] = mapped.vectors[changed]
        self._numbers = numbers


class VectorSearch:
    """Searches the vectors of one library as they were at the last refresh or later."""

    def __init__(self, table: passage_table.PassageTable, exact: int = MAX_EXACT_VECTORS) -> None:
        self._table, self._max_exact = table, exact
        self._exact = ExactVectors()
        self._mapped: MappedVectors | None = None
        self._is_stale = True
        self._thread_lock = threading.Lock()

    def refresh(self) -> None:
        self._is_stale = True

    async def search(
        self, vector: NDArray[np.float32], wanted: passage_table.PassageFilter, limit: int
    ) -> list[passage_table.PassageSpan]:
        """The passages whose vectors point most nearly the same way, equally near ones in the order of their ids."""
        return await run_in_worker(self._search, vector, wanted, limit)

    def _search(
        self, vector: NDArray[np.float32], wanted: passage_table.PassageFilter, limit: int
    ) -> list[passage_table.PassageSpan]:
        mapped = self._map()
        if mapped is None:
            return []
        rows, cosines = self._compare(mapped, vector, wanted, limit)
        best = _find_best(cosines, limit)
        numbers = mapped.numbers_at(rows[best]).tolist()
        spans = self._table.find_spans(numbers)
        cosine_by_number = zip(cosines[best], numbers, strict=True)
        near = [(-cosine, spans[number]) for cosine, number in cosine_by_number if number in spans]
        return [span for _, span in sorted(near, key=lambda one: (one[0], one[1].id))[:limit]]

    def _compare(
        self, mapped: MappedVectors, vector: NDArray[np.float32], wanted: passage_table.PassageFilter, limit: int
    ) -> tuple[Rows, NDArray[np.float64]]:
        """The rows that may be found, of very many those with the nearest signs, and how near each is."""
        size = len(mapped.vectors)
        excluded = self._table.rows_of_documents(wanted.exclude)
        excluded = excluded[excluded < size]
        if wanted.only:
            rows = np.setdiff1d(self._table.rows_of_documents(wanted.only, wanted.period), excluded)
            rows = rows[rows < size]
        elif mapped.total <= self._max_exact:
            admitted = mapped.is_admitted(wanted.period)
            admitted[excluded] = False
            rows = np.flatnonzero(admitted)
            return rows, compare_vectors(self._exact.values[:size], vector)[rows]
        else:
            distances = mapped.count_different_signs(vector, wanted.period)
            distances[excluded] = FAR
            rows = _find_nearest(distances, max(CANDIDATES_PER_HIT * limit, mapped.total // VECTORS_PER_CANDIDATE))
        return rows, compare_vectors(mapped.vectors[rows].astype(np.float32), vector)

    async def load_vectors(self, numbers: Collection[int]) -> dict[int, NDArray[np.float32]]:
        """The vectors of those passages that have one, by their numbers."""
        return await run_in_worker(self._load_vectors, numbers) if numbers else {}

    def _load_vectors(self, numbers: Collection[int]) -> dict[int, NDArray[np.float32]]:
        mapped = self._map()
        if mapped is None:
            return {}
        rows = self._table.find_vector_rows(numbers)
        # Those that were added since the files were mapped are seen with the next refresh.
        found = {number: row for number, row in rows.items() if row < len(mapped.vectors)}
        vectors = mapped.vectors[[*found.values()]].astype(np.float32)
        return dict(zip(found, vectors, strict=True))

    def _map(self) -> MappedVectors | None:
        with self._thread_lock:
            if self._is_stale:
                # Before they are read: what changes meanwhile makes them stale again.
                self._is_stale = False
                try:
                    self._mapped = self._table.map_vectors()
                except BaseException:
                    self._is_stale = True
                    raise
                # Comparing every vector is exact and still takes milliseconds here; beyond, memory grows faster than
                # any gain.
                if self._mapped and self._mapped.total <= self._max_exact:
                    self._exact.follow(self._mapped)
            return self._mapped


def compare_vectors(vectors: NDArray[np.float32], vector: NDArray[np.float32]) -> NDArray[np.float64]:
    """The cosines of unit vectors with another, float64 (n,), rounded."""
    with in_one_thread():
        cosines = (vectors @ vector).astype(np.float64)
    return np.round(cosines, EXACT_DIGITS)


def _find_nearest(distances: NDArray[np.uint16], count: int) -> Rows:
    """The rows with the smallest distances, and all that are as near as the last of them; none that is FAR."""
    nearer = np.cumsum(np.bincount(distances, minlength=FAR)[:FAR])
    return np.flatnonzero(distances <= min(int(np.searchsorted(nearer, count)), FAR - 1))


def _find_best(scores: NDArray[np.float64], limit: int) -> NDArray[np.intp]:
    """The places of the highest scores, and of all that are as high as the last of them."""
    if len(scores) <= limit:
        return np.arange(len(scores))
    # All that tie with the last one: the caller sorts by id, so that the same question always finds the same.
    return np.flatnonzero(scores >= np.partition(scores, -limit)[-limit])


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
        self,
        catalogue: DocumentStore,
        passages: passage_table.PassageTable,
        encoder: Encoder,
        save: SaveVectors,
        emit: Emit,
    ) -> None:
        self.catalogue, self.passages, self.encoder, self.save, self.emit = catalogue, passages, encoder, save, emit
        self.computed = 0
        self._started = time.monotonic()

    async def embed_missing(self) -> int:
        """Go through the passages that are there now; how many vectors were computed."""
        ids, before = await asyncio.to_thread(self.passages.list_unencoded), self.computed
        totals = await asyncio.to_thread(self.passages.totals)
        old, total = totals.vectors - before, totals.passages
        for start in range(0, len(ids), WINDOW_DOCUMENTS):
            window = await asyncio.to_thread(self._cut_window, ids[start : start + WINDOW_DOCUMENTS])
            async for numbers, vectors in self._encode_window(window, old, total):
                await self.save(numbers, vectors)
        return self.computed - before

    def _cut_window(self, document_ids: Sequence[str]) -> list[UnencodedPassage]:
        """The passages of these documents that lack a vector; of a document that is changing none."""
        missing = self.passages.find_unencoded(document_ids)
        records = self.catalogue.load_documents(document_ids).records.values()
        cuts = [passage_table.cut_document(record.to_document(), record.hash) for record in records]
        return [
            UnencodedPassage(missing[passage.id, cut.hash], passage_table.search_text(cut.document, passage))
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
