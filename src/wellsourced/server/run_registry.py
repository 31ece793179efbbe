"""The runs of a server: work that goes on while whoever asked for it is away, and jobs, which are done once."""

import asyncio
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from wellsourced.errors import NotFoundError
from wellsourced.runs.history import RunHistory
from wellsourced.runs.live import Describe, LiveRun, RunRecorder, Work
from wellsourced.runs.table import ID_LENGTH, RunLine

MAX_RUNS_PER_OWNER, MAX_JOBS_PER_OWNER = 50, 64
"""Runs that are in memory for one token, or for this machine; the oldest that has ended goes first."""

MAX_RUNS = 1_000
"""Of all owners together: a page holds up to a megabyte."""

JOB_AGE = timedelta(hours=1)
"""How long a job can be asked for again."""


class LiveRuns:
    """The runs that this server works on or holds, and those of the other processes of its home.

    Jobs are runs with an Idempotency-Key. Each is done once, goes on when the connection breaks, is looked at and
    stopped by its key, and is forgotten after an hour and with the server. A key may name a patient: no disk has it.

    history   None: nothing is written down
    """

    def __init__(self, history: RunHistory | None, describe: Describe) -> None:
        self.history = history
        self.recorder = RunRecorder(history, describe)
        self._runs: dict[str, LiveRun] = {}

    def start(self, run: LiveRun, work: Work[object]) -> LiveRun:
        """Begin a run that goes on by itself, a job in place of one that failed under its key; the oldest that have
        ended make room."""
        if known := self.find_job(run.owner, run.key):
            self.forget(known)
        self._make_room(run)
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

    def list_of(self, owner: str) -> list[LiveRun]:
        """The runs of this owner in memory, the newest first."""
        now = datetime.now(UTC)
        for run in [run for run in self._runs.values() if run.key and now - run.begun >= JOB_AGE]:
            self.forget(run)
        return [run for run in reversed(self._runs.values()) if run.owner == owner]

    def list_lines(self, owner: str, skip: int, limit: int) -> list[RunLine]:
        """The runs of this owner in memory and on the disk, the newest first; those in memory with their words."""
        here = {run.id: run for run in self.list_of(owner)}
        if not self.history:
            return [run.line for run in here.values()][skip:][:limit]
        lines = self.history.list_runs_of(owner, limit=limit, skip=skip)
        there = {line.id for line in lines}
        # What was just begun, and what could not be written.
        first = [run.line for run in here.values() if run.id not in there and (run.is_working or run.fault)]
        shown = [here[line.id].line._replace(recorded=line.recorded) if line.id in here else line for line in lines]
        return [*([] if skip else first), *shown]

    def delete(self, run: LiveRun) -> None:
        """Stop a run, and delete all of it, here and on the disk."""
        self.forget(run)
        # One that is in memory only is not there.
        with suppress(NotFoundError):
            if self.history:
                self.history.delete(run.id, run.owner)

    def find_job(self, owner: str, key: str) -> LiveRun | None:
        """A job of this owner; None for none, and for somebody else's."""
        return next((run for run in self.list_jobs(owner) if run.key == key), None)

    def list_jobs(self, owner: str) -> list[LiveRun]:
        """The jobs of this owner, the newest first."""
        return [run for run in self.list_of(owner) if run.key]

    def forget(self, run: LiveRun) -> None:
        """Stop a run that is in work, and forget it with what came of it; what is on the disk stays."""
        run.stop()
        self._runs.pop(run.id, None)
        self.recorder.forget(run)

    def _make_room(self, new: LiveRun) -> None:
        alike = [run for run in self._runs.values() if bool(run.key) == bool(new.key)]
        own = [run for run in alike if run.owner == new.owner]
        crowded = own if len(own) >= (MAX_JOBS_PER_OWNER if new.key else MAX_RUNS_PER_OWNER) else []
        crowded = crowded or (alike if len(alike) >= MAX_RUNS else [])
        if crowded:
            # One that has ended is lost more cheaply. Where all are in work, the oldest is stopped: who opens fifty at
            # once does not read it.
            self.forget(next((run for run in crowded if not run.is_working), crowded[0]))


def _note_end(run: LiveRun, task: "asyncio.Task[Any]") -> None:
    """Note that a run was stopped before it began; what went wrong in others they have noted themselves."""
    if task.cancelled() and run.is_working:
        run.state = "stopped"
        run.tell()
    # Looked at, so that nothing of it is printed when nobody waits.
    elif not task.cancelled():
        task.exception()
