"""Fitting on some documents and scoring others: five folds, and each set by what saw only the other two."""

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.support.fitting import Fitted, Ints, fit, fit_ranking
from benchmarks.support.samples import SETS, Row
from wellsourced.judges.claim_features import Features
from wellsourced.judges.linear_model import Floats

Bools = NDArray[np.bool_]

FOLDS = 5


def ranking(table: Sequence[Row], use: Bools) -> Fitted:
    """Fitted on the rows in use that have marked sentences."""
    told = [row for row, used in zip(table, use, strict=True) if used and row.sample.gold]
    return fit_ranking([row.ranked for row in told], [row.sample.gold for row in told])


def bearing(table: Sequence[Row], use: Bools, fold: Ints) -> list[Floats]:
    """How much each sentence bears on its claim, by a ranking that was not fitted on its document.

    Rows in use: fitted on the other folds of those in use. All others: fitted on all in use.
    """
    every = ranking(table, use)
    inner = {k: ranking(table, use & (fold != k)) for k in sorted(set(fold[use].tolist()))}
    return [
        (inner[int(fold[place])] if use[place] else every).scores(row.ranked)[:, 0] for place, row in enumerate(table)
    ]


def likeness_bearing(table: Sequence[Row]) -> list[Floats]:
    """Where no ranking may be used: by what a sentence shares."""
    return [np.array([10 * (one["recall"] + one["flat"]) for one in row.seen.sentences]) for row in table]


def features_of(
    table: Sequence[Row], bears: Sequence[Floats], extra: Sequence[Features] | None
) -> tuple[list[str], Floats]:
    """The features of all texts: names, and float64 (rows, features)."""
    found = [
        row.features(some) | (extra[place] if extra else {})
        for place, (row, some) in enumerate(zip(table, bears, strict=True))
    ]
    return list(found[0]), np.array([list(one.values()) for one in found])


def folds_of(table: Sequence[Row]) -> Ints:
    """The fold of each row, by its document."""
    return np.array([hashlib.sha256(f"support {row.sample.group}".encode()).digest()[0] % FOLDS for row in table])


def crossed(table: Sequence[Row], extra: Sequence[Features] | None) -> Floats:
    """Scores of each row by a model that did not see its document, float64 (rows, 3)."""
    fold = folds_of(table)
    labels = np.array([row.sample.label for row in table])
    found = np.zeros((len(table), 3))
    for k in range(FOLDS):
        use = fold != k
        values = features_of(table, bearing(table, use, fold), extra)[1]
        found[~use] = fit(values[use], labels[use]).scores(values[~use])
    return found


def unseen(table: Sequence[Row], extra: Sequence[Features] | None) -> Floats:
    """Scores of each row by a model that saw nothing of its set."""
    fold = folds_of(table)
    labels = np.array([row.sample.label for row in table])
    sets = np.array([row.sample.set for row in table])
    found = np.zeros((len(table), 3))
    for name in SETS:
        use = sets != name
        # Sentences are marked in SciFact alone: what never saw it cannot have learnt to choose them.
        bears = likeness_bearing(table) if name == "scifact" else bearing(table, use, fold)
        values = features_of(table, bears, extra)[1]
        found[~use] = fit(values[use], labels[use]).scores(values[~use])
    return found


def balanced_by_set(table: Sequence[Row]) -> Floats:
    """A weight for each row, so that every set counts alike."""
    sets = [row.sample.set for row in table]
    return np.array([1 / sets.count(name) for name in sets])
