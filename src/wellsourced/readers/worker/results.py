"""What comes of a piece of work: a file is blamed only for what it does to a worker that has done nothing else."""

import os
from collections.abc import Iterator
from pathlib import Path

from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import DocumentStream, UnreadablePart
from wellsourced.readers.decompressed_file import BYTES_READ
from wellsourced.readers.worker import frames
from wellsourced.readers.worker.limits import FILE_LIMITS, WorkerLimits
from wellsourced.readers.worker.process import Worker, WorkerDeath, WorkerJob, memory_reason
from wellsourced.types import Document, SourceKind

RETRY_REMEDY = "Leave it out, or split it; `wellsourced library errors NAME --retry` reads it again."


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
                    raise _fault_error(frame, work.name, limits)
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


def _fault_error(frame: frames.WorkerFrame, name: str, limits: WorkerLimits) -> Exception:
    fault = frames.decode_fault(frame.data)
    return WorkerDeath(memory_reason(limits.memory)) if fault.kind == "memory" else frames.build_error(fault, name)


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
