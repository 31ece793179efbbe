"""What one question costs in calls to language models, and the budget that it may not exceed.

The account of a question is found through its context, so whoever asks a model, however deep below, is charged to the
question for whose sake it was asked, and two questions at once are never mixed.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from contextvars import ContextVar
from itertools import count
from typing import NamedTuple

from wellsourced.errors import BudgetSpent, ModelRefused, SourceUnavailable
from wellsourced.events import Emit, ModelCalled, ignore_event
from wellsourced.models.base import FailureStreak, StartedCall
from wellsourced.policy import Budget
from wellsourced.types import Usage


class CallUnderWay(NamedTuple):
    """What is held against a budget while a call is under way.

    requests   admitted
    tokens     of the replies that came, and of the prompt that is not answered
    cost       US dollars of the replies that came; None when it is not known
    """

    requests: int
    tokens: int
    cost: float | None = 0.0


class CostTracker:
    """What one question has cost. Calls that are made together are charged together; `spent` is the sum so far.

    A call is admitted with what is known of its cost before it is made: itself, and the tokens of its prompt. So is
    each request that repeats it. Those under way count, so a wave cannot spend a budget several times over; only
    replies to calls that were admitted already may go beyond it. A call of which nobody knows what it costs in dollars
    ends what a budget in dollars allows.

    has_shown_patient_text   whether a patient's own words were shown to a model, so that its replies may repeat them
    failures   calls in a row that a model did not answer
    skipped_steps   what was not done because the time was over (`budget.seconds`), in the order in which it came up
    timings   seconds spent in each step
    """

    def __init__(
        self, budget: Budget | None = None, emit: Emit = ignore_event, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.budget, self.emit = budget or Budget(), emit
        self.spent = Usage()
        self.has_shown_patient_text = False
        self.failures = FailureStreak()
        self.skipped_steps: list[str] = []
        self.timings: dict[str, float] = {}
        self._clock, self._started_at = clock, clock()
        self._numbers = count()
        self._under_way: dict[int, CallUnderWay] = {}

    def begin(self, tokens: int) -> StartedCall:
        """Admit a call whose prompt has so many tokens.

        Raises BudgetSpent, and ModelRefused where the budget cannot be kept; nothing is charged then.
        """
        now = self._elapsed_seconds()
        self._check_limits(tokens, now)
        begun = StartedCall(now, self.spent.depth + 1, tokens, self.count_seconds_left(), next(self._numbers))
        self._under_way[begun.number] = CallUnderWay(1, tokens)
        return begun

    def admit_repeat(self, begun: StartedCall, tokens: int, cost: float | None) -> None:
        """Admit one more request of a call under way, the replies to which have taken so many tokens and dollars.

        Raises what `begin` raises.
        """
        requests = self._under_way[begun.number].requests
        self._under_way[begun.number] = CallUnderWay(requests, tokens, cost)
        self._check_limits(begun.tokens, self._elapsed_seconds())
        self._under_way[begun.number] = CallUnderWay(requests + 1, tokens + begun.tokens, cost)

    def end(self, begun: StartedCall, call: ModelCalled | None) -> None:
        """Charge a call that has ended, well or not, and emit its event; None: nothing was sent after all."""
        del self._under_way[begun.number]
        if call is None:
            return
        was = self.spent
        self.spent = was.model_copy(
            update={
                "calls": was.calls + call.requests,
                "depth": max(was.depth, begun.depth),
                "tokens_in": was.tokens_in + call.tokens_in,
                "tokens_out": was.tokens_out + call.tokens_out,
                "cost": None if was.cost is None or call.cost is None else was.cost + call.cost,
            }
        )
        self._emit_call(call, begun.started_at, begun.depth)

    def record_cached_call(self, call: ModelCalled) -> None:
        """Count a call that was answered from the disk and emit its event: it costs nothing, and needs no admission."""
        self.spent = self.spent.model_copy(update={"cached": self.spent.cached + 1})
        self._emit_call(call, self._elapsed_seconds(), self.spent.depth + 1)

    def count_seconds_left(self) -> float | None:
        """Return the seconds until the budget of time is spent, below 0 when it is; None: there is none."""
        return self.budget.seconds - self._elapsed_seconds() if self.budget.seconds else None

    def is_time_over(self) -> bool:
        """Return whether the budget of time is spent, so that nothing may be begun that can be left out."""
        left = self.count_seconds_left()
        return left is not None and left <= 0

    @asynccontextmanager
    async def limit_wait(
        self, step: str, seconds: float, turn: AbstractAsyncContextManager[None] | None
    ) -> AsyncIterator[None]:
        """Wait for a source: until the budget of time is spent, and on the network for `seconds` from its turn on.

        What lies here takes the time that it takes: how busy this machine is must not decide what is found.

        step   what is left out when the budget of time is spent
        turn   the line to wait in for a source on the network; None: it lies on this machine

        Raises SourceUnavailable, which says how long the source was waited for.
        """
        try:
            async with asyncio.timeout(self.count_seconds_left()):
                if turn is None:
                    yield
                else:
                    async with turn, asyncio.timeout(seconds):
                        yield
        except TimeoutError as error:
            if not self.is_time_over():
                raise SourceUnavailable(f"no answer within {seconds:g} s") from error
            self.record_skipped_step(step)
            limit = f"the {self.budget.seconds:g} s of budget.seconds"
            raise SourceUnavailable(f"no answer within {limit}") from error

    def record_skipped_step(self, what: str) -> None:
        """Note what is not done because the time is over, as the end of "left out: "."""
        if what not in self.skipped_steps:
            self.skipped_steps.append(what)

    def describe_skipped_steps(self) -> tuple[str, ...]:
        """Return the sentence, without a full stop, that says what the budget of time cut; none when it cut nothing."""
        if not self.skipped_steps:
            return ()
        return (
            f"stopped after the {self.budget.seconds:g} s of budget.seconds; left out: {'; '.join(self.skipped_steps)}",
        )

    @contextmanager
    def time_step(self, step: str) -> Iterator[None]:
        """Time one step of the question; steps that come again add up."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            self.timings[step] = round(self.timings.get(step, 0.0) + time.perf_counter() - begun, 4)

    def _check_limits(self, tokens: int, now: float) -> None:
        budget, spent, under_way = self.budget, self.spent, self._under_way.values()
        used = {
            "calls": (spent.calls + sum(call.requests for call in under_way), 1),
            "tokens": (spent.tokens_in + spent.tokens_out + sum(call.tokens for call in under_way), tokens),
            "seconds": (now, 0),
            "dollars": ((spent.cost or 0.0) + sum(call.cost or 0.0 for call in under_way), 0),
        }
        for what, (so_far, more) in used.items():
            limit = getattr(budget, what)
            if limit and (so_far >= limit or so_far + more > limit):
                raise BudgetSpent(what, so_far, limit)
        if budget.dollars and (spent.cost is None or any(call.cost is None for call in under_way)):
            raise ModelRefused(
                "The model has no known price, so budget.dollars cannot be kept. Set models.price_in and "
                "models.price_out, "
                "or budget.tokens instead."
            )

    def _emit_call(self, call: ModelCalled, started: float, depth: int) -> None:
        self.emit(call.model_copy(update={"started": started, "ended": self._elapsed_seconds(), "depth": depth}))

    def _elapsed_seconds(self) -> float:
        return self._clock() - self._started_at


_COST_TRACKER: ContextVar[CostTracker | None] = ContextVar("account", default=None)


@contextmanager
def use_cost_tracker(tracker: CostTracker) -> Iterator[CostTracker]:
    """Everything that is asked inside, in tasks that are started inside too, is charged to this tracker."""
    token = _COST_TRACKER.set(tracker)
    try:
        yield tracker
    finally:
        _COST_TRACKER.reset(token)


def current_cost_tracker() -> CostTracker:
    """The account of the question that is being answered; a new one, that nobody reads, when there is none."""
    return _COST_TRACKER.get() or CostTracker()


def find_cost_tracker() -> CostTracker | None:
    """The account of the question that is being answered; None when there is none."""
    return _COST_TRACKER.get()
