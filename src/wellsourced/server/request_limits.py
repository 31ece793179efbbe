"""What is asked again is done once (Idempotency-Key), and nobody asks more often than is allowed."""

import asyncio
import math
from collections.abc import Coroutine
from hashlib import sha256
from time import monotonic
from typing import Any, NamedTuple

from starlette.exceptions import HTTPException

KEPT_SECONDS = 3_600.0
MAX_KEPT = 256
MAX_KEY_LENGTH = 200


class _KeyedWork(NamedTuple):
    """What was asked, as a digest, and the work on it."""

    asked: str
    work: "asyncio.Task[Any]"
    at: float


class RepeatedRequests:
    """The work of requests that brought a key, for an hour; in memory, and by owner."""

    def __init__(self) -> None:
        self._begun: dict[tuple[str, str], _KeyedWork] = {}

    def begin_once(
        self, owner: str, key: str, asked: str, work: Coroutine[object, object, object]
    ) -> "asyncio.Task[Any]":
        """The work of this key, which is begun unless it was before. It goes on when whoever asked is gone.

        Raises HTTPException (422) for a key that came with another request. Work that failed is done anew.
        """
        digest, now = sha256(asked.encode()).hexdigest(), monotonic()
        known = self._begun.get((owner, key))
        if known and now - known.at < KEPT_SECONDS and not _has_failed(known.work):
            work.close()
            if known.asked != digest:
                raise HTTPException(422, "This Idempotency-Key came with another request before: send a new one.")
            return known.work
        self._make_room(now)
        begun = _KeyedWork(digest, asyncio.ensure_future(work), now)
        self._begun[owner, key] = begun
        return begun.work

    def _make_room(self, now: float) -> None:
        old = [key for key, one in self._begun.items() if now - one.at >= KEPT_SECONDS]
        for key in old or list(self._begun)[: max(0, len(self._begun) - MAX_KEPT + 1)]:
            self._begun.pop(key).work.cancel()


def _has_failed(work: "asyncio.Task[Any]") -> bool:
    return work.done() and (work.cancelled() or work.exception() is not None)


class TokenRate:
    """A bucket for each token: it holds as many requests as a minute allows, and fills evenly.

    per_minute   0: no limit
    """

    def __init__(self, per_minute: int) -> None:
        self.per_minute = per_minute
        self._buckets: dict[str, tuple[float, float]] = {}

    def take(self, token: str, now: float | None = None) -> int:
        """Take a request from the bucket; 0, or after how many seconds there is one again."""
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
