"""Passages ranked by meaning: every vector is compared, or of very many those whose signs are nearest."""

import asyncio
from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import in_one_thread
from wellsourced.sources.library.search.passage_rows import PassageFilter, PassageSpan
from wellsourced.sources.library.search.passage_table import Numbers, PassageTable, pack_signs
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

    numbers: Numbers
    vectors: NDArray[np.float32] | None
    signs: NDArray[np.uint64]


class VectorSearch:
    """Searches the vectors of one library as they were at the last refresh or later."""

    def __init__(self, table: PassageTable, exact: int = MAX_EXACT_VECTORS) -> None:
        self._table, self._exact = table, exact
        self._matrix: VectorMatrix | None = None
        self._load_lock = asyncio.Lock()

    def refresh(self) -> None:
        """See what was written since."""
        self._matrix = None

    async def search(self, vector: NDArray[np.float32], wanted: PassageFilter, limit: int) -> list[PassageSpan]:
        """The passages whose vectors point most nearly the same way, equally near ones in the order of their ids."""
        matrix = await self._load_matrix()
        return await run_in_worker(self._search, matrix, vector, wanted, limit) if len(matrix.numbers) else []

    def _search(
        self, matrix: VectorMatrix, vector: NDArray[np.float32], wanted: PassageFilter, limit: int
    ) -> list[PassageSpan]:
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
) -> Numbers:
    """The numbers of the candidates: the fewer signs differ, the nearer."""
    alike = np.zeros(len(matrix.numbers), np.int16)
    for signs, own in zip(matrix.signs, pack_signs(vector[None])[0], strict=True):
        alike -= np.bitwise_count(signs ^ own)
    rows = np.arange(len(alike)) if allowed is None else np.flatnonzero(allowed)
    return matrix.numbers[rows[_find_best(alike[rows], CANDIDATES_PER_HIT * limit)]]


def _find_best(scores: NDArray[np.float64] | NDArray[np.int16], limit: int) -> NDArray[np.intp]:
    """The rows of the highest scores, and of all that are as high as the last of them."""
    if len(scores) <= limit:
        return np.arange(len(scores))
    # All that tie with the last one: the caller sorts by id, so that the same question always finds the same.
    return np.flatnonzero(scores >= np.partition(scores, -limit)[-limit])
