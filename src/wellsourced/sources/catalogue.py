"""The truth of a library, in SQLite: its settings, its files and its documents. The search tables can be made from it.

A document is `pending` from the moment its words are safe here until they can be searched, and `removing` from the
moment nobody may see it until its passages are gone. Whoever opens the library for writing finishes what a process
that was killed in between has left.
"""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple, Self, cast

from wellsourced.errors import NotFound, Refused, Unavailable
from wellsourced.sources.base import FileState
from wellsourced.types import Document, Kind, Reference, Section

FILE = "catalogue.sqlite3"
FORMAT = 1
"""Raised whenever what is stored, or how documents are cut, changes so that older libraries must be made anew."""

SCHEMA = """
CREATE TABLE library (
    name TEXT NOT NULL, kind TEXT NOT NULL, about TEXT NOT NULL, encoder TEXT NOT NULL, format INTEGER NOT NULL,
    generation INTEGER NOT NULL DEFAULT 0, vectors INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE files (
    path TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, sha256 TEXT NOT NULL,
    documents INTEGER NOT NULL, passages INTEGER NOT NULL
);
CREATE TABLE documents (
    id TEXT PRIMARY KEY, hash INTEGER NOT NULL, state TEXT NOT NULL CHECK (state IN ('pending', 'indexed', 'removing')),
    passages INTEGER NOT NULL, year INTEGER, file TEXT NOT NULL,
    reference TEXT NOT NULL, sections TEXT NOT NULL, digest TEXT NOT NULL, text TEXT NOT NULL
);
CREATE INDEX documents_counted ON documents (state, passages, year);
CREATE INDEX documents_unsettled ON documents (state) WHERE state <> 'indexed';
CREATE INDEX documents_by_file ON documents (file);
"""

MANY = "(SELECT value FROM json_each(?))"
"""A list as one parameter: ids are data, however they are spelled and however many there are."""


class Settings(NamedTuple):
    """What a library is.

    encoder      the name of the encoder of its vectors; "" for a library that is searched by word only
    generation   grows with every commit that searches can see
    vectors      passages that can be found by meaning
    """

    name: str
    kind: Kind
    about: str
    encoder: str
    format: int
    generation: int
    vectors: int


class Counts(NamedTuple):
    """Documents and passages that the library holds, and the first and last year of publication, 0 when unknown."""

    documents: int
    passages: int
    first: int
    last: int


class Known(NamedTuple):
    """What is known of a document without reading it. A document that is being removed is known, and `hash` is None."""

    hash: int | None
    passages: int


class Record(NamedTuple):
    """A document as it is stored. `hash` is of all that follows it, so that damage is seen."""

    id: str
    hash: int
    reference: str
    sections: str
    digest: str
    text: str

    @classmethod
    def of(cls, document: Document) -> Self:
        """The document in four strings."""
        sections = json.dumps([[s.title, s.start, s.end] for s in document.sections], ensure_ascii=False)
        card = document.reference.model_dump_json(exclude_defaults=True, exclude={"year"})
        parts = (card, sections, document.digest, document.text)
        return cls(document.reference.id, _hash(parts), *parts)

    def card(self) -> Reference:
        """Its reference."""
        return Reference.model_validate_json(self.reference)

    def document(self) -> Document:
        """The document, as it was given."""
        sections = tuple(Section(title=title, start=start, end=end) for title, start, end in json.loads(self.sections))
        return Document(reference=self.card(), text=self.text, sections=sections, digest=self.digest)


def _hash(parts: Iterable[str]) -> int:
    digest = blake2b(digest_size=8)
    for part in parts:
        # The length keeps two parts from passing for two others that read the same in a row.
        encoded = part.encode()
        digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return int.from_bytes(digest.digest(), "big", signed=True)


class Catalogue:
    """An open catalogue. Every method is one transaction; what it returned from is on the disk.

    Raises NotFound where there is none, Refused when it is damaged or too new, Unavailable when the disk is full or
    another process holds it for too long.
    """

    def __init__(self, folder: Path, *, write: bool = False) -> None:
        self.folder = folder
        if not (folder / FILE).is_file():
            raise NotFound(f"there is no library in {folder}")
        with self._plainly():
            self._sql = sqlite3.connect(
                f"{(folder / FILE).absolute().as_uri()}?mode=rw",
                uri=True,
                isolation_level=None,
                check_same_thread=False,
            )
            self._sql.execute("PRAGMA synchronous = FULL")
            self._sql.execute(f"PRAGMA query_only = {int(not write)}")
        try:
            self._check_format()
        except BaseException:
            self._sql.close()
            raise

    @classmethod
    def create(cls, folder: Path, name: str, kind: Kind, encoder: str, about: str) -> None:
        """Make an empty catalogue in a folder that has none."""
        with _plainly(folder):
            sql = sqlite3.connect(folder / FILE, isolation_level=None)
            try:
                sql.execute("PRAGMA journal_mode = WAL")
                sql.executescript(SCHEMA)
                sql.execute(
                    "INSERT INTO library (name, kind, about, encoder, format) VALUES (?, ?, ?, ?, ?)",
                    (name, kind, about, encoder, FORMAT),
                )
            finally:
                sql.close()

    def close(self) -> None:
        """Let go of the file."""
        self._sql.close()

    def settings(self) -> Settings:
        """What the library is, now."""
        return Settings(*self._one("SELECT name, kind, about, encoder, format, generation, vectors FROM library"))

    def generation(self) -> int:
        """A number that has grown since, if anything a search could see has changed."""
        return cast(int, self._one("SELECT generation FROM library")[0])

    def counts(self) -> Counts:
        """How much it holds."""
        row = self._one(
            "SELECT count(*), ifnull(sum(passages), 0), ifnull(min(year), 0), ifnull(max(year), 0) FROM documents"
            " WHERE state IN ('pending', 'indexed')"
        )
        return Counts(*row)

    def known(self, ids: Collection[str]) -> dict[str, Known]:
        """What is known of those of these documents that are here, or were and are not quite gone."""
        rows = self._all(f"SELECT id, hash, passages, state FROM documents WHERE id IN {MANY}", _many(ids))  # noqa: S608
        return {id: Known(None if state == "removing" else hash, passages) for id, hash, passages, state in rows}

    def records(self, ids: Collection[str]) -> dict[str, Record]:
        """Those of these documents that are here. Raises Refused for one whose words are no longer what was stored."""
        columns = "id, hash, reference, sections, digest, text"
        condition = f"id IN {MANY} AND state <> 'removing'"
        rows = self._all(f"SELECT {columns} FROM documents WHERE {condition}", _many(ids))  # noqa: S608
        return {row[0]: self._sound(Record(*row)) for row in rows}

    def _sound(self, record: Record) -> Record:
        if _hash(record[2:]) != record.hash:
            remedy = "Remove it from the library and add its file again."
            raise Refused(f"{self.folder / FILE}: what is stored of {record.id} is damaged. {remedy}")
        return record

    def unsettled(self, state: str) -> list[str]:
        """Ids of the documents that are `pending` or `removing`."""
        return [id for (id,) in self._all("SELECT id FROM documents WHERE state <> 'indexed' AND state = ?", (state,))]

    def expected(self) -> dict[str, tuple[int, int]]:
        """id → (hash, passages) of every document that should be searchable."""
        rows = self._all("SELECT id, hash, passages FROM documents WHERE state = 'indexed'", ())
        return {id: (hash, passages) for id, hash, passages in rows}

    def file(self, path: str) -> FileState | None:
        """The file as it was when it was last read to its end."""
        rows = self._all("SELECT path, size, mtime_ns, sha256, documents, passages FROM files WHERE path = ?", (path,))
        return FileState(*rows[0]) if rows else None

    def put(self, records: Iterable[tuple[Record, int, int | None]], file: str) -> None:
        """Store documents as pending, each with the number of its passages and its year; `file` owns them now."""
        rows = [
            (r.id, r.hash, passages, year, file, r.reference, r.sections, r.digest, r.text)
            for r, passages, year in records
        ]
        with self._transaction():
            self._sql.executemany(
                "INSERT OR REPLACE INTO documents (id, hash, state, passages, year, file, reference, sections, digest,"
                " text) VALUES (?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?)",
                rows,
            )

    def own(self, ids: Collection[str], file: str) -> None:
        """These documents are as they were, and are now in this file."""
        with self._transaction():
            self._sql.execute(
                f"UPDATE documents SET file = ? WHERE id IN {MANY} AND file <> ?",  # noqa: S608
                (file, *_many(ids), file),
            )

    def mark(self, ids: Collection[str], state: str) -> int:
        """Put these documents into a state; the number of those that are here."""
        with self._transaction():
            done = self._sql.execute(
                f"UPDATE documents SET state = ? WHERE id IN {MANY} AND state <> 'removing'",  # noqa: S608
                (state, *_many(ids)),
            )
            return done.rowcount

    def forget(self, ids: Collection[str]) -> None:
        """The passages of these documents are gone: so are they."""
        with self._transaction():
            self._sql.execute(
                f"DELETE FROM documents WHERE state = 'removing' AND id IN {MANY}",  # noqa: S608
                _many(ids),
            )

    def of_file(self, path: str) -> list[str]:
        """Ids of the documents that this file owns."""
        return [id for (id,) in self._all("SELECT id FROM documents WHERE file = ? AND state <> 'removing'", (path,))]

    def finish(self, state: FileState) -> None:
        """The file has been read to its end."""
        with self._transaction():
            self._sql.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?)", state)

    def forget_files_of(self, ids: Collection[str]) -> None:
        """Read the files of these documents again when they are next added, so that they can come back."""
        with self._transaction():
            self._sql.execute(
                f"DELETE FROM files WHERE path IN (SELECT file FROM documents WHERE id IN {MANY})",  # noqa: S608
                _many(ids),
            )

    def publish(self, vectors: int) -> None:
        """Tell every reader that there is something new to see."""
        with self._transaction():
            self._sql.execute("UPDATE library SET generation = generation + 1, vectors = ?", (vectors,))

    def set_encoder(self, name: str) -> None:
        """From now on, vectors are this encoder's."""
        with self._transaction():
            self._sql.execute("UPDATE library SET encoder = ?, generation = generation + 1, vectors = 0", (name,))

    def _check_format(self) -> None:
        found = self.settings().format
        if found != FORMAT:
            remedy = "Use the version that made it, or delete it and add its files again."
            raise Refused(f"{self.folder}: the library has format {found} and this version reads {FORMAT}. {remedy}")

    def _one(self, sql: str) -> tuple[Any, ...]:
        rows = self._all(sql, ())
        if not rows:
            raise _damaged(self.folder, "a row that is always there is missing")
        return rows[0]

    def _all(self, sql: str, parameters: tuple[object, ...]) -> list[tuple[Any, ...]]:
        with self._plainly():
            return self._sql.execute(sql, parameters).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._plainly():
            self._sql.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._sql.execute("COMMIT")
            except BaseException:
                # After a full disk SQLite may have rolled back by itself.
                if self._sql.in_transaction:
                    self._sql.execute("ROLLBACK")
                raise

    def _plainly(self) -> AbstractContextManager[None]:
        return _plainly(self.folder)


def _many(values: Collection[str]) -> tuple[str]:
    return (json.dumps(list(values)),)


@contextmanager
def _plainly(folder: Path) -> Iterator[None]:
    """SQLite's errors in words for the owner of the library."""
    try:
        yield
    except sqlite3.Error as error:
        raise _told(folder, error) from error


def _told(folder: Path, error: sqlite3.Error) -> Refused | Unavailable:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        remedy = "Nothing that was stored is lost: see whether the disk is full, make room and try again."
        return Unavailable(f"{folder / FILE} cannot be written or read ({error}). {remedy}")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return Unavailable(f"{folder / FILE} is held by another process. Try again when it has finished.")
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return Refused(f"{folder / FILE} cannot be opened or written ({error}). Check that you may write there.")
    return _damaged(folder, str(error))


def _damaged(folder: Path, reason: str) -> Refused:
    remedy = "Bring the file back from a backup, or delete the library and add its files again."
    return Refused(f"{folder / FILE} is damaged ({reason}). {remedy}")
