"""Requests that are sent again with the same Idempotency-Key: the work is done once, and its result given each time."""

import asyncio
from collections.abc import Coroutine
from hashlib import sha256
from time import monotonic
from typing import Any, NamedTuple

from starlette.exceptions import HTTPException

KEPT_SECONDS = 3_600.0
MAX_KEPT = 256
MAX_KEY_LENGTH = 200


class _Begun(NamedTuple):
    """What was asked, as a digest, and the work on it."""

    asked: str
    work: "asyncio.Task[Any]"
    at: float


class RepeatedRequests:
    """The work of requests that brought a key, for an hour; in memory, and by owner."""

    def __init__(self) -> None:
        self._begun: dict[tuple[str, str], _Begun] = {}

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
        begun = _Begun(digest, asyncio.ensure_future(work), now)
        self._begun[owner, key] = begun
        return begun.work

    def _make_room(self, now: float) -> None:
        old = [key for key, one in self._begun.items() if now - one.at >= KEPT_SECONDS]
        for key in old or list(self._begun)[: max(0, len(self._begun) - MAX_KEPT + 1)]:
            self._begun.pop(key).work.cancel()


def _has_failed(work: "asyncio.Task[Any]") -> bool:
    return work.done() and (work.cancelled() or work.exception() is not None)
