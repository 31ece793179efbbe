"""Foreign bytes are parsed in a process of their own, with limits, which is replaced when it dies.

`limits` says how much it may take, `frames` is what goes over its pipes, `process` starts it and hears it, `results`
says which file is to blame when it dies, `pool` lends it to whoever has an event loop, `serving` is what runs inside.
What it can do stands in `wellsourced.reading_worker`, the program that is started.
"""

from wellsourced.readers.worker.limits import FILE_LIMITS, PAGE_LIMITS, TEXT_LIMITS, WorkerLimits
from wellsourced.readers.worker.pool import SHARED_POOL, WorkerPool, read_file_items, run_in_worker_process
from wellsourced.readers.worker.process import Worker, WorkerJob
from wellsourced.readers.worker.results import run_for_result, stream_file
from wellsourced.readers.worker.serving import serve_requests

__all__ = [
    "FILE_LIMITS",
    "PAGE_LIMITS",
    "SHARED_POOL",
    "TEXT_LIMITS",
    "Worker",
    "WorkerJob",
    "WorkerLimits",
    "WorkerPool",
    "read_file_items",
    "run_for_result",
    "run_in_worker_process",
    "serve_requests",
    "stream_file",
]
