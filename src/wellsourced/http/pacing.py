"""When a request is sent: in its turn, and after a failure that may pass once more, not before the server allows it."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import NamedTuple, TypeVar

import httpx2
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    wait_exponential,
    wait_random,
)

from wellsourced.errors import SourceUnavailable
from wellsourced.http.failures import RetryableError
from wellsourced.http.request import host_and_port
from wellsourced.privacy.loopback import is_plain_loopback

T = TypeVar("T")

MAX_RETRY_AFTER = 60.0
"""Seconds that a server may ask for; one that wants more is asked by the user, later."""

BACKOFF = wait_exponential(multiplier=0.5, max=20.0) + wait_random(0.0, 0.5)
"""Seconds between attempts: 0.5, 1, 2 … and up to half a second more, so that many callers do not return at once."""


class Clock(NamedTuple):
    """What the client asks about time; an argument, so that tests that wait an hour take no time.

    wall    seconds since 1970, for what is compared with dates and kept on a disk
    steady  seconds that never jump, for measuring
    sleep   waits so many seconds
    """

    wall: Callable[[], float] = time.time
    steady: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


class RateLimiter:
    """At most so many requests a second to each host, whoever in this process sends them. One queue for each host: who
    comes first is served first, and no host waits for another.

    paces   "host" or "host:port" → requests a second, at most
    usual   the same for every other host
    """

    def __init__(self, paces: Mapping[str, float], usual: float, clock: Clock) -> None:
        self._paces = paces
        self._default_pace = usual
        self._clock = clock
        self._next_turns: dict[str, float] = {}

    async def wait_for_turn(self, url: httpx2.URL) -> None:
        """Return when this request may be sent. The place in the queue is taken at once, so nobody overtakes."""
        host = host_and_port(url)
        now = self._clock.steady()
        turn = max(now, self._next_turns.get(host, now))
        self._next_turns[host] = turn + self._interval(url)
        if turn > now:
            await self._clock.sleep(turn - now)

    def pause_host(self, url: httpx2.URL, seconds: float) -> None:
        """The host asked for silence: requests that have no turn yet wait, whoever sends them."""
        host = host_and_port(url)
        until = self._clock.steady() + seconds
        self._next_turns[host] = max(until, self._next_turns.get(host, until))

    def _interval(self, url: httpx2.URL) -> float:
        named = self._paces.get(host_and_port(url)) or self._paces.get(url.host)
        if named is None and is_plain_loopback(url.host):
            # The user's own servers are asked as fast as they answer, unless a pace is given for them.
            return 0.0
        return 1 / (named or self._default_pace)


async def send_with_retries(ask: Callable[[], Awaitable[T]], attempts: int, clock: Clock) -> T:
    """What `ask` gives in the end. Raises SourceUnavailable with the last reason; other errors at once."""
    retrying = AsyncRetrying(
        stop=stop_after_attempt(attempts),
        wait=_retry_delay,
        retry=retry_if_exception(
            lambda error: isinstance(error, RetryableError) and error.wait_seconds <= MAX_RETRY_AFTER
        ),
        sleep=clock.sleep,
        reraise=True,
    )
    try:
        return await retrying(ask)
    except RetryableError as error:
        unavailable = SourceUnavailable(error.message)
        unavailable.status = error.status
        raise unavailable from error


def _retry_delay(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    asked_for = error.wait_seconds if isinstance(error, RetryableError) else 0.0
    # Never sooner than we would by ourselves: some servers ask for 0 seconds, and mean nothing by it.
    return max(asked_for, BACKOFF(state))


def parse_retry_after(headers: httpx2.Headers, now: float) -> float:
    """Seconds that a server asks for, in either form (RFC 9110, 10.2.3); 0 when it says nothing that can be read.

    now   seconds since 1970
    """
    said = headers.get("Retry-After", "").strip()
    if said.isascii() and said.isdecimal():
        # Nine digits are more than any caller waits, and never more than a float holds.
        return float(said[:9])
    try:
        return max(0.0, parsedate_to_datetime(said).timestamp() - now)
    except (ValueError, OverflowError, OSError):
        return 0.0
