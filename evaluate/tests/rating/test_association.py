"""Figures of ratings as they are worked out by hand, and as they were published."""

import gzip
import json
from itertools import combinations
from pathlib import Path

import pytest

from wellsourced_evaluate.statistics import cramers_v, kruskal_wallis, pearson, weighted_kappa

KQA = Path(__file__).parents[4] / "shared/data/verification/kqa.pairs.jsonl.gz"


@pytest.mark.parametrize(
    ("one", "other", "h"),
    [
        ((329, 59, 2), (171, 207, 12), 138.909),
        ((471, 105, 4), (94, 478, 8), 480.088),
        ((313, 220, 2), (62, 459, 14), 259.764),
    ],
)
def test_kruskal_and_wallis_h_is_that_of_the_counts_that_lins_published(
    one: tuple[int, ...], other: tuple[int, ...], h: float
) -> None:
    # LINS (Wang et al.), credibility of its evidence: more, the same, less, coded 1, 0, -1.
    pytest.importorskip("scipy")
    groups = [[value for value, n in zip((1, 0, -1), counts, strict=True) for _ in range(n)] for counts in (one, other)]
    found = kruskal_wallis(groups)
    assert found.value == pytest.approx(h, abs=5e-4)
    assert found.p is not None
    assert found.p < 1e-30


def test_kruskal_and_wallis_h_is_that_of_ranks_by_hand() -> None:
    # Ranks 1, 2, 3 and 4, 5, 6: 12 / (6 · 7) · (36 / 3 + 225 / 3) - 3 · 7 = 3.857.
    pytest.importorskip("scipy")
    assert kruskal_wallis([[1, 2, 3], [4, 5, 6]]).value == pytest.approx(27 / 7)


def test_where_nothing_differs_or_only_one_system_was_rated_there_is_no_h() -> None:
    pytest.importorskip("scipy")
    assert kruskal_wallis([[3, 3], [3]])[:2] == (None, None)
    assert kruskal_wallis([[1, 2], []])[:2] == (None, None)


def test_cramers_v_is_that_of_a_table_worked_out_by_hand() -> None:
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: χ² = 50 · (20 · 15 - 5 · 10)² / (25 · 25 · 30 · 20) = 8.333.
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert cramers_v(pairs) == pytest.approx((8 + 1 / 3) ** 0.5 / 50**0.5)
    assert cramers_v([("a", "x"), ("b", "y"), ("c", "z")]) == pytest.approx(1)
    assert cramers_v([("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]) == 0
    assert cramers_v([("a", "x"), ("a", "y")]) is None
    assert cramers_v([]) is None


def test_pearsons_r_is_that_of_five_pairs_by_hand() -> None:
    # Deviations -2, -1, 0, 1, 2 and -1, -2, 1, 0, 2: 8 / √(10 · 10).
    assert pearson([(1, 2), (2, 1), (3, 4), (4, 3), (5, 5)]).value == pytest.approx(0.8)
    assert pearson([(1, 2), (1, 3)]).value is None
    assert pearson([(1, 2)]).value is None


def test_weighted_kappa_is_that_of_four_pairs_by_hand() -> None:
    # Pairs 11, 22, 33, 12: Σ d² is 1, of 4. Each of 1, 2, 3, 1 with each of 1, 2, 3, 2: Σ d² is 20, of 16.
    assert weighted_kappa([(1, 1), (2, 2), (3, 3), (1, 2)]) == pytest.approx(1 - (1 / 4) / (20 / 16))
    assert weighted_kappa([(1, 3), (3, 1)]) == pytest.approx(-1)
    assert weighted_kappa([(2, 2)]) is None
    assert weighted_kappa([]) is None


@pytest.mark.skipif(not KQA.exists(), reason="the development corpora are not here")
def test_the_votes_of_three_physicians_agree_as_published() -> None:
    rows = [json.loads(line) for line in gzip.decompress(KQA.read_bytes()).decode().splitlines()]
    votes = [row["votes"] for row in rows]
    found = [cramers_v([(row[one], row[other]) for row in votes]) for one, other in combinations(range(3), 2)]
    assert found == pytest.approx([0.6668, 0.7323, 0.7350], abs=5e-5)
