"""A judge is believed as far as it has earned it on statements that it was not fitted on, and no further."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.fake_judge import FakeJudge
from tests.tables import each_row
from wellsourced import config
from wellsourced.config.judges import build_judge, find_evidence, open_records
from wellsourced.errors import SettingsError
from wellsourced.judges.base import Pair, ScoredVerdict, ScoringJudge
from wellsourced.judges.layers import EarnedJudge, GuardedJudge, find_deciding_words
from wellsourced.judges.track_record import (
    CallEvidence,
    CallPrecision,
    JudgeEvidence,
    JudgeRecordFile,
    StatementSet,
    UserCalibration,
    load_shipped_evidence,
)
from wellsourced.types import Verdict

TEXT = (
    "Dapagliflozin 10 mg reduced hospital admissions for heart failure. It was well tolerated by nearly all patients."
)
PAIR = Pair("Fewer hospital admissions for heart failure with dapagliflozin 10 mg.", TEXT)
FIRST = TEXT.partition(". ")[0] + "."

PRECISE = (0.9, 100, 99, 0.945, 0.998)
VAGUE = (0.5, 300, 220, 0.68, 0.78)


def evidence_of(
    *steps: tuple[float, int, int, float, float], label: str = "supports", known: int = 200, others: int = 200,
    texts: int = 50,
) -> CallEvidence:  # fmt: skip
    made = (
        CallPrecision(threshold=threshold, calls=calls, right=right, low=low, high=high)
        for threshold, calls, right, low, high in steps
    )
    return CallEvidence.model_validate(
        {"label": label, "known": known, "others": others, "texts": texts, "steps": tuple(made)}
    )


def earned(supports: CallEvidence, contradicts: CallEvidence | None = None, judge: str = "told") -> JudgeEvidence:
    sets = (StatementSet(name="mine.jsonl", sha256="0" * 64, n=400),)
    return JudgeEvidence(
        judge=judge, called=judge, date="2026-11-25", sets=sets, supports=supports, contradicts=contradicts
    )


class OddsJudge(ScoringJudge):
    """Says this of every pair."""

    name = "odds"

    def __init__(self, verdict: Verdict, against: float | None) -> None:
        self.told = ScoredVerdict(verdict, against)

    async def score(self, pairs: Sequence[Pair]) -> list[ScoredVerdict]:
        return [self.told for _ in pairs]


def says(label: str, score: float, **more: object) -> FakeJudge:
    return FakeJudge({TEXT: Verdict.model_validate({"label": label, "score": score} | more)})


# --- the rule ------------------------------------------------------------------------------------------------------


def test_the_threshold_is_the_last_before_the_first_failure_from_above() -> None:
    found = evidence_of(VAGUE, (0.7, 200, 195, 0.94, 0.99), (0.8, 150, 149, 0.96, 1.0), (0.99, 20, 9, 0.2, 0.7))
    assert found.threshold == 0.7
    assert found.earned_step == found.steps[1]


def test_what_is_precise_only_below_a_failure_is_luck() -> None:
    assert evidence_of((0.7, 200, 195, 0.94, 0.99), (0.8, 150, 130, 0.80, 0.91)).threshold is None


@each_row(
    "step",
    [
        (0.9, 99, 99, 0.963, 1.0),  # too few calls
        (0.9, 200, 189, 0.904, 0.969),  # 94.5 % of them right
        (0.9, 100, 95, 0.888, 0.978),  # an interval that reaches below 90 %
    ],
)
def test_few_calls_wrong_calls_and_wide_intervals_earn_nothing(step: tuple[float, int, int, float, float]) -> None:
    assert evidence_of(PRECISE).threshold == 0.9
    assert evidence_of(step).threshold is None


def test_where_nearly_all_statements_are_right_whoever_nods_has_earned_nothing() -> None:
    found = evidence_of(PRECISE, known=300, others=100)
    assert found.threshold is None
    assert found.doubt == "25 % of the statements are negative cases; at least a third is needed"


def test_many_statements_on_a_few_texts_earn_nothing() -> None:
    assert evidence_of(PRECISE, texts=20).threshold == 0.9
    assert evidence_of(PRECISE, texts=19).threshold is None


def test_a_threshold_that_somebody_wrote_into_the_file_does_not_count() -> None:
    row = evidence_of(VAGUE).model_dump(mode="json")
    assert row["threshold"] is None
    assert CallEvidence.model_validate(row | {"threshold": 0.1}).threshold is None


# --- the judge -----------------------------------------------------------------------------------------------------


async def test_from_its_threshold_on_a_judge_is_believed_with_the_words() -> None:
    judge = EarnedJudge(says("supports", 0.93), earned(evidence_of(PRECISE)))
    [verdict] = await judge.judge([PAIR])
    assert (verdict.basis, verdict.status, verdict.quote) == ("judge", "verified", FIRST)
    assert verdict.reason == "score 0.93; from 0.9 on, 99 of 100 calls were right"


@each_row(("label", "score"), [("supports", 0.89), ("silent", 0.95), ("unjudged", 0.95)])
async def test_below_it_and_where_it_says_nothing_the_verdict_stays_a_likeness(label: str, score: float) -> None:
    behind = says(label, score)
    [before], [after] = (
        await behind.judge([PAIR]),
        await EarnedJudge(behind, earned(evidence_of(PRECISE))).judge([PAIR]),
    )
    assert after == before
    assert after.basis == "likeness"


async def test_a_judge_that_has_earned_nothing_is_not_believed_however_sure_it_is() -> None:
    [verdict] = await EarnedJudge(says("supports", 1.0), earned(evidence_of(VAGUE))).judge([PAIR])
    assert verdict.status == "unverified"


async def test_contradiction_has_a_threshold_of_its_own() -> None:
    supports = evidence_of(PRECISE)
    behind = OddsJudge(Verdict(label="contradicts", score=0.02), 0.97)
    [verdict] = await EarnedJudge(behind, earned(supports)).judge([PAIR])
    assert verdict.status == "unverified"
    against = evidence_of((0.96, 120, 118, 0.94, 0.99), label="contradicts")
    [verdict] = await EarnedJudge(behind, earned(supports, against)).judge([PAIR])
    assert (verdict.status, verdict.quote) == ("contradicted", FIRST)
    less_sure = OddsJudge(Verdict(label="contradicts", score=0.02), 0.95)
    [verdict] = await EarnedJudge(less_sure, earned(supports, against)).judge([PAIR])
    assert verdict.status == "unverified"


async def test_a_judge_that_gives_contradiction_no_score_is_not_believed_it() -> None:
    against = evidence_of(PRECISE, label="contradicts")
    [verdict] = await EarnedJudge(says("contradicts", 0.99), earned(evidence_of(PRECISE), against)).judge([PAIR])
    assert verdict.basis == "likeness"


async def test_without_words_to_show_nothing_is_believed() -> None:
    judge = EarnedJudge(says("supports", 0.99), earned(evidence_of(PRECISE)))
    [verdict] = await judge.judge([Pair("Statins prevent strokes.", TEXT)])
    assert (verdict.basis, verdict.quote) == ("likeness", "")


async def test_whoever_is_believed_for_another_reason_stays_so() -> None:
    [verdict] = await EarnedJudge(says("supports", 0.99, basis="model"), earned(evidence_of(PRECISE))).judge([PAIR])
    assert verdict.basis == "model"


async def test_the_guard_does_not_overrule_who_has_earned_it() -> None:
    opposite = Pair("Dapagliflozin 10 mg increased hospital admissions for heart failure.", TEXT)
    behind = says("supports", 0.99)
    [guarded] = await GuardedJudge(behind).judge([opposite])
    [believed] = await GuardedJudge(EarnedJudge(behind, earned(evidence_of(PRECISE)))).judge([opposite])
    assert (guarded.label, believed.label, believed.basis) == ("contradicts", "supports", "judge")


def test_verdicts_under_another_threshold_are_cached_under_another_name() -> None:
    one, other = (EarnedJudge(says("supports", 1), earned(evidence_of((at, *PRECISE[1:])))) for at in (0.9, 0.8))
    assert len({one.name, other.name, "told"}) == 3


def test_the_words_are_the_judges_own_if_they_stand_there_else_the_nearest_sentence() -> None:
    said = Verdict(label="supports", score=1, quote="It was well tolerated by nearly all patients.")
    assert find_deciding_words(PAIR, said) == said.quote
    for invented in ("It was safe.", "It was well tolerated … It was safe."):
        assert find_deciding_words(PAIR, said.model_copy(update={"quote": invented})) == FIRST
    assert find_deciding_words(PAIR, Verdict(label="silent", score=0)) == ""


# --- what is stored ------------------------------------------------------------------------------------------------


def test_what_was_measured_last_is_kept_beside_the_calibrations(tmp_path: Path) -> None:
    store = JudgeRecordFile(tmp_path / "judges.json")
    tuning = UserCalibration(judge="told")
    store.store_calibration(tuning)
    for steps in (VAGUE, PRECISE):
        store.store_evidence(earned(evidence_of(steps)))
    store.store_evidence(earned(evidence_of(VAGUE), judge="another"))
    assert store.load().calibrations == (tuning,)
    assert [(one.judge, one.has_earned) for one in store.load().evidence] == [("told", True), ("another", False)]
    assert store.find_evidence("told") == earned(evidence_of(PRECISE))
    store.store_calibration(tuning)
    assert store.find_evidence("told") is not None
    assert store.find_evidence("unknown") is None


def test_calibrations_of_an_earlier_version_are_still_read(tmp_path: Path) -> None:
    path = tmp_path / "judges.json"
    path.write_text(json.dumps([UserCalibration(judge="told", n=7).model_dump()]), encoding="utf-8")
    assert [one.n for one in JudgeRecordFile(path).load().calibrations] == [7]
    path.write_text('{"evidence": 3}', encoding="utf-8")
    with pytest.raises(SettingsError, match="calibrate the judges and measure them again"):
        JudgeRecordFile(path).load()


def test_the_judges_that_come_along_have_been_measured_and_have_earned_nothing() -> None:
    found = {one.called: one for one in load_shipped_evidence()}
    assert set(found) == {"comparison", "similarity", "overlap"}
    for one in found.values():
        assert not one.has_earned
        # Nearly all statements that we have are among those on which the default judge is fitted.
        assert one.n > (40 if one.called == "comparison" else 600)
        assert not {each.sha256 for each in one.sets} & set(one.fitted_on.values())


async def test_the_settings_judge_is_believed_as_soon_as_its_evidence_says_so() -> None:
    settings = config.load({"encoder": "none"})
    pair = Pair("Dapagliflozin reduced hospital admissions for heart failure, said its makers.", TEXT)
    bare = build_judge("overlap", settings, None, earned=False, guarded=False, cached=False)
    [before] = await build_judge("overlap", settings, None).judge([pair])
    open_records(settings).store_evidence(earned(evidence_of((0.5, *PRECISE[1:])), judge=bare.name))
    found = find_evidence(bare, settings)
    assert found
    assert found.has_earned
    [after] = await build_judge("overlap", settings, None).judge([pair])
    assert (before.status, after.status, after.quote) == ("unverified", "verified", FIRST)
    [unproven] = await bare.judge([pair])
    assert unproven.basis == "likeness"
