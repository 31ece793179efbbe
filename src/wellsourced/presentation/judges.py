"""How often a judge of support was right where it was measured, and from which score on it is believed."""

from typing import TYPE_CHECKING

from wellsourced.presentation.wording import format_interval, format_percent

if TYPE_CHECKING:
    from wellsourced.config.judges import CallEvidence, CallPrecision, JudgeEvidence

BELIEVED_UNMEASURED = "believed without measurement, because it quotes the deciding words"


def describe_evidence(evidence: "JudgeEvidence | None") -> str:
    """Where a judge is believed, in a sentence without a full stop."""
    if evidence is None:
        return "not believed: it was not measured"
    earned = [describe_call(call, call.earned_step) for call in evidence.calls if call.earned_step]
    words = "; ".join(earned) or f"not believed: {describe_shortfall(evidence.supports)}"
    names = dict.fromkeys(each.short_name for each in evidence.sets)
    return f"{words} ({', '.join(names)}, n = {evidence.n:,})"


def describe_call(call: "CallEvidence", step: "CallPrecision") -> str:
    """From which score on a judge is believed in this call, how often it is right there, and how many it finds."""
    return (
        f"“{call.label}” from {step.threshold:g}: {format_percent(step.precision)} of {step.calls:,} right (95 % "
        f"interval {format_interval(step.low, step.high)}), reaches {format_percent(call.reached_share(step))}"
    )


def describe_shortfall(call: "CallEvidence") -> str:
    """Why a judge is not believed when it says this."""
    word, best = {"supports": "supported", "contradicts": "contradicted"}[call.label], call.best_step
    if call.doubt:
        return call.doubt
    if best is None:
        return f"it called {call.steps[0].calls if call.steps else 0:,} {word}, which is too few to tell"
    if best.is_precise:
        return f"“{word}” is right in {format_percent(best.precision)} at {best.threshold:g}, and in fewer above"
    return f"“{word}” is right in {format_percent(best.precision)} at best"
