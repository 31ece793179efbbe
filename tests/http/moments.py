"""A clock that stands still until somebody sleeps; the sleepers wake at once."""

import asyncio

from wellsourced.http import Clock


class Moments:
    """`slept` holds how long each sleep was meant to be, in seconds."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self.now = now
        self.slept: list[float] = []
        self.clock = Clock(wall=lambda: self.now, steady=lambda: self.now, sleep=self.sleep)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)
