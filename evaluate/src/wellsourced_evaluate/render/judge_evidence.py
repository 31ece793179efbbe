"""What a judge has earned, as a table of what was measured."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wellsourced.app.render.judge_evidence import describe_call, describe_shortfall, format_interval, format_percent
from wellsourced.app.terminal import format_count, format_table

if TYPE_CHECKING:
    from wellsourced.config.judges import JudgeEvidence


def evidence_lines(evidence: "JudgeEvidence") -> Iterator[str]:
    """What was measured, by threshold, the strictest first, and what follows from it."""
    sets = ", ".join(f"{one.name} ({one.n:,}, sha256 {one.sha256[:16]})" for one in evidence.sets)
    yield f"{evidence.judge}, put to {format_count(evidence.n, 'statement')} of {sets}\n"
    rows = [
        (call.label, f"{step.threshold:g}", f"{step.calls:,}", f"{step.right:,}", format_percent(step.precision),
         format_interval(step), format_percent(call.reached_share(step)))
        for call in evidence.calls
        for step in reversed(call.steps)
    ]  # fmt: skip
    yield format_table(rows, ("it says", "from", "calls", "right", "precision", "95 % interval", "reaches"))
    for call in evidence.calls:
        step = call.earned_step
        if step:
            yield f"Earned: {describe_call(call, step)}. Such a verdict is told as verified, with the words."
        else:
            yield f"Earned for “{call.label}”: nothing, {describe_shortfall(call)}."
    if evidence.contradicts is None:
        yield "Earned for “contradicts”: nothing, the judge gives contradiction no score."
