"""What one question costs in calls to language models, and the budget that it may not exceed.

The account of a question is found through its context, so whoever asks a model, however deep below, is charged to the
question for whose sake it was asked, and two questions at once are never mixed.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from wellsourced.errors import BudgetSpent
from wellsourced.events import Asked, Tell, unheard
from wellsourced.policy import Budget
from wellsourced.types import Spent


class Begun(NamedTuple):
    """A call under way: when it began, in seconds since the question was taken up, and how many it has waited for."""

    at: float
    depth: int


class Account:
    """Of one question. Calls that are made together are charged together; `spent` is what it has come to."""

    def __init__(
        self, budget: Budget | None = None, tell: Tell = unheard, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.budget, self.tell = budget or Budget(), tell
        self.spent = Spent()
        self._clock, self._opened = clock, clock()
        self._under_way = 0

    def begin(self, tokens: int) -> Begun:
        """Admit a call whose prompt has so many tokens. Raises BudgetSpent, and nothing is charged."""
        now = self._clock() - self._opened
        self._allow("calls", self.spent.calls + self._under_way + 1, self.budget.calls)
        self._allow("tokens", self.spent.tokens_in + self.spent.tokens_out + tokens, self.budget.tokens)
        self._allow("seconds", now, self.budget.seconds)
        self._allow("dollars", self.spent.cost or 0.0, self.budget.dollars)
        self._under_way += 1
        return Begun(now, self.spent.depth + 1)

    def end(self, begun: Begun, told: Asked) -> None:
        """Charge a call that has ended, well or not, and tell it."""
        self._under_way -= 1
        told = told.model_copy(
            update={"started": begun.at, "ended": self._clock() - self._opened, "depth": begun.depth}
        )
        was = self.spent
        sent = not told.cached
        self.spent = Spent(
            calls=was.calls + sent,
            cached=was.cached + told.cached,
            depth=max(was.depth, begun.depth if sent else 0),
            tokens_in=was.tokens_in + told.tokens_in * sent,
            tokens_out=was.tokens_out + told.tokens_out * sent,
            cost=None if was.cost is None or told.cost is None else was.cost + told.cost * sent,
        )
        self.tell(told)

    def _allow(self, what: str, spent: float, limit: float) -> None:
        if limit and spent > limit:
            raise BudgetSpent(what, spent, limit)


_CURRENT: ContextVar[Account | None] = ContextVar("account", default=None)


@contextmanager
def opened(account: Account) -> Iterator[Account]:
    """Everything that is asked inside, in tasks that are started inside too, is charged to this account."""
    token = _CURRENT.set(account)
    try:
        yield account
    finally:
        _CURRENT.reset(token)


def current() -> Account:
    """The account of the question that is being answered; a new one, that nobody reads, when there is none."""
    return _CURRENT.get() or Account()
