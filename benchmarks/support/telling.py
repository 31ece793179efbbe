"""How good the judge is: printed, one line for each set, with intervals."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from benchmarks.calibrate_judges import auroc, interval
from benchmarks.support.crossing import FOLDS, Bools, folds_of, ranking
from benchmarks.support.fitting import Ints, calibrate
from benchmarks.support.samples import SETS, Row
from wellsourced.judges.feature_judge import calibrate_scores
from wellsourced.judges.linear_model import Floats


def recalibrated(scores: Floats, labels: Ints, fold: Ints) -> Floats:
    """Probabilities of each row, calibrated on the other folds."""
    found = np.zeros(scores.shape)
    for k in sorted(set(fold.tolist())):
        found[fold == k] = calibrate_scores(scores[fold == k], calibrate(scores[fold != k], labels[fold != k]))
    return found


def macro_f1(labels: Ints, said: Ints) -> float:
    """The mean of the F1 of each label that occurs."""
    values = [
        2 * ((labels == k) & (said == k)).sum() / max((labels == k).sum() + (said == k).sum(), 1)
        for k in sorted(set(labels.tolist()))
    ]
    return float(np.mean(values))


def error(probability: Floats, right: Bools) -> float:
    """Expected calibration error of P(supports) in ten equal bins."""
    bins = np.minimum((probability * 10).astype(int), 9)
    return float(sum(abs((right[bins == k] - probability[bins == k]).sum()) for k in range(10)) / len(right))


def emit(
    title: str, table: Sequence[Row], scores: Floats, calibration: Callable[[Floats, Ints, Ints], Floats]
) -> dict[str, float]:
    """Print one line for each set; the AUROC of support in each."""
    found = {}
    print(f"\n### {title}\n\n| set | n | AUROC supported | 95 % | accuracy | macro-F1 | ECE | supported of judged |")
    print("|---|--:|--:|---|--:|--:|--:|--:|")
    fold = folds_of(table)
    for name, shown in SETS.items():
        here = np.array([row.sample.set == name for row in table])
        labels = np.array([row.sample.label for row in table])[here]
        groups = [row.sample.group for row in table if row.sample.set == name]
        p = calibration(scores[here], labels, fold[here])
        said = p.argmax(axis=1)
        judged = labels < 2
        sides = scores[here][judged][:, 0] - scores[here][judged][:, 1]
        found[f"{shown}, {title}: AUROC"] = round(auroc(p[:, 0], labels == 0), 3)
        print(
            f"| {shown} | {len(labels)} | {auroc(p[:, 0], labels == 0):.3f} "
            f"| {interval(partial(_auroc_at, p[:, 0], labels == 0), groups)} "
            f"| {(said == labels).mean():.3f} | {macro_f1(labels, said):.3f} | {error(p[:, 0], labels == 0):.3f} "
            f"| {auroc(sides, labels[judged] == 0):.3f} |"
        )
    return found


def _auroc_at(scores: Floats, right: Bools, at: Ints) -> float:
    return auroc(scores[at], right[at])


def _mean_at(values: Floats, at: Ints) -> float:
    return float(values[at].mean())


def tell_rationale(table: Sequence[Row]) -> dict[str, float]:
    """Print how often the sentence chosen is one that was marked; how often the ranking's is."""
    fold = folds_of(table)
    told = [row for row in table if row.sample.gold]
    hits = {"ranking": np.zeros(len(told)), "shared words": np.zeros(len(told))}
    for place, row in enumerate(told):
        shared = int(np.argmax([one["stems"] for one in row.seen.sentences]))
        hits["shared words"][place] = shared in row.sample.gold
    for k in range(FOLDS):
        model = ranking(table, fold != k)
        for place, row in enumerate(told):
            if folds_of([row])[0] == k:
                hits["ranking"][place] = int(np.argmax(model.scores(row.ranked)[:, 0])) in row.sample.gold
    groups = [row.sample.group for row in told]
    print(f"\n### the sentence to show, SciFact, n={len(told)}\n")
    for name, found in hits.items():
        print(f"* {name}: P@1 {found.mean():.3f} {interval(partial(_mean_at, found), groups)}")
    return {"SciFact, five folds: P@1 of the sentence": round(float(hits["ranking"].mean()), 3)}
