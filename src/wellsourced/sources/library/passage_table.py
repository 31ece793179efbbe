"""Passages of a library as rows: the id and the vector of each; a SQLite file beside the catalogue, made from it. The
vectors themselves are in files beside it (mapped_vectors).

A passage has a number here that no other ever gets, so that what another index says of a passage that is gone is not
taken for another's. A vector belongs to the words of a passage: when a document comes again, the passages that say the
same keep theirs.
"""

import sqlite3
import threading
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import Vectors
from wellsourced.errors import NextStep, SourceRefused
from wellsourced.sources.library.engines import IndexedPassage, NewPassage
from wellsourced.sources.library.mapped_vectors import NOBODY, MappedVectors, Rows, VectorFiles, VectorOwner
from wellsourced.storage.sqlite_database import JSON_VALUES, SqliteDatabase, json_list
from wellsourced.text.dates import NO_DAYS, DayRange

FILE = "spans.sqlite3"

FOUND_COLUMNS = "id, document_hash, number"
ROW_COLUMNS = "id, document_id, document_hash, text_hash, earliest, latest, vector_row"

SCHEMA = """
CREATE TABLE passages (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL,
    document_id TEXT NOT NULL, document_hash INTEGER NOT NULL, text_hash INTEGER NOT NULL,
    earliest INTEGER NOT NULL, latest INTEGER NOT NULL, vector_row INTEGER
);
CREATE INDEX passages_by_document ON passages (document_id);
CREATE INDEX passages_unencoded ON passages (number) WHERE vector_row IS NULL;
CREATE TABLE free_rows (vector_row INTEGER PRIMARY KEY);
-- Counted as they come and go: counting them again would look at each.
CREATE TABLE totals (passages INTEGER NOT NULL, vectors INTEGER NOT NULL, dim INTEGER NOT NULL, rows INTEGER NOT NULL);
INSERT INTO totals VALUES (0, 0, 0, 0);
"""

FIND_SQL = f"SELECT {FOUND_COLUMNS} FROM passages WHERE number IN {JSON_VALUES}"  # noqa: S608
OF_DOCUMENTS_SQL = f"SELECT number, text_hash, vector_row FROM passages WHERE document_id IN {JSON_VALUES}"  # noqa: S608
NUMBERS_SQL = f"SELECT {FOUND_COLUMNS} FROM passages WHERE document_id IN {JSON_VALUES}"  # noqa: S608


class Totals(NamedTuple):
    """Passages, and those of them that have a vector; the numbers of a vector, and the rows that were ever given."""

    passages: int
    vectors: int
    dim: int
    rows: int


class PassageTable:
    """The file of one library. Reading it before it was made finds nothing; the first rows make it.

    Its methods may run in any thread. Raises SourceRefused when it is damaged, SourceUnavailable when the disk is full.
    """

    def __init__(self, folder: Path, *, write: bool) -> None:
        self._path, self._write, self._files = folder / FILE, write, VectorFiles(folder)
        self._remedy = NextStep("rebuild library", folder.name)
        self._opened: SqliteDatabase | None = None
        self._inode = 0
        # A search that has failed may still be at work in another thread when the file is made again.
        self._thread_lock = threading.RLock()

    @property
    def exists(self) -> bool:
        return self._path.is_file()

    def close(self) -> None:
        with self._thread_lock:
            if self._opened:
                self._opened.close()
            self._opened = None

    def drop(self) -> None:
        """Delete it and the vectors, also those that cannot be opened."""
        with self._thread_lock:
            self.close()
            for suffix in ("", "-wal", "-shm"):
                self._path.with_name(FILE + suffix).unlink(missing_ok=True)
            self._files.drop()

    def totals(self) -> Totals:
        found = self._fetch("SELECT passages, vectors, dim, rows FROM totals")
        return Totals(*found[0]) if found else Totals(0, 0, 0, 0)

    def map_vectors(self) -> MappedVectors | None:
        """The vectors as they are now; None where there are none."""
        totals = self.totals()
        return self._files.map(totals.dim, totals.rows, totals.vectors)

    def replace(self, document_ids: Collection[str], passages: Sequence[NewPassage]) -> list[int]:
        """Store passages in place of those that these documents have; their numbers, in their order."""
        with self._open_for_writing().transaction() as sql:
            before = sql.execute(OF_DOCUMENTS_SQL, json_list(document_ids)).fetchall()
            # Passages with the same words take over the vectors of those that go, since computing them takes hours.
            known = defaultdict[int, list[int]](list)
            for _, text_hash, vector_row in before:
                if vector_row is not None:
                    known[text_hash].append(vector_row)
            hashes = [passage.text_hash for passage in passages]
            kept = [known[hash].pop() if known.get(hash) else None for hash in hashes]
            free = [vector_row for left in known.values() for vector_row in left]
            sql.execute(f"DELETE FROM passages WHERE number IN {JSON_VALUES}", json_list([one[0] for one in before]))  # noqa: S608
            rows = zip(passages, hashes, kept, strict=True)
            numbers = [_insert(sql, passage, hash, vector_row) for passage, hash, vector_row in rows]
            sql.executemany("INSERT INTO free_rows VALUES (?)", ((vector_row,) for vector_row in free))
            change = (len(passages) - len(before), -len(free))
            sql.execute("UPDATE totals SET passages = passages + ?, vectors = vectors + ?", change)
            (dim,) = sql.execute("SELECT dim FROM totals").fetchone()
        # Afterwards, so that the files never name a passage that is not there. Killed in between, the documents are
        # still pending, and come here again.
        owners = dict.fromkeys(free, NOBODY)
        for vector_row, number, passage in zip(kept, numbers, passages, strict=True):
            if vector_row is not None:
                owners[vector_row] = VectorOwner(number, *passage.days)
        self._files.write_owners(owners, dim)
        return numbers

    def add_vectors(self, passages: Sequence[IndexedPassage], vectors: Vectors) -> None:
        """Store vectors of passages, except of those that have gone since their words were read."""
        place = {passage.id: at for at, passage in enumerate(passages)}
        with self._open_for_writing().transaction() as sql:
            found = sql.execute(
                f"SELECT number, earliest, latest, vector_row, id FROM passages WHERE number IN {JSON_VALUES}",  # noqa: S608
                json_list(self.find_numbers(passages)),
            ).fetchall()
            found = [one for one in found if one[-1] in place]
            (dim,) = sql.execute("SELECT dim FROM totals").fetchone()
            # What is left of the vectors of another encoder.
            if not dim:
                self._files.drop()
            new = sum(one[3] is None for one in found)
            rows = _take_rows(sql, new)
            given = [next(rows) if one[3] is None else one[3] for one in found]
            owners = [VectorOwner(*one[:3]) for one in found]
            self._write_vectors(given, owners, vectors[[place[one[-1]] for one in found]])
            sql.executemany(
                "UPDATE passages SET vector_row = ? WHERE number = ?",
                ((row, one[0]) for row, one in zip(given, found, strict=True)),
            )
            sql.execute("UPDATE totals SET vectors = vectors + ?, dim = ?", (new, vectors.shape[1]))

    def _write_vectors(
        self, rows: Sequence[int], owners: Sequence[VectorOwner], values: Vectors | NDArray[np.float16]
    ) -> None:
        order = np.argsort(rows)
        self._files.write_vectors(np.array(rows, np.int64)[order], values[order], [owners[at] for at in order])

    def drop_vectors(self) -> None:
        if self.exists:
            with self._open_for_writing().transaction() as sql:
                sql.execute("UPDATE passages SET vector_row = NULL WHERE vector_row IS NOT NULL")
                sql.execute("DELETE FROM free_rows")
                sql.execute("UPDATE totals SET vectors = 0, dim = 0, rows = 0")
            self._files.drop()

    def find_passages(self, numbers: Collection[int]) -> dict[int, IndexedPassage]:
        """Those of these passages that are here, by their numbers."""
        # The words were found in the other index, so the file was here: an empty answer would hide the loss.
        if numbers and not self.exists:
            raise SourceRefused(f"{self._path} is missing. No document is lost.", next_step=self._remedy)
        return {row[-1]: IndexedPassage(*row) for row in self._fetch(FIND_SQL, json_list(numbers))}

    def find_numbers(self, passages: Sequence[IndexedPassage]) -> list[int]:
        """The numbers of those of these passages that are here, also of those that somebody else has named."""
        unknown = {passage[:2] for passage in passages if not passage.number}
        numbers = [passage.number for passage in passages if passage.number]
        if unknown:
            ids = {passage.document_id for passage in passages if not passage.number}
            numbers += [row[-1] for row in self._fetch(NUMBERS_SQL, json_list(ids)) if row[:2] in unknown]
        return numbers

    def find_vector_rows(self, numbers: Collection[int]) -> dict[str, int]:
        """id → row of the vector, of those of these passages that have one."""
        found = self._fetch(
            f"SELECT id, vector_row FROM passages WHERE vector_row IS NOT NULL AND number IN {JSON_VALUES}",  # noqa: S608
            json_list(numbers),
        )
        return dict(found)

    def rows_of_documents(self, document_ids: Collection[str], period: DayRange | None = None) -> Rows:
        """The rows of the vectors of these documents, if they may have been published in this period."""
        found = self._fetch(
            f"SELECT vector_row FROM passages WHERE vector_row IS NOT NULL AND document_id IN {JSON_VALUES}"  # noqa: S608
            " AND latest >= ? AND earliest <= ?",
            (*json_list(document_ids), *(period or (0, NO_DAYS.earliest))),
        )
        return np.array([row for (row,) in found], np.int64)

    def count_by_document(self, indexed: Collection[int]) -> dict[str, tuple[int, int]]:
        """id → (hash, passages) of every document that has passages here; only those in `indexed` count."""
        found: dict[str, tuple[int, int]] = {}
        for number, id, hash in self._fetch("SELECT number, document_id, document_hash FROM passages"):
            known, count = found.get(id, (hash, 0))
            # Two hashes of one document cannot both be right: no hash is.
            found[id] = (hash, count + (number in indexed)) if known == hash and count >= 0 else (0, -1)
        return found

    def list_unencoded(self, after: int, limit: int, only: Collection[str]) -> list[IndexedPassage]:
        """At most so many passages without a vector, in the order of their numbers, from behind this one on."""
        columns = f"SELECT {FOUND_COLUMNS} FROM passages WHERE vector_row IS NULL"  # noqa: S608
        if only:
            # Without the index of numbers: of documents that are named, these are looked at and no other.
            sql = f"{columns} AND +number > ? AND document_id IN {JSON_VALUES} ORDER BY number LIMIT ?"
            rows = self._fetch(sql, (after, *json_list(only), limit))
        else:
            rows = self._fetch(f"{columns} AND number > ? ORDER BY number LIMIT ?", (after, limit))
        return [IndexedPassage(*row) for row in rows]

    def _fetch(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        opened = self._open()
        return opened.fetch_all(sql, parameters) if opened else []

    def refresh(self) -> None:
        """See what others have put in the place of the file."""
        # Somebody who rebuilds puts a new file in its place; the open one would go on to answer from the old.
        if self._opened and self._inode != _inode(self._path):
            self._opened = None

    def _open(self) -> SqliteDatabase | None:
        with self._thread_lock:
            if self._opened is None and self.exists:
                self._inode = _inode(self._path)
                self._opened = SqliteDatabase(self._path, write=self._write, remedy=self._remedy)
            return self._opened

    def _open_for_writing(self) -> SqliteDatabase:
        with self._thread_lock:
            opened = self._open()
            if opened:
                return opened
            # It is there whole or not at all, whenever the process is killed.
            raw = self._path.with_name(f"new-{FILE}")
            raw.unlink(missing_ok=True)
            self._files.drop()
            SqliteDatabase.create(raw, SCHEMA)
            raw.rename(self._path)
            return self._open_for_writing()


def _take_rows(sql: sqlite3.Connection, count: int) -> Iterator[int]:
    """Rows for so many vectors: those that are free, then new ones."""
    free = [row for (row,) in sql.execute("SELECT vector_row FROM free_rows ORDER BY vector_row LIMIT ?", (count,))]
    sql.execute(f"DELETE FROM free_rows WHERE vector_row IN {JSON_VALUES}", json_list(free))  # noqa: S608
    (rows,) = sql.execute("SELECT rows FROM totals").fetchone()
    sql.execute("UPDATE totals SET rows = ?", (rows + count - len(free),))
    return iter([*free, *range(rows, rows + count - len(free))])


def _insert(sql: sqlite3.Connection, passage: NewPassage, text_hash: int, vector_row: int | None) -> int:
    values = (passage.id, passage.document_id, passage.document_hash, text_hash, *passage.days, vector_row)
    places = ", ".join("?" * len(values))
    return sql.execute(f"INSERT INTO passages ({ROW_COLUMNS}) VALUES ({places})", values).lastrowid or 0  # noqa: S608


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0
