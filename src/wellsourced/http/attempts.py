"""Who hears of each attempt to send a request, where the libraries of providers stand between sender and transport."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

OnAttempt = Callable[[], None]
"""Called before a request is sent, each time that it is; what it raises is raised in place of sending it."""

_ON_ATTEMPT: ContextVar[OnAttempt | None] = ContextVar("on_attempt", default=None)


@contextmanager
def watch_attempts(on_attempt: OnAttempt) -> Iterator[None]:
    """Call this before every attempt inside, in tasks that are started inside too."""
    token = _ON_ATTEMPT.set(on_attempt)
    try:
        yield
    finally:
        _ON_ATTEMPT.reset(token)


def tell_attempt() -> None:
    """Tell whoever watches that a request is about to be sent."""
    if on_attempt := _ON_ATTEMPT.get():
        on_attempt()
