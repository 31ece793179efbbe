"""Foreign bytes are parsed in a process of their own, with limits, which is replaced when it dies.

`limits` says how much it may take, `frames` is what goes over its pipes, `process` starts it and hears it, `results`
says which file is to blame when it dies, `pool` lends it to whoever has an event loop, `serving` is what runs inside.
What it can do stands in `wellsourced.reading_worker`, the program that is started.
"""

from wellsourced.readers.worker.limits import FILE_LIMITS, PAGE_LIMITS, TEXT_LIMITS, Limits
from wellsourced.readers.worker.pool import WORKERS, WorkerPool, read_apart, read_one_file
from wellsourced.readers.worker.process import Work, Worker
from wellsourced.readers.worker.results import read_file, result_of
from wellsourced.readers.worker.serving import serve

__all__ = [
    "FILE_LIMITS",
    "PAGE_LIMITS",
    "TEXT_LIMITS",
    "WORKERS",
    "Limits",
    "Work",
    "Worker",
    "WorkerPool",
    "read_apart",
    "read_file",
    "read_one_file",
    "result_of",
    "serve",
]
