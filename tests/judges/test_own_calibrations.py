"""Calibrations of one's own: how the verdicts of a judge are read, and where that is kept."""

import math
from pathlib import Path

import pytest

from tests.fake_judge import FakeJudge
from tests.tables import each_row
from wellsourced.errors import SettingsError
from wellsourced.judges.base import Pair, ScoredVerdict
from wellsourced.judges.track_record import CalibratedJudge, JudgeRecordFile, LogitScale, UserCalibration
from wellsourced.types import Verdict

PAIR = Pair("Colchicine shortened flares by two days.", "In a trial, colchicine shortened gout flares by some days.")


def says(label: str, score: float) -> FakeJudge:
    judge = FakeJudge({PAIR.text: Verdict.model_validate({"label": label, "score": score})})
    judge.name = "told"
    return judge


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
