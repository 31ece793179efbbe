"""Passages of a library as rows: where each is, and its vector; a SQLite file beside the catalogue, made from it.

A passage has a number here that no other ever gets, so that what another index says of a passage that is gone is not
taken for another's. A vector is half precision, and belongs to the words of a passage: when a document comes again, the
passages that say the same keep theirs.
"""

import json
import sqlite3
from collections.abc import Collection, Sequence
from datetime import date
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import Vectors
from wellsourced.errors import NextStep, SourceRefused
from wellsourced.storage.sqlite_database import JSON_VALUES, SqliteDatabase, json_list
from wellsourced.text.dates import DayRange, day_range, limit_days
from wellsourced.text.passages import cut_index_passages, text_under_titles
from wellsourced.types import Document, Passage, SourceKind

FILE = "passages.sqlite3"

SPAN_COLUMNS = "id, document_id, document_hash, start_at, end_at, section, stands_for_document"
ROW_COLUMNS = f"{SPAN_COLUMNS}, text_hash, kind, earliest, latest, publication_types"

SCHEMA = """
CREATE TABLE passages (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL,
    document_id TEXT NOT NULL, document_hash INTEGER NOT NULL, start_at INTEGER NOT NULL, end_at INTEGER NOT NULL,
    section TEXT NOT NULL, stands_for_document INTEGER NOT NULL, text_hash INTEGER NOT NULL,
    kind TEXT NOT NULL, earliest INTEGER NOT NULL, latest INTEGER NOT NULL, publication_types TEXT NOT NULL
);
CREATE INDEX passages_by_document ON passages (document_id);
CREATE TABLE vectors (number INTEGER PRIMARY KEY, vector BLOB NOT NULL);
-- Those of the vectors, of which there are as many rows, on a sixteenth of the pages: whatever counts asks here.
CREATE TABLE signs (number INTEGER PRIMARY KEY, signs BLOB NOT NULL);
"""

SPANS_SQL = f"SELECT number, {SPAN_COLUMNS} FROM passages WHERE number IN {JSON_VALUES}"  # noqa: S608
NUMBERS_SQL = f"SELECT number FROM passages WHERE document_id IN {JSON_VALUES}"  # noqa: S608
ENCODED_SQL = (
    "SELECT text_hash, number FROM passages JOIN signs USING (number)"  # noqa: S608
    f" WHERE document_id IN {JSON_VALUES}"
)
UNENCODED_SQL = (
    "SELECT id, document_hash, number FROM passages LEFT JOIN signs USING (number)"  # noqa: S608
    f" WHERE signs IS NULL AND document_id IN {JSON_VALUES}"
)

Numbers: TypeAlias = NDArray[np.int64]
Scalar = TypeVar("Scalar", bound=np.generic)


class PassageSpan(NamedTuple):
    """One passage that was found, by the number that it has in both indexes. Its words are in the catalogue, once."""

    number: int
    id: str
    document_id: str
    document_hash: int
    start: int
    end: int
    section: str
    stands_for_document: bool


class PassageRow(NamedTuple):
    """A passage to be indexed.

    text_hash   tells whether the words that it is found by have changed
    days        of publication, as yyyymmdd (text/dates.py)
    searched    the words it is found by, see `search_text`
    """

    id: str
    document_id: str
    document_hash: int
    start: int
    end: int
    section: str
    stands_for_document: bool
    text_hash: int
    kind: SourceKind
    days: DayRange
    publication_types: tuple[str, ...]
    searched: str


class PassageFilter(NamedTuple):
    """What may be found, decided before anything is ranked. Empty means anything; `only` are ids of documents.

    The rule of text.dates.is_eligible, but for exclusions by a DOI, PMID or PMC id.
    """

    since: date | None = None
    as_of: date | None = None
    exclude: tuple[str, ...] = ()
    only: tuple[str, ...] = ()

    @property
    def period(self) -> DayRange | None:
        """The days in which a document may have been published; None for any, and for none."""
        return limit_days(self.since, self.as_of)


class DocumentPassages(NamedTuple):
    """A document with the hash it is stored under and the passages it is cut into."""

    document: Document
    hash: int
    passages: Sequence[Passage]


def cut_document(document: Document, hash: int) -> DocumentPassages:
    """A document with its passages, as it is indexed."""
    return DocumentPassages(document, hash, cut_index_passages(document))


def build_rows(cuts: Sequence[DocumentPassages]) -> list[PassageRow]:
    """One row for each passage."""
    return [_build_row(cut, passage) for cut in cuts for passage in cut.passages]


def _build_row(cut: DocumentPassages, passage: Passage) -> PassageRow:
    reference, text = cut.document.reference, search_text(cut.document, passage)
    return PassageRow(
        passage.id,
        reference.id,
        cut.hash,
        passage.start,
        passage.end,
        passage.section,
        passage.stands_for_document,
        int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True),
        reference.kind,
        day_range(reference.published),
        reference.publication_types,
        text,
    )


def search_text(document: Document, passage: Passage) -> str:
    """The words by which a passage is found: its own, under the titles that they stand under on the page."""
    # The digest says what the whole document is about; its first words mostly say who wrote it.
    if passage.stands_for_document and document.digest:
        return f"{document.reference.title}\n{document.digest}"
    return text_under_titles(passage)


class PassageTable:
    """The file of one library. Reading it before it was made finds nothing; the first rows make it.

    Its methods may run in any thread. Raises SourceRefused when it is damaged, SourceUnavailable when the disk is full.
    """

    def __init__(self, folder: Path, *, write: bool) -> None:
        self._path, self._write = folder / FILE, write
        self._remedy = NextStep("rebuild library", folder.name)
        self._opened: SqliteDatabase | None = None
        self._inode = 0

    @property
    def exists(self) -> bool:
        return self._path.is_file()

    def close(self) -> None:
        if self._opened:
            self._opened.close()
        self._opened = None

    def drop(self) -> None:
        """Delete it, also one that cannot be opened."""
        self.close()
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(FILE + suffix).unlink(missing_ok=True)

    def count(self) -> int:
        return self._count("passages")

    def count_vectors(self) -> int:
        return self._count("signs")

    def replace(self, document_ids: Collection[str], rows: Sequence[PassageRow]) -> list[int]:
        """Store passages in place of those that these documents have; the numbers of the rows, in their order."""
        with self._open_for_writing().transaction() as sql:
            # Before anything goes: vectors of passages with the same words are copied, since computing them takes
            # hours.
            known = dict(sql.execute(ENCODED_SQL, json_list(document_ids)))
            gone = [number for (number,) in sql.execute(NUMBERS_SQL, json_list(document_ids))]
            numbers = [_insert(sql, row) for row in rows]
            kept = [
                (number, known[row.text_hash])
                for number, row in zip(numbers, rows, strict=True)
                if row.text_hash in known
            ]
            for table, column in (("vectors", "vector"), ("signs", "signs")):
                copy = f"INSERT INTO {table} SELECT ?, {column} FROM {table} WHERE number = ?"  # noqa: S608
                sql.executemany(copy, kept)
            for table in ("passages", "vectors", "signs"):
                sql.execute(f"DELETE FROM {table} WHERE number IN {JSON_VALUES}", json_list(gone))  # noqa: S608
        return numbers

    def add_vectors(self, numbers: Sequence[int], vectors: Vectors) -> None:
        """Store vectors of passages, except of those that have gone since their words were read."""
        half, signs = np.ascontiguousarray(vectors, np.float16), pack_signs(vectors)
        with self._open_for_writing().transaction() as sql:
            for table, values in (("vectors", half), ("signs", signs)):
                sql.executemany(
                    f"INSERT OR REPLACE INTO {table} SELECT number, ? FROM passages WHERE number = ?",  # noqa: S608
                    ((value.tobytes(), number) for value, number in zip(values, numbers, strict=True)),
                )

    def drop_vectors(self) -> None:
        if self.exists:
            with self._open_for_writing().transaction() as sql:
                sql.execute("DELETE FROM vectors")
                sql.execute("DELETE FROM signs")

    def find_spans(self, numbers: Collection[int]) -> dict[int, PassageSpan]:
        """Those of these passages that are here, by their numbers."""
        # The words were found in the other index, so the file was here: an empty answer would hide the loss.
        if numbers and not self.exists:
            raise SourceRefused(f"{self._path} is missing. No document is lost.", next_step=self._remedy)
        found = self._fetch(SPANS_SQL, json_list(numbers))
        return {row[0]: PassageSpan._make((*row[:-1], bool(row[-1]))) for row in found}

    def find_numbers(self, wanted: PassageFilter) -> Numbers:
        parts, parameters = ["1"], list[object]()
        if period := wanted.period:
            parts.append("latest >= ? AND earliest <= ?")
            parameters += period
        for condition, values in (
            (f"document_id NOT IN {JSON_VALUES}", wanted.exclude),
            (f"document_id IN {JSON_VALUES}", wanted.only),
        ):
            if values:
                parts.append(condition)
                parameters += json_list(values)
        every = " AND ".join(parts)
        return _to_numbers(self._fetch(f"SELECT number FROM passages WHERE {every}", parameters))  # noqa: S608

    def count_by_document(self, indexed: Collection[int]) -> dict[str, tuple[int, int]]:
        """id → (hash, passages) of every document that has passages here; only those in `indexed` count."""
        found: dict[str, tuple[int, int]] = {}
        for number, id, hash in self._fetch("SELECT number, document_id, document_hash FROM passages"):
            known, count = found.get(id, (hash, 0))
            # Two hashes of one document cannot both be right: no hash is.
            found[id] = (hash, count + (number in indexed)) if known == hash and count >= 0 else (0, -1)
        return found

    def list_unencoded(self) -> list[str]:
        """Ids of the documents that have passages without a vector, in the order in which they came."""
        rows = self._fetch("SELECT document_id FROM passages LEFT JOIN signs USING (number) WHERE signs IS NULL")
        return list(dict.fromkeys(id for (id,) in rows))

    def find_unencoded(self, document_ids: Collection[str]) -> dict[tuple[str, int], int]:
        """(id of passage, hash of its document) → number, of those that have no vector."""
        found = self._fetch(UNENCODED_SQL, json_list(document_ids))
        return {(id, hash): number for id, hash, number in found}

    def load_vectors(self, numbers: Collection[int] | None = None) -> tuple[Numbers, NDArray[np.float32]]:
        """(numbers, vectors), float32 (n, dim); of all passages that have one, or of those of `numbers` that do."""
        rows = self._fetch_values("vector", "vectors", numbers)
        return _to_numbers(rows), _stack(rows, np.float16).astype(np.float32)

    def load_signs(self) -> tuple[Numbers, NDArray[np.uint64]]:
        """(numbers, signs) of all vectors; uint64 (n, words), see `pack_signs`."""
        rows = self._fetch_values("signs", "signs", None)
        return _to_numbers(rows), _stack(rows, np.uint64)

    def _fetch_values(self, column: str, table: str, numbers: Collection[int] | None) -> list[tuple[Any, ...]]:
        if numbers is None:
            return self._fetch(f"SELECT number, {column} FROM {table} ORDER BY number")  # noqa: S608
        return self._fetch(
            f"SELECT number, {column} FROM {table} WHERE number IN {JSON_VALUES} ORDER BY number",  # noqa: S608
            json_list(numbers),
        )

    def _count(self, table: str) -> int:
        return sum(count for (count,) in self._fetch(f"SELECT count(*) FROM {table}"))  # noqa: S608

    def _fetch(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        opened = self._open()
        return opened.fetch_all(sql, parameters) if opened else []

    def refresh(self) -> None:
        """See what others have put in the place of the file."""
        # Somebody who rebuilds puts a new file in its place; the open one would go on to answer from the old.
        if self._opened and self._inode != _inode(self._path):
            self._opened = None

    def _open(self) -> SqliteDatabase | None:
        if self._opened is None and self.exists:
            self._inode = _inode(self._path)
            self._opened = SqliteDatabase(self._path, write=self._write, remedy=self._remedy)
        return self._opened

    def _open_for_writing(self) -> SqliteDatabase:
        opened = self._open()
        if opened:
            return opened
        # It is there whole or not at all, whenever the process is killed.
        raw = self._path.with_name(f"new-{FILE}")
        raw.unlink(missing_ok=True)
        SqliteDatabase.create(raw, SCHEMA)
        raw.rename(self._path)
        return self._open_for_writing()


def pack_signs(vectors: Vectors) -> NDArray[np.uint64]:
    """Whether each number of a vector is positive, a bit each: uint64 (n, ⌈dim / 64⌉)."""
    bits = np.packbits(vectors > 0, axis=1)
    padded = np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8)))
    return np.ascontiguousarray(padded).view(np.uint64)


def _insert(sql: sqlite3.Connection, row: PassageRow) -> int:
    values = (*row[:9], *row.days, json.dumps(row.publication_types))
    places = ", ".join("?" * len(values))
    return sql.execute(f"INSERT INTO passages ({ROW_COLUMNS}) VALUES ({places})", values).lastrowid or 0  # noqa: S608


def _to_numbers(rows: Sequence[tuple[Any, ...]]) -> Numbers:
    return np.fromiter((row[0] for row in rows), np.int64, len(rows))


def _stack(rows: Sequence[tuple[int, bytes]], kind: type[Scalar]) -> NDArray[Scalar]:
    """The values of rows one below the other, (n, numbers of a value)."""
    values = np.frombuffer(b"".join(value for _, value in rows), kind)
    return values.reshape(len(rows), len(values) // max(1, len(rows)))


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0
