"""The worker from outside: started when it is first needed, asked for one thing after the other, replaced when it dies.

All of this waits; it belongs into a thread that lives as long as the worker does.
"""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from wellsourced.readers.worker import frames
from wellsourced.readers.worker.limits import MB, WorkerLimits, maxrss_megabytes, peak_memory

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


class WorkerDeath(Exception):
    """The worker died of its work, or had to be ended: of what, in words for the owner of the file."""


class _ProcessEnd(NamedTuple):
    """How a process ended: its status, negative for a signal, and the most memory that it had, in MB."""

    status: int
    peak: float


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
    remedy: str = "Leave it out or split it."


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

    def start(self) -> None:
        """Start the process if none is running: it takes a third of a second, in which others can work."""
        if self._process is not None or self.closed:
            return
        self._peak = 0.0
        self._process = _STARTER.submit(_start_process, self.program).result()

    def run(self, work: WorkerJob, limits: WorkerLimits) -> Iterator[frames.WorkerFrame]:
        """What comes of a piece of work, the last frame an END or a FAULT. Raises WorkerDeath."""
        self.busy, done = True, False
        try:
            self.start()
            asked = frames.WorkRequest(task=work.task, given=work.given, memory=limits.memory, seconds=limits.seconds)
            self._send_request(asked, work.data)
            for frame in self._read_frames(limits, max(work.size, len(work.data))):
                done = frame.kind in (frames.END, frames.FAULT)
                if done:
                    self.jobs_done += 1
                    if frame.data == b"worn" or (
                        frame.kind == frames.FAULT and frames.decode_fault(frame.data).kind == "memory"
                    ):
                        self.kill()
                    self.busy = False
                yield frame
                if done:
                    return
            raise WorkerDeath(_explain_death(self._reap(), limits))
        finally:
            if not done:
                self.kill()
            self.busy = False

    def _send_request(self, request: frames.WorkRequest, data: bytes) -> None:
        if self._process is None or self._process.stdin is None:
            raise WorkerDeath("reading was stopped")
        with suppress(BrokenPipeError):  # it died; why, is seen in a moment
            frames.write_frame(self._process.stdin, frames.REQUEST, request.model_dump_json().encode())
            frames.write_frame(self._process.stdin, frames.DATA, data)

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

    def _reap(self) -> _ProcessEnd:
        process, self._process, self.jobs_done = self._process, None, 0
        if process is None:
            return _ProcessEnd(-signal.SIGKILL, 0.0)
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
        return _ProcessEnd(status, self._peak or peak)

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


def _explain_death(ended: _ProcessEnd, limits: WorkerLimits) -> str:
    if hasattr(signal, "SIGXCPU") and ended.status == -signal.SIGXCPU:
        return f"reading it takes more than {limits.seconds:g} seconds of processor time"
    if ended.status < 0 and ended.peak >= IDLE_MEMORY + MEMORY_DEATH_SHARE * limits.memory:
        return memory_reason(limits.memory)
    if ended.status < 0:
        return f"its reader failed ({signal.Signals(-ended.status).name})"
    return f"its reader ended (status {ended.status})"


def memory_reason(memory: int) -> str:
    """Why a file was given up that filled the memory."""
    return f"reading it needs more than {memory:,} MB of memory"


def _worker_environment() -> dict[str, str]:
    """What the worker is told of its surroundings: where modules lie, and nothing else, no key among it."""
    root = str(Path(__file__).resolve().parents[3])
    paths = [root, *(path for path in sys.path if path and Path(path).is_absolute())]
    ours = {"PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)), "PYTHONUTF8": "1", "MALLOC_ARENA_MAX": "1"}
    # Without it Python asks the system's list of users, by a socket, where the user's own packages would lie.
    return {**ours, "PYTHONUSERBASE": os.devnull}
