"""How sure one may be of a mean, and of a difference between two runs over the same queries."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SEED = 7
RESAMPLES = 10_000
PERMUTATIONS = 10_000
AT_ONCE = 2_000_000
"""Numbers that are drawn at once: 16 MB."""

Values = NDArray[np.float64]
"""A measure of each query, float64 (n,)."""


class Interval(NamedTuple):
    """A mean and its 95 % interval."""

    mean: float
    low: float
    high: float


def interval(values: Values) -> Interval:
    """The mean over queries, and the interval between the percentiles of its bootstrap (Efron, 1979). NaN of none."""
    if not len(values):
        return Interval(np.nan, np.nan, np.nan)
    rng = np.random.default_rng(SEED)
    means = [values[rng.integers(0, len(values), shape)].mean(axis=1) for shape in _shapes(RESAMPLES, len(values))]
    low, high = np.percentile(np.concatenate(means), (2.5, 97.5))
    return Interval(float(values.mean()), float(low), float(high))


def randomisation(differences: Values) -> float:
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
    for shape in _shapes(PERMUTATIONS, len(differences)):
        signs = rng.integers(0, 2, shape, dtype=np.int8) * 2 - 1
        extreme += int((np.abs(signs @ differences) >= edge).sum())
    return (extreme + 1) / (PERMUTATIONS + 1)


def percentile(values: Values, share: float) -> float:
    """The value below which so many of a hundred lie; NaN of none."""
    return float(np.percentile(values, share)) if len(values) else np.nan


def _shapes(draws: int, width: int) -> Iterator[tuple[int, int]]:
    """(rows, width) of arrays that hold all draws together and few enough numbers each."""
    rows = max(1, AT_ONCE // width)
    for start in range(0, draws, rows):
        yield min(rows, draws - start), width
