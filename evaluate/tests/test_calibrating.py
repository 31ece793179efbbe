"""The fitting of calibrations: its measures on numbers worked out by hand, its halves, what it may not learn."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.calibrate_judges import (
    Features,
    Search,
    auroc,
    balanced,
    best_threshold,
    ece,
    fit,
    fits,
    passages,
    save,
    support,
)
from wellsourced.judges.calibration import Calibration

YES = np.array([True, True, False, False])


def test_the_area_under_the_curve_is_the_share_of_pairs_in_the_right_order_and_ties_count_half() -> None:
    assert auroc(np.array([0.9, 0.8, 0.2, 0.1]), YES) == 1.0
    assert auroc(np.array([0.9, 0.2, 0.5, 0.1]), YES) == 0.75
    assert auroc(np.array([0.5, 0.5, 0.5, 0.5]), YES) == 0.5


def test_balanced_accuracy_weighs_both_classes_alike() -> None:
    labels = np.array([True, False, False, False, False])
    assert balanced(np.array([0.1, 0.1, 0.1, 0.1, 0.1]), labels, 0.5) == 0.5
    assert balanced(np.array([0.9, 0.9, 0.1, 0.1, 0.1]), labels, 0.5) == 0.875


def test_a_judge_that_is_as_sure_as_it_is_right_has_no_calibration_error() -> None:
    assert ece(np.array([0.5, 0.5, 0.5, 0.5]), YES) == 0.0
    assert ece(np.array([0.1, 0.1, 0.9, 0.9]), YES) == pytest.approx(0.9)


def test_the_best_threshold_parts_the_classes_halfway() -> None:
    assert best_threshold(np.array([0.9, 0.7, 0.3, 0.1]), YES) == pytest.approx(0.5, abs=0.02)


def test_a_text_of_several_parts_is_fitted_by_its_best_one() -> None:
    labels = np.repeat([True, False], 50)
    seen = Features(
        np.array([[0.9, 0, 0]] * 50 + [[0.1, 0, 0]] * 100), np.array([*range(50), *range(50), *range(50, 100)])
    )
    model = fit(seen, labels, np.ones(100, dtype=bool), (0,))
    scores = model.scores(seen, 100)
    assert scores[:50].min() > 0.5 > scores[50:].max()


def test_a_feature_that_would_count_against_a_text_is_left_out() -> None:
    labels = np.repeat([True, False], 50)
    values = np.column_stack([np.where(labels, 0.9, 0.1), np.where(labels, 0.1, 0.9), np.zeros(100)])
    model = fit(Features(values, np.arange(100)), labels, np.ones(100, dtype=bool), (0, 1))
    assert model.columns == (0,)


def test_a_search_leaves_out_the_documents_it_is_told_to() -> None:
    search = Search({"a#0": "Gout hurts.", "b#0": "Gout and colchicine.", "b#20": "More gout.", "c#0": "Statins."})
    assert set(search.best("gout", 3)) == {"a#0", "b#0", "b#20"}
    assert search.best("gout", 3, ["b"]) == ["a#0"]


def test_passages_are_slices_of_their_document_and_no_longer_than_a_librarys() -> None:
    text = "\n".join(f"Sentence number {n} is about gout." for n in range(100))
    cut = passages({"a": text})
    assert len(cut) > 3
    for name, passage in cut.items():
        start = int(name.partition("#")[2])
        assert text[start : start + len(passage)] == passage
        assert len(passage) <= 1000


def test_no_evidence_is_in_both_halves(shared_data: Path) -> None:
    samples = list(support(shared_data))
    fitted = {sample.text for sample in samples if fits(sample.group)}
    held = {sample.text for sample in samples if not fits(sample.group)}
    assert len(fitted) > 300
    assert len(held) > 300
    assert not fitted & held


def test_saving_one_judge_keeps_the_others(tmp_path: Path) -> None:
    path = tmp_path / "calibrations.json"
    one = Calibration(purpose="support", judge="overlap", weights={"coverage": 1.0}, intercept=0.0, threshold=0.5)
    save([one], path)
    save([one.model_copy(update={"judge": "similarity:some"})], path)
    save([one.model_copy(update={"threshold": 0.6})], path)
    assert [(row["judge"], row["threshold"]) for row in json.loads(path.read_text())] == [
        ("overlap", 0.6),
        ("similarity:some", 0.5),
    ]
