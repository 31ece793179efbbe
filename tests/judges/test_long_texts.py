"""A long text is as good as its best sentence."""

import pytest

from wellsourced.judges.base import LONG_TEXT, Calibration, best_part_verdict, split_long_text

CALIBRATION = Calibration(purpose="support", judge="overlap", weights={"coverage": 4.0}, intercept=-2.0, threshold=0.6)


def test_a_short_text_is_one_part_and_a_blank_one_none() -> None:
    assert split_long_text("One. Two.") == ["One. Two."]
    assert split_long_text(" \n") == []


def test_a_long_text_is_its_sentences() -> None:
    text = " ".join(f"Sentence number {n} says nothing about gout." for n in range(20))
    assert len(text) > LONG_TEXT
    assert split_long_text(text) == [f"Sentence number {n} says nothing about gout." for n in range(20)]


def test_the_best_part_decides_and_is_told() -> None:
    verdict = best_part_verdict(CALIBRATION, [{"coverage": 0.1}, {"coverage": 0.9}, {"coverage": 0.2}])
    assert verdict.label == "supports"
    assert verdict.score == pytest.approx(CALIBRATION.probability({"coverage": 0.9}))
    assert verdict.reason == "coverage 0.90"


def test_below_the_threshold_a_text_is_silent_and_so_is_no_text() -> None:
    assert best_part_verdict(CALIBRATION, [{"coverage": 0.5}]).label == "silent"
    assert best_part_verdict(CALIBRATION, []).label == "silent"
