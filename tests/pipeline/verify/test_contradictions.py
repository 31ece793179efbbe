"""A statement is shown beside the results of other works that speak against it, and beside nothing else."""

from collections.abc import Sequence

from tests.fake_judge import FakeJudge
from tests.pipeline.reading_world import CONTRADICTS, SILENT, evidence
from tests.tables import each_row
from wellsourced.errors import ModelUnavailable
from wellsourced.judges.base import Judge, Pair
from wellsourced.pipeline.verify.contradictions import find_contradictions
from wellsourced.types import Citation, Conflict, Evidence, Statement, Verdict

SAID = "Tivantinib improved overall survival compared with placebo."
AGAINST = "Tivantinib did not improve overall survival compared with placebo."


async def shown(said: str, *others: str, judge: Judge | None = None) -> tuple[Conflict, ...]:
    read = evidence(said, *others)
    told = judge or FakeJudge(dict.fromkeys(others, CONTRADICTS))
    return (await find_contradictions([statement(said, read[0])], read, told))[0]


def statement(said: str, item: Evidence) -> Statement:
    passage = item.passage
    cited = Citation(passage_id=passage.id, quote=said, start=passage.start, end=passage.end)
    return Statement(text=said, citations=(cited,), verdict=Verdict(label="supports", score=1.0))


async def test_a_result_of_another_work_that_disagrees_is_shown_beside_it() -> None:
    (conflict,) = await shown(SAID, AGAINST)
    assert [side.quote for side in conflict.sides] == [SAID, AGAINST]
    assert len({side.passage_id for side in conflict.sides}) == 2


@each_row(
    "other",
    [
        "Tivantinib improved overall survival in another trial, compared with placebo.",
        "Sorafenib did not improve overall survival compared with placebo.",
        "Tivantinib did not reduce itching compared with placebo.",
        "Tivantinib is an inhibitor of MET.",
        "Tivantinib may not improve overall survival compared with placebo.",
        "If it cannot be taken daily, tivantinib did not improve overall survival compared with placebo.",
        "Tivantinib plus erlotinib did not improve overall survival compared with placebo and sorafenib.",
    ],
)
async def test_what_agrees_or_speaks_of_another_drug_or_outcome_is_no_conflict(other: str) -> None:
    assert await shown(SAID, other) == ()


@each_row(
    ("said", "other"),
    [
        (
            "High-intensity statin therapy is defined as a daily dose that lowers LDL-C by approximately >= 50%",
            "- Age <= 75 years: High-intensity statin therapy to reduce LDL-C by >= 50% (Class I).",
        ),
        (
            "Statins are drugs used to lower cholesterol.",
            "If lifestyle changes cannot lower your LDL cholesterol level enough, your doctor may prescribe statins.",
        ),
    ],
)
async def test_definitions_and_advice_under_a_condition_are_no_conflict(said: str, other: str) -> None:
    assert await shown(said, other, judge=Contradicting()) == ()


async def test_what_is_said_of_people_with_other_diseases_is_no_conflict() -> None:
    one, other = (f"In {ill}, {said}" for ill, said in (("hepatitis", SAID), ("pancreatitis", AGAINST)))
    assert await shown(one, other, judge=Contradicting()) == ()
    assert await shown(one, other.replace("pancreatitis", "hepatitis"), judge=Contradicting()) != ()


async def test_of_a_long_statement_only_the_sentence_that_is_opposed_is_shown() -> None:
    said = f"Tivantinib is an inhibitor of MET. {SAID}"
    (conflict,) = await shown(said, f"It was a trial of 1,049 people. {AGAINST}", judge=Contradicting())
    assert conflict.about == SAID
    assert [side.quote for side in conflict.sides] == [SAID, AGAINST]


async def test_a_result_that_the_judge_does_not_find_contradictory_is_none() -> None:
    assert await shown(SAID, AGAINST, judge=FakeJudge({AGAINST: SILENT})) == ()


async def test_a_judge_that_fails_costs_only_the_conflicts() -> None:
    class Down:
        name = "down"

        async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
            raise ModelUnavailable("no connection")

    read = evidence(SAID, AGAINST)
    conflicts, notes = await find_contradictions([statement(SAID, read[0])], read, Down())
    assert conflicts == ()
    assert "no connection" in notes[0]


async def test_of_one_work_one_sentence_is_shown() -> None:
    assert len(await shown(SAID, f"{AGAINST} {AGAINST}", judge=Contradicting())) == 1


class Contradicting:
    """A judge that finds a contradiction in everything."""

    name = "contradicting"

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        return [CONTRADICTS for _ in pairs]
