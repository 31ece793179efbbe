"""How sure one may be of a difference between two runs over the same queries; of means, `bootstrap` says it."""

import numpy as np

from wellsourced.bootstrap import SEED, ConfidenceInterval, MeasureValues, batch_shapes, bootstrap_mean

__all__ = ["PERMUTATIONS", "ConfidenceInterval", "MeasureValues", "bootstrap_mean", "percentile", "randomisation_test"]

PERMUTATIONS = 10_000


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
