"""What a judge has earned, for a terminal: in a sentence, and as a table of what was measured."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wellsourced.app.terminal import format_count, format_table

if TYPE_CHECKING:
    from wellsourced.config.judges import CallEvidence, CallPrecision, JudgeEvidence

CALL_WORDS = {"supports": "supported", "contradicts": "contradicted"}

NOT_MEASURED = "nothing: it was not measured (`wellsourced judges measure`)"
BELIEVED_UNMEASURED = "believed unmeasured, for it shows the words that decide"


def describe_evidence(evidence: "JudgeEvidence | None") -> str:
    """What a judge has earned, in a sentence without a full stop."""
    if evidence is None:
        return NOT_MEASURED
    told = [_describe_call(call, call.earned_step) for call in evidence.calls if call.earned_step]
    words = "; ".join(told) if told else f"nothing: {describe_shortfall(evidence.supports)}"
    names = dict.fromkeys(one.short_name for one in evidence.sets)
    return f"{words} ({', '.join(names)}, n = {evidence.n:,})"


def _describe_call(call: "CallEvidence", step: "CallPrecision") -> str:
    return (
        f"“{call.label}” from {step.threshold:g} on: {format_percent(step.precision)} of {step.calls:,} right (95 % "
        f"interval {format_interval(step)}), reaches {format_percent(call.reached_share(step))}"
    )


def describe_shortfall(call: "CallEvidence") -> str:
    """Why a judge is not believed when it says this."""
    word, best = CALL_WORDS[call.label], call.best_step
    if call.doubt:
        return call.doubt
    if best is None:
        from wellsourced.config.judges import MIN_CALLS

        calls = call.steps[0].calls if call.steps else 0
        return f"it calls {calls:,} {word}, and {MIN_CALLS} such calls are needed"
    if best.is_precise:
        return f"what it calls {word} is {format_percent(best.precision)} right at {best.threshold:g}, and less above"
    return f"at best {format_percent(best.precision)} of what it calls {word} is"


def evidence_lines(evidence: "JudgeEvidence") -> Iterator[str]:
    """What was measured, by threshold, and what follows from it."""
    sets = ", ".join(f"{one.name} ({one.n:,}, sha256 {one.sha256[:16]})" for one in evidence.sets)
    yield f"{evidence.judge}, put to {format_count(evidence.n, 'statement')} of {sets}\n"
    yield format_table([row for call in evidence.calls for row in _step_rows(call)], (
        "it says", "from", "calls", "right", "precision", "95 % interval", "reaches",
    ))  # fmt: skip
    for call in evidence.calls:
        step = call.earned_step
        if step:
            yield f"Earned: {_describe_call(call, step)}. Such a verdict is told as verified, with the words."
        else:
            yield f"Earned for “{call.label}”: nothing, {describe_shortfall(call)}."
    if evidence.contradicts is None:
        yield "Earned for “contradicts”: nothing, the judge gives contradiction no score."


def _step_rows(call: "CallEvidence") -> list[Sequence[str]]:
    """A row for each threshold, the strictest first."""
    return [
        (
            call.label,
            f"{step.threshold:g}",
            f"{step.calls:,}",
            f"{step.right:,}",
            format_percent(step.precision),
            format_interval(step),
            format_percent(call.reached_share(step)),
        )
        for step in reversed(call.steps)
    ]


def format_percent(share: float) -> str:
    """ "97 %"; what is not all is never said to be 100 %."""
    return f"{min(99, round(100 * share)) if share < 1 else 100} %"


def format_interval(step: "CallPrecision") -> str:
    """ "94–99 %"."""
    return f"{100 * step.low:.0f}–{format_percent(step.high)}"
