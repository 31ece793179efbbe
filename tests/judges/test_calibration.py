"""Calibrations turn features into probabilities, and say what they were fitted on."""

import math

import pytest

from tests.tables import each_row
from wellsourced.encoders.minilm import MiniLM
from wellsourced.errors import SettingsError
from wellsourced.judges.base import Calibration, load_calibration

EVEN = Calibration(purpose="support", judge="overlap", weights={"coverage": 2.0}, intercept=-1.0, threshold=0.5)


def test_the_probability_is_the_logistic_of_the_weighted_features() -> None:
    assert EVEN.probability({"coverage": 0.5, "unused": 9.0}) == 0.5
    assert EVEN.probability({"coverage": 1.0}) == pytest.approx(1 / (1 + math.exp(-1)))


def test_no_feature_is_so_extreme_that_the_arithmetic_fails() -> None:
    assert EVEN.probability({"coverage": -1e9}) == pytest.approx(0.0)
    assert EVEN.probability({"coverage": 1e9}) == pytest.approx(1.0)


def test_two_calibrations_never_share_a_name() -> None:
    other = EVEN.model_copy(update={"threshold": 0.6})
    assert EVEN.name != other.name
    assert EVEN.name.startswith("overlap/support@")
    assert EVEN.model_copy(update={"fitted_on": "something else"}).name == EVEN.name


@each_row("purpose", ["relevance", "support"])
@each_row("judge", ["overlap", f"similarity:{MiniLM.name}"])
def test_what_comes_with_the_package_was_fitted_and_measured(purpose: str, judge: str) -> None:
    fitted = load_calibration(purpose, judge)  # type: ignore[arg-type]
    assert fitted.n >= 500
    assert fitted.fitted_on
    assert fitted.auroc is not None
    assert fitted.auroc > (0.8 if purpose == "relevance" else 0.6)
    assert all(weight > 0 for weight in fitted.weights.values())


def test_a_judge_that_was_never_calibrated_is_refused_with_those_that_were() -> None:
    with pytest.raises(SettingsError, match=r"similarity:hashed-64 is not calibrated for relevance.* overlap"):
        load_calibration("relevance", "similarity:hashed-64")
