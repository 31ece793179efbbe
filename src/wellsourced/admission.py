"""Who is in work and who waits: so many questions at once, and so many searches of one live source, in order."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakKeyDictionary

from wellsourced.heap import trim_heap

ALONE = 4
"""Questions in work at once that no language model takes part in: they compute, and more would only share the time."""

WITH_MODEL = 16
"""Questions in work at once that wait for a language model most of the time."""

SEARCHES = 4
"""Searches of one live source, or look-ups in one registry, that are under way at once."""

TRIMMED = 32
"""After so many questions, as soon as none is in work, memory is given back to the system."""

QUESTIONS = "questions"


class Admission:
    """The lines of one kit, in which whoever came first is served first. Nobody's patience begins before its turn."""

    def __init__(self) -> None:
        # Of each event loop its own: what waits in one cannot be woken by another.
        self._lines: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, int], asyncio.Semaphore]] = (
            WeakKeyDictionary()
        )
        self._in_work = self._answered = 0

    @asynccontextmanager
    async def admit_question(self, at_once: int, seconds: float | None = None) -> AsyncIterator[None]:
        """Be one of the questions in work.

        at_once   questions in work at the same time
        seconds   how long it may wait for its turn; after that it goes on without one, to say that its time is over
        """
        line = self._line(QUESTIONS, at_once)
        try:
            await asyncio.wait_for(line.acquire(), seconds)
        except TimeoutError:
            yield
            return
        self._in_work += 1
        try:
            yield
        finally:
            line.release()
            self._in_work -= 1
            self._answered += 1
            self._tidy_up()

    def _tidy_up(self) -> None:
        if not self._in_work and self._answered >= TRIMMED:
            self._answered = 0
            asyncio.get_running_loop().run_in_executor(None, trim_heap)

    @asynccontextmanager
    async def admit_search(self, source: str) -> AsyncIterator[None]:
        """Be one of the searches of a live source, or of the look-ups in a registry, that are under way."""
        async with self._line(f"source {source}", SEARCHES):
            yield

    def _line(self, name: str, at_once: int) -> asyncio.Semaphore:
        lines = self._lines.setdefault(asyncio.get_running_loop(), {})
        return lines.setdefault((name, at_once), asyncio.Semaphore(at_once))
