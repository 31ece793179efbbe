"""Models that were fitted here: weights of features, and small nets beside them. Data, never code.

`weighed.json` is written by wellsourced_evaluate/fitting/support.py (bdac1cd3) and by nobody's hand.
"""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from wellsourced.text.logistic import read_fitted
from wellsourced.types import Value

Floats = NDArray[np.float64]

MODEL_FILE = "weighed.json"

MAX_SPREADS = 4.0
"""Spreads from the mean beyond which a feature counts no more: a text unlike all that were fitted on moves nothing."""


class LinearModel(Value):
    """Scores that are linear in standardised features.

    features     names, in the order of the numbers
    mean, spread of each feature, in what was fitted on
    weights      for each class (or the one score) those of the features; intercepts one for each
    """

    features: tuple[str, ...]
    mean: tuple[float, ...]
    spread: tuple[float, ...]
    weights: tuple[tuple[float, ...], ...]
    intercepts: tuple[float, ...]

    def scores(self, seen: Sequence[Mapping[str, float]]) -> Floats:
        """float64 (len(seen), classes). Raises KeyError for a missing feature."""
        return self.score_standardized(self.standardize(seen))

    def standardize(self, seen: Sequence[Mapping[str, float]]) -> Floats:
        """float64 (len(seen), features), standardised."""
        values = np.array([[one[name] for name in self.features] for one in seen], np.float64)
        return standardize_values(values.reshape(len(seen), -1), np.array(self.mean), np.array(self.spread))

    def score_standardized(self, scaled: Floats) -> Floats:
        """float64 (rows, classes), of standardised features."""
        found: Floats = scaled @ np.array(self.weights).T + np.array(self.intercepts)
        return found


class TanhNet(Value):
    """One hidden layer of hyperbolic tangents between standardised features and the scores of the classes.

    inner, inner_bias   (hidden, features) and (hidden,)
    outer, outer_bias   (classes, hidden) and (classes,)
    """

    inner: tuple[tuple[float, ...], ...]
    inner_bias: tuple[float, ...]
    outer: tuple[tuple[float, ...], ...]
    outer_bias: tuple[float, ...]

    def scores(self, scaled: Floats) -> Floats:
        """float64 (rows, classes), of standardised features."""
        hidden = np.tanh(scaled @ np.array(self.inner).T + np.array(self.inner_bias))
        found: Floats = hidden @ np.array(self.outer).T + np.array(self.outer_bias)
        return found


class ModelBlend(Value):
    """What a linear model and some small nets say on average: half the linear one, half the nets."""

    linear: LinearModel
    nets: tuple[TanhNet, ...]

    def scores(self, seen: Sequence[Mapping[str, float]]) -> Floats:
        """float64 (len(seen), classes), logarithms of probabilities. Raises KeyError for a missing feature."""
        scaled = self.linear.standardize(seen)
        return blend_scores(self.linear.score_standardized(scaled), [net.scores(scaled) for net in self.nets])


def blend_scores(linear: Floats, nets: Sequence[Floats]) -> Floats:
    """The logarithm of the average of probabilities, from scores."""
    if not nets:
        return linear
    # Probabilities are averaged, not scores: a net that is wrong and sure of it moves the mean by no more than its
    # share.
    found: Floats = np.log((softmax(linear) + np.mean([softmax(scores) for scores in nets], axis=0)) / 2)
    return found


def softmax(scores: Floats) -> Floats:
    """Probabilities, row by row."""
    # The greatest is taken off first, or large scores would overflow.
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    found: Floats = raised / raised.sum(axis=1, keepdims=True)
    return found


def standardize_values(values: Floats, mean: Floats, spread: Floats) -> Floats:
    """Features in spreads from their mean, none further than FURTHEST."""
    return np.clip((values - mean) / spread, -MAX_SPREADS, MAX_SPREADS)


class TaskCalibration(Value):
    """How the three probabilities are made to fit one kind of text.

    name         "" for any
    temperature  what the scores are divided by: above 1 where the model is too sure
    shifts       added to the scores of "supports", "contradicts" and "silent": how frequent each is
    on           the data, in words
    """

    name: str = ""
    temperature: float = 1.0
    shifts: tuple[float, float, float] = (0.0, 0.0, 0.0)
    on: str = ""


class SupportModel(Value):
    """What was fitted on one encoder.

    rationale   says which sentence to show
    plain       says what a text says of a claim
    tasks       calibrations of `plain`, by task
    entailed    never fitted any more, like `entailed_tasks`; both are part of what the judge's name is made of
    figures     how good all this was on documents that it was not fitted on, by what was measured
    """

    encoder: str
    rationale: LinearModel
    plain: ModelBlend
    entailed: ModelBlend | None = None
    tasks: tuple[TaskCalibration, ...] = ()
    entailed_tasks: tuple[TaskCalibration, ...] = ()
    figures: dict[str, float] = Field(default_factory=dict)


@cache
def load_support_model() -> SupportModel:
    """What comes with this package."""
    return read_fitted(SupportModel, "wellsourced.judges", MODEL_FILE)
