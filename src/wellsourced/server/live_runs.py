"""Runs that were begun from a page: work that goes on while its page is away, and what has happened in it so far.

They are in memory, belong to whoever began them, and are gone with the server; what is kept is in `wellsourced.runs`.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from wellsourced.errors import WellsourcedError
from wellsourced.events import Emit, Event
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
        told = f"Something went wrong that should not ({type(error).__name__})."
        run.state, run.problem = "failed", str(error) if isinstance(error, WellsourcedError) else told
    # Events that other threads have sent come before the end.
    asyncio.get_running_loop().call_soon(run.tell)
