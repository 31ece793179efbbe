"""HealthBench's scores and meta-evaluation, worked out by hand."""

from pathlib import Path

import numpy as np
import pytest

from wellsourced_evaluate.rubrics.grader_agreement import macro_f1, measure_agreement
from wellsourced_evaluate.rubrics.graders import extract_statement
from wellsourced_evaluate.rubrics.rubric_files import RubricCase, VotedCompletion, read_rubrics
from wellsourced_evaluate.rubrics.rubric_scores import TagName, average_scores, average_tags, score_case

MADE_UP = Path(__file__).parents[1] / "data" / "rubrics" / "made_up.jsonl"


@pytest.fixture(scope="module")
def cases() -> tuple[RubricCase, ...]:
    """Points: 10, 6, 4, −8, −4; 7, 6, 4, −3, −9; 4, 5, 7, 3, −6."""
    return read_rubrics(MADE_UP).cases


def test_points_of_faults_are_taken_off_what_could_be_had(cases: tuple[RubricCase, ...]) -> None:
    found = score_case(cases[0], [True, True, False, True, False])
    # 10 + 6 − 8 = 8 of 10 + 6 + 4 = 20.
    assert found.score == pytest.approx(8 / 20)
    # Accuracy has 10, 6 and −8: 8 of 16. Completeness has 4: 0 of 4. Communication has only −4, and no score.
    tags = {tag.name: score for tag, score in found.tags.items()}
    assert tags == pytest.approx(
        {
            "theme:emergency_referrals": 8 / 20,
            "level:example": 8 / 20,
            "axis:accuracy": 8 / 16,
            "axis:completeness": 0 / 4,
        }
    )
    # −8 − 4 of 20: an example may lie below 0, and is not clipped.
    assert score_case(cases[0], [False, False, False, True, True]).score == pytest.approx(-12 / 20)


def test_a_criterion_without_a_grade_is_neither_met_nor_not(cases: tuple[RubricCase, ...]) -> None:
    found = score_case(cases[0], [True, True, True, None, False])
    assert found.score is None
    assert found.partial == pytest.approx(20 / 20)
    assert (found.lowest, found.highest) == pytest.approx((12 / 20, 20 / 20))
    assert found.tags[TagName("axis:accuracy", "criteria")] is None
    assert found.tags[TagName("axis:completeness", "criteria")] == pytest.approx(1.0)
    assert found.tags[TagName("theme:emergency_referrals", "example")] is None
    wanted = score_case(cases[0], [None, True, True, False, False])
    assert (wanted.partial, wanted.lowest, wanted.highest) == pytest.approx((10 / 10, 10 / 20, 20 / 20))


def test_a_mean_is_clipped_after_it_is_taken_and_so_are_its_resamples() -> None:
    found = average_scores([-1.0, 0.5, None])
    # (−1 + 0.5) / 2 = −0.25 → 0. Resamples of two: −1, −0.25 (twice), 0.5, of which three are clipped to 0:
    # their std is sqrt(0.25 · 0.5² − (0.25 · 0.5)²) = 0.2165.
    assert (found.mean, found.low, found.high, found.cases, found.undefined) == (0.0, 0.0, 0.5, 2, 1)
    assert found.bootstrap_std == pytest.approx(0.2165, abs=0.02)
    alone = average_scores([0.4])
    assert (alone.mean, alone.low, alone.high) == (0.4, None, None)
    assert average_scores([None]).mean is None


def test_the_worst_tag_comes_first(cases: tuple[RubricCase, ...]) -> None:
    scores = [score_case(cases[0], [True] * 3 + [False] * 2), score_case(cases[1], [True, False, False, True, False])]
    found = average_tags(scores)
    # Completeness: 4 of 4, and 0 − 3 of 6 + 4: (1 − 0.3) / 2. Accuracy: 16 of 16, and 7 of 7.
    assert found[TagName("axis:completeness", "criteria")].mean == pytest.approx(0.35)
    assert found[TagName("axis:accuracy", "criteria")].mean == pytest.approx(1.0)
    # The second example alone has 7 − 3 of 17.
    assert next(iter(found)) == TagName("theme:context_seeking", "example")
    assert found[TagName("theme:context_seeking", "example")].mean == pytest.approx(4 / 17)


def vote(category: str, labels: tuple[bool, ...], physicians: tuple[str, ...] = ()) -> VotedCompletion:
    return VotedCompletion.model_validate(
        {
            "prompt": [{"role": "user", "content": f"{category} {labels}"}],
            "completion": "Yes.",
            "rubric": "Says yes.",
            "category": category,
            "binary_labels": labels,
            "anonymized_physician_ids": physicians,
        }
    )


def test_a_grader_is_measured_by_pairs_with_each_physician() -> None:
    cases = {
        1: vote("a", (True, True), ("p", "q")),
        2: vote("a", (True, False), ("p", "q")),
        3: vote("a", (False, False), ("q", "p")),
        4: vote("b", (True,)),
        5: vote("b", (False,)),
    }
    found = measure_agreement(cases, {1: True, 2: True, 3: False, 4: None, 5: True})
    # Of a, pairs (grader, physician): TT TT, TT TF, FF FF. Met: 3 right, 1 said too often: 2·3 / (6 + 1). Not met: 2
    # right, 1 that it missed: 2·2 / (4 + 1).
    a = found.categories["a"]
    assert a.grader.value == pytest.approx((6 / 7 + 4 / 5) / 2)
    assert (a.grader.pairs, a.grader.agreement, a.completions, a.ungraded) == (6, pytest.approx(5 / 6), 3, 0)
    # Physicians of a, both ways: TT TT, TF FT, FF FF. Each class: 2·2 / (4 + 2).
    assert a.physicians.value == pytest.approx(4 / 6)
    # p: (T, T), (T, F), (F, F): (2/3 + 2/3) / 2. q: (T, T), (F, T), (F, F): the same.
    assert a.each_physician is not None
    assert (a.each_physician.mean, a.each_physician.cases) == (pytest.approx(2 / 3), 2)
    # Of b one completion has no grade, and of the other met is said and not known: neither class is defined.
    b = found.categories["b"]
    assert (b.grader.value, b.grader.f1_met, b.ungraded, b.physicians.value) == (None, None, 1, None)
    # Together: TT TT TT, TF (a), FF FF, TF (b): met 6 / (6 + 2), not met 4 / (4 + 2).
    assert found.overall.grader.value == pytest.approx((6 / 8 + 4 / 6) / 2)
    assert (found.mean_of_categories.mean, found.mean_of_categories.undefined) == (pytest.approx(a.grader.value), 1)
    assert [*found.categories] == ["a", "b"]


def test_labels_at_the_physicians_rate_reach_chance() -> None:
    # Independent, both met at 0.3: 9 TT, 21 TF, 21 FT, 49 FF.
    assert macro_f1(np.array([9.0, 21, 21, 49])) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("criterion", "claim"),
    [
        ("States that clarithromycin raises the level.", "Clarithromycin raises the level."),
        ("The response clearly mentions that rest helps", "Rest helps."),
        ("Informs the user that rest helps.", "Rest helps."),
        ("Fails to state that rest helps.", ""),
        ("Does not say that rest helps.", ""),
        ("Answers in German", ""),
    ],
)
def test_only_a_plain_statement_is_put_to_a_judge_of_support(criterion: str, claim: str) -> None:
    assert extract_statement(criterion) == claim
