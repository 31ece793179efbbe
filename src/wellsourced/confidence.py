"""The confidence interval of a share: percentiles of the bootstrap (Efron, 1979), fixed seed; Wilson's where things are
independent.
"""

from collections.abc import Iterator, Sequence
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

SEED = 7
RESAMPLES = 10_000
MAX_NUMBERS_AT_ONCE = 2_000_000
"""Numbers that are drawn at once: 16 MB."""


class ConfidenceInterval(NamedTuple):
    """A mean and its 95 % interval."""

    mean: float
    low: float
    high: float


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


def wilson_interval(right: int, of: int) -> ConfidenceInterval:
    """A share of things that are independent, and its interval (Wilson, 1927), which is no point at 100 %; NaN of none.

    Agrees with `scipy.stats.binomtest(right, of).proportion_ci(method="wilson")`.
    """
    if not of:
        return ConfidenceInterval(np.nan, np.nan, np.nan)
    share, z = right / of, NormalDist().inv_cdf(0.975)
    spread = z * sqrt(share * (1 - share) / of + (z / (2 * of)) ** 2)
    low, high = ((share + z**2 / (2 * of) + side * spread) / (1 + z**2 / of) for side in (-1, 1))
    return ConfidenceInterval(share, max(0.0, low), min(1.0, high))


def batch_shapes(draws: int, width: int) -> Iterator[tuple[int, int]]:
    """(rows, width) of arrays that hold all draws together and few enough numbers each."""
    rows = max(1, MAX_NUMBERS_AT_ONCE // width)
    for start in range(0, draws, rows):
        yield min(rows, draws - start), width
