"""Measures of verdicts and of their scores, and their intervals when whole documents are drawn again."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.confidence import ConfidenceInterval
from wellsourced.types import VerdictLabel

CLASSES: tuple[VerdictLabel, ...] = ("supports", "contradicts", "silent")
BIN_COUNT = 10
RESAMPLE_COUNT = 1_000
SEED = 7

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Places = NDArray[np.int64]


class ReliabilityBin(NamedTuple):
    """Of the pairs whose score lies in one tenth: how many, their mean score, and the share that is supported."""

    n: int
    score: float
    supported: float


def macro_f1(known: Places, told: Places) -> float:
    """The mean F1 of the classes that come up among the known ones; NaN of nothing."""
    size = len(CLASSES)
    counts = np.bincount(known * size + told, minlength=size * size).reshape(size, size)
    hits, sizes = counts.diagonal(), counts.sum(axis=0) + counts.sum(axis=1)
    there = counts.sum(axis=1) > 0
    return mean_or_nan(2 * hits[there] / sizes[there])


def auroc(scores: Floats, so: Flags) -> float:
    """The chance that one that is so scores above one that is not; a tie counts half. NaN where all are alike."""
    from scipy.stats import rankdata

    yes, no = int(so.sum()), int((~so).sum())
    return float((rankdata(scores)[so].sum() - yes * (yes + 1) / 2) / (yes * no)) if yes and no else np.nan


def reliability_bins(scores: Floats, so: Flags) -> tuple[ReliabilityBin, ...]:
    """Ten equal bins of the score; an empty one has no mean and no share (NaN)."""
    bins = np.minimum((scores * BIN_COUNT).astype(int), BIN_COUNT - 1)
    within = [bins == place for place in range(BIN_COUNT)]
    return tuple(ReliabilityBin(int(here.sum()), mean_or_nan(scores[here]), mean_or_nan(so[here])) for here in within)


def ece(scores: Floats, so: Flags) -> float:
    """The mean distance between score and share over these bins, each as heavy as it is full (Guo et al., 2017)."""
    distances = [one.n * abs(one.score - one.supported) for one in reliability_bins(scores, so) if one.n]
    return float(sum(distances) / len(scores)) if distances else np.nan


def mean_or_nan(values: NDArray[Any]) -> float:
    """The mean; NaN of nothing."""
    return float(values.mean()) if len(values) else np.nan


def resample_clusters(clusters: Sequence[int]) -> list[Places]:
    """The places of the sample itself, and of RESAMPLE_COUNT others that draw whole clusters with replacement."""
    names, member = np.unique(np.asarray(clusters, dtype=np.int64), return_inverse=True)
    places = np.arange(len(clusters))
    if not len(names):
        return [places]
    rng = np.random.default_rng(SEED)
    counts = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), RESAMPLE_COUNT)
    return [places, *(np.repeat(places, count[member]) for count in counts)]


def bootstrap_interval(draws: Sequence[Places], measure: Callable[[Places], float]) -> ConfidenceInterval:
    """A measure of the sample, and the interval between the percentiles of its resamples; NaN of nothing."""
    value, *others = (measure(at) for at in draws)
    able = [other for other in others if not np.isnan(other)]
    if np.isnan(value) or not able:
        return ConfidenceInterval(value, np.nan, np.nan)
    low, high = np.percentile(able, (2.5, 97.5))
    return ConfidenceInterval(value, float(low), float(high))
