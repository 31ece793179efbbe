"""Jobs: the work of requests that bring an Idempotency-Key. It is done once, goes on when the connection breaks, and
can be looked at and stopped by its key.

They are in memory alone, belong to whoever began them, and are gone after an hour and with the server.
"""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from time import monotonic
from typing import Any, Literal

from starlette.exceptions import HTTPException

from wellsourced.events import Emit, Event
from wellsourced.server.pages.steps import describe_event

KEPT_SECONDS = 3_600.0

MAX_JOBS_PER_OWNER = 64
"""Jobs that are kept for one token, or for this machine; the oldest that has ended goes first."""

MAX_JOBS = 1_000
"""Of all owners together."""

JobState = Literal["working", "finished", "failed", "stopped"]


@dataclass(eq=False)
class Job:
    """A piece of work.

    path    of the request that began it; `digest`: of what was asked, with the path
    begun   when, and `begun_at` in seconds of the monotonic clock
    steps   what has happened so far, a sentence each
    """

    key: str
    path: str
    digest: str
    task: "asyncio.Task[Any]"
    begun: datetime = field(default_factory=lambda: datetime.now(UTC))
    begun_at: float = field(default_factory=monotonic)
    steps: list[str] = field(default_factory=list)

    @property
    def state(self) -> JobState:
        """Whether it is in work, and else how it ended."""
        if not self.task.done():
            return "working"
        if self.task.cancelled():
            return "stopped"
        return "failed" if self.task.exception() else "finished"

    async def wait(self) -> Any:
        """What it comes to, or raises. Who stops waiting does not stop it. Raises HTTPException (409) when it is
        stopped."""
        try:
            # The connection may break while the work goes on: who asks again with the same key gets what it came to.
            return await asyncio.shield(self.task)
        except asyncio.CancelledError:
            if self.task.cancelled():
                raise HTTPException(409, "This job was stopped: send the request again to begin it anew.") from None
            raise


class Jobs:
    """The jobs of this server, by owner and key."""

    def __init__(self) -> None:
        self._jobs: dict[tuple[str, str], Job] = {}

    def find_same(self, owner: str, key: str, path: str, asked: str) -> Job | None:
        """The job that was begun with this key; None for none, and for one that failed, which is done anew.

        Raises HTTPException (422) for a key that came with another request.
        """
        self._forget_old()
        known = self._jobs.get((owner, key))
        # A failure may have passed: kept under its key it could never be tried again.
        if known is None or known.state in ("failed", "stopped"):
            return None
        # Another request with an old key would be given an answer to a question that it did not ask.
        if known.digest != _digest(path, asked):
            raise HTTPException(422, "This Idempotency-Key came with another request before: send a new one.")
        return known

    def begin(
        self, owner: str, key: str, path: str, asked: str, work: Callable[[Emit], Coroutine[object, object, object]]
    ) -> Job:
        """Begin a job; where there are too many, the oldest is forgotten, and stopped if all are in work."""
        self._make_room(owner)
        steps: list[str] = []

        def emit(event: Event) -> None:
            if step := describe_event(event):
                steps.append(step.text)

        job = Job(key, path, _digest(path, asked), asyncio.ensure_future(work(emit)), steps=steps)
        # A job that failed before under this key makes room for the new one, at the end.
        self._jobs.pop((owner, key), None)
        self._jobs[owner, key] = job
        return job

    def find(self, owner: str, key: str) -> Job:
        """A job of this owner. Raises HTTPException (404) for none, and for somebody else's."""
        self._forget_old()
        job = self._jobs.get((owner, key))
        if job is None:
            raise HTTPException(404, "There is no job of this key: none was begun with it in the last hour.")
        return job

    def list_of(self, owner: str) -> list[Job]:
        """The jobs of this owner, the newest first."""
        self._forget_old()
        return [job for (of, _), job in reversed(self._jobs.items()) if of == owner]

    def stop(self, owner: str, key: str) -> None:
        """Stop a job that is in work, and forget it with what came of it. Raises as `find` does."""
        self.find(owner, key)
        self._forget((owner, key))

    def _forget_old(self) -> None:
        now = monotonic()
        for of in [of for of, job in self._jobs.items() if now - job.begun_at >= KEPT_SECONDS]:
            self._forget(of)

    def _make_room(self, owner: str) -> None:
        self._forget_old()
        own = [of for of in self._jobs if of[0] == owner]
        crowded = own if len(own) >= MAX_JOBS_PER_OWNER else []
        crowded = crowded or (list(self._jobs) if len(self._jobs) >= MAX_JOBS else [])
        if crowded:
            # One that has ended is lost more cheaply than one whose work is stopped.
            self._forget(next((of for of in crowded if self._jobs[of].task.done()), crowded[0]))

    def _forget(self, of: tuple[str, str]) -> None:
        self._jobs.pop(of).task.cancel()


def _digest(path: str, asked: str) -> str:
    return sha256(f"{path} {asked}".encode()).hexdigest()
