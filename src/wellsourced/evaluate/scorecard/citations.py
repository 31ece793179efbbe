"""Answers whose citations are judged: asked once, with the evidence that they rest on."""

from collections.abc import Callable, Mapping, Sequence

from wellsourced.api import ask
from wellsourced.context import Context
from wellsourced.errors import WellsourcedError
from wellsourced.evaluate.citation_metrics import VALID_ABOVE
from wellsourced.evaluate.metrics import MetricMean
from wellsourced.evaluate.questions.case_rows import QuestionCase
from wellsourced.evaluate.questions.cases import build_question
from wellsourced.evaluate.recorded_answers import RecordedAnswer, RecordedAnswers, average_answers, measure_answers
from wellsourced.judges.base import Judge

CITATION_FIGURES = ("citation_set_precision", "citation_precision", "citation_recall", "alce_recall", "alce_precision")


async def measure_citations(
    cases: Sequence[QuestionCase], context: Context, judge: Judge, say: Callable[[str], None]
) -> tuple[Mapping[str, MetricMean], int, int]:
    """Metric → its mean over the answers; how many questions were answered, and how many not."""
    rows: list[RecordedAnswer] = []
    lost = 0
    for place, case in enumerate(cases):
        say(f"citations: answered {place:,} of {len(cases):,} questions")
        try:
            answer = await ask(build_question(case, "allowed"), context)
        except WellsourcedError:
            lost += 1
            continue
        if answer.abstained:
            lost += 1
        else:
            rows.append(RecordedAnswer(case.id, answer, ""))
    say(f"citations: judging {len(rows):,} answers")
    data = RecordedAnswers(tuple(rows), "answers", "", len(rows))
    measured = await measure_answers(data, judge, VALID_ABOVE)
    means = {name: mean for name, (mean, _) in average_answers(measured).items() if name in CITATION_FIGURES}
    return means, len(rows), lost
