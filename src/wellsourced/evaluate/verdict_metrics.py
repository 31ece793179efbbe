"""Measures of verdicts and of their scores, and their intervals when whole documents are drawn again."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.confidence import ConfidenceInterval
from wellsourced.types import VerdictLabel


class Confusion(NamedTuple):
    """How often each of the four cases came up.

    tp, fp   it was said to be so, and is; and is not
    fn, tn   it was not said to be so, and is; and is not
    """

    tp: int
    fp: int
    fn: int
    tn: int

    @classmethod
    def from_cases(cls, cases: Iterable[tuple[bool, bool]]) -> "Confusion":
        """Counted from (said, so) pairs."""
        told = list(cases)
        return cls(
            tp=told.count((True, True)),
            fp=told.count((True, False)),
            fn=told.count((False, True)),
            tn=told.count((False, False)),
        )

    @property
    def precision(self) -> float | None:
        """Of what was said to be so, the share that is."""
        return ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float | None:
        """Of what is so, the share that was said to be."""
        return ratio(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall, as 2·tp / (2·tp + fp + fn)."""
        return ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def specificity(self) -> float | None:
        """Of what is not so, the share that was not said to be."""
        return ratio(self.tn, self.tn + self.fp)

    @property
    def informedness(self) -> float | None:
        """Recall + specificity - 1 (Youden's J): 0 is chance, however often something is so or said to be."""
        if self.recall is None or self.specificity is None:
            return None
        return self.recall + self.specificity - 1

    @property
    def prevalence(self) -> float | None:
        """The share that is so."""
        return ratio(self.tp + self.fn, sum(self))

    @property
    def predicted_share(self) -> float | None:
        """The share that was said to be so."""
        return ratio(self.tp + self.fp, sum(self))


def ratio(part: int, whole: int) -> float | None:
    """part / whole; None of nothing."""
    return part / whole if whole else None


__all__ = [
    "CLASSES",
    "ConfidenceInterval",
    "ReliabilityBin",
    "auroc",
    "bootstrap_interval",
    "ece",
    "macro_f1",
    "reliability_bins",
    "resample_clusters",
    "share_true",
]

CLASSES: tuple[VerdictLabel, ...] = ("supports", "contradicts", "silent")
BIN_COUNT = 10
RESAMPLE_COUNT = 1_000
SEED = 7

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class ReliabilityBin(NamedTuple):
    """Of the pairs whose score lies in one tenth: how many, their mean score, and the share that is supported."""

    n: int
    score: float
    supported: float


def share_true(right: Flags) -> float:
    """Of nothing it is NaN."""
    return float(right.mean()) if len(right) else np.nan


def macro_f1(known: NDArray[np.int64], told: NDArray[np.int64]) -> float:
    """The mean F1 of the classes that come up among the known ones; NaN of nothing."""
    size = len(CLASSES)
    counts = np.bincount(known * size + told, minlength=size * size).reshape(size, size)
    scores = [
        Confusion(
            tp=int(counts[one, one]),
            fp=int(counts[:, one].sum() - counts[one, one]),
            fn=int(counts[one].sum() - counts[one, one]),
            tn=0,
        ).f1
        for one in np.flatnonzero(counts.sum(axis=1))
    ]
    return float(np.mean([score or 0.0 for score in scores])) if scores else np.nan


def auroc(scores: Floats, so: Flags) -> float:
    """The chance that one that is so scores above one that is not; a tie counts half. NaN where all are alike."""
    yes, no = int(so.sum()), int((~so).sum())
    if not yes or not no:
        return np.nan
    ordered = np.sort(scores)
    ranks = (np.searchsorted(ordered, scores, "left") + np.searchsorted(ordered, scores, "right") + 1) / 2
    return float((ranks[so].sum() - yes * (yes + 1) / 2) / (yes * no))


def reliability_bins(scores: Floats, so: Flags) -> tuple[ReliabilityBin, ...]:
    """Ten equal bins of the score; an empty one has no mean and no share (NaN)."""
    bins = np.minimum((scores * BIN_COUNT).astype(int), BIN_COUNT - 1)
    within = [bins == place for place in range(BIN_COUNT)]
    return tuple(
        ReliabilityBin(int(here.sum()), float(scores[here].mean()), float(so[here].mean()))
        if here.any()
        else ReliabilityBin(0, np.nan, np.nan)
        for here in within
    )


def ece(scores: Floats, so: Flags) -> float:
    """The mean distance between score and share over these bins, each as heavy as it is full (Guo et al., 2017)."""
    if not len(scores):
        return np.nan
    return float(
        sum(one.n * abs(one.score - one.supported) for one in reliability_bins(scores, so) if one.n) / len(scores)
    )


def resample_clusters(clusters: Sequence[int]) -> list[NDArray[np.int64]]:
    """The places of the sample itself, and of DRAWS others in which whole clusters were drawn with replacement."""
    names, member = np.unique(np.asarray(clusters, dtype=np.int64), return_inverse=True)
    rng = np.random.default_rng(SEED)
    places = np.arange(len(clusters))
    if not len(names):
        return [places]
    counts = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), RESAMPLE_COUNT)
    return [places, *(np.repeat(places, count[member]) for count in counts)]


def bootstrap_interval(
    draws: Sequence[NDArray[np.int64]], measure: Callable[[NDArray[np.int64]], float]
) -> ConfidenceInterval:
    """A measure of the sample, and the interval between the percentiles of its resamples; NaN of nothing."""
    value, *others = (measure(at) for at in draws)
    able = [other for other in others if not np.isnan(other)]
    if np.isnan(value) or not able:
        return ConfidenceInterval(value, np.nan, np.nan)
    low, high = np.percentile(able, (2.5, 97.5))
    return ConfidenceInterval(value, float(low), float(high))
