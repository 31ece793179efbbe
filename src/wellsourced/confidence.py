"""Confidence intervals of a mean and of a share: percentiles of the bootstrap (Efron, 1979), fixed seed; Wilson."""

from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SEED = 7
RESAMPLES = 10_000
PERMUTATIONS = 10_000
MAX_NUMBERS_AT_ONCE = 2_000_000
"""Numbers that are drawn at once: 16 MB."""

MeasureValues = NDArray[np.float64]
"""A measure of each query, float64 (n,)."""


class ConfidenceInterval(NamedTuple):
    """A mean and its 95 % interval."""

    mean: float
    low: float
    high: float


def bootstrap_mean(values: MeasureValues) -> ConfidenceInterval:
    """The mean over queries, and the interval between the percentiles of its bootstrap. NaN of none."""
    if not len(values):
        return ConfidenceInterval(np.nan, np.nan, np.nan)
    rng = np.random.default_rng(SEED)
    means = [values[rng.integers(0, len(values), shape)].mean(axis=1) for shape in batch_shapes(RESAMPLES, len(values))]
    low, high = np.percentile(np.concatenate(means), (2.5, 97.5))
    return ConfidenceInterval(float(values.mean()), float(low), float(high))


def wilson_interval(right: int, of: int) -> ConfidenceInterval:
    """A share of things that are independent, and its interval (Wilson, 1927), which is no point at 100 %; NaN of none.

    Agrees with `scipy.stats.binomtest(right, of).proportion_ci(method="wilson")`.
    """
    if not of:
        return ConfidenceInterval(np.nan, np.nan, np.nan)
    share, z = right / of, NormalDist().inv_cdf(0.975)
    spread = z * np.sqrt(share * (1 - share) / of + (z / (2 * of)) ** 2)
    low, high = ((share + z**2 / (2 * of) + side * spread) / (1 + z**2 / of) for side in (-1, 1))
    return ConfidenceInterval(share, max(0.0, float(low)), min(1.0, float(high)))


def bootstrap_share(units: Sequence[tuple[int, int]]) -> ConfidenceInterval:
    """The share Σpart / Σof over units of (part, of), and its interval when units are drawn again. NaN of nothing.

    Units that are alike are drawn together, so that ten thousand cost no more than their kinds. A resample in which
    there is nothing to take a share of says nothing and is left out.
    """
    if not any(of for _, of in units):
        return ConfidenceInterval(np.nan, np.nan, np.nan)
    kinds, counts = np.unique(np.asarray(units, dtype=np.int64), axis=0, return_counts=True)
    rng = np.random.default_rng(SEED)
    drawn = [
        rng.multinomial(len(units), counts / len(units), rows) @ kinds
        for rows, _ in batch_shapes(RESAMPLES, len(kinds))
    ]
    parts, of = np.concatenate(drawn).T
    low, high = np.percentile(parts[of > 0] / of[of > 0], (2.5, 97.5))
    part, whole = (kinds * counts[:, None]).sum(axis=0)
    return ConfidenceInterval(float(part / whole), float(low), float(high))


def batch_shapes(draws: int, width: int) -> Iterator[tuple[int, int]]:
    """(rows, width) of arrays that hold all draws together and few enough numbers each."""
    rows = max(1, MAX_NUMBERS_AT_ONCE // width)
    for start in range(0, draws, rows):
        yield min(rows, draws - start), width


def randomisation_test(differences: MeasureValues) -> float:
    """How often chance alone would make a mean difference as large, either way: the p of the randomisation test.

    Under the null hypothesis the two runs are interchangeable on every query, so that each difference may as well
    have the other sign. Smucker, Allan and Carterette, CIKM 2007. The order that was seen counts as one of the draws.
    """
    if not differences.any():
        return 1.0
    rng = np.random.default_rng(SEED)
    seen = abs(differences.sum())
    # Sums of the same numbers in another order differ in the last digits: these are not larger for it.
    edge = seen - 1e-9 * np.abs(differences).sum()
    extreme = 0
    for shape in batch_shapes(PERMUTATIONS, len(differences)):
        signs = rng.integers(0, 2, shape, dtype=np.int8) * 2 - 1
        extreme += int((np.abs(signs @ differences) >= edge).sum())
    return (extreme + 1) / (PERMUTATIONS + 1)


def percentile(values: MeasureValues, share: float) -> float:
    """The value below which so many of a hundred lie; NaN of none."""
    return float(np.percentile(values, share)) if len(values) else np.nan
