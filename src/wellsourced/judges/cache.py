"""A cache of verdicts on disk: the same claim and text are judged once, whatever the question and the process."""

import asyncio
import logging
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path

from wellsourced.judges.base import Judge, Pair
from wellsourced.storage.private_files import make_missing_folders, make_private_file
from wellsourced.types import Verdict

MAX_ROWS = 200_000
"""Verdicts kept, about 50 MB; the oldest go first."""

LOCK_TIMEOUT = 2.0
"""Seconds to wait for another process that is writing."""

log = logging.getLogger(__name__)

_TABLE = """
CREATE TABLE IF NOT EXISTS verdicts_2 (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    pair BLOB NOT NULL UNIQUE,
    label TEXT NOT NULL,
    score REAL NOT NULL,
    reason TEXT NOT NULL,
    quote TEXT NOT NULL
)
"""
"""`pair` is the sha256 over the judge's name, the sha256 of the claim and the sha256 of the text: of a text only the
words that decided a verdict are stored."""

_DROP_OLD_TABLE = "DROP TABLE IF EXISTS verdicts_1"
"""Of the versions that kept no quotes: its verdicts are judged again."""

_INSERT = "INSERT OR IGNORE INTO verdicts_2 (pair, label, score, reason, quote) VALUES (?, ?, ?, ?, ?)"
_FIND = "SELECT label, score, reason, quote FROM verdicts_2 WHERE pair = ?"
_DELETE_OLDEST = "DELETE FROM verdicts_2 WHERE number <= (SELECT max(number) FROM verdicts_2) - ?"


class CachedJudge:
    """Another judge's verdicts, kept in a SQLite file that several processes, and all judges, may share.

    What was not judged (`unjudged`) is not kept: it is asked again. A cache is never a reason to fail: a corrupt file
    is set aside under the name `….corrupt`, and where the file can not be read or written the judge is asked as if
    there were none.

    rows   verdicts kept at most
    """

    def __init__(self, judge: Judge, path: Path, rows: int = MAX_ROWS) -> None:
        self.judge_behind = judge
        self.path = path
        self.rows = rows
        self.lock_timeout = LOCK_TIMEOUT

    @property
    def name(self) -> str:
        """The name of the judge behind: the verdicts are its own."""
        return self.judge_behind.name

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """One verdict for each pair, in order; the judge behind is asked once, and only for what is not known."""
        keys = {pair: _pair_key(self.name, pair) for pair in pairs}
        known = await asyncio.to_thread(self._load_verdicts, keys)
        missing = [pair for pair in keys if pair not in known]
        if missing:
            new = dict(zip(missing, await self.judge_behind.judge(missing), strict=True))
            await asyncio.to_thread(self._store_verdicts, [(keys[pair], verdict) for pair, verdict in new.items()])
            known |= new
        return [known[pair] for pair in pairs]

    def _load_verdicts(self, keys: dict[Pair, bytes]) -> dict[Pair, Verdict]:
        try:
            with closing(self._connect()) as store:
                found = {pair: _find_verdict(store, key) for pair, key in keys.items()}
        except (sqlite3.Error, OSError, ValueError) as error:
            self._handle_failure(error)
            return {}
        return {pair: verdict for pair, verdict in found.items() if verdict}

    def _store_verdicts(self, verdicts: Sequence[tuple[bytes, Verdict]]) -> None:
        rows = [
            (key, verdict.label, verdict.score, verdict.reason, verdict.quote)
            for key, verdict in verdicts
            if verdict.label != "unjudged"
        ]
        try:
            with closing(self._connect()) as store, store:
                store.executemany(_INSERT, rows)
                store.execute(_DELETE_OLDEST, (self.rows,))
        except (sqlite3.Error, OSError) as error:
            self._handle_failure(error)

    def _connect(self) -> sqlite3.Connection:
        """A connection for one call: it belongs to the thread that opened it."""
        make_missing_folders(self.path.parent)
        make_private_file(self.path)
        store = sqlite3.connect(self.path, timeout=self.lock_timeout)
        try:
            store.execute("PRAGMA journal_mode=WAL")
            # A verdict lost in a power cut is judged again.
            store.execute("PRAGMA synchronous=NORMAL")
            store.execute(_DROP_OLD_TABLE)
            store.execute(_TABLE)
        except BaseException:
            store.close()
            raise
        return store

    def _handle_failure(self, error: Exception) -> None:
        """Go on without the cache; set it aside when it is corrupt, not when it is only busy, full or out of reach."""
        log.info("verdicts are not cached this time: %s: %s", self.path, error)
        if isinstance(error, OSError | sqlite3.OperationalError):
            return
        # The side files belong to the corrupt one and would spoil its successor.
        for end in ("", "-wal", "-shm"):
            with suppress(OSError):
                Path(f"{self.path}{end}").replace(f"{self.path}{end}.corrupt")


def _find_verdict(store: sqlite3.Connection, key: bytes) -> Verdict | None:
    row = store.execute(_FIND, (key,)).fetchone()
    return Verdict(label=row[0], score=row[1], reason=row[2], quote=row[3]) if row else None


def _pair_key(name: str, pair: Pair) -> bytes:
    parts = (name, pair.claim, pair.text)
    return sha256(b"".join(sha256(part.encode("utf-8", "surrogatepass")).digest() for part in parts)).digest()
