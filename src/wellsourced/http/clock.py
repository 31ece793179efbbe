"""The time, as an argument, so that tests that wait an hour take no time."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import NamedTuple


class Clock(NamedTuple):
    """What the client asks about time.

    wall    seconds since 1970, for what is compared with dates and kept on a disk
    steady  seconds that never jump, for measuring
    sleep   waits so many seconds
    """

    wall: Callable[[], float] = time.time
    steady: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
