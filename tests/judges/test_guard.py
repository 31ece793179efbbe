"""What no likeness sees: numbers, units, negation and direction."""

from collections.abc import Sequence

from tests.fake_judge import FakeJudge
from tests.tables import each_row
from wellsourced.citations.quote_alignment import is_verbatim
from wellsourced.judges.base import Pair, ScoredVerdict
from wellsourced.judges.layers import GuardedJudge
from wellsourced.types import Verdict

NEAR = Verdict(label="supports", score=0.97, reason="near")
TEXT = "Dapagliflozin 10 mg reduced hospital admissions for heart failure. It was well tolerated."


def judge(text: str = TEXT) -> tuple[GuardedJudge, FakeJudge]:
    told = FakeJudge({text: NEAR})
    return GuardedJudge(told), told


@each_row(
    ("claim", "label", "kind"),
    [
        ("Dapagliflozin 10 mg increased hospital admissions for heart failure.", "contradicts", "direction"),
        ("Dapagliflozin 10 mg did not reduce hospital admissions for heart failure.", "contradicts", "negation"),
        ("Dapagliflozin 25 mg reduced hospital admissions for heart failure.", "silent", "figure"),
        ("Dapagliflozin 10 g reduced hospital admissions for heart failure.", "silent", "figure"),
    ],
)
async def test_a_changed_fact_takes_the_support_away(claim: str, label: str, kind: str) -> None:
    guarded, _ = judge()
    [verdict] = await guarded.judge([Pair(claim, TEXT)])
    assert verdict.label == label
    assert verdict.reason.startswith(f"the {kind} differs: “")
    assert verdict.score == NEAR.score


async def test_other_words_for_the_same_are_left_to_the_judge_behind() -> None:
    guarded, told = judge()
    pair = Pair("Patients tolerated dapagliflozin 10 mg well.", TEXT)
    assert await guarded.judge([pair]) == [NEAR]
    assert told.asked == [pair]


async def test_a_whole_sentence_is_supported_by_construction_and_nobody_is_asked() -> None:
    guarded, told = judge()
    [verdict] = await guarded.judge([Pair("It was well tolerated.", TEXT)])
    assert (verdict.label, verdict.score) == ("supports", 1.0)
    assert told.asked == []


async def test_a_part_of_a_sentence_is_not_supported_by_construction() -> None:
    text = "There is no evidence that vitamin C prevents colds."
    guarded, told = judge(text)
    pair = Pair("vitamin C prevents colds.", text)
    [verdict] = await guarded.judge([pair])
    assert told.asked == [pair]
    assert verdict.score == NEAR.score


@each_row(
    ("claim", "whole"),
    [
        (TEXT, True),
        ("It was well tolerated", True),
        ("Dapagliflozin 10 mg reduced hospital admissions for heart failure", True),
        ("was well tolerated.", False),
        ("Dapagliflozin 10 mg reduced hospital admissions", False),
        ("It was not well tolerated.", False),
        ("", False),
    ],
)
def test_whole_means_from_the_start_of_a_sentence_to_the_end_of_one(claim: str, whole: bool) -> None:
    assert is_verbatim(claim, TEXT) is whole


async def test_verdicts_keep_their_order_among_those_that_nobody_was_asked_about() -> None:
    guarded, told = judge()
    claims = ["It was well tolerated.", "Tolerance was good.", "It was well tolerated."]
    verdicts = await guarded.judge([Pair(claim, TEXT) for claim in claims])
    assert [verdict.score for verdict in verdicts] == [1.0, NEAR.score, 1.0]
    assert told.asked == [Pair(claims[1], TEXT)]


async def test_how_likely_the_text_contradicts_is_told_as_far_as_the_judge_behind_tells_it() -> None:
    guarded, _ = judge()
    claims = ("It was well tolerated.", "Dapagliflozin 10 mg increased hospital admissions for heart failure.")
    assert [odds.against for odds in await guarded.score([Pair(claim, TEXT) for claim in claims])] == [0.0, None]


async def test_support_counts_as_contradiction_where_the_text_says_the_opposite() -> None:
    class Sure(FakeJudge):
        async def score(self, pairs: Sequence[Pair]) -> list[ScoredVerdict]:
            return [ScoredVerdict(verdict, 0.02) for verdict in await self.judge(pairs)]

    guarded = GuardedJudge(Sure({TEXT: NEAR}))
    claims = ("Patients tolerated it.", "Dapagliflozin 10 mg increased hospital admissions for heart failure.")
    found = await guarded.score([Pair(claim, TEXT) for claim in claims])
    assert [(odds.verdict.label, odds.against) for odds in found] == [("supports", 0.02), ("contradicts", 0.99)]


async def test_what_a_text_only_asks_is_no_support() -> None:
    claim = "Aspirin prevents cancer in adults."
    pair = Pair(claim, "We asked whether aspirin prevents cancer in adults. It was well tolerated.")
    (verdict,) = await GuardedJudge(FakeJudge({pair.text: Verdict(label="supports", score=0.98)})).judge([pair])
    assert (verdict.label, verdict.score) == ("silent", 0.98)
    assert "asked" in verdict.reason
