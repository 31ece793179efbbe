"""Which documents hold which words, and where: an index with positions, for Boolean queries and for counting words.

It is one SQLite file beside the catalogue (FTS5), unstemmed, accents folded, without the texts themselves, and derived
data: the catalogue lists its changes in their order, the index knows which of them it took over last, and takes over
the others in transactions of some thousand, so that a process that is killed leaves what it had done.

* Ingestion makes none: it would cost a sixth more, for a library that may never be asked. Whoever asks first makes it,
  in any process, under SQLite's own lock, which leaves other readers what they see and is let go of every half second.
  From then on each run of additions ends with bringing it up to date, and so does computing vectors, which takes a
  hundred times as long.
* A process that may not write there reads the file as it is while it is up to date. Otherwise it makes one of its own
  in SQLite's temporary storage, and brings that up to date whenever the library has changed. A file that is damaged is
  made again.
* Words cannot be taken out of an index that has no texts. A document that is gone, or changed, only loses its number;
  when a fifth of all numbers is lost the index is made again. Until then counts of words include what is gone.
"""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Literal, TypeVar

from wellsourced.errors import NextStep
from wellsourced.events import Emit, ignore_event
from wellsourced.sources.library.documents import DocumentStore
from wellsourced.sources.library.word_index.tables import (
    IndexedDocuments,
    IndexState,
    WordIndexReader,
    clear_tables,
    prepare_tables,
)
from wellsourced.sources.library.word_index.update import IndexUpdate
from wellsourced.storage import sqlite_database
from wellsourced.storage.private_files import make_private_file

T = TypeVar("T")

INDEX_FILE = "words.sqlite3"

UPDATE_TIMEOUT = 30.0
"""Seconds to wait for another process that brings the index up to date: half a second for 5,000 documents."""

# SQLITE_ERROR: a table is missing, when two processes put an index in the place of a damaged one at once.
DAMAGE_CODES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)

IndexPlace = Literal["shared", "frozen", "private"]
"""Where the index of a process is: in the file, in the file as it is, in storage of its own."""


OpenCatalogue = Callable[[], DocumentStore]
"""Opens what the index is made from; by default the file beside it."""


class WordIndex:
    """The index of the library in one folder; nothing is opened before it is needed. Its methods may run in any thread.

    Raises SourceUnavailable when the disk is full or another process brings it up to date for too long, SourceRefused
    when it cannot be read.
    """

    def __init__(self, folder: Path, open_catalogue: OpenCatalogue | None = None) -> None:
        self._path = folder / INDEX_FILE
        self._open_catalogue = open_catalogue or partial(DocumentStore, folder)
        self._remedy = NextStep("rebuild library", folder.name)
        self._connection: sqlite3.Connection | None = None
        self._file_stamp = (0, 0)
        self._place: IndexPlace = "shared"
        self._catalogue: DocumentStore | None = None
        self._documents = IndexedDocuments(-1)
        # A connection has one transaction at a time, and so the index is one thread's at a time.
        self._thread_lock = threading.RLock()

    def close(self) -> None:
        with self._thread_lock:
            if self._connection:
                self._connection.close()
            if self._catalogue:
                self._catalogue.close()
            self._connection = self._catalogue = None
            self._documents = IndexedDocuments(-1)

    def clear(self) -> None:
        """Hold nothing any more: whoever needs it next makes it again."""
        with self._thread_lock, sqlite_database.explain_sqlite_errors(self._path, self._remedy):
            try:
                with sqlite_database.sqlite_transaction(self._open_connection()):
                    clear_tables(self._open_connection())
            except sqlite3.DatabaseError as error:
                if not self._replace_index(error):
                    raise

    def update(self, emit: Emit = ignore_event) -> int:
        """Bring it up to date with the catalogue, done at once when it is; the last change that it knows then."""
        with self._thread_lock, sqlite_database.explain_sqlite_errors(self._path, self._remedy):
            for _ in range(2):
                try:
                    return self._update(emit)
                except sqlite3.DatabaseError as error:
                    if not self._replace_index(error):
                        raise
            return self._update(emit)

    @contextmanager
    def open_reader(self) -> Iterator[WordIndexReader]:
        """The words as they are now, and stay while they are looked at."""
        with self._thread_lock, sqlite_database.explain_sqlite_errors(self._path, self._remedy):
            state = self._begin_reading()
            sql = self._open_connection()
            try:
                if state.epoch != self._documents.epoch:
                    self._documents = IndexedDocuments(state.epoch)
                self._documents.load(sql, state)
                yield WordIndexReader(sql, state, self._documents)
            finally:
                sql.execute("COMMIT")

    def _begin_reading(self) -> IndexState:
        while True:
            known = self.update()
            sql = self._open_connection()
            sql.execute("BEGIN")
            state = IndexState.read(sql)
            # Meanwhile another process may have begun to make it again.
            if state.change >= known:
                return state
            sql.execute("COMMIT")

    async def ask(self, question: Callable[[WordIndexReader], T]) -> T:
        """What a function finds in the words as they are now, in a thread of its own."""

        def answer() -> T:
            with self.open_reader() as words:
                return question(words)

        return await asyncio.to_thread(answer)

    def _update(self, emit: Emit) -> int:
        sql = self._open_connection()
        if self._catalogue is None:
            self._catalogue = self._open_catalogue()
        return IndexUpdate(sql, self._catalogue, emit).run()

    def _replace_index(self, error: sqlite3.DatabaseError) -> bool:
        """Whether the next attempt has another index: an empty one, or one that is this process's own."""
        code = error.sqlite_errorcode & 0xFF
        if code in DAMAGE_CODES:
            self.close()
            # Another process may have been faster, and what is there now may be sound.
            if _stamp_file(self._path) == self._file_stamp:
                for suffix in ("", "-wal", "-shm"):
                    self._path.with_name(INDEX_FILE + suffix).unlink(missing_ok=True)
        elif code in sqlite_database.UNWRITABLE_CODES and self._place != "private":
            self.close()
            self._place = "frozen" if self._place == "shared" and self._path.is_file() else "private"
        else:
            return False
        return True

    def _open_connection(self) -> sqlite3.Connection:
        if self._connection is None:
            self._file_stamp = _stamp_file(self._path)
            sql = self._connect()
            try:
                if self._place != "frozen":
                    sqlite_database.enable_wal(sql, UPDATE_TIMEOUT)
                    # After a power failure it may be behind again, and never halfway.
                    sql.execute("PRAGMA synchronous = NORMAL")
                prepare_tables(sql)
            except BaseException:
                sql.close()
                raise
            self._connection = sql
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        if self._place == "shared":
            with suppress(OSError):
                # Where that fails SQLite says why it cannot open it either.
                make_private_file(self._path)
            return sqlite_database.connect_sqlite(self._path, "mode=rwc", UPDATE_TIMEOUT)
        if self._place == "frozen":
            # Behind the catalogue, it would have to be written: SQLite says so, and it becomes the process's own.
            return sqlite_database.connect_for_reading(self._path).sql
        return sqlite3.connect("", UPDATE_TIMEOUT, isolation_level=None, check_same_thread=False)


def _stamp_file(path: Path) -> tuple[int, int]:
    """What tells a file from another that was put in its place; zeros for none."""
    try:
        there = path.stat()
    except OSError:
        return 0, 0
    return there.st_ino, there.st_ctime_ns
