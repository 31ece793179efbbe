"""Answers that were given, to be measured: JSON lines with `id`, `answer`, and where it is known `gold`."""

from collections.abc import Mapping, Sequence
from typing import Annotated, NamedTuple

from pydantic import BeforeValidator

from wellsourced.judges.base import Judge
from wellsourced.types import Answer
from wellsourced_evaluate.citation_metrics import CitationCounts, count_citations
from wellsourced_evaluate.metrics import CITATION_METRICS
from wellsourced_evaluate.recorded_rows import RecordedFile, RecordedRow, Words
from wellsourced_evaluate.statistics import MetricMean, PooledShare, average_cases, pool_cases

NOT_SHARES = ("statement_correctness",)


class RecordedAnswer(RecordedRow):
    """An answer as `ask --json` prints it, and what is known to be right; `gold` "" where nothing is."""

    id: Words
    answer: Answer
    gold: Annotated[str, BeforeValidator(lambda given: given or "")] = ""


RecordedAnswers = RecordedFile[RecordedAnswer]


class MeasuredAnswer(NamedTuple):
    """One answer, its counts, and how many verdicts the judge did not give."""

    id: str
    counts: CitationCounts
    unjudged: int


async def measure_answers(data: RecordedAnswers, judge: Judge, valid_above: float) -> list[MeasuredAnswer]:
    """Every answer judged and counted, one after the other. Raises ModelError."""
    return [
        MeasuredAnswer(row.id, *await count_citations(row.answer, judge, row.gold, valid_above)) for row in data.rows
    ]


def average_answers(measured: Sequence[MeasuredAnswer]) -> Mapping[str, tuple[MetricMean, PooledShare | None]]:
    """Metric → its mean over answers, and, of shares, the share over all counts together."""
    found: dict[str, tuple[MetricMean, PooledShare | None]] = {}
    for name in (metric.name for metric in CITATION_METRICS):
        mean = average_cases(one.counts.to_values()[name] for one in measured)
        found[name] = mean, None if name in NOT_SHARES else pool_cases([getattr(one.counts, name) for one in measured])
    return found
