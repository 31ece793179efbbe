"""Several judges as one: the mean of what they are sure of, and a guard among them is not outvoted."""

import math
from pathlib import Path

import pytest

from tests.fake_judge import FakeJudge
from tests.tables import each_row
from wellsourced.errors import SettingsError
from wellsourced.judges.base import Judge, Pair, ScoredVerdict
from wellsourced.judges.ensemble import EnsembleJudge, GuardedJudge
from wellsourced.judges.track_record import CalibratedJudge, JudgeRecordFile, LogitScale, UserCalibration
from wellsourced.types import Verdict

PAIR = Pair("Colchicine shortened flares by two days.", "In a trial, colchicine shortened gout flares by some days.")


def says(label: str, score: float, name: str = "told", quote: str = "") -> FakeJudge:
    verdict = Verdict.model_validate({"label": label, "score": score, "quote": quote})
    judge = FakeJudge({PAIR.text: verdict, TURNED.text: verdict})
    judge.name = name
    return judge


TURNED = Pair("Colchicine increased mortality.", "Colchicine reduced mortality.")


async def of(*judges: Judge, pair: Pair = PAIR) -> Verdict:
    [verdict] = await EnsembleJudge(judges).judge([pair])
    return verdict


async def test_the_score_is_the_mean_of_the_logits() -> None:
    found = await of(says("supports", 0.9), says("silent", 0.4))
    mean = (math.log(0.9 / 0.1) + math.log(0.4 / 0.6)) / 2
    assert found.score == pytest.approx(1 / (1 + math.exp(-mean)))
    assert found.label == "supports"


async def test_what_the_guard_refused_stays_contradicted_however_sure_the_others_are() -> None:
    sure = says("supports", 0.99)
    assert (await of(sure, GuardedJudge(says("supports", 0.99)), pair=TURNED)).label == "contradicts"
    assert (await of(sure, says("supports", 0.99), pair=TURNED)).label == "supports"


async def test_below_an_even_chance_more_weight_for_contradiction_than_for_support_contradicts() -> None:
    assert (await of(says("contradicts", 0.01), says("silent", 0.2))).label == "contradicts"
    assert (await of(says("contradicts", 0.01), says("supports", 0.6))).label == "silent"


async def test_who_gave_no_verdict_is_left_out_and_nobody_heard_is_unjudged() -> None:
    found = await of(says("unjudged", 0.0), says("supports", 0.7))
    assert (found.label, found.score) == ("supports", pytest.approx(0.7))
    assert (await of(says("unjudged", 0.0), says("unjudged", 0.0))).label == "unjudged"


async def test_the_reason_says_who_said_what_and_the_quote_is_of_one_who_agrees() -> None:
    found = await of(says("supports", 0.9, "asked:m@1", quote="two days"), says("silent", 0.3, "overlap/support@2"))
    assert found.reason == "asked:m: supports 0.90; overlap: silent 0.30"
    assert found.quote == "two days"


async def test_an_empty_text_is_silent() -> None:
    assert (await of(says("supports", 0.9), says("supports", 0.9), pair=Pair("claim", " "))).label == "silent"


def test_its_name_names_them_all() -> None:
    one, other = says("supports", 1, "a"), says("supports", 1, "b")
    assert EnsembleJudge([one, other]).name == "(a + b)"


def test_one_judge_is_no_ensemble() -> None:
    with pytest.raises(SettingsError, match="at least two judges"):
        EnsembleJudge([says("supports", 1)])


# --- calibrations of one's own -------------------------------------------------------------------------------------

TUNING = UserCalibration(judge="told", support=LogitScale(slope=0.5, intercept=-1), supports=0.4)


async def test_a_calibration_moves_the_score_and_the_threshold_decides() -> None:
    [found] = await CalibratedJudge(says("supports", 0.9), TUNING).judge([PAIR])
    assert found.score == pytest.approx(1 / (1 + math.exp(1 - 0.5 * math.log(9))))
    assert found.label == "supports"
    [found] = await CalibratedJudge(says("supports", 0.9), TUNING.model_copy(update={"supports": 0.6})).judge([PAIR])
    assert found.label == "silent"


@each_row("label", ["unjudged", "contradicts"])
async def test_what_was_not_judged_and_what_is_contradicted_stays_so(label: str) -> None:
    [found] = await CalibratedJudge(says(label, 0.9), TUNING).judge([PAIR])
    assert found.label == label


def test_a_judge_that_tells_contradiction_is_read_by_both_thresholds() -> None:
    tuning = TUNING.model_copy(update={"against": LogitScale(), "contradicts": 0.3})
    said = Verdict(label="silent", score=0.1)
    assert tuning.apply(ScoredVerdict(said, 0.35)).verdict.label == "contradicts"
    assert tuning.apply(ScoredVerdict(said, 0.2)).verdict.label == "silent"
    assert tuning.apply(ScoredVerdict(said.model_copy(update={"score": 0.99}), 0.35)).verdict.label == "supports"


def test_two_calibrations_of_one_judge_never_share_a_name() -> None:
    assert TUNING.name != TUNING.model_copy(update={"supports": 0.5}).name
    assert TUNING.name == TUNING.model_copy(update={"fitted_on": "other words"}).name


def test_a_calibration_is_kept_for_its_judge_and_task_alone(tmp_path: Path) -> None:

    store = JudgeRecordFile(tmp_path / "deep" / "judges.json")
    assert store.load().calibrations == ()
    store.store_calibration(TUNING)
    store.store_calibration(TUNING.model_copy(update={"task": "trials"}))
    store.store_calibration(TUNING.model_copy(update={"n": 7}))
    assert [(one.task, one.n) for one in store.load().calibrations] == [("trials", 0), ("support", 7)]
    assert store.find_calibration("told") == TUNING.model_copy(update={"n": 7})
    assert store.find_calibration("another") is None
    assert store.path.stat().st_mode & 0o777 == 0o600
    for damaged in ('[{"judge": 3}]', "[" * 100_000):
        store.path.write_text(damaged, encoding="utf-8")
        with pytest.raises(SettingsError, match="Delete the file, calibrate"):
            store.load()
