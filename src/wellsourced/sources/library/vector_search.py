"""Passages ranked by meaning: all vectors compared, or of very many those with the nearest signs."""

import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import in_one_thread
from wellsourced.sources.library.engines import IndexedPassage, PassageFilter, ScoredPassage
from wellsourced.sources.library.mapped_vectors import FAR, MappedVectors, Rows
from wellsourced.sources.library.passage_table import PassageTable

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
    """Searches the vectors of one library as they were at the last refresh or later; in any thread."""

    def __init__(self, table: PassageTable, exact: int = MAX_EXACT_VECTORS) -> None:
        self._table, self._max_exact = table, exact
        self._exact = ExactVectors()
        self._mapped: MappedVectors | None = None
        self._is_stale = True
        self._thread_lock = threading.Lock()

    def refresh(self) -> None:
        self._is_stale = True

    def search(self, vector: NDArray[np.float32], wanted: PassageFilter, limit: int) -> list[ScoredPassage]:
        """The passages whose vectors point most nearly the same way, equally near ones in the order of their ids."""
        mapped = self._map()
        if mapped is None:
            return []
        rows, cosines = self._compare(mapped, vector, wanted, limit)
        best = _find_best(cosines, limit)
        numbers = mapped.numbers_at(rows[best]).tolist()
        passages = self._table.find_passages(numbers)
        cosine_by_number = zip(cosines[best].tolist(), numbers, strict=True)
        near = [ScoredPassage(passages[number], cosine) for cosine, number in cosine_by_number if number in passages]
        return sorted(near, key=lambda one: (-one.score, one.passage.id))[:limit]

    def _compare(
        self, mapped: MappedVectors, vector: NDArray[np.float32], wanted: PassageFilter, limit: int
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

    def load_vectors(self, passages: Sequence[IndexedPassage]) -> dict[str, NDArray[np.float32]]:
        """The vectors of those passages that have one, by their ids."""
        mapped = self._map()
        if mapped is None:
            return {}
        rows = self._table.find_vector_rows(self._table.find_numbers(passages))
        # Those that were added since the files were mapped are seen with the next refresh.
        found = {id: row for id, row in rows.items() if row < len(mapped.vectors)}
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
