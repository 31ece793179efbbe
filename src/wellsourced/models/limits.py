"""How much one model is asked at once and in a minute, whoever in this process asks it."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from wellsourced.http.clock import Clock

MINUTE = 60.0


class Limits(NamedTuple):
    """Of one model.

    concurrency   calls under way at once
    per_minute    calls that begin within any minute; 0: as many as there are
    """

    concurrency: int = 8
    per_minute: int = 0


class Turns:
    """A queue: who comes first is served first. A wave goes out at once as far as the minute has room for it."""

    def __init__(self, limits: Limits, clock: Clock | None = None) -> None:
        self._gate = asyncio.Semaphore(limits.concurrency)
        self._per_minute = limits.per_minute
        self._taken: deque[float] = deque()
        self._clock = clock or Clock()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn, and have it until the end."""
        async with self._gate:
            if self._per_minute:
                await self._pace()
            yield

    async def _pace(self) -> None:
        """Wait until fewer than so many calls began within the minute. The place is taken at once: nobody overtakes."""
        now = self._clock.steady()
        while self._taken and self._taken[0] <= now - MINUTE:
            self._taken.popleft()
        full = len(self._taken) >= self._per_minute
        turn = max(now, self._taken[-self._per_minute] + MINUTE) if full else now
        self._taken.append(turn)
        if turn > now:
            await self._waited(turn - now, turn)

    async def _waited(self, seconds: float, turn: float) -> None:
        try:
            await self._clock.sleep(seconds)
        except asyncio.CancelledError:
            # Nothing was sent: those who come later need not wait for it.
            self._taken.remove(turn)
            raise
