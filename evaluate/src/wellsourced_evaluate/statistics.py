"""The statistics of every study: means and shares over cases, two arms case by case, agreement, association.

Intervals are of the bootstrap over cases (Efron, 1979; fixed seed), or Wilson's. Tests are scipy's, agreement that of
scikit-learn and krippendorff. Where a figure says nothing (no case, one label throughout) it is None.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isnan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.confidence import RESAMPLES, SEED, ConfidenceInterval, batch_shapes, bootstrap_share
from wellsourced.errors import SourceRefused

PERMUTATIONS = 10_000

MeasureValues = NDArray[np.float64]
"""A measure of each query, float64 (n,)."""

TIE_TOLERANCE = 1e-9
"""Differences up to this are none."""

CaseValues = Mapping[str, float | None]
"""Case → value of a metric; None: it does not apply."""

PairedTest = Callable[[NDArray[np.float64]], float]
"""What each case gained, float64 (n,) → how likely gains as large are by chance, either way."""


class MetricMean(NamedTuple):
    """The mean of a metric over the cases to which it applies; all figures None when it applies to none.

    low, high   95 % interval, of the bootstrap over cases
    cases       to which it applies
    undefined   cases to which it does not, left out
    """

    mean: float | None
    low: float | None
    high: float | None
    cases: int
    undefined: int


class PooledShare(NamedTuple):
    """Parts of all cases together by wholes of all cases together; None and no interval where there is no whole."""

    share: float | None
    low: float | None
    high: float | None
    part: int
    whole: int


class ArmContrast(NamedTuple):
    """One metric in two arms.

    base, other   the means over the cases to which it applies in both
    difference    other less base, case by case; its `undefined` cases lack a value in one of the arms
    p             of the paired test, two-sided; None: there is no case
    more          cases in which `other` has the larger value; `equal`, `less` likewise
    """

    base: float | None
    other: float | None
    difference: MetricMean
    p: float | None
    more: int
    equal: int
    less: int


class ShareContrast(NamedTuple):
    """Something that is so or not in two arms: in how many cases only in one; p of McNemar's exact test, two-sided."""

    both: int
    only_base: int
    only_other: int
    neither: int
    p: float


class Association(NamedTuple):
    """A statistic, its p, and of how many values it is; None where nothing differs."""

    value: float | None
    p: float | None
    items: int


def average_cases(values: Iterable[float | None]) -> MetricMean:
    """The mean of the values that are there, its interval, and how many there are and are not."""
    every = list(values)
    known = np.array([value for value in every if value is not None], dtype=np.float64)
    if not len(known):
        return MetricMean(None, None, None, 0, len(every))
    return MetricMean(*bootstrap_mean(known), len(known), len(every) - len(known))


def pool_cases(counts: Sequence[tuple[int, int]]) -> PooledShare:
    """The share over (part, whole) of each case; cases are drawn again for its interval."""
    part, whole = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0)
    if not whole:
        return PooledShare(None, None, None, part, whole)
    return PooledShare(*bootstrap_share(counts), part, whole)


def contrast_values(base: CaseValues, other: CaseValues, test: PairedTest | None = None) -> ArmContrast:
    """The difference of two arms, by Wilcoxon's test if no other is named.

    Raises SourceRefused when the arms are not of the same cases.
    """
    _require_same_cases(base, other)
    pairs = [(base[case], other[case]) for case in base]
    known = [(first, second) for first, second in pairs if first is not None and second is not None]
    gains = np.array([second - first for first, second in known], dtype=np.float64)
    gains[np.abs(gains) <= TIE_TOLERANCE] = 0.0
    return ArmContrast(
        average_cases(first for first, _ in known).mean,
        average_cases(second for _, second in known).mean,
        average_cases([*gains.tolist(), *[None] * (len(pairs) - len(known))]),
        (test or wilcoxon_p)(gains) if known else None,
        *(int(so.sum()) for so in (gains > 0, gains == 0, gains < 0)),
    )


def contrast_shares(base: Mapping[str, bool], other: Mapping[str, bool]) -> ShareContrast:
    """The difference of two arms in what is so or not. Raises SourceRefused when they are not of the same cases."""
    _require_same_cases(base, other)
    kinds = Counter((base[case], other[case]) for case in base)
    both, only_base, only_other = kinds[True, True], kinds[True, False], kinds[False, True]
    return ShareContrast(both, only_base, only_other, kinds[False, False], mcnemar_p(only_base, only_other))


def _require_same_cases(base: Mapping[str, object], other: Mapping[str, object]) -> None:
    if base.keys() != other.keys():
        lone = min(base.keys() ^ other.keys())
        raise SourceRefused(f"Two arms are compared case by case, and only one of them has {lone}.")


def wilcoxon_p(gains: NDArray[np.float64]) -> float:
    """How likely signed ranks as far apart are by chance (Wilcoxon, 1945); 1 where no case differs."""
    from scipy.stats import wilcoxon

    # With zeros among them scipy would take the normal distribution, which makes one gain among 60 cases p = .32.
    return float(wilcoxon(gains[gains != 0]).pvalue) if gains.any() else 1.0


def mcnemar_p(only_one: int, only_other: int) -> float:
    """How often chance alone would part two yes-or-no columns as far: exact binomial, two-sided (McNemar, 1947)."""
    from scipy.stats import binomtest

    together = only_one + only_other
    return float(binomtest(only_one, together).pvalue) if together else 1.0


def mcnemar_gains_p(gains: NDArray[np.float64]) -> float:
    """McNemar's exact test of what is so or not, as 1 and 0: only how many cases changed, and which way, counts."""
    return mcnemar_p(int((gains < 0).sum()), int((gains > 0).sum()))


def adjust_by_holm(values: Sequence[float | None]) -> list[float | None]:
    """The p of several tests after Holm's correction (1979), which keeps the chance of any error; None stays.

    The smallest is multiplied by how many there are, the next by one less, and none falls below one before it.
    """
    order = sorted((p, place) for place, p in enumerate(values) if p is not None)
    adjusted: list[float | None] = [None] * len(values)
    largest = 0.0
    for rank, (p, place) in enumerate(order):
        largest = max(largest, min(1.0, p * (len(order) - rank)))
        adjusted[place] = largest
    return adjusted


def cohen_kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Agreement of two raters beyond chance (Cohen, 1960)."""
    return _kappa(pairs, sorted({label for pair in pairs for label in pair}), None)


def weighted_kappa(pairs: Sequence[tuple[int, int]]) -> float | None:
    """Cohen's kappa (1968) of ratings with quadratic weights: two that are one step apart nearly agree."""
    every = [rating for pair in pairs for rating in pair]
    return _kappa(pairs, range(min(every), max(every) + 1) if every else (), "quadratic")


def _kappa(pairs: Sequence[tuple[Any, Any]], labels: Sequence[Any], weights: str | None) -> float | None:
    if len(labels) < 2:
        return None  # there was nothing to agree on beyond chance
    from sklearn.metrics import cohen_kappa_score

    first, second = zip(*pairs, strict=True)
    found = cohen_kappa_score(first, second, labels=[*labels], weights=weights)
    return None if isnan(found) else float(found)


def fleiss_kappa(votes: Sequence[Sequence[str]]) -> float | None:
    """Agreement of several raters, each item labelled by as many (Fleiss, 1971).

    Raises ValueError for items with unequal numbers of labels.
    """
    counts = _count_labels(votes)
    if len({len(labels) for labels in votes}) > 1:
        raise ValueError("every item needs as many labels")
    if counts.shape[1] < 2 or len(votes[0]) < 2:
        return None
    raters = len(votes[0])
    observed = (counts * (counts - 1)).sum() / (len(votes) * raters * (raters - 1))
    expected = ((counts.sum(axis=0) / counts.sum()) ** 2).sum()
    return float((observed - expected) / (1 - expected))


def krippendorff_alpha(votes: Sequence[Sequence[str]]) -> float | None:
    """Agreement of any number of raters over items that some did not label, labels without an order."""
    counts = _count_labels([labels for labels in votes if len(labels) > 1])
    if counts.shape[1] < 2:
        return None
    from krippendorff import alpha

    return float(alpha(value_counts=counts, level_of_measurement="nominal"))


def _count_labels(votes: Sequence[Sequence[str]]) -> NDArray[np.int64]:
    """How often each item has each label, int64 (items, labels)."""
    names = sorted({label for labels in votes for label in labels})
    counts = [[labels.count(name) for name in names] for labels in votes]
    return np.array(counts, dtype=np.int64).reshape(len(votes), len(names))


def pearson(pairs: Sequence[tuple[float, float]]) -> Association:
    """Pearson's r of two columns, its p from t; none of fewer than two rows, or where a column is constant."""
    return _correlate("pearsonr", pairs, 2)


def spearman(pairs: Sequence[tuple[float, float]]) -> Association:
    """Spearman's rank correlation of two columns; none of fewer than three rows, or where a column is constant."""
    return _correlate("spearmanr", pairs, 3)


def _correlate(test: str, pairs: Sequence[tuple[float, float]], least: int) -> Association:
    columns = [*zip(*pairs, strict=True)]
    if len(pairs) < least or any(len(set(column)) < 2 for column in columns):
        return Association(None, None, len(pairs))
    return _associate(test, columns, len(pairs))


def kruskal_wallis(groups: Sequence[Sequence[float]]) -> Association:
    """H: whether ranks differ between groups (Kruskal and Wallis, 1952), corrected for ties; all values independent."""
    filled = [group for group in groups if group]
    every = [value for group in filled for value in group]
    if len(filled) < 2 or len(set(every)) < 2:
        return Association(None, None, len(every))
    return _associate("kruskal", filled, len(every))


def _associate(test: str, columns: Sequence[Sequence[float]], items: int) -> Association:
    from scipy import stats

    found = getattr(stats, test)(*columns)
    return Association(float(found.statistic), float(found.pvalue), items)


def cramers_v(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Cramér's V (1946) of two columns of labels, uncorrected; None where a column has one label only."""
    columns = [*zip(*pairs, strict=True)]
    if not pairs or min(len(set(column)) for column in columns) < 2:
        return None
    from scipy.stats.contingency import association, crosstab

    return float(association(crosstab(*columns).count))


# --- intervals and p of one mean


def bootstrap_mean(values: MeasureValues) -> ConfidenceInterval:
    """The mean over queries, and the interval between the percentiles of its bootstrap. NaN of none."""
    if not len(values):
        return ConfidenceInterval(np.nan, np.nan, np.nan)
    rng = np.random.default_rng(SEED)
    means = [values[rng.integers(0, len(values), shape)].mean(axis=1) for shape in batch_shapes(RESAMPLES, len(values))]
    low, high = np.percentile(np.concatenate(means), (2.5, 97.5))
    return ConfidenceInterval(float(values.mean()), float(low), float(high))


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
