"""What a question costs: every call is charged to the question it was made for, and none beyond its budget."""

import asyncio

import pytest

from wellsourced.budget import Account, current_account, use_account
from wellsourced.errors import BudgetSpent, ModelRefused, NextStep
from wellsourced.events import Event, ModelCalled
from wellsourced.models.base import CallAccount
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


def call(account: Account, tokens: int = 10, told: ModelCalled | None = None) -> None:
    """One call from its beginning to its end."""
    account.end(account.begin(tokens), told or asked())


def test_an_account_is_what_models_charge() -> None:
    account: CallAccount = Account()
    assert account.emit is not None


def test_calls_tokens_and_dollars_add_up() -> None:
    account = Account()
    call(account, told=asked(10, 5, 0.25))
    call(account, told=asked(20, 1, 0.5))
    assert account.spent == Usage(calls=2, depth=2, tokens_in=30, tokens_out=6, cost=0.75)


def test_calls_that_are_made_together_are_one_deep_and_the_next_that_waits_for_them_is_two() -> None:
    told: list[Event] = []
    account = Account(emit=told.append)
    wave = [account.begin(1) for _ in range(3)]
    for begun in wave:
        account.end(begun, asked())
    call(account)
    assert account.spent.depth == 2
    assert [event.depth for event in told if isinstance(event, ModelCalled)] == [1, 1, 1, 2]


def test_a_call_that_began_before_another_ended_has_not_waited_for_it() -> None:
    account = Account()
    slow = account.begin(1)
    call(account)
    call(account)
    account.end(slow, asked())
    assert account.spent.depth == 2


def test_what_is_told_has_the_times_of_the_question_and_not_of_the_clock() -> None:
    told: list[Event] = []
    watch = Watch()
    account = Account(emit=told.append, clock=watch)
    watch.now += 2
    begun = account.begin(1)
    watch.now += 3
    account.end(begun, asked())
    [event] = told
    assert isinstance(event, ModelCalled)
    assert (event.started, event.ended) == (2.0, 5.0)


def test_a_budget_of_calls_counts_those_under_way() -> None:
    account = Account(Budget(calls=2))
    account.begin(1)
    call(account)
    with pytest.raises(BudgetSpent, match="the budget of 2 calls is spent"):
        account.begin(1)
    assert account.spent.calls == 1


def test_a_budget_of_tokens_counts_the_prompts_under_way_and_the_one_that_is_to_come() -> None:
    account = Account(Budget(tokens=100))
    wave = [account.begin(40), account.begin(40)]
    with pytest.raises(BudgetSpent, match="tokens"):
        account.begin(40)
    account.begin(20)
    for begun in wave:
        account.end(begun, asked(20, 0))
    account.begin(40)


def test_a_budget_of_seconds_admits_nothing_when_it_is_over_and_tells_a_call_how_long_it_has() -> None:
    watch = Watch()
    account = Account(Budget(seconds=10), clock=watch)
    watch.now += 4
    assert account.begin(1).seconds_left == 6
    watch.now += 6
    with pytest.raises(BudgetSpent, match="the budget of 10 seconds is spent"):
        account.begin(1)


def test_a_budget_of_dollars_admits_nothing_when_it_is_spent() -> None:
    account = Account(Budget(dollars=0.5))
    call(account, told=asked(cost=0.4))
    call(account, told=asked(cost=0.4))
    with pytest.raises(BudgetSpent, match=r"the budget of 0\.5 dollars is spent") as spent:
        account.begin(1)
    assert spent.value.next_step == NextStep("change setting", "budget.dollars")


def test_a_budget_of_dollars_cannot_be_kept_by_a_model_whose_price_nobody_knows_and_that_is_said() -> None:
    account = Account(Budget(dollars=0.5))
    call(account, told=asked(cost=None))
    assert account.spent.cost is None
    with pytest.raises(ModelRefused, match=r"models\.price_in"):
        account.begin(1)


def test_without_a_budget_everything_is_admitted() -> None:
    account = Account()
    call(account, told=asked(cost=None))
    assert account.begin(10**9).seconds_left is None


def test_a_call_that_failed_is_charged_and_told_with_its_reason() -> None:
    told: list[Event] = []
    account = Account(emit=told.append)
    call(account, told=asked(10, 0, error="the model is down"))
    assert account.spent == Usage(calls=1, depth=1, tokens_in=10)
    assert [event.error for event in told if isinstance(event, ModelCalled)] == ["the model is down"]


def test_a_call_that_was_never_sent_is_neither_charged_nor_told() -> None:
    told: list[Event] = []
    account = Account(Budget(calls=1, tokens=10), told.append)
    account.end(account.begin(10), None)
    assert (account.spent, told) == (Usage(), [])
    account.begin(10)


def test_a_call_that_is_answered_from_the_disk_costs_nothing_even_when_the_budget_is_spent() -> None:
    told: list[Event] = []
    account = Account(Budget(calls=1), told.append)
    call(account)
    account.record_cached_call(asked(10, 5, cached=True))
    assert account.spent == Usage(calls=1, cached=1, depth=1, tokens_in=10, tokens_out=5)
    assert [event.cached for event in told if isinstance(event, ModelCalled)] == [False, True]


async def test_two_questions_at_once_are_never_mixed() -> None:
    async def wave() -> None:
        begun = current_account().begin(1)
        await asyncio.sleep(0)
        current_account().end(begun, asked())

    async def question(calls: int) -> Usage:
        with use_account(Account()) as account:
            await asyncio.gather(*(wave() for _ in range(calls)))
            return account.spent

    one, other = await asyncio.gather(question(3), question(5))
    assert (one.calls, other.calls, one.depth, other.depth) == (3, 5, 1, 1)


def test_outside_a_question_calls_are_charged_to_nobody() -> None:
    with use_account(Account()) as account:
        assert current_account() is account
    assert current_account() is not account
    assert current_account() is not current_account()
