"""Whether what is so under some conditions and not under others could be chance: the same cases under each of them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.confidence import PERMUTATIONS, SEED, ConfidenceInterval, bootstrap_mean, randomisation_test
from wellsourced_evaluate.paired_tests import ShareContrast, contrast_shares


class CochranTest(NamedTuple):
    """Cochran's Q (1950), and how often chance alone would make it as large; both None where nothing differs.

    cases   that were asked under every condition
    """

    q: float | None
    p: float | None
    cases: int
    conditions: int


class ConditionContrast(NamedTuple):
    """One condition against the first.

    shares     cases in which something is so under both, one, none, with McNemar's p; None: it is no yes or no
    difference mean difference case by case, other less first
    p          McNemar's, or of the randomisation test
    adjusted   the same after Holm's correction for all comparisons beside it
    """

    base: str
    other: str
    shares: ShareContrast | None
    difference: ConfidenceInterval
    cases: int
    p: float
    adjusted: float


def cochran_q(columns: Sequence[Mapping[str, bool]]) -> CochranTest:
    """Whether shares differ between conditions. Q = (k-1) · (k·ΣC² - T²) / (k·T - ΣR²), over cases that all have.

    C: how often it is so under a condition, R: under how many it is so of a case, T: in all. Its p is that of drawing
    anew which condition of a case is which (10,000 times), so that few cases need no approximation.
    """
    shared = sorted(set.intersection(*(set(one) for one in columns))) if columns else []
    table = np.array([[one[case] for one in columns] for case in shared], dtype=np.float64).reshape(
        len(shared), len(columns)
    )
    mixed = table[(table.min(axis=1) != table.max(axis=1))] if len(shared) and len(columns) > 1 else table[:0]
    if not len(mixed):
        return CochranTest(None, None, len(shared), len(columns))
    seen = _q_of(mixed)
    rng = np.random.default_rng(SEED)
    drawn = [_q_of(rng.permuted(mixed, axis=1)) for _ in range(PERMUTATIONS)]
    extreme = sum(one >= seen - 1e-9 for one in drawn)
    return CochranTest(seen, (extreme + 1) / (PERMUTATIONS + 1), len(shared), len(columns))


def _q_of(table: NDArray[np.float64]) -> float:
    """Cases that are alike under every condition change nothing, and may be left out."""
    k, total = table.shape[1], table.sum()
    columns, rows = table.sum(axis=0), table.sum(axis=1)
    return float((k - 1) * (k * (columns**2).sum() - total**2) / (k * total - (rows**2).sum()))


def adjust_holm(values: Sequence[float]) -> list[float]:
    """Each p after Holm's correction (1979), in the order given: the m-th smallest by what is left, and no less than
    those before it."""
    order = sorted(range(len(values)), key=lambda place: values[place])
    adjusted, least = [0.0] * len(values), 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, (len(values) - rank) * values[place]))
        adjusted[place] = least
    return adjusted


def contrast_with_first(values: Mapping[str, Mapping[str, float]]) -> list[ConditionContrast]:
    """Every other condition against the first, over the cases that both have; Holm's correction over all of them.

    values   condition → case → value; where all are 0 or 1 the test is McNemar's
    """
    (base, first), *others = values.items()
    told = []
    for other, second in others:
        both = [case for case in first if case in second]
        if not both:
            continue
        gains = np.array([second[case] - first[case] for case in both], dtype=np.float64)
        is_binary = all(one[case] in (0, 1) for one in (first, second) for case in both)
        shares = contrast_shares(*({case: bool(one[case]) for case in both} for one in (first, second)))
        p = shares.p if is_binary else randomisation_test(gains)
        told.append((other, shares if is_binary else None, bootstrap_mean(gains), len(both), p))
    adjusted = adjust_holm([one[-1] for one in told])
    return [
        ConditionContrast(base, other, shares, difference, cases, p, corrected)
        for (other, shares, difference, cases, p), corrected in zip(told, adjusted, strict=True)
    ]
