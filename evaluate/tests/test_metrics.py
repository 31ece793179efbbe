"""Figures of cases, and tests between two arms: worked out by hand, or as textbooks print them."""

import pytest

from wellsourced.errors import SettingsError, SourceRefused
from wellsourced_evaluate.metrics import EVALUATIONS, METRICS, find_metric
from wellsourced_evaluate.retrieval import MEASURES
from wellsourced_evaluate.statistics import average_cases, contrast_shares, contrast_values, pool_cases


def test_a_metric_has_one_spelling_and_a_near_one_is_told() -> None:
    assert find_metric("nDCG@10").name == "nDCG@10"
    assert find_metric("CharacTER").lower
    with pytest.raises(SettingsError, match=r"No metric “rouge_l”\. It is spelled ROUGE-L\."):
        find_metric("rouge_l")
    with pytest.raises(SettingsError, match="There are nDCG@10, R@10"):
        find_metric("BLEURT")


def test_every_metric_belongs_to_an_evaluation_and_retrieval_measures_what_is_listed() -> None:
    metrics = [metric for one in EVALUATIONS for metric in one.metrics]
    assert {one.name: one for one in metrics} == METRICS
    assert all(METRICS[one.name] is one for one in metrics)
    assert MEASURES == ("nDCG@10", "R@10", "R@100", "RR@10")


def test_a_case_to_which_a_metric_does_not_apply_is_counted_and_is_no_zero() -> None:
    found = average_cases([0.2, None, 0.4, None])
    assert found.mean == pytest.approx(0.3)
    assert (found.cases, found.undefined) == (2, 2)
    # Of two values each resample is (.2, .2), (.4, .4) or one of each: the percentiles are the values themselves.
    assert (found.low, found.high) == (pytest.approx(0.2), pytest.approx(0.4))
    assert average_cases([None]) == (None, None, None, 0, 1)
    assert average_cases([]) == (None, None, None, 0, 0)


def test_a_pooled_share_weighs_cases_by_their_wholes() -> None:
    found = pool_cases([(1, 1), (0, 3), (0, 0)])
    assert (found.share, found.part, found.whole) == (0.25, 1, 4)
    assert pool_cases([(0, 0)]) == (None, None, None, 0, 0)
    assert pool_cases([]) == (None, None, None, 0, 0)


def test_two_arms_are_compared_over_the_cases_to_which_the_metric_applies_in_both() -> None:
    pytest.importorskip("scipy")
    base = {"a": 0.1, "b": 0.5, "c": None, "d": 0.2, "e": 0.9}
    other = {"a": 0.3, "b": 0.5, "c": 0.7, "d": 0.5, "e": 0.8}
    found = contrast_values(base, other)
    assert found.base == pytest.approx(0.425)
    assert found.other == pytest.approx(0.525)
    assert found.difference.mean == pytest.approx(0.1)
    assert (found.more, found.equal, found.less) == (2, 1, 1)
    assert (found.difference.cases, found.difference.undefined) == (4, 1)


def test_the_p_of_wilcoxon_is_that_of_counting_all_signs() -> None:
    pytest.importorskip("scipy")
    base = dict.fromkeys("abcdef", 0.0)
    # Six gains of different size: of 64 signs 2 are as extreme.
    assert contrast_values(base, {case: place / 10 for place, case in enumerate("abcdef", 1)}).p == pytest.approx(
        2 / 64
    )
    # The least of six the other way: ranks of 1 and 20; {} and {1} on either side, 4 of 64.
    signed = {case: (-1 if place == 1 else 1) * place / 10 for place, case in enumerate("abcdef", 1)}
    assert contrast_values(base, signed).p == pytest.approx(4 / 64)
    assert contrast_values(base, base).p == 1.0
    # One gain, and other cases without a difference, few or many, may as well have been a loss.
    assert contrast_values(base, {**base, "a": 0.5}).p == 1.0
    many = {str(place): 0.0 for place in range(60)}
    assert contrast_values(many, {**many, "0": 0.5}).p == 1.0
    assert contrast_values({"a": None}, {"a": 1.0}).p is None


def test_what_is_so_only_in_one_arm_is_counted_and_tested_as_mcnemar_does() -> None:
    base = {f"case {place}": place < 15 for place in range(20)}
    other = {f"case {place}": 12 <= place < 16 for place in range(20)}
    found = contrast_shares(base, other)
    assert (found.both, found.only_base, found.only_other, found.neither) == (3, 12, 1, 4)
    assert found.p == pytest.approx(2 * (1 + 13) / 2**13)  # 0.003418, as BriefContext's answers come to


def test_arms_of_other_cases_are_not_compared() -> None:
    with pytest.raises(SourceRefused, match="only one of them has b"):
        contrast_values({"a": 1.0}, {"a": 1.0, "b": 0.0})
    with pytest.raises(SourceRefused, match="only one of them has a"):
        contrast_shares({"a": True}, {})
