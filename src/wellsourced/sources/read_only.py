"""SQLite files opened for reading, also where nothing can be written.

SQLite reads a file with a write-ahead log by writing beside it, and refuses one in a folder or on a disk that cannot be
written. There the file is opened as one that nobody changes; when the log still holds writes, a copy of both is.
"""

import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from wellsourced.errors import SourceRefused

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
    """Open a file of SQLite to be read. Raises as SQLite does, and Refused for unfinished writes it cannot read."""
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
            remedy = f"Make room in {tempfile.gettempdir()}, or open the library once where it can be written."
            raise SourceRefused(f"{path} has writes that were not finished, on a disk that cannot be written. {remedy}")
        copy = Path(folder) / path.name
        shutil.copyfile(path, copy)
        shutil.copyfile(wal_path(path), wal_path(copy))
        with closing(connect_sqlite(copy, "mode=rw")) as whole:
            whole.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            whole.execute("PRAGMA journal_mode = DELETE")
        opened = connect_sqlite(copy, "immutable=1")
        opened.execute("SELECT 1 FROM sqlite_master LIMIT 1")
        return opened
