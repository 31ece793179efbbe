"""The worker from outside: started when it is first needed, asked for one thing after the other, replaced when it dies.

A file is blamed only for what it does to a fresh worker. Work of a worker waits; it belongs into a thread. The pool
keeps workers, for any thread and any event loop.
"""

import asyncio
import atexit
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import DeletedDocuments, DocumentStream, UnreadablePart
from wellsourced.readers.decompressed_file import BYTES_READ
from wellsourced.readers.worker import frames
from wellsourced.readers.worker.limits import FILE_LIMITS, MB, WorkerLimits, maxrss_megabytes, peak_memory
from wellsourced.types import Document, SourceKind

WORKER_PROGRAM = "wellsourced.reading_worker"
"""What is started. It stands above everything that it runs, so it is named here and not imported."""

OUTPUT_RATIO = 1_000
"""How many times its own size a file may give; see `WorkerLimits`."""

MEMORY_DEATH_SHARE, IDLE_MEMORY = 0.35, 90
"""Share of the memory allowed that a process had, from which its death by a signal is put down to memory; beyond the
MB that it has before it does anything."""

MEMORY_POLL_SECONDS = 0.02
"""Seconds between two looks at the memory of a worker from which nothing comes."""

PIPE_BYTES = 1 << 20
"""Bytes that a pipe holds before its writer has to wait, where the system lets us choose."""

POOL_SIZE = 2
"""Pages that are read at once: one that takes its time does not hold up the others."""

SPLIT_REMEDY = "Leave it out or split it."


class WorkerDeath(Exception):
    """The worker died of its work, or had to be ended: of what, in words for the owner of the file."""


class WorkerJob(NamedTuple):
    """What a worker is asked to do.

    task     its name in the table of the worker
    given    what it is given besides the bytes
    data     the bytes
    name     what messages call them
    size     how many bytes are read, where these are not `data`
    remedy   what the owner can do when they cannot be read
    """

    task: str
    given: dict[str, Any]
    data: bytes
    name: str
    size: int = 0
    remedy: str = SPLIT_REMEDY


class Worker:
    """A process that reads foreign bytes. Only `close` may be called while it works.

    jobs_done   pieces of work that the process at hand has done
    busy     it works, or was left in the middle of its work
    closed   it starts no more processes
    program  the module that is started
    """

    def __init__(self, program: str = WORKER_PROGRAM) -> None:
        self.program = program
        self.jobs_done = 0
        self.busy = self.closed = False
        self._process: subprocess.Popen[bytes] | None = None
        self._peak = 0.0

    def run(self, job: WorkerJob, limits: WorkerLimits) -> Iterator[frames.WorkerFrame]:
        """The frames that a piece of work gives, from a new process again where one died that had worked before.

        What was given before such a death is not given twice. Raises UnreadableFile when a new process dies of it, and
        what the task raised.
        """
        given = 0
        for attempt in (1, 2):
            fresh, seen = attempt == 2 or not self.jobs_done, 0
            try:
                for frame in self._run_once(job, limits):
                    seen += frame.kind != frames.PROGRESS
                    # The second attempt begins at the first document again: what was stored must not come twice.
                    if frame.kind == frames.PROGRESS or seen > given:
                        given = max(given, seen)
                        yield frame
                return
            except WorkerDeath as death:
                # One that has done nothing else died of this file; any other may have died of what came before.
                if fresh or self.closed:
                    raise UnreadableFile(job.name, str(death), job.remedy) from death

    def run_for_result(self, job: WorkerJob, limits: WorkerLimits) -> bytes:
        """The one result of a piece of work. Raises UnreadableFile, and what the task raised."""
        results = [frame.data for frame in self.run(job, limits) if frame.kind == frames.RESULT]
        return results[-1] if results else b""

    def _run_once(self, job: WorkerJob, limits: WorkerLimits) -> Iterator[frames.WorkerFrame]:
        """What comes before the END. Raises WorkerDeath, and what the task raised."""
        self.busy, is_done = True, False
        try:
            self._send_request(job, limits)
            for frame in self._read_frames(limits, max(job.size, len(job.data))):
                if frame.kind not in (frames.END, frames.FAULT):
                    yield frame
                    continue
                error = frames.decode_error(frame.data, job.name) if frame.kind == frames.FAULT else None
                is_full = isinstance(error, MemoryError)
                self.jobs_done += 1
                is_done = not is_full and frame.data != b"worn"
                if error:
                    raise WorkerDeath(_memory_reason(limits.memory)) if is_full else error
                return
            raise WorkerDeath(_explain_death(*self._reap(), limits))
        finally:
            if not is_done:
                self.kill()
            self.busy = False

    def _send_request(self, job: WorkerJob, limits: WorkerLimits) -> None:
        if self._process is None and not self.closed:
            self._peak = 0.0
            self._process = _STARTER.submit(_start_process, self.program).result()
        if self._process is None or self._process.stdin is None:
            raise WorkerDeath("reading was stopped")
        request = {"task": job.task, "given": job.given, "memory": limits.memory, "seconds": limits.seconds}
        with suppress(BrokenPipeError):  # it died; why, is seen in a moment
            frames.write_frame(self._process.stdin, frames.REQUEST, json.dumps(request).encode())
            frames.write_frame(self._process.stdin, frames.DATA, job.data)

    def _read_frames(self, limits: WorkerLimits, size: int) -> Iterator[frames.WorkerFrame]:
        if self._process is None or self._process.stdout is None:
            return
        pipe = _WorkerPipe(self._process.stdout.fileno(), limits.silence, self._record_peak_memory)
        left = most = max(limits.output * MB, OUTPUT_RATIO * size)
        while True:
            try:
                frame = frames.read_frame(pipe.read, left)
            except frames.OversizedFrame:
                raise WorkerDeath(f"it contains more than {most // MB:,} MB of text") from None
            if frame is None:
                return
            left -= len(frame.data)
            yield frame

    def _record_peak_memory(self) -> None:
        """Remember the most memory that the process has had: once it has ended, its parent's may be counted to it."""
        if process := self._process:
            self._peak = max(self._peak, peak_memory(process.pid))

    def _reap(self) -> tuple[int, float]:
        """How the process ended: its status, negative for a signal, and the most memory that it had, in MB."""
        process, self._process, self.jobs_done = self._process, None, 0
        if process is None:
            return -signal.SIGKILL, 0.0
        peak = 0.0
        if hasattr(os, "wait4") and process.returncode is None:
            with suppress(ChildProcessError):
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode, peak = os.waitstatus_to_exitcode(status), maxrss_megabytes(usage.ru_maxrss)
        status = process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe:
                with suppress(OSError):
                    pipe.close()
        return status, self._peak or peak

    def kill(self) -> None:
        """End the process; the next work starts another."""
        if self._process is not None:
            self._process.kill()
            self._reap()

    def close(self) -> None:
        """End the process for good, from any thread: whoever waits for it hears that it died."""
        self.closed = True
        if process := self._process:
            with suppress(OSError):
                process.kill()


class _WorkerPipe:
    """The pipe from a worker. Raises WorkerDeath when nothing comes of it for so many seconds.

    look   is called every `MEMORY_POLL_SECONDS` seconds as long as nothing comes
    """

    def __init__(self, file: int, seconds: float, look: Callable[[], None]) -> None:
        self._file, self._seconds, self._look = file, seconds, look
        self._poll = select.poll() if hasattr(select, "poll") else None
        if self._poll:
            self._poll.register(file, select.POLLIN)

    def read(self, size: int) -> bytes:
        """So many bytes, or those that came before the pipe ended."""
        parts: list[bytes] = []
        while size:
            until = time.monotonic() + self._seconds
            while self._poll and not self._poll.poll(MEMORY_POLL_SECONDS * 1000):
                self._look()
                if time.monotonic() > until:
                    raise WorkerDeath(f"its reader did not respond for {self._seconds:g} seconds")
            part = os.read(self._file, min(size, PIPE_BYTES))
            if not part:
                break
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def _start_process(program: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-P", "-s", "-m", program]
    return subprocess.Popen(  # noqa: S603 (our own program)
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_worker_environment(),
        pipesize=PIPE_BYTES,
    )


_STARTER = ThreadPoolExecutor(1, thread_name_prefix="worker-starter")
"""The thread that starts workers: Linux ends them when it ends, which is when this process does."""


def _explain_death(status: int, peak: float, limits: WorkerLimits) -> str:
    if hasattr(signal, "SIGXCPU") and status == -signal.SIGXCPU:
        return f"reading it takes more than {limits.seconds:g} seconds of processor time"
    if status < 0 and peak >= IDLE_MEMORY + MEMORY_DEATH_SHARE * limits.memory:
        return _memory_reason(limits.memory)
    if status < 0:
        return f"its reader failed ({signal.Signals(-status).name})"
    return f"its reader ended (status {status})"


def _memory_reason(memory: int) -> str:
    """Why a file was given up that filled the memory."""
    return f"reading it needs more than {memory:,} MB of memory"


def _worker_environment() -> dict[str, str]:
    """What the worker is told of its surroundings: where modules lie, and nothing else, no key among it."""
    root = str(Path(__file__).resolve().parents[3])
    paths = [root, *(path for path in sys.path if path and Path(path).is_absolute())]
    ours = {"PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)), "PYTHONUTF8": "1", "MALLOC_ARENA_MAX": "1"}
    # Without it Python asks the system's list of users, by a socket, where the user's own packages would lie.
    return {**ours, "PYTHONUSERBASE": os.devnull}


def stream_file(path: Path, kind: SourceKind, worker: Worker, limits: WorkerLimits = FILE_LIMITS) -> DocumentStream:
    """What the reader of a file gives, read by a worker; see `DocumentReader`.

    A worker that dies after the first document leaves those that it gave, and an UnreadablePart.
    """
    size = path.stat().st_size if path.is_file() else 0
    job = WorkerJob("file", {"kind": kind}, os.fsencode(path), str(path), size)
    documents = told = 0
    try:
        for frame in worker.run(job, limits):
            if frame.kind == frames.PROGRESS:
                BYTES_READ.get()(int(frame.data))
                continue
            item = frames.decode_item(frame.data)
            told += 1
            documents += isinstance(item, Document)
            yield item
    except UnreadableFile as error:
        if not told or not isinstance(error.__cause__, WorkerDeath):
            raise
        yield UnreadablePart(f"after {documents} documents", error.reason, error.remedy)


class WorkerPool:
    """Workers, started when they are needed, for any thread and any event loop."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(POOL_SIZE, thread_name_prefix="worker")
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._closed = False

    async def run(self, job: WorkerJob, limits: WorkerLimits) -> bytes:
        """The result of a piece of work. Raises UnreadableFile, and what the task raised.

        Whoever stops waiting ends the work, and its worker with it.
        """
        lock, is_cancelled = threading.Lock(), threading.Event()
        lent: list[Worker] = []

        def run_with_worker() -> bytes:
            with self.lend() as worker:
                with lock:
                    # Nobody waits any more: a worker would be kept busy with what nobody takes.
                    if is_cancelled.is_set():
                        return b""
                    lent.append(worker)
                try:
                    return worker.run_for_result(job, limits)
                finally:
                    with lock:
                        lent.clear()

        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, run_with_worker)
        except asyncio.CancelledError:
            with lock:
                is_cancelled.set()
                for worker in lent:
                    worker.close()
            raise

    @contextmanager
    def lend(self) -> Iterator[Worker]:
        """A worker for a while: one that nobody uses, or a new one."""
        worker = self.take()
        try:
            yield worker
        finally:
            self.put_back(worker)

    def take(self) -> Worker:
        """A worker that nobody uses, or a new one."""
        with self._lock:
            while self._idle:
                if not (worker := self._idle.pop()).closed:
                    return worker
            return Worker()

    def put_back(self, worker: Worker) -> None:
        """A worker that nobody uses any more: kept, unless there are enough, or it was left in its work."""
        with self._lock:
            # A worker that was left in its work would give its next caller the answer to the last one.
            kept = not (worker.busy or worker.closed or self._closed or len(self._idle) >= POOL_SIZE)
            if kept:
                self._idle.append(worker)
        if not kept:
            worker.close()
            worker.kill()

    def close(self) -> None:
        """End all workers that nobody uses."""
        with self._lock:
            idle, self._idle, self._closed = self._idle, [], True
        for worker in idle:
            worker.kill()
        self._threads.shutdown(wait=False, cancel_futures=True)


SHARED_POOL = WorkerPool()
"""Those that this whole process shares."""

atexit.register(SHARED_POOL.close)


run_in_worker_process = SHARED_POOL.run
"""The result of a piece of work, from the workers that this whole process shares."""


def read_file_items(path: Path, kind: SourceKind) -> list[Document | UnreadablePart | DeletedDocuments]:
    """All that the reader of a file gives, by a worker. Raises UnreadableFile, and what the reader raises."""
    with SHARED_POOL.lend() as worker:
        return list(stream_file(path, kind, worker))
