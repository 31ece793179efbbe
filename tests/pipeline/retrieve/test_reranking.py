"""A judge says which candidates stand first, however long it takes."""

import asyncio
from collections.abc import Callable, Sequence

import pytest

from tests.pipeline.retrieve.test_fusion import said
from tests.tables import each_row
from wellsourced.errors import ModelError
from wellsourced.judges.base import Judge, Pair
from wellsourced.pipeline.retrieve.retrieval import BATCH_SIZE, JUDGE_WEIGHT, rerank_candidates, rerank_search
from wellsourced.pipeline.retrieve.search import AttemptResult, Candidate
from wellsourced.policy import Policy
from wellsourced.types import Attempt, Expansion, Query, Question, Search, Verdict

QUESTION = Question(text="Does colchicine help in gout?")


class Scoring:
    """Gives each text the number that it ends in as its score; waits so long for a batch, fails at one."""

    name = "scoring"

    def __init__(self, wait: float = 0, fails_at: int = 0) -> None:
        self.wait, self.fails_at = wait, fails_at
        self.batches: list[list[Pair]] = []

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        self.batches.append([*pairs])
        if len(self.batches) == self.fails_at:
            raise ModelError("the weights are gone")
        await asyncio.sleep(self.wait)
        return [Verdict(label="supports", score=float(pair.text.split()[-1])) for pair in pairs]


def candidates(count: int, score: Callable[[int], float] = lambda place: place / 1000) -> list[Candidate]:
    """Candidates in the order of their places, each of which the judge scores by `score(place)`."""
    return [
        Candidate(said(f"{place}", f"Passage {place} is worth {score(place):.4f}"), "trials", 1 / (60 + place))
        for place in range(1, count + 1)
    ]


async def ranked(
    count: int, judge: Judge | None, policy: Policy | None = None, score: Callable[[int], float] = lambda n: n / 1000
) -> tuple[list[int], tuple[str, ...]]:
    given = await rerank_candidates(QUESTION, candidates(count, score), judge, policy or Policy())
    return [int(one.passage.reference.id) for one in given.candidates], given.notes


async def test_without_a_judge_the_order_of_the_sources_stays() -> None:
    assert await ranked(5, None) == ([1, 2, 3, 4, 5], ())


async def test_what_the_judge_finds_far_better_rises_and_its_word_is_mixed_with_the_place() -> None:
    given = await rerank_candidates(
        QUESTION, candidates(3, score=lambda place: {1: 0.2, 2: 0.5, 3: 0.8}[place]), Scoring(), Policy()
    )
    assert [one.passage.reference.id for one in given.candidates] == ["3", "2", "1"]
    place = (1 / 62 - 1 / 63) / (1 / 61 - 1 / 63)
    # The log-odds of .5 lie half-way between those of .2 and .8.
    assert [one.score for one in given.candidates] == pytest.approx(
        [JUDGE_WEIGHT, JUDGE_WEIGHT / 2 + (1 - JUDGE_WEIGHT) * place, 1 - JUDGE_WEIGHT]
    )


async def test_a_judge_that_is_certain_is_no_more_than_very_sure() -> None:
    order, notes = await ranked(3, Scoring(), score=lambda place: {1: 0.0, 2: 1.0, 3: 0.5}[place])
    assert (order, notes) == ([2, 3, 1], ())


async def test_a_judge_that_finds_no_difference_changes_nothing() -> None:
    assert await ranked(4, Scoring(), score=lambda place: 0.5) == ([1, 2, 3, 4], ())


async def test_only_the_first_are_judged_and_the_others_follow_in_their_order() -> None:
    judge = Scoring()
    order, notes = await ranked(6, judge, Policy(rerank=3))
    assert order == [3, 2, 1, 4, 5, 6]
    assert sum(len(batch) for batch in judge.batches) == 3
    assert notes == ()


async def test_every_wording_of_the_question_is_asked_and_the_best_counts() -> None:
    judge = Scoring()
    meant = Expansion(kind="synonym", said="gout", meant="podagra", source="test")
    await rerank_candidates(QUESTION.model_copy(update={"expansions": (meant,)}), candidates(2), judge, Policy())
    assert {pair.claim for pair in judge.batches[0]} == {QUESTION.text, "Does colchicine help in podagra?"}


async def test_a_judge_that_fails_leaves_the_order_of_the_sources_and_that_is_told() -> None:
    assert await ranked(3, Scoring(fails_at=1)) == (
        [1, 2, 3],
        ("the ranker could not rank the passages (the weights are gone): they keep the order of the sources",),
    )


async def test_what_a_judge_said_before_it_failed_counts() -> None:
    order, (note,) = await ranked(3 * BATCH_SIZE, Scoring(fails_at=2))
    assert order[BATCH_SIZE:] == [*range(BATCH_SIZE + 1, 3 * BATCH_SIZE + 1)]
    assert order[0] == BATCH_SIZE
    assert note.endswith("10 of 30 passages were judged; the others follow in the order of the sources")


async def test_a_fault_of_ours_is_not_taken_for_one_of_the_judge() -> None:
    class Broken:
        name = "broken"

        async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
            raise TypeError("a bug")

    with pytest.raises(TypeError, match="a bug"):
        await ranked(3, Broken())


async def test_one_candidate_needs_no_judge() -> None:
    judge = Scoring()
    assert await ranked(1, judge) == ([1], ())
    assert judge.batches == []


# --- each search by its own query -----------------------------------------------------------------------------------


def searched(query: Query, count: int = 4) -> AttemptResult:
    """What a search for it brought up, the least worth first."""
    attempt = Attempt(search=Search(source="trials", query=query), tier="all", status="ok", found=count)
    return AttemptResult(attempt, tuple(one.passage for one in candidates(count)))


async def kept(query: Query, judge: Judge | None, **policy: int) -> list[int]:
    result, _ = await rerank_search(searched(query), QUESTION, judge, Policy(per_query=2, **policy))
    return [int(one.reference.id) for one in result.passages]


async def test_the_best_of_a_search_are_those_nearest_to_its_own_query_not_to_the_question() -> None:
    judge = Scoring()
    assert await kept(Query(terms=("colchicine", "nausea")), judge) == [4, 3]
    assert {pair.claim for batch in judge.batches for pair in batch} == {"colchicine nausea"}


async def test_what_is_to_be_known_of_a_concept_stands_beside_its_name() -> None:
    judge = Scoring()
    await kept(Query(terms=("gout",), kind="term", also=("its drugs",)), judge)
    assert {pair.claim for batch in judge.batches for pair in batch} == {"gout its drugs"}


@each_row(
    ("query", "judge", "policy"),
    [
        (Query(terms=("gout",)), None, {}),
        (Query(terms=("gout",)), Scoring(), {"rerank": 0}),
        (Query(terms=("gout[mh] AND colchicine[tiab]",), kind="boolean"), Scoring(), {}),
    ],
)
async def test_without_a_text_or_a_ranker_a_search_keeps_the_first_of_its_own_order(
    query: Query, judge: Judge | None, policy: dict[str, int]
) -> None:
    assert await kept(query, judge, **policy) == [1, 2]
