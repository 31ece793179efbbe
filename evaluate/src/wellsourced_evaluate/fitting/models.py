"""The small models that are fitted, and how good they are on what they were not fitted on. All seeded."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from wellsourced.types import Value

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

SEED = 13


T = TypeVar("T", bound=Value)


class Logistic(NamedTuple):
    """Weights of raw values, one row for each score (one score where there are two classes), and the intercepts."""

    weights: Floats
    intercepts: Floats

    def probabilities(self, values: Floats) -> Floats:
        """Of the second of two classes, float64 (rows,)."""
        return rate_odds(values @ self.weights[0] + self.intercepts[0])


def rate_odds(scores: Floats) -> Floats:
    """Log-odds as probabilities."""
    return 1 / (1 + np.exp(-np.asarray(scores, np.float64)))


def fit_logistic(values: Floats, labels: NDArray[Any], ridge: float, *, is_balanced: bool = False) -> Logistic:
    """Logistic regression with L2 on standardised columns: else the penalty would flatten E5's cosines, which all lie
    between .7 and 1.

    labels       bool, or the places of more than two classes
    is_balanced  both classes count alike, whichever is the more frequent
    """
    mean, spread = values.mean(axis=0), np.maximum(values.std(axis=0), 1e-6)
    # Balanced rows count a half of `n` each class; the penalty is of the sum, so it is not scaled by their number.
    model = LogisticRegression(
        C=1 / ridge, class_weight="balanced" if is_balanced else None, solver="newton-cholesky", tol=1e-10, max_iter=200
    )
    model.fit((values - mean) / spread, labels)
    weights = model.coef_ / spread
    return Logistic(weights, model.intercept_ - weights @ mean)


def fit_choice(choices: Sequence[tuple[Floats, Bools]], penalty: float) -> tuple[Floats, float]:
    """The weights and the intercept of a conditional logit in which one of several is right, or none is.

    choices  of each question the features (several, features), and which are right: (several,), and then none of them
             is where nothing else is; or (several + 1,), the last of which says whether none is
    penalty  of half the squared weights, of standardised features
    """
    every = np.concatenate([features for features, _ in choices])
    mean, spread = every.mean(0), every.std(0) + 1e-6
    scaled = [
        ((features - mean) / spread, right if len(right) > len(features) else np.append(right, not right.any()))
        for features, right in choices
    ]

    def measure_loss(weights: Floats) -> tuple[float, Floats]:
        loss, slope = penalty * float(weights[:-1] @ weights[:-1]) / 2, np.r_[penalty * weights[:-1], 0.0]
        for values, is_right in scaled:
            odds = np.r_[np.exp(np.clip(values @ weights[:-1] + weights[-1], -50, 50)), 1.0]
            right = odds * is_right
            gap = (odds / odds.sum() - right / right.sum())[:-1]
            loss -= float(np.log(right.sum() / odds.sum()))
            slope += np.r_[values.T @ gap, gap.sum()]
        return loss, slope

    found = minimize(measure_loss, np.zeros(every.shape[1] + 1), jac=True, method="L-BFGS-B").x
    weights = found[:-1] / spread
    return weights, float(found[-1] - weights @ mean)


# --- halves and folds ----------------------------------------------------------------------------------------------


def is_fitted_half(group: str, salt: str = "fit") -> bool:
    """Whether a group is in the half that is fitted, by a hash; another salt cuts either half in two again."""
    return hashlib.sha256(f"{salt} {group}".encode()).digest()[0] % 2 == 0


def find_fold(group: str, salt: str, folds: int) -> int:
    """The fold of a group, by a hash: rows of one document, author or question are never on both sides."""
    return hashlib.sha256(f"{salt} {group}".encode()).digest()[0] % folds


# --- how good --------------------------------------------------------------------------------------------------------


def measure_auroc(scores: Floats, labels: Bools) -> float:
    """The chance that a positive scores above a negative; a tie counts half. NaN where there is but one class."""
    return float(roc_auc_score(labels, scores)) if 0 < labels.sum() < len(labels) else float("nan")


def measure_accuracy(scores: Floats, labels: Bools, threshold: float) -> float:
    """Balanced accuracy."""
    said = scores >= threshold
    return float((said[labels].mean() + (~said[~labels]).mean()) / 2)


def measure_calibration_error(scores: Floats, labels: Bools, *, is_balanced: bool = True) -> float:
    """Expected calibration error in 10 equal bins; yes and no weighed equally, or each row alike."""
    alike = np.full(len(labels), 1 / len(labels))
    weight = np.where(labels, 0.5 / labels.sum(), 0.5 / (~labels).sum()) if is_balanced else alike
    bins = np.minimum((scores * 10).astype(int), 9)
    return float(sum(abs(np.sum((weight * (labels - scores))[bins == place])) for place in range(10)))


def find_threshold(scores: Floats, labels: Bools) -> float:
    """The two-digit threshold with the best balanced accuracy; of equals the one in the middle."""
    grid = [place / 100 for place in range(1, 100)]
    reached = [measure_accuracy(scores, labels, threshold) for threshold in grid]
    top = [threshold for threshold, value in zip(grid, reached, strict=True) if value >= max(reached) - 1e-12]
    return top[len(top) // 2]


def draw_interval(measure: Callable[[Ints], float], groups: Sequence[str], draws: int = 500) -> str:
    """A 95 % interval by drawing groups again, as it is printed."""
    members = defaultdict(list)
    for place, group in enumerate(groups):
        members[group].append(place)
    pools = [np.array(places) for places in members.values()]
    rng = np.random.default_rng(SEED)
    values = [
        measure(np.concatenate([pools[place] for place in rng.integers(len(pools), size=len(pools))]))
        for _ in range(draws)
    ]
    low, high = np.nanquantile(values, [0.025, 0.975])
    return f"[{low:.3f}, {high:.3f}]"


def print_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table in Markdown; numbers to three digits."""
    print(f"\n| {' | '.join(heads)} |\n|---{'|--:' * (len(heads) - 1)}|")
    for row in rows:
        print(f"| {' | '.join(f'{one:.3f}' if isinstance(one, float) else str(one) for one in row)} |")


# --- what is shipped -------------------------------------------------------------------------------------------------


def name_weights(names: Iterable[str], weights: Iterable[float]) -> dict[str, float]:
    """Weights by their names, to four digits."""
    return {name: round(float(weight), 4) for name, weight in zip(names, weights, strict=True)}


def write_weights(model: Value, path: Path) -> None:
    """A model as the product ships it."""
    path.write_text(model.model_dump_json(indent=2) + "\n", encoding="utf-8")


def replace_rows(path: Path, kind: type[T], fitted: Sequence[T], key: Callable[[T], Any]) -> None:
    """Write a list of models; those that were not fitted anew stay."""
    known = [kind.model_validate(row) for row in json.loads(path.read_text())] if path.exists() else []
    kept: Mapping[Any, T] = {key(one): one for one in [*known, *fitted]}
    rows = [kept[name].model_dump() for name in sorted(kept)]
    path.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
