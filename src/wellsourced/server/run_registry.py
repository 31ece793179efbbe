"""The runs of a server: work that goes on while whoever asked for it is away, and jobs, which are done once."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from time import monotonic
from typing import Any
from weakref import WeakSet

from wellsourced.errors import NotFoundError, RunStopped
from wellsourced.runs.history import JOB_AGE, RunHistory
from wellsourced.runs.live import Describe, LiveRun, RunRecorder, Work
from wellsourced.runs.table import ID_LENGTH, INTERRUPTED, RunLine
from wellsourced.types import Answer

MAX_RUNS_PER_OWNER, MAX_JOBS_PER_OWNER = 50, 64
"""Runs that are in memory for one token, or for this machine; the oldest that has ended goes first."""

MAX_RUNS = 1_000
"""Of all owners together: a page holds up to a megabyte."""


class JobInterrupted(Exception):
    """The server that worked on a job is gone, or could not do it."""


class JobHeldElsewhere(Exception):
    """A job is done, and its result may be in the memory of the server alone that did it."""


class LiveRuns:
    """The runs that this server works on or holds, and those of the other processes with the same history.

    Jobs are runs with an Idempotency-Key. Each is done once, goes on when the connection breaks, is looked at and
    stopped by its key, and is forgotten after an hour. A key may name a patient: what is written is its seal, made with
    the token that it came with. Without a token nothing of it is, and the job is forgotten with the server.

    history   None: nothing is written down
    """

    def __init__(self, history: RunHistory | None, describe: Describe) -> None:
        self.history = history
        self.recorder = RunRecorder(history, describe)
        self._runs: dict[str, LiveRun] = {}
        # All that work here, also those that end with their request.
        self.known: WeakSet[LiveRun] = WeakSet()

    def start(self, run: LiveRun, work: Work[object]) -> LiveRun:
        """Begin a run that goes on by itself, a job in place of one that failed under its key; the oldest that have
        ended make room."""
        if known := self.find_held_job(run.owner, run.key):
            self.forget(known)
        self._make_room(run)
        self.known.add(run)
        run.is_held = True
        run.task = asyncio.ensure_future(run.perform(work))
        run.task.add_done_callback(lambda task: _note_end(run, task))
        self._runs[run.id] = run
        return run

    def find(self, id: str, owner: str) -> LiveRun | None:
        """A run of this owner; None for an unknown one, and for somebody else's, whose id must not be confirmed."""
        here = (run for key, run in list(self._runs.items()) if len(id) >= ID_LENGTH and key.startswith(id))
        if run := next(here, None):
            return run if run.owner == owner else None
        return self._read(id, owner, self.history) if id and self.history else None

    def _read(self, id: str, owner: str, history: RunHistory) -> LiveRun | None:
        try:
            line, steps = history.read_steps(id, owner)
            result = history.load(line.id, owner) if line.recorded else None
        except NotFoundError:
            return None
        run = LiveRun(line.kind, line.title, self.recorder, owner, line.surface, id=line.id, is_elsewhere=True)
        run.begun, run.steps = datetime.fromisoformat(line.begun), [step for _, step in steps]
        run.state, run.problem, run.result, run.kept = line.state, line.problem, result, bool(result)
        return run

    async def wait(self, job: LiveRun) -> Any:
        """What a job comes to, on whichever server. Raises as the work does, RunStopped where its owner stopped it,
        JobInterrupted where its server is gone, JobHeldElsewhere."""
        if not job.is_elsewhere or self.history is None:
            return await job.wait()
        async for _ in job.follow(len(job.steps)):
            pass
        ended = await asyncio.to_thread(self._read, job.id, job.owner, self.history)
        if ended is None or ended.state == "failed" or ended.problem == INTERRUPTED:
            raise JobInterrupted
        if ended.state == "stopped":
            raise RunStopped
        if ended.result is None:
            raise JobHeldElsewhere
        return ended.result

    def list_of(self, owner: str) -> list[LiveRun]:
        """The runs of this owner in memory, the newest first."""
        # By a clock that nobody sets: one that jumps must not end what works.
        oldest = monotonic() - JOB_AGE.total_seconds()
        for run in [run for run in self._runs.values() if run.key and run.started <= oldest]:
            self.forget(run)
        return [run for run in reversed(self._runs.values()) if run.owner == owner]

    def list_lines(self, owner: str, skip: int, limit: int, words: Sequence[str] = ()) -> list[RunLine]:
        """The runs of this owner in memory and on the disk, the newest first; those in memory with their words.

        words   only those in whose question or answer all of these are
        """
        here = {run.id: run for run in self.list_of(owner)}
        # On the disk nothing is of what was just begun, could not be written or, of a search, may not be.
        unwritten = {run.id: run for run in here.values() if run.is_working or run.fault or (words and not run.kept)}
        lines = self.history.list_runs_of(owner, limit=limit, skip=skip, words=words) if self.history else []
        there = {line.id for line in lines}
        found = here if not self.history else {id: run for id, run in unwritten.items() if id not in there}
        first = [run.line for run in found.values() if all(word.casefold() in _list_words(run) for word in words)]
        if not self.history:
            return first[skip:][:limit]
        shown = [here[line.id].line._replace(recorded=line.recorded) if line.id in here else line for line in lines]
        return [*([] if skip else first), *shown]

    def delete(self, run: LiveRun) -> None:
        """Stop a run, and delete all of it, here and on the disk."""
        self.forget(run)
        # One that is in memory only is not there.
        with suppress(NotFoundError):
            if self.history:
                self.history.delete(run.id, run.owner)

    def find_job(self, owner: str, key: str, sealed: str = "") -> LiveRun | None:
        """A job of this owner, here or on another server; None for none, and for somebody else's."""
        if job := self.find_held_job(owner, key):
            return job
        return next(iter(self._read_jobs(owner, key, sealed)), None) if sealed else None

    def list_jobs(self, owner: str) -> list[LiveRun]:
        """The jobs of this owner, the newest first; those that another server was sent without their keys."""
        held = [run for run in self.list_of(owner) if run.key]
        here = {run.id for run in held}
        return [*held, *(run for run in self._read_jobs(owner) if run.id not in here)]

    def find_held_job(self, owner: str, key: str) -> LiveRun | None:
        """A job that this server works on or holds."""
        return next((run for run in self.list_of(owner) if run.key and run.key == key), None)

    def _read_jobs(self, owner: str, key: str = "", sealed: str = "") -> list[LiveRun]:
        """Those that are written down; without a token none is."""
        found = []
        for line, stored in self.history.list_jobs(owner, sealed) if self.history and owner else ():
            if self.history and (job := self._read(line.id, owner, self.history)):
                job.key, job.stored = key, stored
                found.append(job)
        return found

    def stop_all(self, owner: str, reason: Exception) -> None:
        """Stop what this server works on for an owner; whoever waits for it gets this error."""
        for run in [run for run in self.known if run.owner == owner and run.is_working]:
            run.stop(reason)

    def forget(self, run: LiveRun) -> None:
        """Stop a run that is in work, and forget it with what came of it; what is on the disk stays, but its key."""
        run.stop()
        self._runs.pop(run.id, None)
        self.recorder.forget(run)
        if run.stored.job and self.history:
            self.history.drop_job(run.id)

    def _make_room(self, new: LiveRun) -> None:
        alike = [run for run in self._runs.values() if bool(run.key) == bool(new.key)]
        own = [run for run in alike if run.owner == new.owner]
        crowded = own if len(own) >= (MAX_JOBS_PER_OWNER if new.key else MAX_RUNS_PER_OWNER) else []
        crowded = crowded or (alike if len(alike) >= MAX_RUNS else [])
        if crowded:
            # One that has ended is lost more cheaply. Where all are in work, the oldest is stopped: who opens fifty at
            # once does not read it.
            self.forget(next((run for run in crowded if not run.is_working), crowded[0]))


def _list_words(run: LiveRun) -> str:
    said = [one.text for one in run.result.statements] if isinstance(run.result, Answer) else []
    return " ".join((run.title, *said)).casefold()


def _note_end(run: LiveRun, task: "asyncio.Task[Any]") -> None:
    """Note that a run was stopped before it began; what went wrong in others they have noted themselves."""
    if task.cancelled() and run.is_working:
        run.state = "stopped"
        run.tell()
    # Looked at, so that nothing of it is printed when nobody waits.
    elif not task.cancelled():
        task.exception()
