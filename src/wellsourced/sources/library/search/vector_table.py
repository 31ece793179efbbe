"""The vectors of a library as a Lance table beside its passages: searched by meaning, behind the same filters.

They are a table of their own because writing a vector into a passage's row moves the row out of the text index
(measured with lancedb 0.40), so that computing vectors would slow down, and change, every search by word.
"""

import asyncio
from collections.abc import Collection
from functools import partial
from math import isqrt
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from wellsourced.encoders.base import Vectors, in_one_thread
from wellsourced.sources.library.search.lance_tables import (
    FILTER_SCHEMA,
    LOCATION_SCHEMA,
    VERSION_RETENTION,
    LanceTable,
    LanceTables,
    PassageFilter,
    PassageSpan,
    column_in,
    column_values,
    in_documents,
    passage_spans,
)
from wellsourced.worker_pool import run_in_worker

if TYPE_CHECKING:
    from lancedb import AsyncTable

ROW_SCHEMA = pa.schema([*LOCATION_SCHEMA, *FILTER_SCHEMA])

MAX_EXACT_VECTORS = 100_000
"""Up to so many vectors every one is compared: at 55,000 that takes 7 ms and 84 MB; an index would be less exact."""

REFINE_FACTOR, PROBED_SHARE = 10, 0.3
"""Of more vectors: candidates a hit whose full vectors are compared, and the share of the lists that is read."""


class VectorMatrix(NamedTuple):
    """All vectors in memory, in the order of their passages' ids, so that the same vectors give the same scores.

    vectors   float32 (n, dim)
    locations   LOCATION_SCHEMA, row by row
    row_by_id   the row of each passage's id
    lance_row_ids   uint64 (n,), the number that Lance knows each row by at this version of the table
    """

    version: int
    vectors: NDArray[np.float32]
    locations: pa.Table
    row_by_id: dict[str, int]
    lance_row_ids: NDArray[np.uint64]


class VectorTable(LanceTable):
    """The table of one library."""

    table_name = "vectors"

    def __init__(self, tables: LanceTables, exact: int = MAX_EXACT_VECTORS) -> None:
        super().__init__(tables)
        self.exact = exact
        self._matrix: VectorMatrix | None = None
        self._load_lock = asyncio.Lock()

    async def ids(self) -> set[str]:
        if not self.exists:
            return set()
        async with self.open() as table:
            return set(column_values(await table.query().select(["id"]).to_arrow(), "id"))

    async def search(self, vector: NDArray[np.float32], wanted: PassageFilter, limit: int) -> list[PassageSpan]:
        """The passages whose vectors point most nearly the same way, equal scores in the order of their ids."""
        if not self.exists:
            return []
        async with self.open() as table:
            if await table.count_rows() > self.exact:
                return await self._search_index(vector, wanted, limit)
            return await self._search_matrix(vector, wanted, limit)

    async def _search_matrix(self, vector: NDArray[np.float32], wanted: PassageFilter, limit: int) -> list[PassageSpan]:
        matrix = await self._load_matrix()
        allowed = await self._find_allowed_rows(matrix, wanted)
        return await run_in_worker(_find_nearest, matrix, vector, allowed, limit)

    async def load_vectors(self, ids: Collection[str]) -> dict[str, NDArray[np.float32]]:
        """The vectors of those passages that have one, by their ids."""
        if not ids or not self.exists:
            return {}
        async with self.open() as table:
            if await table.count_rows() > self.exact:
                return await self._read_vectors(ids)
            matrix = await self._load_matrix()
            return {id: matrix.vectors[matrix.row_by_id[id]] for id in ids if id in matrix.row_by_id}

    async def _read_vectors(self, ids: Collection[str]) -> dict[str, NDArray[np.float32]]:
        table = await self.tables.open_table(self.table_name)
        found = await table.query().where(column_in("id", ids)).select(["id", "vector"]).to_arrow()
        vectors = np.array(column_values(found, "vector"), dtype=np.float32)
        return dict(zip(column_values(found, "id"), vectors, strict=True))

    async def _load_matrix(self) -> VectorMatrix:
        # One at a time: many searches that begin together would each load their own.
        async with self._load_lock:
            table = await self.tables.open_table(self.table_name)
            version = await table.version()
            if self._matrix is None or self._matrix.version != version:
                self._matrix = None  # so that two never stand in memory at once
                found = await table.query().select([*LOCATION_SCHEMA.names, "vector"]).with_row_id().to_arrow()
                self._matrix = await run_in_worker(_build_matrix, version, found)
            return self._matrix

    async def _find_allowed_rows(self, matrix: VectorMatrix, wanted: PassageFilter) -> NDArray[np.bool_] | None:
        condition = wanted.to_sql()
        if not condition:
            return None
        table = await self.tables.open_table(self.table_name)
        found = await table.query().where(condition).select(["earliest"]).with_row_id().to_arrow()
        return np.isin(matrix.lance_row_ids, found.column("_rowid").to_numpy())

    async def _search_index(self, vector: NDArray[np.float32], wanted: PassageFilter, limit: int) -> list[PassageSpan]:
        table = await self.tables.open_table(self.table_name)
        lists = _list_count(await table.count_rows())
        near = table.query().nearest_to(vector.tolist()).distance_type("dot").refine_factor(REFINE_FACTOR)
        near = near.nprobes(max(1, round(PROBED_SHARE * lists))).select([*LOCATION_SCHEMA.names, "_distance"])
        condition = wanted.to_sql()
        found = await (near.where(condition) if condition else near).limit(limit).to_arrow()
        return passage_spans(found.sort_by([("_distance", "ascending"), ("id", "ascending")]))

    async def add(self, cards: pa.Table, vectors: Vectors) -> None:
        """Store the vectors of passages; `cards` has the columns of ROW_SCHEMA, row by row."""
        half = pa.array(np.ascontiguousarray(vectors, dtype=np.float16).ravel())
        column = pa.FixedSizeListArray.from_arrays(half, vectors.shape[1])
        schema = ROW_SCHEMA.append(pa.field("vector", column.type, nullable=False))
        await self.add_rows(pa.table([*cards.select(ROW_SCHEMA.names).columns, column], schema=schema))

    async def add_rows(self, rows: pa.Table) -> None:
        """Store rows that have the columns of ROW_SCHEMA and a vector."""
        if not rows.num_rows:
            return
        async with self.open(partial(self._create, rows.schema)) as table:
            await table.add(rows)

    async def vectors_of_documents(self, document_ids: Collection[str]) -> pa.Table | None:
        """The hashes of the words of these documents' passages, and their vectors; None without any."""
        if not document_ids or not self.exists:
            return None
        async with self.open() as table:
            query = table.query().where(in_documents(document_ids))
            return await query.select(["text_hash", "vector"]).to_arrow()

    def drop(self) -> None:
        self._matrix = None
        super().drop()

    async def maintain(self) -> None:
        """Join small files, and make or renew the index of more vectors than are compared one by one."""
        if not self.exists:
            return
        async with self.open() as table:
            count = await table.count_rows()
            if count > self.exact and await _needs_index(table, count):
                from lancedb.index import IvfRq

                config = IvfRq(distance_type="dot", num_partitions=_list_count(count))
                await table.create_index("vector", config=config, name="vector_idx", replace=True)
            await table.optimize(cleanup_older_than=VERSION_RETENTION)

    async def _create(self, schema: pa.Schema) -> "AsyncTable":
        from lancedb.index import BTree

        return await self.tables.create_table(
            self.table_name, schema, {"document_id": BTree(), "earliest": BTree(), "latest": BTree()}
        )


def reuse_vectors(old: pa.Table | None, passages: pa.Table) -> pa.Table | None:
    """Rows for those passages whose words had a vector before, whatever became of the rest of their document."""
    if old is None or not old.num_rows:
        return None
    places = {hash: place for place, hash in enumerate(column_values(old, "text_hash"))}
    same = [(row, places[hash]) for row, hash in enumerate(column_values(passages, "text_hash")) if hash in places]
    cards = passages.select(ROW_SCHEMA.names).take(pa.array([row for row, _ in same], pa.int64()))
    vectors = old.column("vector").combine_chunks().take(pa.array([place for _, place in same], pa.int64()))
    return cards.append_column(pa.field("vector", vectors.type, nullable=False), vectors)


def _build_matrix(version: int, found: pa.Table) -> VectorMatrix:
    found = found.sort_by("id")
    column = cast("pa.FixedSizeListArray[Any, Any]", found.column("vector").combine_chunks())
    vectors = column.flatten().to_numpy(zero_copy_only=False).reshape(len(column), -1).astype(np.float32)
    places = {id: place for place, id in enumerate(column_values(found, "id"))}
    return VectorMatrix(
        version, vectors, found.select(LOCATION_SCHEMA.names), places, found.column("_rowid").to_numpy()
    )


def _find_nearest(
    matrix: VectorMatrix, vector: NDArray[np.float32], allowed: NDArray[np.bool_] | None, limit: int
) -> list[PassageSpan]:
    with in_one_thread():
        scores = matrix.vectors @ vector
    candidates = np.flatnonzero(allowed) if allowed is not None else np.arange(len(scores))
    if len(candidates) > limit:
        edge = np.partition(scores[candidates], -limit)[-limit]
        candidates = candidates[scores[candidates] >= edge]
    best = candidates[np.argsort(-scores[candidates], kind="stable")][:limit]
    return passage_spans(matrix.locations.take(best))


async def _needs_index(table: "AsyncTable", count: int) -> bool:
    """Whether there is no index, or one whose lists were made for half as many vectors."""
    stats = await table.index_stats("vector_idx")
    return stats is None or stats.num_indexed_rows < count / 2


def _list_count(count: int) -> int:
    return max(1, isqrt(count))
