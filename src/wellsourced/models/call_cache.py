"""Replies of language models, kept in a SQLite file that several processes may share."""

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import NamedTuple, TypeVar

from wellsourced.http.clock import Clock
from wellsourced.models.base import Engine, RenderedPrompt, Reply
from wellsourced.models.prompt_rendering import render_schema
from wellsourced.storage.private_files import make_missing_folders, make_private_file

LOCK_TIMEOUT = 2.0
"""Seconds to wait for another process that is writing."""

USE_NOTE_INTERVAL = 60.0
"""Seconds by which the note of when a reply was last used may be behind."""

ROW_OVERHEAD_BYTES = 100
"""Bytes that a row takes beside its reply, about."""

T = TypeVar("T")

log = logging.getLogger(__name__)

_TABLE = """
CREATE TABLE IF NOT EXISTS calls_1 (
    key BLOB PRIMARY KEY, used REAL NOT NULL, size INTEGER NOT NULL,
    tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, reply TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS calls_1_used ON calls_1 (used, size);
"""
"""The index holds all that is asked when room is made, so that no reply is read for it."""


class CachedReply(NamedTuple):
    """A reply as JSON, and the tokens that it took when it was had."""

    reply: str
    tokens_in: int
    tokens_out: int


class CallCache:
    """A cache is never a reason to fail: a corrupt file is thrown away, and where the file can not be read or written
    the model is asked as if there were none. Of a prompt nothing is stored but its hash.

    path          of the file, which its owner alone may read; made when something is first kept
    limit_bytes   of all replies; those used longest ago go first, and one that would take an eighth of it is not kept
    """

    def __init__(
        self, path: Path, limit_bytes: int, clock: Clock | None = None, *, patience: float = LOCK_TIMEOUT
    ) -> None:
        self.path = path
        self._lock_timeout = patience
        self._max_bytes = limit_bytes
        self._clock = clock or Clock()
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None

    async def find(self, key: bytes) -> CachedReply | None:
        """What was replied before."""
        if self._connection is None and not self.path.exists():
            return None
        return await asyncio.to_thread(self._run_transaction, lambda store: self._read_reply(store, key))

    async def store(self, key: bytes, kept: CachedReply) -> None:
        """This was replied just now."""
        size = len(kept.reply.encode()) + ROW_OVERHEAD_BYTES
        if size <= self._max_bytes // 8:
            row = (key, self._clock.wall(), size, kept.tokens_in, kept.tokens_out, kept.reply)
            await asyncio.to_thread(self._run_transaction, lambda store: self._insert_reply(store, row))

    async def delete(self, key: bytes) -> None:
        """What was kept under this key is no reply."""
        await asyncio.to_thread(
            self._run_transaction, lambda store: store.execute("DELETE FROM calls_1 WHERE key = ?", (key,)).rowcount
        )

    async def close(self) -> None:
        """Let go of the file."""
        await asyncio.to_thread(self._close_connection)

    def _read_reply(self, store: sqlite3.Connection, key: bytes) -> CachedReply | None:
        found = store.execute("SELECT used, reply, tokens_in, tokens_out FROM calls_1 WHERE key = ?", (key,))
        row = found.fetchone()
        if row is None:
            return None
        # Reading waits for nobody, writing does: that it was used is noted only now and then.
        if (now := self._clock.wall()) - row[0] > USE_NOTE_INTERVAL:
            with suppress(sqlite3.OperationalError):
                store.execute("UPDATE calls_1 SET used = ? WHERE key = ?", (now, key))
        return CachedReply(*row[1:])

    def _insert_reply(self, store: sqlite3.Connection, row: tuple[bytes, float, int, int, int, str]) -> None:
        store.execute("INSERT OR REPLACE INTO calls_1 VALUES (?, ?, ?, ?, ?, ?)", row)
        used = store.execute("SELECT sum(size) FROM calls_1").fetchone()[0]
        oldest = store.execute("SELECT rowid, size FROM calls_1 ORDER BY used, rowid") if used > self._max_bytes else ()
        for number, size in list(oldest):
            if used <= self._max_bytes:
                return
            store.execute("DELETE FROM calls_1 WHERE rowid = ?", (number,))
            used -= size

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
        make_missing_folders(self.path.parent)
        make_private_file(self.path)
        # The lock lets one thread use it at a time.
        store = sqlite3.connect(self.path, timeout=self._lock_timeout, check_same_thread=False)
        try:
            store.execute("PRAGMA journal_mode=WAL")
            # A reply lost in a power cut is asked for again.
            store.execute("PRAGMA synchronous=NORMAL")
            store.executescript(_TABLE)
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
        """Go on without the cache; throw it away when it is corrupt, not when it is only busy, full or out of reach."""
        if isinstance(error, OSError | sqlite3.OperationalError):
            log.info("replies of models are not cached this time: %s: %s", self.path, error)
            return
        log.warning("the cache of models' replies is corrupt and is thrown away: %s: %s", self.path, error)
        if self._connection:
            self._connection.close()
            self._connection = None
        # The side files belong to the corrupt one and would spoil its successor.
        for end in ("", "-wal", "-shm"):
            with suppress(OSError):
                Path(f"{self.path}{end}").unlink()


def build_call_key(engine: Engine, wording: RenderedPrompt, reply: type[Reply]) -> bytes:
    """What makes a call the same call: who is asked, with which settings, what, and for which form of reply."""
    parts = (engine.name, engine.settings, wording.instruction, wording.material, render_schema(reply))
    return sha256(b"".join(sha256(part.encode("utf-8", "surrogatepass")).digest() for part in parts)).digest()
