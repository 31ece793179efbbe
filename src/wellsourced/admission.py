"""How many questions run at the same time, and how many searches of one live source; the others wait in order."""

import asyncio
import ctypes
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from weakref import WeakKeyDictionary


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


MAX_QUESTIONS_WITHOUT_MODEL = 4
"""Questions in work at once that no language model takes part in: they compute, and more would only share the time."""

MAX_QUESTIONS_WITH_MODEL = 16
"""Questions in work at once that wait for a language model most of the time."""

MAX_SEARCHES_PER_SOURCE = 4
"""Searches of one live source, or look-ups in one registry, that are under way at once."""

QUESTIONS_BEFORE_TRIM = 32
"""After so many questions, as soon as none is in work, memory is given back to the system."""

QUESTION_LINE = "questions"


class Admission:
    """The queues of one context: first come, first served. Time limits begin with a question's turn, not before."""

    def __init__(self) -> None:
        # Of each event loop its own: what waits in one cannot be woken by another.
        self._semaphores: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, int], asyncio.Semaphore]] = (
            WeakKeyDictionary()
        )
        self._in_work = self._answered_count = 0

    @asynccontextmanager
    async def admit_question(self, at_once: int, seconds: float | None = None) -> AsyncIterator[None]:
        """Be one of the questions in work.

        at_once   questions in work at the same time
        seconds   how long it may wait for its turn; after that it goes on without one, to say that its time is over
        """
        line = self._find_semaphore(QUESTION_LINE, at_once)
        try:
            await asyncio.wait_for(line.acquire(), seconds)
        # It goes on without a turn, in order to say that its time is over, which costs nothing.
        except TimeoutError:
            yield
            return
        self._in_work += 1
        try:
            yield
        finally:
            line.release()
            self._in_work -= 1
            self._answered_count += 1
            self._trim_heap_when_idle()

    def _trim_heap_when_idle(self) -> None:
        # Only when idle: trimming while questions compute would slow them for memory that they take back at once.
        if not self._in_work and self._answered_count >= QUESTIONS_BEFORE_TRIM:
            self._answered_count = 0
            asyncio.get_running_loop().run_in_executor(None, trim_heap)

    @asynccontextmanager
    async def admit_search(self, source: str) -> AsyncIterator[None]:
        """Be one of the searches of a live source, or of the look-ups in a registry, that are under way."""
        async with self._find_semaphore(f"source {source}", MAX_SEARCHES_PER_SOURCE):
            yield

    def _find_semaphore(self, name: str, at_once: int) -> asyncio.Semaphore:
        lines = self._semaphores.setdefault(asyncio.get_running_loop(), {})
        return lines.setdefault((name, at_once), asyncio.Semaphore(at_once))
