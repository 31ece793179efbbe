"""Intervals and the randomisation test, on numbers whose answers are known beforehand."""

import math

import numpy as np
import pytest

from tests.tables import each_row
from wellsourced import confidence as bootstrap
from wellsourced.confidence import wilson_interval
from wellsourced_evaluate import statistics
from wellsourced_evaluate.statistics import bootstrap_mean, percentile, randomisation_test


def test_the_mean_of_equal_values_is_certain_and_that_of_coins_lies_within_its_interval() -> None:
    assert bootstrap_mean(np.full(20, 0.25)) == (0.25, 0.25, 0.25)
    coins = np.tile([0.0, 1.0], 50)
    mean, low, high = bootstrap_mean(coins)
    # A hundred throws: the standard error is 0.05, and 95 % of the means lie within 1.96 of it.
    assert (mean, low, high) == pytest.approx((0.5, 0.402, 0.598), abs=0.012)


def test_the_interval_of_a_share_is_wilsons_and_no_point_where_all_are_right() -> None:
    # Newcombe, Statistics in Medicine 1998, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
    for right, of, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        assert wilson_interval(right, of) == pytest.approx((right / of, low, high), abs=0.0001)
    assert wilson_interval(100, 100).low == pytest.approx(0.9630, abs=0.0001)
    assert math.isnan(wilson_interval(0, 0).low)


def test_of_no_query_nothing_is_known() -> None:
    assert all(map(math.isnan, bootstrap_mean(np.array([]))))
    assert math.isnan(percentile(np.array([]), 50))


@each_row(
    ("gains", "p"),
    [
        # Of the 8 ways to sign three equal gains, two are as extreme: all of them plus, all of them minus.
        ([0.1, 0.1, 0.1], 2 / 8),
        ([0.2, 0.2, 0.2, 0.2, 0.2], 2 / 32),
        ([0.3, -0.3, 0.3, -0.3], 1.0),
        # The one large gain decides: every signing in which it is not outweighed is as extreme.
        ([1.0, 0.0, 0.0], 1.0),
        # Their sum is .75; with .5 on one side, the others come to .25 or more the same way in 4 signings of 8.
        ([0.5, 0.25, 0.25, -0.25], 8 / 16),
    ],
)
def test_p_is_the_share_of_signings_that_are_as_extreme(gains: list[float], p: float) -> None:
    assert randomisation_test(np.array(gains)) == pytest.approx(p, abs=0.015)


def test_no_difference_at_all_is_no_evidence_and_a_gain_on_every_query_is_strong_evidence() -> None:
    assert randomisation_test(np.zeros(30)) == 1.0
    assert randomisation_test(np.full(100, 0.01)) == pytest.approx(1 / (statistics.PERMUTATIONS + 1))


def test_a_loss_is_as_certain_as_a_gain_and_the_same_numbers_always_give_the_same_answer() -> None:
    gains = np.random.default_rng(1).normal(0.03, 0.2, 150)
    assert randomisation_test(gains) == randomisation_test(-gains) == randomisation_test(gains.copy())
    assert bootstrap_mean(gains) == bootstrap_mean(gains.copy())


def test_many_queries_are_drawn_in_parts_that_fit_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    gains = np.random.default_rng(2).normal(0.02, 0.2, 90)
    whole = (bootstrap_mean(gains), randomisation_test(gains))
    monkeypatch.setattr(bootstrap, "MAX_NUMBERS_AT_ONCE", 90 * 77)
    parts = (bootstrap_mean(gains), randomisation_test(gains))
    assert parts[0] == pytest.approx(whole[0], abs=0.004)
    assert parts[1] == pytest.approx(whole[1], abs=0.02)
