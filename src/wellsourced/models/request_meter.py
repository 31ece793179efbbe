"""What one call to a model has taken so far, request by request: it is charged with that, however it ends."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class RequestMeter:
    """Counts the requests of one call where they are sent, and what was replied, read or not.

    requests     sent so far, each one that was repeated counted again
    tokens_in, tokens_out, cost   of all replies that came; cost is None once the price of one is not known
    replies      that came
    is_waiting   whether a reply to the last request, or to a first one, has not come
    """

    def __init__(self, admit_repeat: "Callable[[RequestMeter], None] | None" = None) -> None:
        self.requests = self.replies = self.tokens_in = self.tokens_out = 0
        self.cost: float | None = 0.0
        self.is_waiting = True
        self._admit_repeat = admit_repeat

    def count_request(self) -> None:
        """Count a request that is about to be sent. Raises what does not admit a repeat (BudgetSpent)."""
        if self.requests and self._admit_repeat:
            self._admit_repeat(self)
        self.requests += 1
        self.is_waiting = True

    def record_reply(self, tokens_in: int, tokens_out: int, cost: float | None) -> None:
        """Add what a reply took."""
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out
        self.cost = None if self.cost is None or cost is None else self.cost + cost
        self.replies += 1
        self.is_waiting = False


_CURRENT_METER: ContextVar[RequestMeter | None] = ContextVar("meter", default=None)


@contextmanager
def use_meter(meter: RequestMeter) -> Iterator[RequestMeter]:
    """Every request that is sent inside, in tasks that are started inside too, is counted by this meter."""
    token = _CURRENT_METER.set(meter)
    try:
        yield meter
    finally:
        _CURRENT_METER.reset(token)


def current_meter() -> RequestMeter:
    """The meter of the call that is being made; a new one, that nobody reads, when there is none."""
    return _CURRENT_METER.get() or RequestMeter()
