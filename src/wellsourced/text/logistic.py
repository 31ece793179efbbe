"""Models that were fitted elsewhere, and lie as JSON beside the modules that use them; logistic ones of few weights."""

from collections.abc import Mapping
from importlib.resources import files
from math import exp, fsum, log
from typing import TypeVar

from wellsourced.types import Value

FittedModel = TypeVar("FittedModel", bound=Value)


def read_fitted(kind: type[FittedModel], package: str, name: str) -> FittedModel:
    """The model in a file of a package."""
    return kind.model_validate_json(files(package).joinpath(name).read_text(encoding="utf-8"))


def sigmoid(score: float) -> float:
    """The probability that log-odds stand for, however large they are."""
    return 1 / (1 + exp(-max(-700, min(700, score))))


def log_odds(probability: float, margin: float) -> float:
    """ln(p / (1 - p)) of a probability; nearer to 0 or 1 than the margin no more is told apart."""
    kept = min(max(probability, margin), 1 - margin)
    return log(kept / (1 - kept))


class LogisticModel(Value):
    """A logistic model: probability = 1 / (1 + exp(-(weights · features + intercept))).

    fitted_on   the questions, in words; n of them
    """

    weights: dict[str, float]
    intercept: float
    fitted_on: str = ""
    n: int = 0

    def probability(self, features: Mapping[str, float]) -> float:
        """From the features that have a weight; the others are not looked at. Raises KeyError for a missing one."""
        return sigmoid(self.log_odds(features))

    def log_odds(self, features: Mapping[str, float]) -> float:
        """The same as the log of the odds. Raises KeyError for a missing feature."""
        return self.intercept + fsum(weight * features[name] for name, weight in self.weights.items())

    def weigh(self, features: Mapping[str, float]) -> float:
        """What some of the features add to the log of the odds."""
        return fsum(self.weights[name] * value for name, value in features.items())
