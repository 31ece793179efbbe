"""What a question costs: every call is charged to the question it was made for, and none beyond its budget."""

import asyncio

import pytest

from wellsourced.budget import CostTracker, current_cost_tracker, use_cost_tracker
from wellsourced.errors import BudgetSpent, ModelRefused, NextStep
from wellsourced.events import Event, ModelCalled
from wellsourced.models.base import CallTracker
from wellsourced.policy import Budget
from wellsourced.types import Usage


class Watch:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def asked(tokens_in: int = 10, tokens_out: int = 5, cost: float | None = 0.0, **more: object) -> ModelCalled:
    told = {"prompt": "Decompose", "model": "m", "key": "k", "tokens_in": tokens_in, "tokens_out": tokens_out}
    return ModelCalled.model_validate({**told, "cost": cost, **more})


def call(tracker: CostTracker, tokens: int = 10, told: ModelCalled | None = None) -> None:
    """One call from its beginning to its end."""
    tracker.end(tracker.begin(tokens), told or asked())


def test_an_account_is_what_models_charge() -> None:
    tracker: CallTracker = CostTracker()
    assert tracker.emit is not None


def test_calls_tokens_and_dollars_add_up() -> None:
    tracker = CostTracker()
    call(tracker, told=asked(10, 5, 0.25))
    call(tracker, told=asked(20, 1, 0.5))
    assert tracker.spent == Usage(calls=2, depth=2, tokens_in=30, tokens_out=6, cost=0.75)


def test_calls_that_are_made_together_are_one_deep_and_the_next_that_waits_for_them_is_two() -> None:
    told: list[Event] = []
    tracker = CostTracker(emit=told.append)
    wave = [tracker.begin(1) for _ in range(3)]
    for begun in wave:
        tracker.end(begun, asked())
    call(tracker)
    assert tracker.spent.depth == 2
    assert [event.depth for event in told if isinstance(event, ModelCalled)] == [1, 1, 1, 2]


def test_a_call_that_began_before_another_ended_has_not_waited_for_it() -> None:
    tracker = CostTracker()
    slow = tracker.begin(1)
    call(tracker)
    call(tracker)
    tracker.end(slow, asked())
    assert tracker.spent.depth == 2


def test_what_is_told_has_the_times_of_the_question_and_not_of_the_clock() -> None:
    told: list[Event] = []
    watch = Watch()
    tracker = CostTracker(emit=told.append, clock=watch)
    watch.now += 2
    begun = tracker.begin(1)
    watch.now += 3
    tracker.end(begun, asked())
    [event] = told
    assert isinstance(event, ModelCalled)
    assert (event.started, event.ended) == (2.0, 5.0)


def test_a_budget_of_calls_counts_those_under_way() -> None:
    tracker = CostTracker(Budget(calls=2))
    tracker.begin(1)
    call(tracker)
    with pytest.raises(BudgetSpent, match="the budget of 2 calls is spent"):
        tracker.begin(1)
    assert tracker.spent.calls == 1


def test_a_budget_of_tokens_counts_the_prompts_under_way_and_the_one_that_is_to_come() -> None:
    tracker = CostTracker(Budget(tokens=100))
    wave = [tracker.begin(40), tracker.begin(40)]
    with pytest.raises(BudgetSpent, match="tokens"):
        tracker.begin(40)
    tracker.begin(20)
    for begun in wave:
        tracker.end(begun, asked(20, 0))
    tracker.begin(40)


def test_a_budget_of_seconds_admits_nothing_when_it_is_over_and_tells_a_call_how_long_it_has() -> None:
    watch = Watch()
    tracker = CostTracker(Budget(seconds=10), clock=watch)
    watch.now += 4
    assert tracker.begin(1).seconds_left == 6
    watch.now += 6
    with pytest.raises(BudgetSpent, match="the budget of 10 seconds is spent"):
        tracker.begin(1)


def test_a_budget_of_dollars_admits_nothing_when_it_is_spent() -> None:
    tracker = CostTracker(Budget(dollars=0.5))
    call(tracker, told=asked(cost=0.4))
    call(tracker, told=asked(cost=0.4))
    with pytest.raises(BudgetSpent, match=r"the budget of 0\.5 dollars is spent") as spent:
        tracker.begin(1)
    assert spent.value.next_step == NextStep("change setting", "budget.dollars")


def test_a_budget_of_dollars_cannot_be_kept_by_a_model_whose_price_nobody_knows_and_that_is_said() -> None:
    tracker = CostTracker(Budget(dollars=0.5))
    call(tracker, told=asked(cost=None))
    assert tracker.spent.cost is None
    with pytest.raises(ModelRefused, match=r"models\.price_in"):
        tracker.begin(1)


def test_without_a_budget_everything_is_admitted() -> None:
    tracker = CostTracker()
    call(tracker, told=asked(cost=None))
    assert tracker.begin(10**9).seconds_left is None


def test_a_call_that_failed_is_charged_and_told_with_its_reason() -> None:
    told: list[Event] = []
    tracker = CostTracker(emit=told.append)
    call(tracker, told=asked(10, 0, error="the model is down"))
    assert tracker.spent == Usage(calls=1, depth=1, tokens_in=10)
    assert [event.error for event in told if isinstance(event, ModelCalled)] == ["the model is down"]


def test_a_call_that_was_never_sent_is_neither_charged_nor_told() -> None:
    told: list[Event] = []
    tracker = CostTracker(Budget(calls=1, tokens=10), told.append)
    tracker.end(tracker.begin(10), None)
    assert (tracker.spent, told) == (Usage(), [])
    tracker.begin(10)


def test_a_call_that_is_answered_from_the_disk_costs_nothing_even_when_the_budget_is_spent() -> None:
    told: list[Event] = []
    tracker = CostTracker(Budget(calls=1), told.append)
    call(tracker)
    tracker.record_cached_call(asked(10, 5, cached=True))
    assert tracker.spent == Usage(calls=1, cached=1, depth=1, tokens_in=10, tokens_out=5)
    assert [event.cached for event in told if isinstance(event, ModelCalled)] == [False, True]


async def test_two_questions_at_once_are_never_mixed() -> None:
    async def wave() -> None:
        begun = current_cost_tracker().begin(1)
        await asyncio.sleep(0)
        current_cost_tracker().end(begun, asked())

    async def question(calls: int) -> Usage:
        with use_cost_tracker(CostTracker()) as tracker:
            await asyncio.gather(*(wave() for _ in range(calls)))
            return tracker.spent

    one, other = await asyncio.gather(question(3), question(5))
    assert (one.calls, other.calls, one.depth, other.depth) == (3, 5, 1, 1)


def test_outside_a_question_calls_are_charged_to_nobody() -> None:
    with use_cost_tracker(CostTracker()) as tracker:
        assert current_cost_tracker() is tracker
    assert current_cost_tracker() is not tracker
    assert current_cost_tracker() is not current_cost_tracker()
