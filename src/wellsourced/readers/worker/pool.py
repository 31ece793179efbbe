"""Workers that are kept: whoever needs one takes it, and puts it back for the next."""

import asyncio
import atexit
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from wellsourced.readers.base import DeletedDocuments, UnreadablePart
from wellsourced.readers.worker.limits import FILE_LIMITS, WorkerLimits
from wellsourced.readers.worker.process import Worker, WorkerJob
from wellsourced.readers.worker.results import run_for_result, stream_file
from wellsourced.types import Document, SourceKind

POOL_SIZE = 2
"""Pages that are read at once: one that takes its time does not hold up the others."""


class WorkerPool:
    """Workers, started when they are needed, for any thread and any event loop."""

    def __init__(self, size: int = POOL_SIZE) -> None:
        self._threads = ThreadPoolExecutor(size, thread_name_prefix="worker")
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._closed = False
        self._size = size

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
            kept = not (worker.busy or worker.closed or self._closed or len(self._idle) >= self._size)
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


async def run_in_worker_process(work: WorkerJob, limits: WorkerLimits) -> bytes:
    """The result of a piece of work, from the workers that this whole process shares; see `WorkerPool.run`."""
    return await SHARED_POOL.run(work, limits)


def read_file_items(
    path: Path, kind: SourceKind, limits: WorkerLimits = FILE_LIMITS
) -> list[Document | UnreadablePart | DeletedDocuments]:
    """All that the reader of a file gives, by a worker. Raises UnreadableFile, and what the reader raises."""
    with SHARED_POOL.lend() as worker:
        return list(stream_file(path, kind, worker, limits))
