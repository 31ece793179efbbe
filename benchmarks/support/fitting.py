"""Small models and their calibration, fitted with NumPy alone; all seeded."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.support.samples import LABELS, SETS
from wellsourced.judges.feature_judge import calibrate_scores
from wellsourced.judges.linear_model import (
    Floats,
    LinearModel,
    TanhNet,
    TaskCalibration,
    blend_scores,
    softmax,
    standardize_values,
)

Ints = NDArray[np.int64]

RIDGE = 100.0
RANK_RIDGE = 400.0
"""100 to 600 are within .005 of each other."""

SEED = 13
NETS, HIDDEN, NET_RIDGE, NET_STEPS = 4, 16, 8.0, 200
"""A ridge of 3 to 20 is within .003; nets help Evidence Inference and K-QA by .004 and SciFact not at all."""


class Fitted(NamedTuple):
    """A linear model: mean and spread (features,), weights (classes, features), intercepts (classes,); perhaps nets."""

    mean: Floats
    spread: Floats
    weights: Floats
    intercepts: Floats
    nets: tuple[TanhNet, ...] = ()

    def scores(self, values: Floats) -> Floats:
        """float64 (rows, classes)."""
        scaled = standardize_values(values, self.mean, self.spread)
        return blend_scores(scaled @ self.weights.T + self.intercepts, [net.scores(scaled) for net in self.nets])

    def named(self, names: Sequence[str]) -> LinearModel:
        """As it is stored, to five digits."""
        return LinearModel(
            features=tuple(names), mean=_near(self.mean), spread=_near(self.spread), weights=_near(self.weights),
            intercepts=_near(self.intercepts),
        )  # fmt: skip


def fit(values: Floats, labels: Ints, ridge: float = RIDGE) -> Fitted:
    """Multinomial logistic regression with L2, by Newton's method, and nets beside it."""
    mean, spread = values.mean(axis=0), np.maximum(values.std(axis=0), 1e-6)
    x, truth = standardize_values(values, mean, spread), np.eye(len(LABELS))[labels]
    beta = newton(x, truth, ridge)
    return Fitted(mean, spread, beta[:, :-1], beta[:, -1], fit_nets(x, truth))


def newton(x: Floats, truth: Floats, ridge: float) -> Floats:
    """Multinomial logistic regression: float64 (classes, features and an intercept). `truth` holds one 1 in a row."""
    x = np.column_stack([x, np.ones(len(x))])
    width, classes = x.shape[1], truth.shape[1]
    # A little on the intercepts too: one class is superfluous, and the matrix must not be singular.
    shrink = np.tile([*[ridge] * (width - 1), 1e-3], classes)
    beta = np.zeros((classes, width))
    for _ in range(12):
        p = softmax(x @ beta.T)
        gradient = ((p - truth).T @ x).ravel() + shrink * beta.ravel()
        blocks = [[(x.T * (p[:, i] * ((i == j) - p[:, j]))) @ x for j in range(classes)] for i in range(classes)]
        beta -= np.linalg.solve(np.block(blocks) + np.diag(shrink), gradient).reshape(classes, width)
    return beta


def fit_nets(x: Floats, truth: Floats) -> tuple[TanhNet, ...]:
    """Nets that differ in where they start, each by Adam with L2."""
    rng = np.random.default_rng(SEED)
    found = []
    for _ in range(NETS):
        inner = rng.normal(0, x.shape[1] ** -0.5, (HIDDEN, x.shape[1]))
        outer = rng.normal(0, HIDDEN**-0.5, (len(LABELS), HIDDEN))
        found.append(_fit_net(x, truth, [inner, np.zeros(HIDDEN), outer, np.zeros(len(LABELS))]))
    return tuple(found)


def _fit_net(x: Floats, truth: Floats, held: list[Floats]) -> TanhNet:
    first, second = [np.zeros(one.shape) for one in held], [np.zeros(one.shape) for one in held]
    for step in range(1, NET_STEPS + 1):
        for place, gradient in enumerate(_gradients(x, truth, held)):
            first[place] = 0.9 * first[place] + 0.1 * gradient
            second[place] = 0.999 * second[place] + 0.001 * gradient**2
            pace = (first[place] / (1 - 0.9**step)) / (np.sqrt(second[place] / (1 - 0.999**step)) + 1e-8)
            held[place] = held[place] - 0.01 * pace
    return TanhNet(inner=_near(held[0]), inner_bias=_near(held[1]), outer=_near(held[2]), outer_bias=_near(held[3]))


def _gradients(x: Floats, truth: Floats, held: Sequence[Floats]) -> list[Floats]:
    inner, inner_bias, outer, outer_bias = held
    hidden = np.tanh(x @ inner.T + inner_bias)
    wrong = (softmax(hidden @ outer.T + outer_bias) - truth) / len(x)
    back = (wrong @ outer) * (1 - hidden**2)
    shrink = NET_RIDGE / len(x)
    return [back.T @ x + shrink * inner, back.sum(axis=0), wrong.T @ hidden + shrink * outer, wrong.sum(axis=0)]


def _near(values: Floats) -> tuple[Any, ...]:
    """To five digits, as tuples."""
    if values.ndim > 1:
        return tuple(map(_near, values))
    return tuple(float(f"{value:.5g}") for value in values)


def fit_ranking(lists: Sequence[Floats], gold: Sequence[frozenset[int]]) -> Fitted:
    """Logistic regression of marked sentences against all others of the same texts.

    The chance that a marked one comes first, fitted by itself, did worse on other documents: P@1 .69 for .71.
    """
    values = np.concatenate(lists)
    marked = [place in told for one, told in zip(lists, gold, strict=True) for place in range(len(one))]
    mean, spread = values.mean(axis=0), np.maximum(values.std(axis=0), 1e-6)
    beta = newton(standardize_values(values, mean, spread), np.eye(2)[np.array(marked, int)], RANK_RIDGE)
    difference = beta[1:] - beta[:1]
    return Fitted(mean, spread, difference[:, :-1], difference[:, -1])


def calibrate(scores: Floats, labels: Ints, name: str = "", weight: Floats | None = None) -> TaskCalibration:
    """One temperature and three shifts, by gradient descent on the likelihood."""
    share = weight / weight.sum() if weight is not None else np.full(len(labels), 1 / len(labels))
    slope, shifts = 1.0, np.zeros(3)
    truth = np.eye(3)[labels]
    for _ in range(800):
        wrong = (
            calibrate_scores(scores * slope, TaskCalibration(shifts=(shifts[0], shifts[1], shifts[2]))) - truth
        ) * share[:, None]
        slope -= 0.5 * float((wrong * scores).sum())
        shifts = shifts - 0.5 * (wrong.sum(axis=0) + 1e-3 * shifts)
    return TaskCalibration(
        name=name,
        temperature=round(1 / max(slope, 0.05), 3),
        shifts=(round(float(shifts[0]), 3), round(float(shifts[1]), 3), round(float(shifts[2]), 3)),
        on=f"{SETS[name]}, n={len(labels)}" if name else "SciFact, Evidence Inference and K-QA, each counting alike",
    )
