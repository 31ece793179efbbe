"""A run costs what it may, and no case more: whoever is asked at the same time counts."""

import asyncio

from wellsourced_evaluate.questions.answer_run import AnswerRecord
from wellsourced_evaluate.questions.run_budget import RunBudget, RunLimit


async def ask_all(budget: RunBudget, costs: list[int], at_once: int, dollars: float | None = 0.0) -> list[int]:
    """The places of the cases that were asked, as they were begun: each takes so many calls, one after the other."""
    asked: list[int] = []
    left = iter(enumerate(costs))

    async def work() -> None:
        for place, calls in left:
            if not await budget.admit(str(place)):
                return
            asked.append(place)
            for _ in range(calls):
                await asyncio.sleep(0)
                budget.charge(str(place), 1, dollars)
            await budget.end(str(place))

    await asyncio.gather(*(work() for _ in range(at_once)))
    return asked


async def test_cases_are_begun_as_long_as_one_as_dear_as_the_dearest_fits_beside_those_under_way() -> None:
    budget = RunBudget(RunLimit(calls=10))
    # 3 are spent after the first; 3 + 3, and 6 + 3 fit into 10, and 9 + 3 do not.
    assert len(await ask_all(budget, [3] * 9, at_once=4)) == 3
    assert budget.calls == 9
    assert budget.stopped == (
        "9 of 10 calls are spent, and a case may take 3 calls. Give it again with more, and it goes on"
    )


async def test_only_a_case_that_is_dearer_than_all_before_it_can_go_beyond() -> None:
    budget = RunBudget(RunLimit(calls=10))
    await ask_all(budget, [1, 1, 30, 1, 1], at_once=1)
    assert budget.calls == 32


async def test_what_was_recorded_before_counts_and_what_costs_nothing_has_no_end() -> None:
    record = AnswerRecord(case="a", status="failed", calls=6, judge_calls=2)
    budget = RunBudget(RunLimit(calls=10))
    budget.count_earlier([record])
    assert await ask_all(budget, [2], at_once=1) == []
    assert sorted(await ask_all(RunBudget(RunLimit(calls=10)), [0] * 40, at_once=8)) == [*range(40)]
    assert sorted(await ask_all(RunBudget(RunLimit()), [50] * 3, at_once=2)) == [0, 1, 2]


async def test_dollars_that_nobody_knows_end_a_run_that_is_limited_in_dollars() -> None:
    budget = RunBudget(RunLimit(dollars=1.0))
    assert await ask_all(budget, [1, 1, 1], at_once=1, dollars=None) == [0]
    assert budget.stopped.startswith("what the model costs is not known, so --max-dollars cannot be kept")
    priced = RunBudget(RunLimit(dollars=1.0))
    assert len(await ask_all(priced, [1] * 9, at_once=3, dollars=0.25)) == 4
