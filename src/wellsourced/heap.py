"""The memory that this process holds and no longer uses: given back to the system after many questions."""

import ctypes
import sys
from collections.abc import Callable
from functools import cache


def trim_heap() -> None:
    """Give memory that was freed back to the system, where the C library can (glibc); elsewhere nothing is done.

    It keeps what is freed between what is still used, in a heap for each thread: after 200 questions that is hundreds
    of megabytes. Takes some milliseconds, without Python's lock.
    """
    if trim := _find_malloc_trim():
        trim(0)


@cache
def _find_malloc_trim() -> Callable[[int], int] | None:
    if not sys.platform.startswith("linux"):
        return None
    try:
        found: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):
        return None
    return found
