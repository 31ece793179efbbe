"""The passages of a library as a Lance table: searched by word with BM25, behind filters."""

from collections.abc import AsyncIterator, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from wellsourced.sources.library.search.lance_tables import (
    FILTER_SCHEMA,
    LOCATION_SCHEMA,
    VERSION_RETENTION,
    LanceTable,
    PassageFilter,
    column_values,
    passage_spans,
)
from wellsourced.sources.library.search.score_fusion import ScoredSpan
from wellsourced.text.dates import day_range
from wellsourced.text.passages import text_under_titles
from wellsourced.types import Document, Passage

if TYPE_CHECKING:
    from lancedb import AsyncTable
    from lancedb.index import FTS
    from lancedb.query import FullTextQuery

SCHEMA = pa.schema([*LOCATION_SCHEMA, *FILTER_SCHEMA, pa.field("searched", pa.string(), nullable=False)])

MAX_UNINDEXED_ROWS = 200
"""Rows that may wait unindexed: a thousand make a search seven times slower, and indexing has a price too."""

MAX_QUERY_WORDS = 256
"""Distinct words of a query that count; the time of a search grows with them (1,000 characters: 9 ms)."""

EXTRA_WORD_WEIGHT = 0.3
"""How much a further word of a query counts beside one of its own."""

TIE_MARGIN = 50
"""Rows asked for beyond the limit, so that ties at its edge can be told apart."""

MAX_TIED_ROWS = 20_000
"""Rows that are looked through to tell ties apart."""


class DocumentPassages(NamedTuple):
    """A document with the hash it is stored under and the passages it is cut into."""

    document: Document
    hash: int
    passages: Sequence[Passage]


def build_rows(cuts: Sequence[DocumentPassages]) -> pa.Table:
    """One row for each passage, as SCHEMA."""
    columns: dict[str, list[object]] = {name: [] for name in SCHEMA.names}
    for cut in cuts:
        for passage in cut.passages:
            for name, value in _build_row(cut, passage).items():
                columns[name].append(value)
    return pa.table(columns, schema=SCHEMA)


def _build_row(cut: DocumentPassages, passage: Passage) -> dict[str, object]:
    reference = cut.document.reference
    text = search_text(cut.document, passage)
    period = day_range(reference.published)
    return {
        "id": passage.id,
        "document_id": reference.id,
        "document_hash": cut.hash,
        "start_at": passage.start,
        "end_at": passage.end,
        "section": passage.section,
        "stands_for_document": passage.stands_for_document,
        "text_hash": int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True),
        "kind": reference.kind,
        "earliest": period.earliest,
        "latest": period.latest,
        "publication_types": list(reference.publication_types),
        "searched": text,
    }


def search_text(document: Document, passage: Passage) -> str:
    """The words by which a passage is found: its own, under the titles that they stand under on the page."""
    if passage.stands_for_document and document.digest:
        return f"{document.reference.title}\n{document.digest}"
    return text_under_titles(passage)


class PassageTable(LanceTable):
    """The table of one library."""

    table_name = "passages"

    async def search(self, text: str, wanted: PassageFilter, limit: int, also: str = "") -> list[ScoredSpan]:
        """The best passages by BM25, equal scores in the order of their ids. The texts are words, never a syntax.

        also   words that count for less (EXTRA_WORD_WEIGHT)
        """
        words, lesser = _distinct_words(text), _distinct_words(also)
        if not (words or lesser) or not self.exists:
            return []
        asked = limit + TIE_MARGIN
        while True:
            async with self.open() as table:
                found = await _search_best(table, _build_match_query(words, lesser), wanted, asked)
            # Of the rows that tie with the last one, which of them are here is chance: they are left out, unless
            # there are so many that all of them have to be seen.
            sure = found.num_rows if found.num_rows < asked else _count_above_last(found)
            if sure >= limit or found.num_rows < asked or asked >= MAX_TIED_ROWS:
                return _read_scores(_sort_by_score_and_id(found).slice(0, min(limit, found.num_rows)))
            asked *= 8

    async def add(self, passages: pa.Table) -> None:
        """Store rows with the columns of SCHEMA; all of them or, when the process is killed, none."""
        async with self.open(self._create) as table:
            if passages.num_rows:
                await table.add(passages)

    async def count_passages(self) -> dict[str, tuple[int, int]]:
        """id → (hash, passages) of every document that has passages here."""
        if not self.exists:
            return {}
        async with self.open() as table:
            rows = await table.query().select(["document_id", "document_hash"]).to_arrow()
        groups = rows.group_by(["document_id", "document_hash"]).aggregate([([], "count_all")])
        found: dict[str, tuple[int, int]] = {}
        for id, hash, count in zip(*(column_values(groups, name) for name in groups.column_names), strict=True):
            # Two hashes of one document cannot both be right: no hash is.
            found[id] = (hash, count) if id not in found else (0, -1)
        return found

    async def read_batches(self, size: int) -> AsyncIterator[pa.Table]:
        """All rows as they are now, at most `size` at a time, whatever is written meanwhile."""
        if not self.exists:
            return
        async with self.open() as table:
            stream = await table.query().to_batches(max_batch_length=size)
            async for batch in stream:
                yield pa.Table.from_batches([batch])

    async def maintain(self) -> bool:
        """Index the rows that wait, join small files, clear away old versions; whether there was reason to."""
        if not self.exists:
            return False
        async with self.open() as table:
            stats = await table.index_stats("searched_idx")
            if stats is not None and stats.num_unindexed_rows <= MAX_UNINDEXED_ROWS and stats.num_indexed_rows:
                return False
            await table.optimize(cleanup_older_than=VERSION_RETENTION)
            return True

    async def _create(self) -> "AsyncTable":
        from lancedb.index import Bitmap, BTree, LabelList

        indexes = {
            "searched": _full_text_index(),
            "document_id": BTree(),
            "earliest": BTree(),
            "latest": BTree(),
            "kind": Bitmap(),
            "publication_types": LabelList(),
        }
        return await self.tables.create_table(self.table_name, SCHEMA, indexes)


def _full_text_index() -> "FTS":
    from lancedb.index import FTS

    # Without positions: nobody asks for phrases, and they would double the index.
    return FTS(with_position=False, language="English", stem=True, remove_stop_words=True, ascii_folding=True)


def _distinct_words(text: str) -> str:
    return " ".join(list(dict.fromkeys(text.split()))[:MAX_QUERY_WORDS])


def _build_match_query(words: str, lesser: str) -> "FullTextQuery":
    from lancedb.query import BooleanQuery, MatchQuery, Occur

    # The defaults of a MatchQuery are hidden from type checkers.
    parts: list[FullTextQuery] = []
    if words:
        parts.append(MatchQuery(words, "searched"))  # type: ignore[call-arg]
    if lesser:
        parts.append(MatchQuery(lesser, "searched", boost=EXTRA_WORD_WEIGHT))  # type: ignore[call-arg]
    return parts[0] if len(parts) == 1 else BooleanQuery([(Occur.SHOULD, part) for part in parts])


async def _search_best(table: "AsyncTable", match: "FullTextQuery", wanted: PassageFilter, limit: int) -> pa.Table:
    query = table.query().nearest_to_text(match).select([*LOCATION_SCHEMA.names, "_score"])
    condition = wanted.to_sql()
    return await (query.where(condition) if condition else query).limit(limit).to_arrow()


def _read_scores(found: pa.Table) -> list[ScoredSpan]:
    return [
        ScoredSpan(span, score)
        for span, score in zip(passage_spans(found), column_values(found, "_score"), strict=True)
    ]


def _sort_by_score_and_id(found: pa.Table) -> pa.Table:
    return found.sort_by([("_score", "descending"), ("id", "ascending")])


def _count_above_last(found: pa.Table) -> int:
    scores: list[float] = column_values(found, "_score")
    least = min(scores)
    return sum(score > least for score in scores)
