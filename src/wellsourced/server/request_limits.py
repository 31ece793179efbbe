"""Limits of each token: requests in a minute; answers, calls to language models and their tokens in a day.

The day is counted in a file of home, so that a restarted server goes on counting, and several servers count together.
The file holds a digest of each token, the day and three numbers.
"""

import logging
import math
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from time import monotonic

from starlette.exceptions import HTTPException

from wellsourced.config.settings import QuotaSettings
from wellsourced.errors import SourceUnavailable, WellsourcedError
from wellsourced.events import Emit, Event, ModelCalled
from wellsourced.server import messages
from wellsourced.storage.sqlite_database import connect_private_file, explain_sqlite_errors, sqlite_transaction
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
SET answers = answers + excluded.answers, calls = calls + excluded.calls, tokens = tokens + excluded.tokens
"""


class TokenRate:
    """A bucket for each token: it holds as many requests as a minute allows, and fills evenly.

    per_minute   0: no limit
    """

    def __init__(self, per_minute: int) -> None:
        self.per_minute = per_minute
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
        home: Path | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.limits = limits or QuotaSettings()
        self.path = home / FILE_NAME if home else None
        self._clock = clock

    def admit(self, owner: str, answers: int = 1) -> None:
        """Count answers about to begin, if the day allows them; 0: only look at the calls and tokens.

        Raises HTTPException (429) that says what is used up, and when the next day begins. Work under way may exceed
        the limits, by no more than `budget` allows each question.
        """
        if not self._counts(owner):
            return
        with self._open() as store, sqlite_transaction(store):
            today = self.today()
            store.execute("DELETE FROM quotas_1 WHERE day < ?", (today,))
            used = self._read(store, owner)
            for what, limit in self.limits.model_dump().items():
                more = max(answers, 0) if what == "answers" else 1
                if limit and more and getattr(used, what) + more > limit:
                    raise self._refuse(what, limit)
            store.execute(_ADD, (owner, today, answers, 0, 0))

    def take_back(self, owner: str) -> None:
        """Do not count an answer that was admitted and was not given."""
        if self._counts(owner):
            with self._open() as store:
                store.execute(_ADD, (owner, self.today(), -1, 0, 0))

    def count_calls(self, owner: str, emit: Emit) -> Emit:
        """Wrap `emit` so that calls to language models among the events are counted for this owner; failed ones are
        not."""

        def count(event: Event) -> None:
            if isinstance(event, ModelCalled) and not event.cached and not event.error:
                # An answer is given even where it cannot be counted: the next request says why.
                try:
                    with self._open() as store:
                        used = (0, event.requests, event.tokens_in + event.tokens_out)
                        store.execute(_ADD, (owner, self.today(), *used))
                except WellsourcedError as error:
                    log.warning("a call to a language model is not counted (%s)", error)
            emit(event)

        return count if self._counts(owner) else emit

    def find_use(self, owner: str) -> DailyUse:
        """Return the use of this owner today."""
        if not self._counts(owner) or not self.path or not self.path.exists():
            return DailyUse()
        with self._open() as store:
            return self._read(store, owner)

    def today(self) -> str:
        """The counted day, ISO 8601 in UTC."""
        return self._clock().date().isoformat()

    def find_end(self) -> datetime:
        return datetime.combine(self._clock().date() + timedelta(days=1), time(), UTC)

    def _counts(self, owner: str) -> bool:
        return bool(owner and self.path and any(self.limits.model_dump().values()))

    def _read(self, store: sqlite3.Connection, owner: str) -> DailyUse:
        sql = "SELECT answers, calls, tokens FROM quotas_1 WHERE owner = ? AND day = ?"
        row = store.execute(sql, (owner, self.today())).fetchone()
        return DailyUse(answers=row[0], calls=row[1], tokens=row[2]) if row else DailyUse()

    def _refuse(self, what: str, limit: int) -> HTTPException:
        seconds = max(1, int((self.find_end() - self._clock()).total_seconds()))
        return HTTPException(429, messages.quota_spent(what, limit, seconds), {"retry-after": str(seconds)})

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        assert self.path  # noqa: S101 - of who counts
        with explain_sqlite_errors(self.path, DAMAGE_REMEDY):
            try:
                store = connect_private_file(self.path, LOCK_SECONDS)
            except OSError as error:
                raise SourceUnavailable(messages.USE_NOT_COUNTED.format(path=self.path, reason=error)) from error
            with closing(store):
                store.isolation_level = None
                store.execute(_TABLE)
                yield store
