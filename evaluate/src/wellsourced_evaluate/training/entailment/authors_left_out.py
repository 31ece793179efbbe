# mypy: disable-error-code="import-not-found"
"""Trees over the features of written statements, judged on authors and passages that they never saw.

    python -m …training.entailment.authors_left_out FEATURES

FEATURES is the file of `written_pairs.py`. Needs scikit-learn. Prints for each author the AUROC of supported against
the rest with a 95 % interval (500 draws of passages), and what a threshold that is right in 19 of 20 among the other
authors says of this one. Beside it, without any training: the claims that only restate a sentence (`is_restated`).
"""

import argparse
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score

from wellsourced_evaluate.training.entailment.texts import rows
from wellsourced_evaluate.training.entailment.written_pairs import is_restated

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

PRECISION, FEWEST, DRAWS = 0.95, 30, 500
"""What a threshold has to reach among the training authors, from how many calls on; draws of an interval."""


def trained(values: Floats, supported: Flags) -> Any:
    """Shallow trees, few and mild: there are fewer than 1,500 statements."""
    trees = HistGradientBoostingClassifier(
        max_iter=150, learning_rate=0.05, max_leaf_nodes=8, min_samples_leaf=20, l2_regularization=5, random_state=13
    )
    return trees.fit(values, supported)


def left_out(values: Floats, supported: Flags, authors: NDArray[np.str_]) -> Floats:
    """The score of each statement by trees that saw none by its author."""
    scores = np.zeros(len(supported))
    for author in np.unique(authors):
        own = authors == author
        scores[own] = trained(values[~own], supported[~own]).predict_proba(values[own])[:, 1]
    return scores


def threshold(scores: Floats, supported: Flags) -> float | None:
    """The lowest from which PRECISION of at least FEWEST calls are right; None where there is none."""
    order = np.argsort(-scores, kind="stable")
    right = np.cumsum(supported[order])
    calls = np.arange(1, len(scores) + 1)
    # Of equal scores only the last stands for all.
    fitting = (right >= PRECISION * calls) & (calls >= FEWEST) & (np.append(np.diff(scores[order]), -1) < 0)
    return float(scores[order][np.flatnonzero(fitting)[-1]]) if fitting.any() else None


def interval(scores: Floats, supported: Flags, passages: NDArray[np.str_]) -> tuple[float, float]:
    """95 %, by drawing passages."""
    draws = np.random.default_rng(13)
    places = {passage: np.flatnonzero(passages == passage) for passage in np.unique(passages)}
    areas = []
    for _ in range(DRAWS):
        at = np.concatenate([places[p] for p in draws.choice(list(places), len(places))])
        if 0 < supported[at].mean() < 1:
            areas.append(roc_auc_score(supported[at], scores[at]))
    low, high = np.quantile(areas, [0.025, 0.975])
    return float(low), float(high)


def called(values: Floats, supported: Flags, authors: NDArray[np.str_], author: str) -> tuple[int, int]:
    """Right calls and all calls of "supported" about an author, at the threshold that the others set."""
    own = authors == author
    others = left_out(values[~own], supported[~own], authors[~own])
    least = threshold(others, supported[~own])
    if least is None:
        return 0, 0
    sure = trained(values[~own], supported[~own]).predict_proba(values[own])[:, 1] >= least
    return int(supported[own][sure].sum()), int(sure.sum())


def main() -> None:
    """Print a line for each author."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("features", type=Path)
    read = list(rows(parser.parse_args().features))
    columns: Mapping[str, list[Any]] = defaultdict(list)
    for row in read:
        for name in ("author", "passage", "supported", "cosine", "overlap"):
            columns[name].append(row[name])
    authors, passages, supported = (np.array(columns[name]) for name in ("author", "passage", "supported"))
    values = np.array([list(row["features"].values()) for row in read])
    restated = np.array([is_restated(row["features"]) for row in read])
    scores = {"cosine": np.array(columns["cosine"]), "overlap": np.array(columns["overlap"])}
    scores["trees"] = left_out(values, supported, authors)
    for author in np.unique(authors):
        own = authors == author
        told = []
        for name, every in scores.items():
            low, high = interval(every[own], supported[own], passages[own])
            told.append(f"{name} {roc_auc_score(supported[own], every[own]):.3f} [{low:.3f}, {high:.3f}]")
        right, calls = called(values, supported, authors, author)
        told.append(f"sure of {calls}, right in {right} of {supported[own].sum()} right ones")
        print(f"{author}: {'; '.join(told)}; restated {restated[own].sum()}, right {supported[own & restated].sum()}")


if __name__ == "__main__":
    main()
