"""Passages ranked by meaning: vectors computed where they are missing, and compared, or of very many those with the
nearest signs.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import Encoder, Vectors, in_one_thread
from wellsourced.events import Emit, Progress
from wellsourced.sources.library import passage_table
from wellsourced.sources.library.documents import DocumentStore
from wellsourced.worker_pool import run_in_worker

MAX_EXACT_VECTORS = 100_000
"""Up to so many vectors every one is compared: at 55,000 that takes 7 ms and 84 MB."""

CANDIDATES_PER_HIT = 10
"""Of more vectors: candidates by their signs whose vectors are compared, for each hit that is asked for."""

EXACT_DIGITS = 6
"""Decimals of a cosine: two passages of the same words are equally near, and rounding hides the rest."""


class VectorMatrix(NamedTuple):
    """What is compared, in memory.

    numbers   int64 (n,), of the passages, ascending
    vectors   float32 (n, dim); None where there are too many, and their signs are compared first
    signs     uint64 (words, n), see passage_table.pack_signs; empty where all vectors are compared
    """

    numbers: passage_table.Numbers
    vectors: NDArray[np.float32] | None
    signs: NDArray[np.uint64]


class VectorSearch:
    """Searches the vectors of one library as they were at the last refresh or later."""

    def __init__(self, table: passage_table.PassageTable, exact: int = MAX_EXACT_VECTORS) -> None:
        self._table, self._exact = table, exact
        self._matrix: VectorMatrix | None = None
        self._load_lock = asyncio.Lock()

    def refresh(self) -> None:
        self._matrix = None

    async def search(
        self, vector: NDArray[np.float32], wanted: passage_table.PassageFilter, limit: int
    ) -> list[passage_table.PassageSpan]:
        """The passages whose vectors point most nearly the same way, equally near ones in the order of their ids."""
        matrix = await self._load_matrix()
        return await run_in_worker(self._search, matrix, vector, wanted, limit) if len(matrix.numbers) else []

    def _search(
        self, matrix: VectorMatrix, vector: NDArray[np.float32], wanted: passage_table.PassageFilter, limit: int
    ) -> list[passage_table.PassageSpan]:
        allowed = np.isin(matrix.numbers, self._table.find_numbers(wanted)) if any(wanted) else None
        if matrix.vectors is None:
            numbers, vectors = self._table.load_vectors(_nearest_by_signs(matrix, vector, allowed, limit).tolist())
        elif allowed is None:
            numbers, vectors = matrix.numbers, matrix.vectors
        else:
            numbers, vectors = matrix.numbers[allowed], matrix.vectors[allowed]
        if not len(numbers):
            return []
        cosines = compare_vectors(vectors, vector)
        best = _find_best(cosines, limit)
        spans = self._table.find_spans(numbers[best].tolist())
        near = [(-cosines[row], spans[number]) for row in best if (number := int(numbers[row])) in spans]
        return [span for _, span in sorted(near, key=lambda one: (one[0], one[1].id))[:limit]]

    async def load_vectors(self, numbers: Collection[int]) -> dict[int, NDArray[np.float32]]:
        """The vectors of those passages that have one, by their numbers."""
        if not numbers:
            return {}
        matrix = await self._load_matrix()
        return await run_in_worker(self._select_vectors, matrix, numbers)

    def _select_vectors(self, matrix: VectorMatrix, numbers: Collection[int]) -> dict[int, NDArray[np.float32]]:
        if matrix.vectors is None:
            found, vectors = self._table.load_vectors(numbers)
        else:
            rows = np.flatnonzero(np.isin(matrix.numbers, np.fromiter(numbers, np.int64, len(numbers))))
            found, vectors = matrix.numbers[rows], matrix.vectors[rows]
        return dict(zip(found.tolist(), vectors, strict=True))

    async def _load_matrix(self) -> VectorMatrix:
        # One at a time: many searches that begin together would each load their own.
        async with self._load_lock:
            if self._matrix is None:
                self._matrix = await run_in_worker(self._read_matrix)
            return self._matrix

    def _read_matrix(self) -> VectorMatrix:
        # Comparing every vector is exact and still takes milliseconds here; beyond, memory grows faster than any gain.
        if self._table.count_vectors() > self._exact:
            numbers, signs = self._table.load_signs()
            return VectorMatrix(numbers, None, np.ascontiguousarray(signs.T))
        numbers, vectors = self._table.load_vectors()
        return VectorMatrix(numbers, vectors, np.zeros((0, 0), np.uint64))


def compare_vectors(vectors: NDArray[np.float32], vector: NDArray[np.float32]) -> NDArray[np.float64]:
    """The cosines of unit vectors with another, float64 (n,), rounded."""
    with in_one_thread():
        cosines = (vectors @ vector).astype(np.float64)
    return np.round(cosines, EXACT_DIGITS)


def _nearest_by_signs(
    matrix: VectorMatrix, vector: NDArray[np.float32], allowed: NDArray[np.bool_] | None, limit: int
) -> passage_table.Numbers:
    """The numbers of the candidates: the fewer signs differ, the nearer."""
    alike = np.zeros(len(matrix.numbers), np.int16)
    for signs, own in zip(matrix.signs, passage_table.pack_signs(vector[None])[0], strict=True):
        alike -= np.bitwise_count(signs ^ own)
    rows = np.arange(len(alike)) if allowed is None else np.flatnonzero(allowed)
    return matrix.numbers[rows[_find_best(alike[rows], CANDIDATES_PER_HIT * limit)]]


def _find_best(scores: NDArray[np.float64] | NDArray[np.int16], limit: int) -> NDArray[np.intp]:
    """The rows of the highest scores, and of all that are as high as the last of them."""
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
