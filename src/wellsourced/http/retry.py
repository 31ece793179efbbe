"""Retries: failures that may pass are tried again after growing pauses, and not before the server allows it."""

from collections.abc import Awaitable, Callable, Iterator
from email.utils import parsedate_to_datetime
from typing import TypeVar

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
from wellsourced.http.clock import Clock

T = TypeVar("T")

MAX_RETRY_AFTER = 60.0
"""Seconds that a server may ask for; one that wants more is asked by the user, later."""

BACKOFF = wait_exponential(multiplier=0.5, max=20.0) + wait_random(0.0, 0.5)
"""Seconds between attempts: 0.5, 1, 2 … and up to half a second more, so that many callers do not return at once."""


class RetryableError(Exception):
    """It did not work, and could in a moment.

    sentence   for the user, should it be the last attempt
    after      seconds that the server asked for; 0 when it said nothing
    status     what the server answered; 0 when it did not
    """

    def __init__(self, sentence: str, after: float = 0.0, status: int = 0) -> None:
        self.message, self.wait_seconds, self.status = sentence, after, status
        super().__init__(sentence)


def list_causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error, and what is behind it, one after another."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


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
    return max(asked_for, BACKOFF(state))


def parse_retry_after(headers: httpx2.Headers, now: float) -> float:
    """Seconds that a server asks for, in either form (RFC 9110, 10.2.3); 0 when it says nothing that can be read.

    now   seconds since 1970
    """
    said = headers.get("Retry-After", "").strip()
    if said.isascii() and said.isdecimal():
        return float(said[:9])
    try:
        return max(0.0, parsedate_to_datetime(said).timestamp() - now)
    except (ValueError, OverflowError, OSError):
        return 0.0
