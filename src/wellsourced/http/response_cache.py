"""Responses of services, kept in a SQLite file that several processes may share.

It is our own, because what is asked of it is not what RFC 9111 describes, and hishel follows that: here the caller says
how old an answer may be, however long the server would let it be used; a question that is POSTed is kept like any
other; and neither the address nor the headers are stored in a form that could give a key away. Of what the server
says, `no-store` is obeyed, and its ETag and date of change are used to ask whether an answer still stands.
"""

import asyncio
import json
import logging
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import NamedTuple, TypeVar

import httpx2

from wellsourced.http.clock import Clock
from wellsourced.http.response import Response
from wellsourced.storage.private_files import make_private_file, make_private_folder

MB = 1024 * 1024
MAX_BYTES = 512 * MB
"""Bytes of all bodies that are kept; those used longest ago go first."""

LOCK_TIMEOUT = 2.0
"""Seconds to wait for another process that is writing."""

USE_NOTE_INTERVAL = 60.0
"""Seconds by which the note of when an answer was last used may be behind."""

UNCACHED_HEADERS = {"set-cookie", "content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive"}

T = TypeVar("T")

log = logging.getLogger(__name__)

_TABLES = """
CREATE TABLE IF NOT EXISTS answers_1 (
    key BLOB PRIMARY KEY, asked REAL NOT NULL, used REAL NOT NULL, size INTEGER NOT NULL,
    url TEXT NOT NULL, status INTEGER NOT NULL, type TEXT NOT NULL, headers TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS bodies_1 (
    key BLOB PRIMARY KEY REFERENCES answers_1 (key) ON DELETE CASCADE, content BLOB NOT NULL
);
"""
"""The bodies are apart, so that the oldest answers are found without reading what they say."""

_FIND = "SELECT used, asked, url, status, type, headers, content FROM answers_1 JOIN bodies_1 USING (key) WHERE key = ?"
_INSERT = "INSERT OR REPLACE INTO answers_1 VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_OLDEST = "SELECT key, size FROM answers_1 ORDER BY used"


class CachedResponse(NamedTuple):
    """An answer, and when (seconds since 1970) the server last said that it stands."""

    validated_at: float
    response: Response

    @property
    def conditions(self) -> dict[str, str]:
        """Headers that ask whether it still stands; none when the server gave nothing to ask by."""
        return conditional_headers(self.response)


class ResponseCache:
    """A cache is never a reason to fail: a corrupt file is set aside under the name `….corrupt`, and where the file can
    not be read or written the server is asked as if there were none.

    folder   made when something is first kept; readable by its owner alone, for it tells what was asked
    room     bytes of all bodies; one that would take an eighth of it is not kept
    """

    def __init__(self, folder: Path, clock: Clock, room: int = MAX_BYTES) -> None:
        self._path = folder / "answers.sqlite"
        self._clock = clock
        self._max_bytes = room
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None

    async def find(self, key: bytes) -> CachedResponse | None:
        """What was answered before."""
        if self._connection is None and not self._path.exists():
            return None
        return await asyncio.to_thread(self._run_transaction, lambda store: self._read_response(store, key))

    async def store(self, key: bytes, reply: Response) -> None:
        """The server gave this answer just now."""
        if (
            len(reply.content) <= self._max_bytes // 8
            and "no-store" not in reply.headers.get("Cache-Control", "").lower()
        ):
            await asyncio.to_thread(self._run_transaction, lambda store: self._insert_response(store, key, reply))

    async def close(self) -> None:
        """Let go of the file."""
        await asyncio.to_thread(self._close_connection)

    def _read_response(self, store: sqlite3.Connection, key: bytes) -> CachedResponse | None:
        row = store.execute(_FIND, (key,)).fetchone()
        if row is None:
            return None
        used, *answer = row
        # Reading waits for nobody, writing does: that it was used is noted only now and then.
        now = self._clock.wall()
        if now - used > USE_NOTE_INTERVAL:
            store.execute("UPDATE answers_1 SET used = ? WHERE key = ?", (now, key))
        return _build_cached_response(*answer)

    def _insert_response(self, store: sqlite3.Connection, key: bytes, reply: Response) -> None:
        headers = json.dumps([pair for pair in reply.headers.items() if pair[0].lower() not in UNCACHED_HEADERS])
        now = self._clock.wall()
        row = (key, now, now, len(reply.content), reply.url, reply.status, reply.type, headers)
        store.execute(_INSERT, row)
        store.execute("INSERT OR REPLACE INTO bodies_1 VALUES (?, ?)", (key, reply.content))
        self._evict_oldest(store)

    def _evict_oldest(self, store: sqlite3.Connection) -> None:
        used = store.execute("SELECT sum(size) FROM answers_1").fetchone()[0]
        if used <= self._max_bytes:
            return
        for key, size in store.execute(_OLDEST).fetchall():
            store.execute("DELETE FROM answers_1 WHERE key = ?", (key,))
            used -= size
            if used <= self._max_bytes:
                return

    def _run_transaction(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """What the work gives, as one transaction; None where the file cannot be used."""
        with self._lock:
            try:
                self._connection = self._connection or self._open_database()
                with self._connection:
                    return work(self._connection)
            except (sqlite3.Error, OSError, ValueError) as error:
                self._handle_failure(error)
                return None

    def _open_database(self) -> sqlite3.Connection:
        make_private_folder(self._path.parent)
        make_private_file(self._path)
        # The lock lets one thread use it at a time.
        store = sqlite3.connect(self._path, timeout=LOCK_TIMEOUT, check_same_thread=False)
        try:
            store.execute("PRAGMA journal_mode=WAL")
            # An answer lost in a power cut is asked for again.
            store.execute("PRAGMA synchronous=NORMAL")
            store.execute("PRAGMA foreign_keys=ON")
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

    def _handle_failure(self, error: Exception) -> None:
        """Go on without the cache; set it aside when it is corrupt, not when it is only busy, full or out of reach."""
        log.info("answers are not cached this time: %s: %s", self._path, error)
        if isinstance(error, OSError | sqlite3.OperationalError):
            return
        if self._connection:
            self._connection.close()
            self._connection = None
        # The side files belong to the corrupt one and would spoil its successor.
        for end in ("", "-wal", "-shm"):
            with suppress(OSError):
                Path(f"{self._path}{end}").replace(f"{self._path}{end}.corrupt")


def conditional_headers(reply: Response) -> dict[str, str]:
    """Headers that ask whether a reply still stands (RFC 9110, 13.1)."""
    said = {"If-None-Match": reply.headers.get("ETag"), "If-Modified-Since": reply.headers.get("Last-Modified")}
    return {name: value for name, value in said.items() if value}


def _build_cached_response(
    asked: float, url: str, status: int, kind: str, headers: str, content: bytes
) -> CachedResponse:
    named = httpx2.Headers([(str(name), str(value)) for name, value in json.loads(headers)])
    return CachedResponse(asked, Response(url, status, kind, named, content))
