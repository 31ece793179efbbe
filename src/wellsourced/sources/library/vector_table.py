"""The vectors of a library as a Lance table beside its passages: searched by meaning, behind the same filters.

They are a table of their own because writing a vector into a passage's row moves the row out of the text index
(measured with lancedb 0.40), so that computing vectors would slow down, and change, every search by word.
"""

import asyncio
from collections.abc import Collection
from math import isqrt
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from wellsourced.encoders.base import Vectors, in_one_thread
from wellsourced.sources.library.lance import (
    FILTERED,
    KEPT,
    SPAN,
    Filter,
    Span,
    Tables,
    of_documents,
    one_of,
    plainly,
    spans,
    values,
)
from wellsourced.worker_pool import run_in_worker

if TYPE_CHECKING:
    from lancedb import AsyncTable

NAME = "vectors"
CARD = pa.schema([*SPAN, *FILTERED])

EXACT = 100_000
"""Up to so many vectors every one is compared: at 55,000 that takes 7 ms and 84 MB; an index would be less exact."""

REFINE, PROBED = 10, 0.3
"""Above EXACT: candidates a hit whose full vectors are compared, and the share of the index's lists that is read."""


class Matrix(NamedTuple):
    """All vectors in memory, in the order of their passages' ids, so that the same vectors give the same scores.

    vectors   float32 (n, dim)
    cards     SPAN, row by row
    places    the row of each passage's id
    rows      uint64 (n,), the number that Lance knows each row by at this version of the table
    """

    version: int
    vectors: NDArray[np.float32]
    cards: pa.Table
    places: dict[str, int]
    rows: NDArray[np.uint64]


class VectorTable:
    """The table in one folder. Searching it before it was made finds nothing; the first vectors make it."""

    def __init__(self, tables: Tables, exact: int = EXACT) -> None:
        self.tables, self.exact = tables, exact
        self._matrix: Matrix | None = None
        self._loading = asyncio.Lock()

    async def count(self) -> int:
        """Vectors."""
        if not self.tables.has(NAME):
            return 0
        with plainly(self.tables.folder):
            return await (await self.tables.table(NAME)).count_rows()

    async def ids(self) -> set[str]:
        """The ids of all passages that have a vector."""
        if not self.tables.has(NAME):
            return set()
        with plainly(self.tables.folder):
            table = await (await self.tables.table(NAME)).query().select(["id"]).to_arrow()
            return set(values(table, "id"))

    async def search(self, vector: NDArray[np.float32], wanted: Filter, limit: int) -> list[Span]:
        """The passages whose vectors point most nearly the same way, equal scores in the order of their ids."""
        if not self.tables.has(NAME):
            return []
        with plainly(self.tables.folder):
            if await (await self.tables.table(NAME)).count_rows() > self.exact:
                return await self._probe(vector, wanted, limit)
            return await self._scan(vector, wanted, limit)

    async def _scan(self, vector: NDArray[np.float32], wanted: Filter, limit: int) -> list[Span]:
        matrix = await self._loaded()
        allowed = await self._allowed(matrix, wanted)
        return await run_in_worker(_nearest, matrix, vector, allowed, limit)

    async def known(self, ids: Collection[str]) -> dict[str, NDArray[np.float32]]:
        """The vectors of those passages that have one, by their ids."""
        if not ids or not self.tables.has(NAME):
            return {}
        with plainly(self.tables.folder):
            if await (await self.tables.table(NAME)).count_rows() > self.exact:
                return await self._read(ids)
            matrix = await self._loaded()
            return {id: matrix.vectors[matrix.places[id]] for id in ids if id in matrix.places}

    async def _read(self, ids: Collection[str]) -> dict[str, NDArray[np.float32]]:
        table = await self.tables.table(NAME)
        found = await table.query().where(one_of("id", ids)).select(["id", "vector"]).to_arrow()
        vectors = np.array(values(found, "vector"), dtype=np.float32)
        return dict(zip(values(found, "id"), vectors, strict=True))

    async def _loaded(self) -> Matrix:
        # One at a time: many searches that begin together would each load their own.
        async with self._loading:
            table = await self.tables.table(NAME)
            version = await table.version()
            if self._matrix is None or self._matrix.version != version:
                self._matrix = None  # so that two never stand in memory at once
                found = await table.query().select([*SPAN.names, "vector"]).with_row_id().to_arrow()
                self._matrix = await run_in_worker(_matrix, version, found)
            return self._matrix

    async def _allowed(self, matrix: Matrix, wanted: Filter) -> NDArray[np.bool_] | None:
        condition = wanted.condition()
        if not condition:
            return None
        table = await self.tables.table(NAME)
        found = await table.query().where(condition).select(["earliest"]).with_row_id().to_arrow()
        return np.isin(matrix.rows, found.column("_rowid").to_numpy())

    async def _probe(self, vector: NDArray[np.float32], wanted: Filter, limit: int) -> list[Span]:
        table = await self.tables.table(NAME)
        lists = _lists(await table.count_rows())
        near = table.query().nearest_to(vector.tolist()).distance_type("dot").refine_factor(REFINE)
        near = near.nprobes(max(1, round(PROBED * lists))).select([*SPAN.names, "_distance"])
        condition = wanted.condition()
        found = await (near.where(condition) if condition else near).limit(limit).to_arrow()
        return spans(found.sort_by([("_distance", "ascending"), ("id", "ascending")]))

    async def add(self, cards: pa.Table, vectors: Vectors) -> None:
        """Store the vectors of passages; `cards` has the columns of CARD, row by row."""
        half = pa.array(np.ascontiguousarray(vectors, dtype=np.float16).ravel())
        column = pa.FixedSizeListArray.from_arrays(half, vectors.shape[1])
        schema = CARD.append(pa.field("vector", column.type, nullable=False))
        await self.put(pa.table([*cards.select(CARD.names).columns, column], schema=schema))

    async def put(self, rows: pa.Table) -> None:
        """Store rows that have the columns of CARD and a vector."""
        if not rows.num_rows:
            return
        with plainly(self.tables.folder):
            table = await self.tables.table(NAME) if self.tables.has(NAME) else await self._create(rows.schema)
            await table.add(rows)

    async def of(self, document_ids: Collection[str]) -> pa.Table | None:
        """The hashes of the words of these documents' passages, and their vectors; None without any."""
        if not document_ids or not self.tables.has(NAME):
            return None
        with plainly(self.tables.folder):
            query = (await self.tables.table(NAME)).query().where(of_documents(document_ids))
            return await query.select(["text_hash", "vector"]).to_arrow()

    async def delete(self, document_ids: Collection[str]) -> None:
        """Remove the vectors of these documents."""
        if document_ids and self.tables.has(NAME):
            with plainly(self.tables.folder):
                await (await self.tables.table(NAME)).delete(of_documents(document_ids))

    def drop(self) -> None:
        """Forget every vector."""
        self._matrix = None
        self.tables.drop(NAME)

    async def maintain(self) -> None:
        """Join small files, and above EXACT make or renew the index."""
        if not self.tables.has(NAME):
            return
        with plainly(self.tables.folder):
            table = await self.tables.table(NAME)
            count = await table.count_rows()
            if count > self.exact and await self._outgrown(count):
                from lancedb.index import IvfRq

                config = IvfRq(distance_type="dot", num_partitions=_lists(count))
                await table.create_index("vector", config=config, name="vector_idx", replace=True)
            await table.optimize(cleanup_older_than=KEPT)

    async def _outgrown(self, count: int) -> bool:
        """Whether there is no index, or one whose lists were made for half as many vectors."""
        stats = await (await self.tables.table(NAME)).index_stats("vector_idx")
        return stats is None or stats.num_indexed_rows < count / 2

    async def _create(self, schema: pa.Schema) -> "AsyncTable":
        from lancedb.index import BTree

        return await self.tables.create(NAME, schema, {"document_id": BTree(), "earliest": BTree(), "latest": BTree()})


def kept(old: pa.Table | None, passages: pa.Table) -> pa.Table | None:
    """Rows for those passages whose words had a vector before, whatever became of the rest of their document."""
    if old is None or not old.num_rows:
        return None
    places = {hash: place for place, hash in enumerate(values(old, "text_hash"))}
    same = [(row, places[hash]) for row, hash in enumerate(values(passages, "text_hash")) if hash in places]
    cards = passages.select(CARD.names).take(pa.array([row for row, _ in same], pa.int64()))
    vectors = old.column("vector").combine_chunks().take(pa.array([place for _, place in same], pa.int64()))
    return cards.append_column(pa.field("vector", vectors.type, nullable=False), vectors)


def _matrix(version: int, found: pa.Table) -> Matrix:
    found = found.sort_by("id")
    column = cast("pa.FixedSizeListArray[Any, Any]", found.column("vector").combine_chunks())
    vectors = column.flatten().to_numpy(zero_copy_only=False).reshape(len(column), -1).astype(np.float32)
    places = {id: place for place, id in enumerate(values(found, "id"))}
    return Matrix(version, vectors, found.select(SPAN.names), places, found.column("_rowid").to_numpy())


def _nearest(matrix: Matrix, vector: NDArray[np.float32], allowed: NDArray[np.bool_] | None, limit: int) -> list[Span]:
    with in_one_thread():
        scores = matrix.vectors @ vector
    candidates = np.flatnonzero(allowed) if allowed is not None else np.arange(len(scores))
    if len(candidates) > limit:
        edge = np.partition(scores[candidates], -limit)[-limit]
        candidates = candidates[scores[candidates] >= edge]
    best = candidates[np.argsort(-scores[candidates], kind="stable")][:limit]
    return spans(matrix.cards.take(best))


def _lists(count: int) -> int:
    return max(1, isqrt(count))
