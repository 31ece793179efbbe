"""A cache of values by key, in a SQLite file that several processes may share."""

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import NamedTuple, TypeVar

from wellsourced.storage.sqlite_database import connect_private_file, set_corrupt_file_aside

LOCK_TIMEOUT = 2.0
"""Seconds to wait for another process that is writing."""

USE_NOTE_INTERVAL = 60.0
"""Seconds by which the note of when an entry was last used may be behind."""

ROW_OVERHEAD_BYTES = 100
"""Bytes that a row takes beside its value, about."""

LARGEST_SHARE = 8
"""An entry that would take this fraction of the cache is not stored."""

ROOMY_SHARE = 0.9
"""Share of the cache that is kept where room is made: whoever stores next need not look for the oldest again."""

T = TypeVar("T")

log = logging.getLogger(__name__)

_TABLES = """
CREATE TABLE IF NOT EXISTS entries_1 (
    key BLOB PRIMARY KEY, stored REAL NOT NULL, used REAL NOT NULL, size INTEGER NOT NULL,
    meta TEXT NOT NULL, body BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS entries_1_used ON entries_1 (used, size);
"""
"""The index holds all that is asked when room is made, so that no value is read for it."""

_FIND = "SELECT meta, body, stored, used FROM entries_1 WHERE key = ?"


class CacheEntry(NamedTuple):
    """A value: what describes it, its bytes, and when it was stored (seconds since 1970, set by the cache)."""

    meta: str
    body: bytes = b""
    stored_at: float = 0.0


class SqliteCache:
    """Values by key. A cache is never a reason to fail: a corrupt file is set aside under the name `….corrupt`, and
    where the file cannot be read or written nothing is found and nothing is stored.

    path           of the file, which its owner alone may read; made when something is first stored
    max_bytes      of all entries; those used longest ago go first, and one that would take an eighth is not stored
    what           the values in words, for the log
    tracks_use     whether reading counts as use; if not, the entries stored longest ago go first
    wall           seconds since 1970
    """

    def __init__(
        self,
        path: Path,
        max_bytes: int,
        *,
        what: str,
        tracks_use: bool = True,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.path = path
        self.max_bytes = max_bytes
        self._what, self._tracks_use, self._wall = what, tracks_use, wall
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None

    async def find(self, *keys: bytes) -> dict[bytes, CacheEntry]:
        """The entries that are there, by their keys; looking makes no file."""
        if not keys or (self._connection is None and not self.path.exists()):
            return {}
        return await asyncio.to_thread(self._run_transaction, lambda store: self._read_entries(store, keys)) or {}

    async def store(self, entries: Mapping[bytes, CacheEntry]) -> None:
        """Store all of these that are not too large, and make room for them."""
        rows = [row for row in self._list_rows(entries) if row[3] <= self.max_bytes // LARGEST_SHARE]
        if rows:
            await asyncio.to_thread(self._run_transaction, lambda store: self._insert_rows(store, rows))

    async def delete(self, key: bytes) -> None:
        """Forget an entry, because its reader cannot make anything of it."""
        statement = "DELETE FROM entries_1 WHERE key = ?"
        await asyncio.to_thread(self._run_transaction, lambda store: store.execute(statement, (key,)))

    async def close(self) -> None:
        """Let go of the file; it is opened again when something is asked of it."""
        await asyncio.to_thread(self._close_connection)

    def _list_rows(self, entries: Mapping[bytes, CacheEntry]) -> list[tuple[bytes, float, float, int, str, bytes]]:
        now = self._wall()
        return [
            (key, now, now, len(entry.meta) + len(entry.body) + ROW_OVERHEAD_BYTES, entry.meta, entry.body)
            for key, entry in entries.items()
        ]

    def _read_entries(self, store: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, CacheEntry]:
        rows = {key: row for key in keys if (row := store.execute(_FIND, (key,)).fetchone())}
        # Reading waits for nobody, writing does: that an entry was used is noted only now and then.
        now = self._wall()
        unnoted = [(now, key) for key, row in rows.items() if self._tracks_use and now - row[3] > USE_NOTE_INTERVAL]
        if unnoted:
            with suppress(sqlite3.OperationalError):
                store.executemany("UPDATE entries_1 SET used = ? WHERE key = ?", unnoted)
        return {key: CacheEntry(*row[:3]) for key, row in rows.items()}

    def _insert_rows(
        self, store: sqlite3.Connection, rows: Sequence[tuple[bytes, float, float, int, str, bytes]]
    ) -> None:
        store.executemany("INSERT OR REPLACE INTO entries_1 VALUES (?, ?, ?, ?, ?, ?)", rows)
        size = store.execute("SELECT sum(size) FROM entries_1").fetchone()[0]
        if size > self.max_bytes:
            self._make_room(store, size)

    def _make_room(self, store: sqlite3.Connection, size: int) -> None:
        """Delete what was used longest ago, and so much more than is needed that it need not be done soon again."""
        oldest = store.execute("SELECT rowid, size FROM entries_1 ORDER BY used, rowid")
        gone: list[tuple[int]] = []
        while size > self.max_bytes * ROOMY_SHARE and (row := oldest.fetchone()):
            gone.append((row[0],))
            size -= row[1]
        oldest.close()
        store.executemany("DELETE FROM entries_1 WHERE rowid = ?", gone)

    def _run_transaction(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """What the work gives, as one transaction; None where the file cannot be used."""
        with self._lock:
            try:
                self._connection = self._connection or self._open_connection()
                with self._connection:
                    return work(self._connection)
            except (OSError, sqlite3.Error) as error:
                self._handle_failure(error)
                return None

    def _open_connection(self) -> sqlite3.Connection:
        store = connect_private_file(self.path, LOCK_TIMEOUT)
        try:
            store.executescript(_TABLES)
        except BaseException:
            store.close()
            raise
        return store

    def _close_connection(self) -> None:
        with self._lock:
            if self._connection:
                self._connection.close()
                self._connection = None

    def _handle_failure(self, error: OSError | sqlite3.Error) -> None:
        """Go on without the cache; set it aside when it is corrupt, not when it is only busy, full or out of reach."""
        if isinstance(error, OSError | sqlite3.OperationalError):
            log.info("%s are not cached this time: %s: %s", self._what, self.path, error)
            return
        log.warning("the cache of %s is corrupt and is set aside: %s.corrupt: %s", self._what, self.path, error)
        if self._connection:
            self._connection.close()
            self._connection = None
        set_corrupt_file_aside(self.path)


def hash_parts(*parts: str) -> bytes:
    """A key of several texts; texts that are parted elsewhere give another."""
    return sha256(b"".join(sha256(part.encode("utf-8", "surrogatepass")).digest() for part in parts)).digest()
