"""Work that goes on while whoever asked for it is away: runs of pages, jobs of programs, and what has happened in them
so far.

They are in memory, belong to whoever began them, and are gone with the server; what is kept is in `wellsourced.runs`.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from time import monotonic
from typing import Any, Literal, NamedTuple

from starlette.exceptions import HTTPException

from wellsourced.events import Emit, Event
from wellsourced.presentation.progress import describe_event
from wellsourced.server import messages
from wellsourced.server.pages import messages as page_messages
from wellsourced.server.request_limits import Quotas

MAX_RUNS_PER_OWNER = 50
"""Runs that are kept for one token, or for this machine; the oldest that is finished goes first."""

MAX_RUNS = 1_000
"""Of all owners together: a page holds up to a megabyte."""

RunKind = Literal["question", "text", "order", "retractions", "files"]
RunState = Literal["working", "finished", "failed", "stopped"]


class RunOrigin(NamedTuple):
    """How a run came to be asked; "" for what does not apply.

    patient         the text of the patient whom it is about, which is nowhere else
    follows         the id of the run after which it was asked
    compared_with   the id of the run whose question it asks again
    """

    patient: str = ""
    follows: str = ""
    compared_with: str = ""


NO_ORIGIN = RunOrigin()


@dataclass(eq=False)
class LiveRun:
    """A piece of work that a page asked for.

    id       nobody can guess it
    owner    who may see it: "" for whoever is on this machine
    title    what was asked, in a line
    events   what happened, in order
    result   of a finished run; `problem`: why a failed one failed, in a sentence
    kept     the id under which it is on the disk, "" where it is not; `not_kept`: why not, in a sentence
    origin   how it came to be asked
    """

    id: str
    owner: str
    kind: RunKind
    title: str
    begun: datetime
    events: list[Event] = field(default_factory=list)
    state: RunState = "working"
    result: object = None
    problem: str = ""
    kept: str = ""
    not_kept: str = ""
    origin: RunOrigin = NO_ORIGIN
    task: "asyncio.Task[object] | None" = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def follow(self, after: int) -> AsyncIterator[tuple[int, Event]]:
        """The events with their places, from the place `after` on, until the run has ended."""
        while True:
            # Taken before the events are read: what happens meanwhile replaces it, and the wait below is skipped.
            changed = self.changed
            for place, event in enumerate(self.events[after:], start=after + 1):
                yield place, event
                after = place
            if self.state != "working" and after >= len(self.events):
                return
            if changed is self.changed:
                await changed.wait()

    def tell(self) -> None:
        """Wake whoever follows."""
        before, self.changed = self.changed, asyncio.Event()
        before.set()


class LiveRuns:
    """All runs of this server; each counts in the day of who begins it."""

    def __init__(self, quotas: Quotas | None = None) -> None:
        self._runs: dict[str, LiveRun] = {}
        self._quotas = quotas or Quotas()

    def start(
        self,
        owner: str,
        kind: RunKind,
        title: str,
        work: Callable[[Emit], Coroutine[object, object, object]],
        origin: RunOrigin = NO_ORIGIN,
    ) -> LiveRun:
        """Begin a run; the oldest finished ones make room. Raises HTTPException (429) where the day is used up."""
        # First the quota: a run that is not admitted must not push out another.
        self._quotas.admit(owner)
        self._make_room(owner)
        run = LiveRun(secrets.token_urlsafe(16), owner, kind, title, datetime.now(UTC), origin=origin)
        loop = asyncio.get_running_loop()

        def record(event: Event) -> None:
            run.events.append(event)
            run.tell()

        def emit(event: Event) -> None:
            # Steps work in other threads, and only the loop may touch what readers wait for.
            loop.call_soon_threadsafe(record, event)

        run.task = asyncio.create_task(work(self._quotas.count_calls(owner, emit)))
        run.task.add_done_callback(lambda task: _note_end(run, task))
        self._runs[run.id] = run
        return run

    def find(self, id: str, owner: str) -> LiveRun | None:
        """A run of this owner; None for an unknown one, and for somebody else's."""
        run = self._runs.get(id)
        # Somebody else's run is told as none: its id must not be confirmed.
        return run if run and run.owner == owner else None

    def list_of(self, owner: str) -> list[LiveRun]:
        """The runs of this owner, the newest first."""
        return [run for run in reversed(self._runs.values()) if run.owner == owner]

    def delete(self, run: LiveRun) -> None:
        """Forget a run; what is in work is stopped."""
        stop(run)
        self._runs.pop(run.id, None)

    def _make_room(self, owner: str) -> None:
        own = self.list_of(owner)
        crowded = own if len(own) >= MAX_RUNS_PER_OWNER else []
        crowded = crowded or (list(reversed(self._runs.values())) if len(self._runs) >= MAX_RUNS else [])
        if crowded:
            # Where all are in work, the oldest is stopped: who opens fifty at once does not read it.
            self.delete(next((run for run in reversed(crowded) if run.state != "working"), crowded[-1]))


def stop(run: LiveRun) -> None:
    """End the work of a run."""
    if run.task and not run.task.done():
        run.task.cancel()


def _note_end(run: LiveRun, task: "asyncio.Task[object]") -> None:
    """Note how the work ended; nothing of it is lost in a traceback, and nothing that was typed is repeated."""
    error = None if task.cancelled() else task.exception()
    if task.cancelled():
        run.state = "stopped"
    elif error is None:
        run.state, run.result = "finished", task.result()
    else:
        run.state, run.problem = "failed", page_messages.describe_failure(error)
    # Events that other threads have sent come before the end.
    asyncio.get_running_loop().call_soon(run.tell)


# Jobs: the work of requests that bring an Idempotency-Key. It is done once, goes on when the connection breaks, and
# can be looked at and stopped by its key.
#
# They are in memory alone, belong to whoever began them, and are gone after an hour and with the server.


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
                raise HTTPException(409, messages.JOB_STOPPED) from None
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
            raise HTTPException(422, messages.KEY_REUSED)
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
            raise HTTPException(404, messages.NO_JOB)
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
