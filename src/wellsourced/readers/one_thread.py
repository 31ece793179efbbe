"""Reading apart: every parser of this process runs in one thread.

What lxml makes in one thread and the collector frees in another has ended processes with "free(): invalid pointer";
pages and records of several live sources are read at once, so they take turns here.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")

_READER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reader")


async def apart(call: Callable[Given, Result], *args: Given.args, **kwargs: Given.kwargs) -> Result:
    """As `asyncio.to_thread`, always in the same thread."""
    work = partial(copy_context().run, call, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(_READER, work)
