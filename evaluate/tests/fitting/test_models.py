"""Fitting: its measures on numbers worked out by hand, what it learns, what it writes."""

import json
from pathlib import Path

import numpy as np
import pytest

from wellsourced.judges.base import Calibration
from wellsourced_evaluate.fitting.models import (
    find_threshold,
    fit_logistic,
    measure_accuracy,
    measure_auroc,
    measure_calibration_error,
    replace_rows,
)

YES = np.array([True, True, False, False])


def test_the_area_under_the_curve_is_the_share_of_pairs_in_the_right_order_and_ties_count_half() -> None:
    assert measure_auroc(np.array([0.9, 0.8, 0.2, 0.1]), YES) == 1.0
    assert measure_auroc(np.array([0.9, 0.2, 0.5, 0.1]), YES) == 0.75
    assert measure_auroc(np.array([0.5, 0.5, 0.5, 0.5]), YES) == 0.5


def test_balanced_accuracy_weighs_both_classes_alike() -> None:
    labels = np.array([True, False, False, False, False])
    assert measure_accuracy(np.array([0.1, 0.1, 0.1, 0.1, 0.1]), labels, 0.5) == 0.5
    assert measure_accuracy(np.array([0.9, 0.9, 0.1, 0.1, 0.1]), labels, 0.5) == 0.875


def test_a_judge_that_is_as_sure_as_it_is_right_has_no_calibration_error() -> None:
    assert measure_calibration_error(np.array([0.5, 0.5, 0.5, 0.5]), YES) == 0.0
    assert measure_calibration_error(np.array([0.1, 0.1, 0.9, 0.9]), YES) == pytest.approx(0.9)


def test_the_best_threshold_parts_the_classes_halfway() -> None:
    assert find_threshold(np.array([0.9, 0.7, 0.3, 0.1]), YES) == pytest.approx(0.5, abs=0.02)


def test_a_logistic_model_finds_the_weights_that_made_the_labels_whatever_the_scale_of_a_column() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(4_000, 2)) * [1, 50]
    labels = rng.random(4_000) < 1 / (1 + np.exp(-(2 * values[:, 0] - values[:, 1] / 50 + 1)))
    model = fit_logistic(values, labels, 1.0)
    assert model.weights * [1, 50] == pytest.approx([2, -1], rel=0.15)
    assert model.intercept == pytest.approx(1, rel=0.15)
    # Balanced, as many are held likely as not, however rare the label is.
    rare = labels & (np.arange(4_000) % 10 == 0)
    assert fit_logistic(values, rare, 1.0, is_balanced=True).rate(values[rare]).mean() > 0.5


def test_writing_one_judge_keeps_the_others(tmp_path: Path) -> None:
    path = tmp_path / "calibrations.json"
    one = Calibration(purpose="support", judge="overlap", weights={"coverage": 1.0}, intercept=0.0, threshold=0.5)
    for changed in ({}, {"judge": "similarity:some"}, {"threshold": 0.6}):
        replace_rows(path, Calibration, [one.model_copy(update=changed)], lambda one: (one.purpose, one.judge))
    assert [(row["judge"], row["threshold"]) for row in json.loads(path.read_text())] == [
        ("overlap", 0.6),
        ("similarity:some", 0.5),
    ]
