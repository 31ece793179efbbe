"""What is kept of a judge: how it is read, fitted to pairs whose labels are known, and what it has earned on others.

Fitted: on one half of the pairs, and measured on the other; whole documents and groups go to one half. Platt, 1999:
maximum likelihood with his smoothed targets, so that a judge which parts the pairs without a fault is not made certain.

Earned: the precision of what it says, by its score. No pair counts twice, and none that it was fitted on counts at all.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from wellsourced import config
from wellsourced.confidence import wilson_interval
from wellsourced.errors import SourceRefused
from wellsourced.judges.base import ScoredVerdict
from wellsourced.judges.layers import call_score
from wellsourced.judges.track_record import (
    DEFAULT_TASK,
    CalibrationFigures,
    CallEvidence,
    CallLabel,
    CallPrecision,
    JudgeEvidence,
    LogitScale,
    StatementSet,
    UserCalibration,
    hash_claim,
    logit,
)
from wellsourced.presentation.judges import describe_call, describe_shortfall
from wellsourced.presentation.wording import format_count, format_interval, format_percent
from wellsourced_evaluate.beir import hash_file
from wellsourced_evaluate.labelled_pairs import EVIDENCE_LABELS, LabelledPair, read_pairs
from wellsourced_evaluate.opened_judges import FittedStatements, open_unproven_judge
from wellsourced_evaluate.pair_sets.base import RejectedLine
from wellsourced_evaluate.recorded_rows import Progress
from wellsourced_evaluate.tables import Block, Interval, Table, Text
from wellsourced_evaluate.verification import (
    CLASSES,
    Flags,
    Floats,
    JudgedPair,
    VerificationFigures,
    VerificationRun,
    compute_figures,
    judge_pairs,
    macro_f1,
)

MIN_PAIRS = 20
"""Pairs of each side in the half that is fitted: fewer fit anything."""

THRESHOLD_GRID = tuple(place / 100 for place in range(5, 100, 5))

THRESHOLDS = (*(place / 20 for place in range(20)), 0.96, 0.97, 0.98, 0.99, 0.995, 0.999)
"""Scores that are tried, the strictest first. Nobody has chosen them by looking at statements."""


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
            "On these pairs the judge's scores do not rise with support, and no calibration fixes that: "
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


# --- what it has earned ----------------------------------------------------------------------------------------------


class MeasuredStatements(NamedTuple):
    """The statements that are evidence.

    refused    how many were left out, since the judge was fitted on them
    repeated   how many were left out, since they had come before
    """

    sets: tuple[StatementSet, ...]
    pairs: tuple[LabelledPair, ...]
    rejected: tuple[RejectedLine, ...]
    refused: int = 0
    repeated: int = 0


def read_statements(
    paths: Sequence[Path], corpus: Path | None, fitted: FittedStatements, written_by: str = ""
) -> MeasuredStatements:
    """The statements of these files that are evidence for a judge which was fitted on those.

    Raises SourceRefused for a file that the judge was fitted on, and where nothing is left; what read_pairs raises.
    """
    pairs: dict[tuple[str, str], LabelledPair] = {}
    sets: list[StatementSet] = []
    rejected: list[RejectedLine] = []
    refused = repeated = 0
    for path in paths:
        digest, before = hash_file(path), len(pairs)
        if digest in fitted.files:
            raise SourceRefused(
                f"The judge was fitted on {path.name}, so its verdicts on these statements prove nothing. Measure it "
                "on statements that it has not seen."
            )
        found = read_pairs((path,), corpus, labels=EVIDENCE_LABELS)
        rejected += found.rejected
        unseen = [pair for pair in found.rows if hash_claim(pair.claim) not in fitted.claims]
        for pair in unseen:
            pairs.setdefault((pair.claim, pair.text), pair)
        own = len(pairs) - before
        refused += len(found.rows) - len(unseen)
        repeated += len(unseen) - own
        if own:
            sets.append(StatementSet(name=path.name, sha256=digest, n=own, written_by=written_by))
    if not pairs:
        raise SourceRefused(
            f"The judge's calibration was fitted on all {refused} statements of these files: they are no evidence. "
            "Give statements that it has not seen."
        )
    return MeasuredStatements(tuple(sets), tuple(pairs.values()), tuple(rejected), refused, repeated)


async def measure_judge(
    name: str,
    settings: config.Settings,
    say: Progress,
    *,
    files: Sequence[Path],
    corpus: Path | None = None,
    written_by: str = "",
) -> tuple[MeasuredStatements, JudgeEvidence]:
    """The statements that count, put to the judge. Raises SourceRefused where it gives no verdict on any."""
    async with open_unproven_judge(name, settings) as (judge, fitted):
        statements = read_statements(files, corpus, fitted, written_by)
        said, _ = await judge_pairs(statements.pairs, judge, say)
        if all(one.verdict.label == "unjudged" for one in said):
            raise SourceRefused(f"{name} gave no verdict on any statement: {said[0].verdict.reason}.")
        return statements, measure_evidence(said, judge.name, name, statements.sets, date.today())


def measure_evidence(
    said: Sequence[JudgedPair], judge: str, called: str, sets: Iterable[StatementSet], today: date
) -> JudgeEvidence:
    """What the judge has earned by these verdicts; of them those count that name the words they rest on."""
    tells = any(one.against is not None for one in said)
    known = [one for one in said if one.pair.label != "unjudged"]
    return JudgeEvidence(
        judge=judge,
        called=called,
        date=today.isoformat(),
        sets=tuple(sets),
        supports=_measure_calls(said, "supports"),
        contradicts=_measure_calls(known, "contradicts") if tells else None,
    )


def _measure_calls(said: Sequence[JudgedPair], label: CallLabel) -> CallEvidence:
    known = sum(one.pair.label == label for one in said)
    calls = [
        (score, one.pair.label == label)
        for one in said
        if one.verdict.label == label and one.verdict.quote
        if (score := call_score(ScoredVerdict(one.verdict, one.against))) is not None
    ]
    steps: list[CallPrecision] = []
    for threshold in reversed(THRESHOLDS):
        reached = [right for score, right in calls if score >= threshold]
        # Of thresholds that the same calls reach the strictest counts.
        if len(reached) > (steps[-1].calls if steps else 0):
            _, low, high = wilson_interval(sum(reached), len(reached))
            counts = {"calls": len(reached), "right": sum(reached)}
            steps.append(CallPrecision(threshold=threshold, **counts, low=round(low, 4), high=round(high, 4)))
    return CallEvidence(
        label=label,
        known=known,
        others=len(said) - known,
        texts=len({one.pair.text for one in said}),
        steps=tuple(reversed(steps)),
    )


def evidence_blocks(evidence: JudgeEvidence, statements: MeasuredStatements, stored: str) -> Iterator[Block]:
    """What was measured, the strictest threshold first, and what follows; `stored`: where, "" for nowhere."""
    sets = ", ".join(f"{one.name} ({one.n:,}, sha256 {one.sha256[:16]})" for one in evidence.sets)
    yield Text(f"{evidence.judge}, put to {format_count(evidence.n, 'statement')} of {sets}")
    rows = [
        (
            *(call.label, f"{step.threshold:g}", step.calls, step.right, format_percent(step.precision)),
            *(format_interval(step.low, step.high), format_percent(call.reached_share(step))),
        )
        for call in evidence.calls
        for step in reversed(call.steps)
    ]
    yield Table(("it says", "from", "calls", "right", "precision", "95 % interval", "reaches"), rows)
    for call in evidence.calls:
        if step := call.earned_step:
            yield Text(f"Earned: {describe_call(call, step)}. Such a verdict counts as verified, with the words.")
        else:
            yield Text(f"Earned for “{call.label}”: nothing, {describe_shortfall(call)}.")
    if evidence.contradicts is None:
        yield Text("Earned for “contradicts”: nothing, the judge gives contradiction no score.")
    if statements.refused:
        left_out = format_count(statements.refused, "statement")
        yield Text(f"Left out: {left_out} that your calibration was fitted on.")
    if statements.repeated:
        yield Text(f"Left out: {format_count(statements.repeated, 'statement')} that came twice.")
    if statements.rejected:
        file, line, reason = statements.rejected[0]
        left_out = format_count(len(statements.rejected), "line")
        yield Text(f"Left out: {left_out} that could not be used ({file}, line {line}: {reason} …).")
    yield Text(f"Stored in {stored}." if stored else "Nothing was stored.")
