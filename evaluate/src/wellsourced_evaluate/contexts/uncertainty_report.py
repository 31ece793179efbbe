"""What several answers to each question tell of how sure a model is, and whether it is wrong where it is unsure."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from wellsourced.judges.base import Judge
from wellsourced_evaluate.contexts.condition_blocks import FEW_CASES
from wellsourced_evaluate.contexts.luq import LuqScore, RankCorrelation, measure_luq, spearman
from wellsourced_evaluate.contexts.sampled_answers import SampledQuestion
from wellsourced_evaluate.questions.report_blocks import (
    ReportBlock,
    ReportHeading,
    ReportTable,
    ReportText,
    format_decimal,
    format_interval,
)
from wellsourced_evaluate.statistics import MetricMean, average_cases

TITLE = "How far several answers to one question agree"

EXTRACTIVE_REASON = (
    "it answers in the sources' own sentences, which are the same each time: give a language model (--model NAME), or "
    "answers that were sampled elsewhere (--answers FILE)"
)

MAX_LISTED = 20
"""Questions that are named one by one, the least sure first."""


class QuestionUncertainty(NamedTuple):
    """One question: how little its answers agree, and whether it is answered rightly."""

    id: str
    score: LuqScore
    correct: float | None


class ArmUncertainty(NamedTuple):
    """All questions of one arm.

    reason      why nothing is measured; "" when it is
    right, wrong   mean uncertainty of the questions answered rightly, wrongly
    """

    arm: str
    model: str
    judge: str
    source: str
    questions: tuple[QuestionUncertainty, ...]
    mean: MetricMean
    correlation: RankCorrelation
    right: MetricMean
    wrong: MetricMean
    accuracy: MetricMean
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        questions = [{"id": one.id, "correct": one.correct, **one.score._asdict()} for one in self.questions]
        means = {name: getattr(self, name).to_json() for name in ("mean", "right", "wrong", "accuracy")}
        return {
            **{name: getattr(self, name) for name in ("arm", "model", "judge", "source")},
            "reason": self.reason or None,
            "luq": means.pop("mean"),
            **means,
            "spearman": self.correlation._asdict(),
            "questions": questions,
        }


async def measure_uncertainty(
    arm: str, model: str, source: str, questions: Sequence[SampledQuestion], judge: Judge
) -> ArmUncertainty:
    """The uncertainty of every question, and its correlation with being right. Raises ModelError."""
    measured = [QuestionUncertainty(one.id, await measure_luq(one.answers, judge), one.correct) for one in questions]
    values = [(one.score.uncertainty, one.correct) for one in measured]
    known = [(u, c) for u, c in values if u is not None and c is not None]
    # Extractive answers come once: nothing is sampled.
    reason = EXTRACTIVE_REASON if model == "extractive" and not source else ""
    return ArmUncertainty(
        arm,
        model,
        judge.name,
        source,
        tuple(measured),
        average_cases([u for u, _ in values]),
        spearman(known) if known else RankCorrelation(None, None, 0),
        average_cases([u for u, c in known if c >= 0.5]),
        average_cases([u for u, c in known if c < 0.5]),
        average_cases([one.correct for one in measured]),
        reason,
    )


def uncertainty_blocks(arms: Sequence[ArmUncertainty]) -> Iterator[ReportBlock]:
    """The whole report."""
    yield ReportHeading(1, TITLE)
    yield ReportText(
        "LUQ (Zhang et al., EMNLP 2024): each sentence of an answer is judged against each other answer to the same "
        "question; 0: all support each other, 1: none does. Where a model is unsure it should be wrong more often: "
        "Spearman's rho of uncertainty and being right is then below 0. The figures are as good as the judge."
    )
    for one in arms:
        if one.reason:
            yield ReportText(f"{one.arm}: this does not apply, since {one.reason}.", True)
        elif one.mean.cases < FEW_CASES:
            yield ReportText(f"{one.arm}: {one.mean.cases:,} questions are few: read the intervals.", True)
    rows = [
        (
            *(one.arm, one.model, format_decimal(one.mean.mean), format_interval(one.mean.low, one.mean.high)),
            f"{one.mean.cases:,} of {len(one.questions):,}",
            *(format_decimal(one.accuracy.mean), format_decimal(one.right.mean), format_decimal(one.wrong.mean)),
            format_decimal(one.correlation.rho),
            "–" if one.correlation.p is None else f"{one.correlation.p:.4f}",
            f"{one.correlation.rows:,}",
        )
        for one in arms
    ]
    head = ("arm", "model", "luq", "95 %", "questions", "accuracy", "luq where right", "luq where wrong")
    yield ReportTable((*head, "Spearman's rho", "p", "questions with both"), rows)
    for one in arms:
        yield from _detail_blocks(one)


def _detail_blocks(told: ArmUncertainty) -> Iterator[ReportBlock]:
    scores = [one.score for one in told.questions]
    names = ("answers", "empty", "sentences", "unjudged", "undecided", "one_sided")
    total = {name: sum(getattr(one, name) for one in scores) for name in names}
    yield ReportText(
        f"{told.arm}: {total['answers']:,} answers, {total['empty']:,} empty and left out; {total['sentences']:,} "
        f"times a sentence beside another answer, judged by {told.judge}: {total['unjudged']:,} without a verdict, "
        f"{total['undecided']:,} neither supported nor contradicted (0.5), {total['one_sided']:,} of support alone."
    )
    known = sorted(
        (one for one in told.questions if one.score.uncertainty is not None),
        key=lambda one: -(one.score.uncertainty or 0.0),
    )
    rows = [
        (one.id, format_decimal(one.score.uncertainty), format_decimal(one.correct), f"{one.score.answers:,}")
        for one in known[:MAX_LISTED]
    ]
    if rows:
        yield ReportHeading(3, f"{told.arm}: questions, the least sure first")
        yield ReportTable(("question", "luq", "right", "answers"), rows)
