"""The threads that run heavy computation, so that the event loop stays free and only a few compute at once.

There is one pool for the process, with as many threads as processors help: the work waits in one line, and who came
first is served first. Many questions at once therefore cost the memory of a few.

Parsers have one thread: what lxml makes in one and the collector frees in another has ended processes with "free():
invalid pointer". An ingestion has a thread of its own from the first file to the last; live sources, which read pages
and records at the same time, take turns in one that lasts as long as the process.
"""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cache, partial
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

MIN_WORKERS, MAX_WORKERS = 2, 4
"""Threads: one that waits should not stop the other, and each holds Python's lock and some memory while it works."""


async def run_in_worker(
    work: Callable[Arguments, Result], *arguments: Arguments.args, **named: Arguments.kwargs
) -> Result:
    """Run a function that computes in a thread of the pool, in its turn, and return what it returns.

    The caller's context variables hold in it. Whoever is cancelled before its turn is not run. The function must not
    wait for other work of the pool. Raises what the function raises.
    """
    return await _run_in(_pool(), partial(work, *arguments, **named))


def _run_in(pool: ThreadPoolExecutor, work: Callable[[], Result]) -> "asyncio.Future[Result]":
    """Begin work in a thread of a pool, with the caller's context variables."""
    return asyncio.get_running_loop().run_in_executor(pool, copy_context().run, work)


def count_workers() -> int:
    """Return how many threads the pool has at most."""
    return max(MIN_WORKERS, min(MAX_WORKERS, os.cpu_count() or MIN_WORKERS))


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count_workers(), thread_name_prefix="wellsourced-worker")


class ReaderThread:
    """As `asyncio.to_thread`, always in the same thread."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reader")

    async def run(self, work: Callable[Arguments, Result], *args: Arguments.args, **named: Arguments.kwargs) -> Result:
        """What the work returns or raises."""
        return await _run_in(self._pool, partial(work, *args, **named))

    def close(self) -> None:
        """No more is to be read; what is being read comes to its end by itself."""
        self._pool.shutdown(wait=False, cancel_futures=True)


run_in_reader_thread = ReaderThread().run
"""In the thread that live sources share."""
