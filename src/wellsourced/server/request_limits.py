"""Limits of each token: requests in a minute; answers, calls to language models and their tokens in a day.

The day is counted in a file of home, so that a restarted server goes on counting, and several servers count together;
on PostgreSQL those of several hosts, the requests of a minute as well. What is kept of a token is its digest.
"""

import logging
import math
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from time import monotonic

from starlette.exceptions import HTTPException

from wellsourced.config.settings import QuotaSettings
from wellsourced.errors import WellsourcedError
from wellsourced.events import Emit, Event, ModelCalled
from wellsourced.server import messages
from wellsourced.storage.sqlite_database import connect_private_file
from wellsourced.storage.state_database import SqliteState, StateConnection, StateDatabase
from wellsourced.types import Value

FILE_NAME = "quotas.sqlite3"

LOCK_SECONDS = 1.0
"""How long to wait for another process that counts: no request is answered meanwhile."""

DAMAGE_REMEDY = "Delete it: today's use is counted from 0 again."

log = logging.getLogger(__name__)

_TABLE = """
CREATE TABLE IF NOT EXISTS quotas_1 (
    owner TEXT NOT NULL, day TEXT NOT NULL, answers INTEGER NOT NULL, calls INTEGER NOT NULL, tokens INTEGER NOT NULL,
    PRIMARY KEY (owner, day)
)
"""
_ADD = """
INSERT INTO quotas_1 (owner, day, answers, calls, tokens) VALUES (?, ?, ?, ?, ?) ON CONFLICT (owner, day) DO UPDATE
SET answers = quotas_1.answers + excluded.answers, calls = quotas_1.calls + excluded.calls,
    tokens = quotas_1.tokens + excluded.tokens
"""

_POSTGRES = (
    _TABLE.replace("calls INTEGER", "calls BIGINT").replace("tokens INTEGER", "tokens BIGINT")
    + "; CREATE TABLE rates_1 (owner TEXT PRIMARY KEY, full_at TIMESTAMPTZ NOT NULL)",
)
"""The same on PostgreSQL, and buckets: `full_at` is when one will be full again, by the clock of the database."""

_TAKE = """
INSERT INTO rates_1 VALUES (?, clock_timestamp() + make_interval(secs => ?)) ON CONFLICT (owner) DO UPDATE
SET full_at = greatest(rates_1.full_at, clock_timestamp()) + make_interval(secs => ?)
WHERE rates_1.full_at + make_interval(secs => ?) <= clock_timestamp() + interval '60 s' RETURNING 0
"""
_WAIT = "SELECT extract(epoch FROM full_at - clock_timestamp()) FROM rates_1 WHERE owner = ?"


def open_use_tables(home: Path | None, url: str = "") -> StateDatabase | None:
    """Where the use of tokens is counted: on PostgreSQL where there is an address, else in a file of home."""
    if url:
        from wellsourced.storage.postgres import PostgresState

        return PostgresState(url, "limits", _POSTGRES)
    return SqliteState(home / FILE_NAME, _connect_file, DAMAGE_REMEDY) if home else None


def _connect_file(path: Path) -> sqlite3.Connection:
    store = connect_private_file(path, LOCK_SECONDS)
    try:
        store.isolation_level = None
        store.execute(_TABLE)
    except BaseException:
        store.close()
        raise
    return store


class TokenRate:
    """A bucket for each token: it holds as many requests as a minute allows, and fills evenly.

    per_minute   0: no limit
    shared       holds the buckets of several hosts; None, and where it cannot be reached: the memory of this server
    """

    def __init__(self, per_minute: int, shared: StateDatabase | None = None) -> None:
        self.per_minute, self.shared = per_minute, shared
        self._buckets: dict[str, tuple[float, float]] = {}

    def take(self, token: str, now: float | None = None) -> int:
        """Take a request from the bucket; 0, or the seconds until it holds one again."""
        if not self.per_minute:
            return 0
        now = monotonic() if now is None else now
        left, at = self._buckets.get(token, (float(self.per_minute), now))
        left = min(self.per_minute, left + (now - at) * self.per_minute / 60)
        if left < 1:
            self._buckets[token] = (left, now)
            return math.ceil((1 - left) * 60 / self.per_minute)
        self._buckets[token] = (left - 1, now)
        return 0

    def take_shared(self, owner: str) -> int:
        """The same for all hosts together."""
        if not self.per_minute or self.shared is None:
            return self.take(owner)
        step = 60 / self.per_minute
        try:
            with self.shared.open() as store:
                if store.execute(_TAKE, (owner, step, step, step)).fetchone():
                    return 0
                return math.ceil(float(store.execute(_WAIT, (owner,)).fetchone()[0]) + step - 60) or 1
        except WellsourcedError as error:
            log.warning("requests are counted here alone (%s)", error)
            return self.take(owner)


class DailyUse(Value):
    """Answers, calls and tokens of a day so far."""

    answers: int = 0
    calls: int = 0
    tokens: int = 0


class Quotas:
    """Counts for each token. Requests without one, from this machine, are not counted; without a limit nothing is
    stored.

    Raises SourceUnavailable where the file cannot be written, SourceRefused where it is damaged.
    """

    def __init__(
        self,
        limits: QuotaSettings | None = None,
        database: StateDatabase | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        self.limits, self.database = limits or QuotaSettings(), database
        self._clock = clock or (database.read_clock if database else lambda: datetime.now(UTC))

    def admit(self, owner: str, answers: int = 1) -> None:
        """Count answers about to begin, if the day allows them; 0: only look at the calls and tokens.

        Raises HTTPException (429) that says what is used up, and when the next day begins. Work under way may exceed
        the limits, by no more than `budget` allows each question.
        """
        if (database := self._find_database(owner)) is None:
            return
        today = self.today()
        with database.open() as store, database.transaction(store):
            store.execute("DELETE FROM quotas_1 WHERE day < ?", (today,))
            used = _read_use(store, owner, today)
            for what, limit in self.limits.model_dump().items():
                more = max(answers, 0) if what == "answers" else 1
                if limit and more and getattr(used, what) + more > limit:
                    raise self._refuse(what, limit)
            store.execute(_ADD, (owner, today, answers, 0, 0))

    def take_back(self, owner: str) -> None:
        """Do not count an answer that was admitted and was not given."""
        if database := self._find_database(owner):
            today = self.today()
            with database.open() as store:
                store.execute(_ADD, (owner, today, -1, 0, 0))

    def count_calls(self, owner: str, emit: Emit) -> Emit:
        """Wrap `emit` so that calls to language models among the events are counted for this owner; failed ones are
        not."""

        database = self._find_database(owner)

        def count(event: Event) -> None:
            if database and isinstance(event, ModelCalled) and not event.cached and not event.error:
                # An answer is given even where it cannot be counted: the next request says why.
                try:
                    today, used = self.today(), (0, event.requests, event.tokens_in + event.tokens_out)
                    with database.open() as store:
                        store.execute(_ADD, (owner, today, *used))
                except WellsourcedError as error:
                    log.warning("a call to a language model is not counted (%s)", error)
            emit(event)

        return count if database else emit

    def find_use(self, owner: str) -> DailyUse:
        """Return the use of this owner today."""
        database = self._find_database(owner)
        if database is None or not database.exists():
            return DailyUse()
        today = self.today()
        with database.open() as store:
            return _read_use(store, owner, today)

    def today(self) -> str:
        """The counted day, ISO 8601 in UTC."""
        return self._clock().date().isoformat()

    def find_end(self) -> datetime:
        return datetime.combine(self._clock().date() + timedelta(days=1), time(), UTC)

    def _find_database(self, owner: str) -> StateDatabase | None:
        """Where this owner is counted; None: nowhere."""
        return self.database if owner and any(self.limits.model_dump().values()) else None

    def _refuse(self, what: str, limit: int) -> HTTPException:
        seconds = max(1, int((self.find_end() - self._clock()).total_seconds()))
        return HTTPException(429, messages.quota_spent(what, limit, seconds), {"retry-after": str(seconds)})


def _read_use(store: StateConnection, owner: str, day: str) -> DailyUse:
    sql = "SELECT answers, calls, tokens FROM quotas_1 WHERE owner = ? AND day = ?"
    row = store.execute(sql, (owner, day)).fetchone()
    return DailyUse(answers=row[0], calls=row[1], tokens=row[2]) if row else DailyUse()
