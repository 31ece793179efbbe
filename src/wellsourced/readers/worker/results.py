"""What comes of a piece of work: a file is blamed only for what it does to a worker that has done nothing else."""

import os
from collections.abc import Iterator
from pathlib import Path

from wellsourced.errors import Unreadable
from wellsourced.readers.base import BYTES_READ, Faulty, Read
from wellsourced.readers.worker.frames import END, FAULT, PROGRESS, RESULT, Frame, decode_fault, decode_items, error_of
from wellsourced.readers.worker.limits import FILE_LIMITS, Limits
from wellsourced.readers.worker.process import Work, Worker, WorkerDeath, needed_memory
from wellsourced.types import Document, Kind

RETRY = "Leave it out, or split it; `wellsourced library errors NAME --retry` reads it again."


def frames_of(worker: Worker, work: Work, limits: Limits) -> Iterator[Frame]:
    """The frames that a piece of work gives, from a new worker again where one died that had done other work before.

    What was given before such a death is not given twice. Raises Unreadable when a new worker dies of it, and what
    the task raised.
    """
    given = 0
    for attempt in (1, 2):
        fresh, seen = attempt == 2 or not worker.served, 0
        try:
            for frame in worker.run(work, limits):
                if frame.kind == END:
                    return
                if frame.kind == FAULT:
                    raise _raised(frame, work.name, limits)
                if frame.kind == PROGRESS:
                    yield frame
                    continue
                seen += 1
                if seen > given:
                    given = seen
                    yield frame
        except WorkerDeath as death:
            if fresh or worker.closed:
                raise Unreadable(work.name, str(death), work.remedy) from death


def _raised(frame: Frame, name: str, limits: Limits) -> Exception:
    fault = decode_fault(frame.data)
    return WorkerDeath(needed_memory(limits.memory)) if fault.kind == "memory" else error_of(fault, name)


def result_of(worker: Worker, work: Work, limits: Limits) -> bytes:
    """The one result of a piece of work. Raises Unreadable, and what the task raised."""
    result = b""
    for frame in frames_of(worker, work, limits):
        if frame.kind == RESULT:
            result = frame.data
    return result


def read_file(path: Path, kind: Kind, worker: Worker, limits: Limits = FILE_LIMITS) -> Read:
    """What the reader of a file gives, read by a worker; see `Reader`.

    A worker that dies after the first document leaves those that it gave, and a Faulty.
    """
    size = path.stat().st_size if path.is_file() else 0
    work = Work("file", {"kind": kind}, os.fsencode(path), str(path), size, RETRY)
    documents = told = 0
    try:
        for frame in frames_of(worker, work, limits):
            if frame.kind == PROGRESS:
                BYTES_READ.get()(int(frame.data))
                continue
            for item in decode_items(frame):
                told += 1
                documents += isinstance(item, Document)
                yield item
    except Unreadable as error:
        if not told or not isinstance(error.__cause__, WorkerDeath):
            raise
        yield Faulty(f"after {documents} documents", error.reason, error.remedy)
