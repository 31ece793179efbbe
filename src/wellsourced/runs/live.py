"""Work in this process: written down while it goes on, followed from anywhere, and stopped from anywhere."""

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from secrets import token_hex
from time import monotonic
from typing import Any, Literal, NamedTuple, TypeVar

from wellsourced.errors import NotFoundError, RunStopped, WellsourcedError
from wellsourced.events import Emit, Event, ignore_event
from wellsourced.runs.history import NO_JOB, RunHistory, Steps, StoredJob, identifies_somebody, may_keep, title_question
from wellsourced.runs.processes import ProcessSign
from wellsourced.runs.table import WORKING_STATES, RunKind, RunLine, RunState, RunStep, Surface
from wellsourced.storage.state_database import StateConnection
from wellsourced.types import Answer, Question

POLL_SECONDS = 0.5
"""How often steps are written, and how soon a stop from elsewhere is heard."""

WAITING_KINDS = ("question", "order")
"""What waits for its turn until the first thing happens in it."""

PRIVATE_KINDS = ("text", "order")
"""Texts of whoever asks, which may be about anybody."""

Describe = Callable[[Event], RunStep | None]
"""An event → what happened, in a sentence; None for what nobody has to know."""

T = TypeVar("T")
Work = Callable[[Emit], Coroutine[object, object, T]]

log = logging.getLogger(__name__)


class JobTaken(WellsourcedError):
    """Another run has the same key: another server was sent the request a moment before."""


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
    """A piece of work of this process, or what the disk says of another.

    recorder   who writes it down
    owner      who may see it: "" for whoever is on this machine
    is_private   nothing of it may be written but that it is there, as where its `question` identifies a person
    key        the Idempotency-Key of a job; `stored`: what may be written of it
    id         nobody can guess it
    result     of a finished run; `problem`: why a failed one failed, in a sentence, and `error` what was raised
    kept       its answer is on the disk; else `unkept` says why it may not be, or `fault` why it could not
    is_held    it can be looked at here when it has ended
    is_elsewhere   another process works on it, or it is from before
    started        the same as `begun`, of a clock that nobody sets
    stopped_for    what whoever waits for it gets, where it was stopped
    """

    kind: RunKind
    title: str
    recorder: "RunRecorder"
    owner: str = ""
    surface: Surface = ""
    is_private: bool = False
    question: Question | None = None
    origin: RunOrigin = NO_ORIGIN
    key: str = ""
    stored: StoredJob = NO_JOB
    id: str = field(default_factory=lambda: token_hex(16))
    begun: datetime = field(default_factory=lambda: datetime.now(UTC))
    started: float = field(default_factory=monotonic)
    steps: list[RunStep] = field(default_factory=list)
    state: RunState = "waiting"
    result: object = None
    problem: str = ""
    error: Exception | None = None
    kept: bool = False
    unkept: Literal["", "patient", "personal"] = ""
    fault: Exception | None = None
    task: "asyncio.Task[Any] | None" = None
    is_held: bool = False
    is_elsewhere: bool = False
    stopped_for: Exception | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    _turn: threading.Lock = field(default_factory=threading.Lock)

    @property
    def is_working(self) -> bool:
        return self.state in WORKING_STATES

    @property
    def line(self) -> RunLine:
        """What a list says of it: with its words, which may not be on the disk."""
        count = len(self.result.statements) if isinstance(self.result, Answer) else 0
        known = (self.id, self.owner, self.kind, self.state, self.surface, " ".join(self.title.split()))
        return RunLine(*known, self.begun.isoformat(timespec="seconds"), statements=count, problem=self.problem)

    async def perform(self, work: Work[T], emit: Emit = ignore_event, *, conclude: bool = True) -> T:
        """What the work comes to, or raises; its steps and its end are written down.

        conclude   False: the caller shows the result first, and then calls `conclude`

        Raises RunStopped where it was stopped by `stop`, here or in another process, or the reason given there.
        """
        self.task = self.task or asyncio.current_task()
        try:
            await asyncio.to_thread(self._begin)
            result = await work(lambda event: self._hear(event, emit))
            if conclude:
                await asyncio.to_thread(self.conclude, result)
            return result
        except asyncio.CancelledError:
            await asyncio.to_thread(self._end, "stopped")
            if self.stopped_for is None:
                raise
            if task := asyncio.current_task():
                task.uncancel()
            raise self.stopped_for from None
        except Exception as error:
            # Nothing that was typed is repeated: only our own messages are known to hold none of it.
            unexpected = f"Something unexpected went wrong ({type(error).__name__})."
            self.error, self.problem = error, str(error) if isinstance(error, WellsourcedError) else unexpected
            await asyncio.to_thread(self._end, "failed")
            raise
        finally:
            self.tell()

    def conclude(self, result: object) -> None:
        """Note what the work came to; an answer is kept as far as it may be."""
        self.result = result
        # The words of the question that were typed are known to identify nobody, or nothing is written anyway.
        if isinstance(result, Answer) and (self.is_private or not may_keep(result, self.question)):
            self.is_private, self.unkept = True, "patient" if result.question.patient else "personal"
        self._end("finished")

    def _begin(self) -> None:
        with self._turn:
            identifies = self.question is not None and identifies_somebody(self.question)
            self.is_private = self.is_private or self.kind in PRIVATE_KINDS or identifies
            # It may have been stopped before it was its turn to be written.
            if self.is_working:
                self.state = "waiting" if self.kind in WAITING_KINDS else "running"
                self.recorder.begin(self)

    def _end(self, state: RunState) -> None:
        with self._turn:
            # A stop may come while the end is being written: what was first counts.
            if self.is_working:
                self.recorder.end(self, state)
                self.state = state

    def _hear(self, event: Event, emit: Emit) -> None:
        if self.state == "waiting":
            self.state = "running"
        if self.task and (step := self.recorder.describe(event)):
            self.steps.append(step)
            # Steps work in other threads, and only the loop may touch what readers wait for.
            with suppress(RuntimeError):
                self.task.get_loop().call_soon_threadsafe(self.tell)
        emit(event)

    def tell(self) -> None:
        """Wake whoever follows."""
        before, self.changed = self.changed, asyncio.Event()
        before.set()

    async def follow(self, after: int = 0) -> AsyncIterator[tuple[int, RunStep]]:
        """The steps with their places, from the place `after` on, until the run has ended."""
        while True:
            # Taken before the steps are read: what happens meanwhile replaces it, and the wait below is skipped.
            changed, was_working = self.changed, self.is_working
            for place, step in await self._read_steps(after):
                yield place, step
                after = place
            if not was_working:
                return
            if self.is_elsewhere:
                await asyncio.sleep(POLL_SECONDS * self.is_working)
            elif changed is self.changed:
                await changed.wait()

    async def _read_steps(self, after: int) -> Steps:
        if not self.is_elsewhere or self.recorder.history is None:
            return list(enumerate(self.steps[after:], start=after + 1))
        try:
            line, steps = await asyncio.to_thread(self.recorder.history.read_steps, self.id, self.owner, after)
        # Its words were in memory there, and are no more.
        except NotFoundError:
            self.state = "finished"
            return []
        self.state, self.problem = line.state, line.problem
        return steps

    async def wait(self) -> Any:
        """What it comes to, or raises. Who stops waiting does not stop it. Raises RunStopped when it is stopped."""
        assert self.task  # noqa: S101 - of a job
        try:
            # The connection may break while the work goes on: who asks again with the same key gets what it came to.
            return await asyncio.shield(self.task)
        except asyncio.CancelledError:
            if self.task.cancelled():
                raise RunStopped from None
            raise

    def stop(self, reason: Exception | None = None) -> None:
        """End the work, in whichever process it is; it has ended a moment later. Any thread may call this."""
        if self.is_elsewhere and self.recorder.history:
            self.recorder.history.request_stop(self.id, self.owner)
        elif self.task and not self.task.done():
            self.stopped_for = reason or RunStopped()
            with suppress(RuntimeError):
                self.task.get_loop().call_soon_threadsafe(self.task.cancel)


class _Record:
    """What is written of a run: whether its row is there, how many of its steps, and how it ended when that is not."""

    is_listed = False
    steps = 0
    ended_as: RunState | None = None


class RunRecorder:
    """Writes down the runs of this process, and hears when one is to be stopped. What cannot be written now is tried
    again, as long as the run is in work or can be looked at here.

    history    where; None: nowhere, and each run is in memory only
    describe   the words of an event
    """

    def __init__(self, history: RunHistory | None, describe: Describe) -> None:
        self.history, self.describe = history, describe
        self._lock = threading.Lock()
        self._working: dict[LiveRun, _Record] = {}
        self._held: set[LiveRun] = set()
        self._process: ProcessSign | None = None
        self._opened = ExitStack()
        self._store: StateConnection | None = None
        self._watcher: tuple[threading.Thread, threading.Event] | None = None

    def new_question(self, question: Question, surface: Surface, owner: str = "") -> LiveRun:
        """The run of a question, whose words are written down as far as they identify nobody."""
        return LiveRun("question", title_question(question), self, owner, surface, question=question)

    def begin(self, run: LiveRun) -> None:
        """Write down that a run begins. That it cannot be written takes the answer from nobody. Raises JobTaken."""
        if self.history is None:
            return
        with self._lock:
            record = _Record()
            try:
                self._list(self.history, run, record)
            except JobTaken:
                raise
            except (WellsourcedError, OSError) as error:
                run.fault = error
            self._working[run] = record
            if self._watcher is None:
                nothing_left = threading.Event()
                thread = threading.Thread(target=self._watch, args=(nothing_left,), name="runs", daemon=True)
                self._watcher = thread, nothing_left
                thread.start()

    def end(self, run: LiveRun, state: RunState) -> None:
        """Write down how a run ended, with its answer where that may be kept."""
        with self._lock:
            if self.history is None or (record := self._working.get(run)) is None:
                return
            record.ended_as = state
            try:
                self._write_end(self.history, run, record)
            except (WellsourcedError, OSError) as error:
                run.fault = error
                log.warning("a run is not in the history (%s)", error)
                # Of one that is held the end is written later; the process of another ends with it.
                if not run.is_held:
                    self._working.pop(run)
            idle = self._release()
        # Not while the lock is held, for which it may be waiting.
        if idle:
            idle.join()

    def forget(self, run: LiveRun) -> None:
        """Drop the row of a run whose words were in memory here, and are no more."""
        with self._lock:
            # One that is still in work is not held when it ends.
            run.is_held = False
            if run in self._working and self._working[run].ended_as:
                self._working.pop(run)
            if self.history and run in self._held:
                self._held.discard(run)
                with suppress(WellsourcedError, OSError):
                    self.history.withhold(run.id, run.state, keep_row=False)
            self._release()

    @contextmanager
    def _connect(self, history: RunHistory) -> Iterator[StateConnection]:
        """A connection that stays open while anything is in work: to close a file costs more than to add a row."""
        try:
            with history.database.explain_errors():
                self._store = self._store or self._opened.enter_context(history.database.connect())
                yield self._store
        except BaseException:
            # It may be broken.
            self._close()
            raise

    def _close(self) -> None:
        self._store = None
        self._opened.close()

    def _list(self, history: RunHistory, run: LiveRun, record: _Record) -> None:
        """Add the row of a run. Raises JobTaken."""
        line = run.line._replace(title="") if run.is_private else run.line
        with self._connect(history) as store:
            self._process = self._process or history.tables.processes.hold(store)
            with history.database.transaction(store):
                if not history.insert(store, line, self._process.name, run.stored):
                    raise JobTaken
        record.is_listed = True

    def _write_end(self, history: RunHistory, run: LiveRun, record: _Record) -> None:
        assert record.ended_as  # noqa: S101 - of what has ended
        if not record.is_listed:
            self._list(history, run, record)
        if run.is_private:
            history.withhold(run.id, record.ended_as, keep_row=run.is_held)
            self._held |= {run} if run.is_held else set()
        else:
            answer = run.result if isinstance(run.result, Answer) else None
            with self._connect(history) as store, history.database.transaction(store):
                history.write_steps(store, run.id, record.ended_as, _list_steps(run, record))
                run.kept = history.finish(store, run.id, record.ended_as, answer, run.problem) and bool(answer)
        self._working.pop(run)
        run.fault = None

    def _release(self) -> threading.Thread | None:
        """Let go of what nobody needs any more; the thread that watched, which ends."""
        if not self._working:
            if self._process and not self._held:
                with suppress(WellsourcedError, OSError):
                    self._process.release(self._store)
                self._process = None
            self._close()
        must_renew = self._process is not None and self._process.must_renew
        if self._working or must_renew or not self._watcher:
            return None
        thread, nothing_left = self._watcher
        self._watcher = None
        nothing_left.set()
        return thread

    def _watch(self, nothing_left: threading.Event) -> None:
        """Write steps and look for stops, as long as anything is in work."""
        while not nothing_left.wait(POLL_SECONDS):
            # What cannot be reached now may be in a while.
            with self._lock, suppress(WellsourcedError, OSError):
                if self.history and self._watcher:
                    self._write_and_look(self.history)
                    self._release()

    def _write_and_look(self, history: RunHistory) -> None:
        for run, record in list(self._working.items()):
            if not record.is_listed and not record.ended_as:
                self._list(history, run, record)
        with self._connect(history) as store:
            is_renewed = self._process is None or self._process.renew(store)
            stale = [item for item in self._working.items() if len(item[0].steps) > item[1].steps]
            if stale or not is_renewed:
                with history.database.transaction(store):
                    self._reclaim(history, store) if not is_renewed else None
                    for run, record in stale:
                        history.write_steps(store, run.id, run.state, _list_steps(run, record))
            for run, record in stale:
                record.steps = len(run.steps)
            sql, process = "SELECT id FROM runs_2 WHERE process = ? AND stop = 0", self._process
            wanted = {id for (id,) in store.execute(sql, (process.name,))} if process else set()
        for run, record in list(self._working.items()):
            if record.ended_as:
                self._write_end(history, run, record)
            # One that is not there was deleted.
            elif record.is_listed and run.id not in wanted:
                run.stop()

    def _reclaim(self, history: RunHistory, store: StateConnection) -> None:
        """Take back the runs that others took for interrupted: the database was away, or this host."""
        assert self._process  # noqa: S101 - it was renewed
        for run in (*self._working, *self._held):
            is_there = history.reclaim(store, run.id, run.state, self._process.name)
            # The rows of those without words were dropped by others; of others only their owner drops the row.
            if not is_there and run.is_private:
                history.insert(store, run.line._replace(title=""), self._process.name)


def _list_steps(run: LiveRun, record: _Record) -> Steps:
    """What has happened since steps were written last, as far as it may be written.

    A draft has words that nobody has checked, and those of your own documents; steps of other kinds name files.
    """
    steps = enumerate(run.steps[record.steps :], start=record.steps + 1)
    may_write = run.kind == "question" and not run.is_private
    return [(place, step) for place, step in steps if step.kind != "draft"] if may_write else []
