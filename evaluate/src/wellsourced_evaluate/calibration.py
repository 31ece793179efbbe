"""Fit how a judge is read to pairs whose labels are known: on one half of them, and measured on the other.

Whole documents and groups go to one half. Platt, 1999: maximum likelihood by Newton's method, with his smoothed
targets, so that a judge which parts the pairs without a fault is not made certain.
"""

import hashlib
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

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
from wellsourced_evaluate.verdict_metrics import CLASSES, Flags, Floats, macro_f1
from wellsourced_evaluate.verification import JudgedPair, VerificationFigures, compute_figures

MIN_PAIRS = 20
"""Pairs of each side in the half that is fitted: fewer fit anything."""

THRESHOLD_GRID = tuple(place / 100 for place in range(5, 100, 5))
MAX_STEPS = 100


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
    tuning = UserCalibration(
        judge=judge,
        task=task,
        support=fit_platt_scale(np.array([logit(one.verdict.score) for one in ours]), supported),
        against=_fit_contradiction_scale(ours),
        fitted_on=f"{', '.join(files)}; one half by document and group",
        fitted_claims=tuple(sorted({hash_claim(one.pair.claim) for one in ours})),
        n=len(ours),
        measured=len(held),
    )
    tuning = _fit_thresholds(tuning, ours)
    before = compute_figures(held, seconds)
    after = compute_figures([_apply_calibration(one, tuning) for one in held], seconds)
    figures = {"before": round_figures(before), "after": round_figures(after)}
    return FittedCalibration(tuning.model_copy(update=figures), before, after)


def is_in_fitting_half(cluster: int) -> bool:
    """Whether a cluster is in the half that is fitted: by a hash of its number, half of them are."""
    return hashlib.sha256(str(cluster).encode()).digest()[0] % 2 == 0


def _apply_calibration(one: JudgedPair, tuning: UserCalibration) -> JudgedPair:
    odds = tuning.apply(ScoredVerdict(one.verdict, one.against))
    return JudgedPair(one.pair, odds.verdict, odds.against)


def round_figures(found: VerificationFigures) -> CalibrationFigures:
    """The three figures that are stored with a calibration."""
    auroc = found.support.mean
    return CalibrationFigures(
        accuracy=round(found.accuracy.mean, 4),
        auroc=None if np.isnan(auroc) else round(auroc, 4),
        ece=round(found.ece, 4),
    )


def fit_platt_scale(logits: Floats, so: Flags) -> LogitScale:
    """The scale of greatest likelihood. Raises SourceRefused when it would turn the order round."""
    yes, no = int(so.sum()), int((~so).sum())
    wanted = np.where(so, (yes + 1) / (yes + 2), 1 / (no + 2))
    x = np.column_stack([logits, np.ones(len(logits))])
    beta = np.array([1.0, 0.0])
    for _ in range(MAX_STEPS):
        p = 1 / (1 + np.exp(-x @ beta))
        curve = (x.T * (p * (1 - p))) @ x + 1e-6 * np.eye(2)
        step = np.linalg.solve(curve, x.T @ (wanted - p))
        # Half a step at most as far as it matters: Newton's method overshoots where nearly all is certain.
        beta += step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-8:
            break
    if beta[0] <= 0:
        raise SourceRefused(
            "On these pairs the judge's scores do not rise with support, and no calibration mends that: "
            "look at the order of its labels, or take another judge."
        )
    return LogitScale(slope=round(float(beta[0]), 6), intercept=round(float(beta[1]), 6))


def _fit_contradiction_scale(ours: Sequence[JudgedPair]) -> LogitScale | None:
    """The scale of contradiction; None where the judge tells none, or there is too little to fit it to."""
    told = np.array([logit(one.against) for one in ours if one.against is not None])
    so = np.array([one.pair.label == "contradicts" for one in ours if one.against is not None])
    if len(told) < len(ours) or min(so.sum(), (~so).sum()) < MIN_PAIRS:
        return None
    return fit_platt_scale(told, so)


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
