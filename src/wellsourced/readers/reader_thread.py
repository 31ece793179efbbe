"""One thread for all parsing: what parsers make in one thread is not always safe in another.

What lxml makes in one thread and the collector frees in another has ended processes with "free(): invalid pointer".
An ingestion has a thread of its own from the first file to the last; live sources, which read pages and records at the
same time, take turns in one that lasts as long as the process.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")


class ReaderThread:
    """As `asyncio.to_thread`, always in the same thread."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reader")

    async def run(
        self, work: Callable[Arguments, Returned], *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Returned:
        """What the work returns or raises."""
        call = partial(copy_context().run, work, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._pool, call)

    def close(self) -> None:
        """No more is to be read; what is being read comes to its end by itself."""
        self._pool.shutdown(wait=False, cancel_futures=True)


run_in_reader_thread = ReaderThread().run
"""In the thread that live sources share."""
