"""Workers that are kept, and what comes of their work: a file is blamed only for what it does to a fresh worker."""

import asyncio
import atexit
import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import DeletedDocuments, DocumentStream, UnreadablePart
from wellsourced.readers.decompressed_file import BYTES_READ
from wellsourced.readers.worker import frames
from wellsourced.readers.worker.limits import FILE_LIMITS, WorkerLimits
from wellsourced.readers.worker.process import Worker, WorkerDeath, WorkerJob, memory_reason
from wellsourced.types import Document, SourceKind

POOL_SIZE = 2
"""Pages that are read at once: one that takes its time does not hold up the others."""

RETRY_REMEDY = "Leave it out or split it."


def run_job(worker: Worker, work: WorkerJob, limits: WorkerLimits) -> Iterator[frames.WorkerFrame]:
    """The frames that a piece of work gives, from a new worker again where one died that had done other work before.

    What was given before such a death is not given twice. Raises UnreadableFile when a new worker dies of it, and what
    the task raised.
    """
    given = 0
    for attempt in (1, 2):
        fresh, seen = attempt == 2 or not worker.jobs_done, 0
        try:
            for frame in worker.run(work, limits):
                if frame.kind == frames.END:
                    return
                if frame.kind == frames.FAULT:
                    fault = frames.decode_fault(frame.data)
                    if fault.kind == "memory":
                        raise WorkerDeath(memory_reason(limits.memory))
                    raise frames.build_error(fault, work.name)
                if frame.kind == frames.PROGRESS:
                    yield frame
                    continue
                seen += 1
                # The second attempt begins at the first document again: what was stored must not come twice.
                if seen > given:
                    given = seen
                    yield frame
        except WorkerDeath as death:
            # A worker that has done nothing else died of this file; any other may have died of what came before.
            if fresh or worker.closed:
                raise UnreadableFile(work.name, str(death), work.remedy) from death


def run_for_result(worker: Worker, work: WorkerJob, limits: WorkerLimits) -> bytes:
    """The one result of a piece of work. Raises UnreadableFile, and what the task raised."""
    result = b""
    for frame in run_job(worker, work, limits):
        if frame.kind == frames.RESULT:
            result = frame.data
    return result


def stream_file(path: Path, kind: SourceKind, worker: Worker, limits: WorkerLimits = FILE_LIMITS) -> DocumentStream:
    """What the reader of a file gives, read by a worker; see `DocumentReader`.

    A worker that dies after the first document leaves those that it gave, and an UnreadablePart.
    """
    size = path.stat().st_size if path.is_file() else 0
    work = WorkerJob("file", {"kind": kind}, os.fsencode(path), str(path), size, RETRY_REMEDY)
    documents = told = 0
    try:
        for frame in run_job(worker, work, limits):
            if frame.kind == frames.PROGRESS:
                BYTES_READ.get()(int(frame.data))
                continue
            for item in frames.decode_items(frame):
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

    async def run(self, work: WorkerJob, limits: WorkerLimits) -> bytes:
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
                    return run_for_result(worker, work, limits)
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
