"""How much one model is asked at once and in a minute, whoever in this process asks it."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from wellsourced.http.pacing import Clock

MINUTE = 60.0


class CallLimits(NamedTuple):
    """Of one model.

    concurrency   calls under way at once
    per_minute    calls that begin within any minute; 0: as many as there are
    """

    concurrency: int = 8
    per_minute: int = 0


class CallQueue:
    """A queue: who comes first is served first. A wave goes out at once as far as the minute has room for it."""

    def __init__(self, limits: CallLimits, clock: Clock | None = None) -> None:
        self._slots = asyncio.Semaphore(limits.concurrency)
        self._per_minute = limits.per_minute
        self._start_times: deque[float] = deque()
        self._clock = clock or Clock()

    @asynccontextmanager
    async def take_turn(self) -> AsyncIterator[None]:
        """Wait for a turn, and have it until the end."""
        async with self._slots:
            if self._per_minute:
                await self._wait_for_start()
            yield

    async def _wait_for_start(self) -> None:
        """Wait until fewer than so many calls began within the minute. The place is taken at once: nobody overtakes."""
        now = self._clock.steady()
        while self._start_times and self._start_times[0] <= now - MINUTE:
            self._start_times.popleft()
        full = len(self._start_times) >= self._per_minute
        turn = max(now, self._start_times[-self._per_minute] + MINUTE) if full else now
        self._start_times.append(turn)
        if turn > now:
            await self._sleep_until_start(turn - now, turn)

    async def _sleep_until_start(self, seconds: float, turn: float) -> None:
        try:
            await self._clock.sleep(seconds)
        except asyncio.CancelledError:
            # Nothing was sent: those who come later need not wait for it.
            self._start_times.remove(turn)
            raise
