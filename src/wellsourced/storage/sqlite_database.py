"""One SQLite file: opened, asked, written in transactions, and its errors in words for its owner."""

import json
import shutil
import sqlite3
import tempfile
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.errors import NextStep, SourceRefused, SourceUnavailable
from wellsourced.storage.private_files import make_missing_folders, make_private_file

UNWRITABLE_CODES = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
"""How SQLite says that it may not write, or make, a file."""

FREE_SPACE_FACTOR = 2
"""How many times the size of a file has to be free where it is copied."""

LOCK_TIMEOUT = 5.0
"""Seconds to wait for another process that is writing."""


class SqliteFileStamp(NamedTuple):
    """What tells whether a file has changed since it was opened; `log` is the size of its write-ahead log."""

    inode: int
    size: int
    changed: int
    log: int


class SqliteConnection(NamedTuple):
    """An open file; `stamp` is of one that was opened as unchanging, None where SQLite itself sees to changes."""

    sql: sqlite3.Connection
    stamp: SqliteFileStamp | None = None


def connect_for_reading(path: Path, timeout: float = LOCK_TIMEOUT) -> SqliteConnection:
    """Open a SQLite file to be read. Raises as SQLite does; SourceRefused for unfinished writes it cannot read."""
    sql = connect_sqlite(path, "mode=rw", timeout)
    try:
        sql.execute("SELECT 1 FROM sqlite_master LIMIT 1")
        return SqliteConnection(sql)
    except sqlite3.Error as error:
        sql.close()
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code not in UNWRITABLE_CODES or not path.is_file():
            raise
    stamp = stamp_database(path)
    return SqliteConnection(_connect_copy(path) if stamp.log else connect_sqlite(path, "immutable=1", timeout), stamp)


def connect_sqlite(path: Path, how: str, timeout: float = LOCK_TIMEOUT) -> sqlite3.Connection:
    """Open a file of SQLite; `how` are the parameters of its URI."""
    uri = f"{path.absolute().as_uri()}?{how}"
    return sqlite3.connect(uri, timeout, uri=True, isolation_level=None, check_same_thread=False)


def connect_private_file(path: Path, timeout: float = LOCK_TIMEOUT) -> sqlite3.Connection:
    """Open a file that several processes may share, made for its owner alone if need be, with the folders above it.

    The connection is one thread's at a time. What a power cut takes is lost. Raises OSError, and as SQLite does.
    """
    make_missing_folders(path.parent)
    make_private_file(path)
    store = sqlite3.connect(path, timeout, check_same_thread=False)
    try:
        enable_wal(store, timeout)
        store.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        store.close()
        raise
    return store


def set_corrupt_file_aside(path: Path) -> None:
    """Rename a corrupt file to `….corrupt`, and its side files, which would spoil its successor."""
    for end in ("", "-wal", "-shm"):
        with suppress(OSError):
            Path(f"{path}{end}").replace(f"{path}{end}.corrupt")


def stamp_database(path: Path) -> SqliteFileStamp:
    """The file as it is now."""
    there, log = path.stat(), wal_path(path)
    return SqliteFileStamp(there.st_ino, there.st_size, there.st_mtime_ns, log.stat().st_size if log.exists() else 0)


def wal_path(path: Path) -> Path:
    """Where the writes lie that are not in the file itself yet."""
    return path.with_name(f"{path.name}-wal")


def _connect_copy(path: Path) -> sqlite3.Connection:
    """A copy of the file and its log, which is gone from the disk when it is closed."""
    with tempfile.TemporaryDirectory(prefix="wellsourced-") as folder:
        if shutil.disk_usage(folder).free < FREE_SPACE_FACTOR * path.stat().st_size:
            remedy = f"Free space in {tempfile.gettempdir()}, or open the library once from a writable disk."
            raise SourceRefused(f"{path} has unfinished writes and is on a read-only disk. {remedy}")
        copy = Path(folder) / path.name
        shutil.copyfile(path, copy)
        shutil.copyfile(wal_path(path), wal_path(copy))
        with closing(connect_sqlite(copy, "mode=rw")) as whole:
            whole.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            whole.execute("PRAGMA journal_mode = DELETE")
        opened = connect_sqlite(copy, "immutable=1")
        opened.execute("SELECT 1 FROM sqlite_master LIMIT 1")
        return opened


JSON_VALUES = "(SELECT value FROM json_each(?))"
"""A list as one parameter: ids are data, however they are spelled and however many there are."""

BACKUP_REMEDY = "Restore the file from a backup, or delete the library and add its files again."
"""What the owner of a damaged library can do."""

Remedy = str | NextStep
"""What the owner of a damaged file can do; a step is for what can be built again from something that is whole."""


def json_list(values: Collection[object]) -> tuple[str]:
    """The parameter for MANY."""
    return (json.dumps(list(values)),)


class SqliteDatabase:
    """An open file, one thread's at a time. What a transaction has returned from is on the disk. One that is only read
    may lie where nothing can be written.

    Raises SourceRefused when it is damaged or may not be written, SourceUnavailable when the disk is full or another
    process holds it for too long.
    """

    def __init__(self, path: Path, *, write: bool = False, remedy: Remedy = BACKUP_REMEDY) -> None:
        """`remedy` is what its owner can do when it is damaged."""
        self.path, self._remedy = path, remedy
        self._thread_lock = threading.RLock()
        with self._explain_errors():
            self._sql, self._stamp = (
                SqliteConnection(connect_sqlite(path, "mode=rw")) if write else connect_for_reading(path)
            )
            self._sql.execute("PRAGMA synchronous = FULL")
        self.set_writable(write)

    def set_writable(self, write: bool) -> None:
        with self._explain_errors():
            self._sql.execute(f"PRAGMA query_only = {int(not write)}")

    @staticmethod
    def create(path: Path, schema: str) -> None:
        """Make the file, which readers and one writer may have open at once."""
        make_private_file(path)
        with explain_sqlite_errors(path):
            sql = sqlite3.connect(path, isolation_level=None)
            try:
                sql.execute("PRAGMA journal_mode = WAL")
                sql.executescript(schema)
            finally:
                sql.close()

    def close(self) -> None:
        with self._thread_lock:
            self._sql.close()

    def fetch_one(self, sql: str) -> tuple[Any, ...]:
        """The row that is always there."""
        rows = self.fetch_all(sql)
        if not rows:
            raise _damage_error(self.path, "a required row is missing", self._remedy)
        return rows[0]

    def fetch_all(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._thread_lock, self._explain_errors():
            # A file that was taken for one that nobody changes, and was changed.
            if self._stamp and self.path.exists() and stamp_database(self.path) != self._stamp:
                self._sql.close()
                self._sql, self._stamp = connect_for_reading(self.path)
                self._sql.execute("PRAGMA query_only = 1")
            return self._sql.execute(sql, parameters).fetchall()

    def _explain_errors(self) -> AbstractContextManager[None]:
        return explain_sqlite_errors(self.path, self._remedy)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All of it is written, or nothing."""
        with self._thread_lock, self._explain_errors(), sqlite_transaction(self._sql):
            yield self._sql


def enable_wal(sql: sqlite3.Connection, patience: float) -> None:
    """Let readers and one writer have the file open at once; `patience` in seconds."""
    until = time.monotonic() + patience
    while True:
        try:
            sql.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            # Of two processes that open a new file together, SQLite refuses one without waiting, whatever its timeout.
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
        time.sleep(0.02)


@contextmanager
def sqlite_transaction(sql: sqlite3.Connection) -> Iterator[None]:
    """All that is written inside, or nothing."""
    sql.execute("BEGIN IMMEDIATE")
    try:
        yield
        sql.execute("COMMIT")
    except BaseException:
        # After a full disk SQLite may have rolled back by itself.
        if sql.in_transaction:
            sql.execute("ROLLBACK")
        raise


@contextmanager
def explain_sqlite_errors(path: Path, remedy: Remedy = BACKUP_REMEDY) -> Iterator[None]:
    """SQLite's errors in words for the file's owner; `remedy` is for a file that is damaged."""
    try:
        yield
    except sqlite3.Error as error:
        raise _explain_error(path, error, remedy) from error


def _explain_error(path: Path, error: sqlite3.Error, remedy: Remedy) -> SourceRefused | SourceUnavailable:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        advice = "No stored document is lost. Check the free disk space and try again."
        return SourceUnavailable(f"{path} cannot be written or read ({error}). {advice}")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return SourceUnavailable(f"{path} is in use by another process. Try again when it has finished.")
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return SourceRefused(f"{path} cannot be opened or written ({error}). Check its permissions.")
    return _damage_error(path, str(error), remedy)


def _damage_error(path: Path, reason: str, remedy: Remedy = BACKUP_REMEDY) -> SourceRefused:
    if isinstance(remedy, NextStep):
        return SourceRefused(f"{path} is damaged ({reason}). No document is lost.", next_step=remedy)
    return SourceRefused(f"{path} is damaged ({reason}). {remedy}")
