"""Fit how a judge is read to pairs whose labels are known: on one half of them, and measured on the other.

Whole documents and groups go to one half. Platt, 1999: maximum likelihood with his smoothed targets, so that a judge
which parts the pairs without a fault is not made certain.
"""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from wellsourced.app.terminal import format_count
from wellsourced.config.judges import (
    DEFAULT_TASK,
    CalibrationFigures,
    LogitScale,
    UserCalibration,
    hash_claim,
    logit,
)
from wellsourced.errors import SourceRefused
from wellsourced.judges.base import ScoredVerdict
from wellsourced_evaluate.tables import Block, Interval, Table, Text
from wellsourced_evaluate.verdict_metrics import CLASSES, Flags, Floats, macro_f1
from wellsourced_evaluate.verification import JudgedPair, VerificationFigures, VerificationRun, compute_figures

MIN_PAIRS = 20
"""Pairs of each side in the half that is fitted: fewer fit anything."""

THRESHOLD_GRID = tuple(place / 100 for place in range(5, 100, 5))


class FittedCalibration(NamedTuple):
    """A calibration, and the figures of the half held out, before and after it."""

    calibration: UserCalibration
    before: VerificationFigures
    after: VerificationFigures


def fit_calibration(
    said: Sequence[JudgedPair], seconds: float, judge: str, files: Sequence[str], task: str = DEFAULT_TASK
) -> FittedCalibration:
    """Scales for both probabilities and the thresholds with the best macro-F1 on the half that is fitted.

    Raises SourceRefused for too few pairs, and for a judge whose scores fall where support rises.
    """
    judged = [one for one in said if one.verdict.label != "unjudged"]
    ours = [one for one in judged if is_in_fitting_half(one.pair.cluster)]
    held = [one for one in judged if not is_in_fitting_half(one.pair.cluster)]
    supported = np.array([one.pair.label == "supports" for one in ours])
    if min(supported.sum(), (~supported).sum(), len(held)) < MIN_PAIRS:
        raise SourceRefused(
            f"Of {len(judged)} pairs that were judged, the half that is fitted has {int(supported.sum())} supported "
            f"and {int((~supported).sum())} others, and {MIN_PAIRS} of each are needed: give more pairs."
        )
    contradicted = np.array([one.pair.label == "contradicts" for one in ours])
    against = np.array([logit(one.against) for one in ours if one.against is not None])
    # None where the judge does not tell contradiction, or there is too little to fit it to.
    is_told = len(against) == len(ours) and min(contradicted.sum(), (~contradicted).sum()) >= MIN_PAIRS
    tuning = UserCalibration(
        judge=judge,
        task=task,
        support=fit_platt_scale(np.array([logit(one.verdict.score) for one in ours]), supported),
        against=fit_platt_scale(against, contradicted) if is_told else None,
        fitted_on=f"{', '.join(files)}; one half by document and group",
        fitted_claims=tuple(sorted({hash_claim(one.pair.claim) for one in ours})),
        n=len(ours),
        measured=len(held),
    )
    tuning = _fit_thresholds(tuning, ours)
    odds = [tuning.apply(ScoredVerdict(one.verdict, one.against)) for one in held]
    scaled = [JudgedPair(one.pair, new.verdict, new.against) for one, new in zip(held, odds, strict=True)]
    before, after = compute_figures(held, seconds), compute_figures(scaled, seconds)
    figures = {"before": _round_figures(before), "after": _round_figures(after)}
    return FittedCalibration(tuning.model_copy(update=figures), before, after)


def is_in_fitting_half(cluster: int) -> bool:
    """Whether a cluster is in the half that is fitted: by a hash of its number, half of them are."""
    return hashlib.sha256(str(cluster).encode()).digest()[0] % 2 == 0


def _round_figures(found: VerificationFigures) -> CalibrationFigures:
    auroc = found.support.mean
    return CalibrationFigures(
        accuracy=round(found.accuracy.mean, 4),
        auroc=None if np.isnan(auroc) else round(auroc, 4),
        ece=round(found.ece, 4),
    )


def fit_platt_scale(logits: Floats, so: Flags) -> LogitScale:
    """The scale of greatest likelihood. Raises SourceRefused when it would turn the order round."""
    from sklearn.linear_model import LogisticRegression

    yes, no = int(so.sum()), int((~so).sum())
    wanted = np.where(so, (yes + 1) / (yes + 2), 1 / (no + 2))
    # Each pair comes twice, once as so and once as not so, as heavy as its target says; C is as good as no penalty.
    model = LogisticRegression(C=1e9, solver="newton-cholesky", tol=1e-10)
    twice = np.tile(logits, 2)[:, None], np.repeat([True, False], len(logits))
    model.fit(*twice, sample_weight=np.concatenate([wanted, 1 - wanted]))
    slope, intercept = float(model.coef_[0, 0]), float(model.intercept_[0])
    if slope <= 0:
        raise SourceRefused(
            "On these pairs the judge's scores do not rise with support, and no calibration mends that: "
            "look at the order of its labels, or take another judge."
        )
    return LogitScale(slope=round(slope, 6), intercept=round(intercept, 6))


def _fit_thresholds(tuning: UserCalibration, ours: Sequence[JudgedPair]) -> UserCalibration:
    """The thresholds with the best macro-F1; of equals those nearest to one half."""
    known = np.array([CLASSES.index(one.pair.label) for one in ours])
    scaled = [tuning.rescale(ScoredVerdict(one.verdict, one.against)) for one in ours]
    best = (-1.0, 0.0, tuning)
    for supports, contradicts in product(THRESHOLD_GRID, THRESHOLD_GRID if tuning.against else (0.5,)):
        tried = tuning.model_copy(update={"supports": supports, "contradicts": contradicts})
        labels = (tried.choose_label(one.verdict.label, one.verdict.score, one.against) for one in scaled)
        told = np.array([CLASSES.index(label) for label in labels])
        rank = (round(macro_f1(known, told), 6), -abs(supports - 0.5) - abs(contradicts - 0.5))
        if rank > best[:2]:
            best = (*rank, tried)
    return best[2]


def calibration_blocks(fitted: FittedCalibration, run: VerificationRun, stored: str) -> Iterator[Block]:
    """What was fitted, and what it is worth on the half held out; `stored`: where, "" for nowhere."""
    tuning, before, after = fitted
    yield Text(f"{run.judge}, for {tuning.task}")
    yield Text(
        f"Fitted to {format_count(tuning.n, 'pair')}, measured on {format_count(tuning.measured, 'pair')} held out"
    )
    intervals = {"accuracy": "accuracy", "macro-F1": "macro_f1", "AUROC supported": "support"}
    found = [(name, getattr(before, field), getattr(after, field)) for name, field in intervals.items()]
    rows = [(name, old.mean, new.mean, Interval(new.low, new.high)) for name, old, new in found]
    points = [("ECE", before.ece, after.ece, ""), ("Brier", before.brier, after.brier, "")]
    yield Table(("held out", "before", "after", "95 % interval"), [*rows, *points])
    against = f"; contradicts from {tuning.contradicts:.2f}" if tuning.against else ""
    scale = f"slope {tuning.support.slope:.3f}, intercept {tuning.support.intercept:.3f}"
    yield Text(f"Supports from {tuning.supports:.2f}{against} ({scale}).")
    if unjudged := sum(one.verdict.label == "unjudged" for one in run.judged_pairs):
        yield Text(f"{format_count(unjudged, 'pair')} got no verdict, and nothing was fitted to them.")
    yield from (Text(f"Note: {note}.") for note in run.list_notes())
    yield Text(f"Stored in {stored}." if stored else "Nothing was stored.")
