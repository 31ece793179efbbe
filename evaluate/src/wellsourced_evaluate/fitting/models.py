"""What every fit has: the small models, halves that are left out, how good a model is there, the file that is written.

All seeded.
"""

import argparse
import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from wellsourced.encoders.cache import CachedEncoder
from wellsourced.encoders.minilm import MiniLM
from wellsourced.types import Value
from wellsourced_evaluate.tables import Cell, Table, to_markdown

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
T = TypeVar("T", bound=Value)

SEED = 13


def start_parser(doc: str | None, out: Path) -> argparse.ArgumentParser:
    """What every fit is asked: the folder of the development data, and where its weights go."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=out)
    return parser


def open_encoder() -> CachedEncoder:
    """The built-in encoder, which remembers what it has encoded."""
    return CachedEncoder(MiniLM(), limit=200_000)


class Logistic(NamedTuple):
    """Weights of raw values, one for each column, and the intercept."""

    weights: Floats
    intercept: float

    def rate(self, values: Floats) -> Floats:
        """The probability that each row is so, float64 (rows,)."""
        chances: Floats = 1 / (1 + np.exp(-(values @ self.weights + self.intercept)))
        return chances


def fit_logistic(values: Floats, labels: Bools, ridge: float, *, is_balanced: bool = False) -> Logistic:
    """Logistic regression with L2 on standardised columns: else the penalty would flatten E5's cosines, which all lie
    between .7 and 1. Balanced, yes and no count alike, whichever is the more frequent.
    """
    mean, spread = values.mean(axis=0), np.maximum(values.std(axis=0), 1e-6)
    # Balanced rows count a half of `n` each class; the penalty is of the sum, so it is not scaled by their number.
    model = LogisticRegression(
        C=1 / ridge, class_weight="balanced" if is_balanced else None, solver="newton-cholesky", tol=1e-10, max_iter=200
    )
    model.fit((values - mean) / spread, labels)
    weights = model.coef_[0] / spread
    return Logistic(weights, float(model.intercept_[0] - weights @ mean))


def is_fitted_half(group: str) -> bool:
    """Whether a group is in the half that is fitted, by a hash.

    Rows of one document, author or question are of one group, and never on both sides.
    """
    return hashlib.sha256(f"fit {group}".encode()).digest()[0] % 2 == 0


# --- how good --------------------------------------------------------------------------------------------------------


def measure_auroc(scores: Floats, labels: Bools) -> float:
    """The chance that a positive scores above a negative; a tie counts half. NaN where there is but one class."""
    return float(roc_auc_score(labels, scores)) if 0 < labels.sum() < len(labels) else float("nan")


def measure_accuracy(scores: Floats, labels: Bools, threshold: float) -> float:
    """Balanced accuracy."""
    said = scores >= threshold
    return float((said[labels].mean() + (~said[~labels]).mean()) / 2)


def measure_calibration_error(scores: Floats, labels: Bools) -> float:
    """Expected calibration error in 10 equal bins, yes and no weighed equally."""
    weight = np.where(labels, 0.5 / labels.sum(), 0.5 / (~labels).sum())
    bins = np.minimum((scores * 10).astype(int), 9)
    return float(sum(abs(np.sum((weight * (labels - scores))[bins == place])) for place in range(10)))


def find_threshold(scores: Floats, labels: Bools) -> float:
    """The two-digit threshold with the best balanced accuracy; of equals the one in the middle."""
    grid = [place / 100 for place in range(1, 100)]
    reached = [measure_accuracy(scores, labels, threshold) for threshold in grid]
    top = [threshold for threshold, value in zip(grid, reached, strict=True) if value >= max(reached) - 1e-12]
    return top[len(top) // 2]


def print_table(heads: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """A table in Markdown; numbers to three digits."""
    print("\n" + to_markdown([Table(heads, list(rows))]), end="")


# --- what is shipped -------------------------------------------------------------------------------------------------


def write_weights(model: Value, path: Path, indent: int = 2) -> None:
    """A model as the product ships it."""
    path.write_text(model.model_dump_json(indent=indent) + "\n", encoding="utf-8")


def replace_rows(path: Path, kind: type[T], fitted: Sequence[T], key: Callable[[T], Any]) -> None:
    """Write a list of models; those that were not fitted again stay."""
    known = [kind.model_validate(row) for row in json.loads(path.read_text())] if path.exists() else []
    kept = {key(one): one for one in [*known, *fitted]}
    rows = [kept[name].model_dump() for name in sorted(kept)]
    path.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
