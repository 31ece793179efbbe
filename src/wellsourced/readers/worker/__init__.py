"""The separate process with limits in which files from others are parsed: how it is started, limited, spoken to, kept
and replaced. What it can do is in wellsourced.reading_worker."""

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
