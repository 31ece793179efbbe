"""What a judge has earned on statements whose label is known: the precision of what it says, by its score.

No pair counts twice, and none that the judge was fitted on counts at all.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from wellsourced.app.render.judge_evidence import describe_call, describe_shortfall, format_interval, format_percent
from wellsourced.app.terminal import format_count
from wellsourced.confidence import wilson_interval
from wellsourced.config.judges import (
    CallEvidence,
    CallLabel,
    CallPrecision,
    FittedStatements,
    JudgeEvidence,
    StatementSet,
    call_score,
    hash_claim,
)
from wellsourced.errors import SourceRefused
from wellsourced.judges.base import ScoredVerdict
from wellsourced_evaluate.beir import hash_file
from wellsourced_evaluate.labelled_pairs import EVIDENCE_LABELS, LabelledPair, read_pairs
from wellsourced_evaluate.pair_sets.base import RejectedLine
from wellsourced_evaluate.tables import Block, Table, Text
from wellsourced_evaluate.verification import JudgedPair

THRESHOLDS = (*(place / 20 for place in range(20)), 0.96, 0.97, 0.98, 0.99, 0.995, 0.999)
"""Scores that are tried, the strictest first. Nobody has chosen them by looking at statements."""


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
                f"The judge was fitted on {path.name}: what it says of these statements is no evidence. Measure it on "
                "statements that it has not seen."
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
    """What was measured, by threshold, the strictest first, and what follows from it; `stored`: where, "" for nowhere."""
    sets = ", ".join(f"{one.name} ({one.n:,}, sha256 {one.sha256[:16]})" for one in evidence.sets)
    yield Text(f"{evidence.judge}, put to {format_count(evidence.n, 'statement')} of {sets}")
    rows = [
        (
            *(call.label, f"{step.threshold:g}", step.calls, step.right, format_percent(step.precision)),
            *(format_interval(step), format_percent(call.reached_share(step))),
        )
        for call in evidence.calls
        for step in reversed(call.steps)
    ]
    yield Table(("it says", "from", "calls", "right", "precision", "95 % interval", "reaches"), rows)
    for call in evidence.calls:
        if step := call.earned_step:
            yield Text(f"Earned: {describe_call(call, step)}. Such a verdict is told as verified, with the words.")
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
