"""Answers that were given, to be measured: JSON lines with `id`, `answer`, and where it is known `gold`."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from wellsourced.errors import EvidenceError, UnreadableFile
from wellsourced.judges.base import Judge
from wellsourced.readers.decompressed_file import iter_lines
from wellsourced.types import Answer
from wellsourced_evaluate.beir import hash_file
from wellsourced_evaluate.citation_metrics import CitationCounts, count_citations, judge_answer
from wellsourced_evaluate.metrics import CITATION_METRICS
from wellsourced_evaluate.recorded_summaries import draw_cases, refuse_faults
from wellsourced_evaluate.statistics import MetricMean, PooledShare, average_cases, pool_cases

FLUENCY = "statement_fluency"
NOT_SHARES = (FLUENCY, "statement_correctness")

ScoreFluency = Callable[[str], float | None]
"""How fluent the sentences of a text are, [0, 1]; None of no text."""

LINE_FORMAT = 'A line reads {"id": "q1", "answer": {…}}, the answer as `wellsourced ask --json` prints it.'


class RecordedAnswer(NamedTuple):
    """An answer, and what is known to be right; `gold` "" where nothing is."""

    id: str
    answer: Answer
    gold: str


class RecordedAnswers(NamedTuple):
    """All answers of a file that are measured, which file, and how many it has."""

    rows: tuple[RecordedAnswer, ...]
    file: str
    sha256: str
    recorded: int


class MeasuredAnswer(NamedTuple):
    """One answer, its counts, how many verdicts the judge did not give, and how fluent its statements are.

    fluency     [0, 1]; None: it says nothing, or nobody was asked
    """

    id: str
    counts: CitationCounts
    unjudged: int
    fluency: float | None = None

    def to_values(self) -> dict[str, float | None]:
        """Metric → its value for this answer; None where it does not apply."""
        return {**self.counts.to_values(), FLUENCY: self.fluency}


def read_answers(path: Path, limit: int = 0) -> RecordedAnswers:
    """Every answer of a file; with a limit, so many of them, drawn with a fixed seed.

    Raises UnreadableFile that names the lines which cannot be used.
    """
    rows: list[RecordedAnswer] = []
    lines: dict[str, int] = {}
    faults: list[str] = []
    for number, line in iter_lines(path):
        try:
            row = _build_answer(json.loads(line.decode("utf-8")))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(map(str, first["loc"]))
            faults.append(f"line {number}: its answer cannot be read ({place}: {first['msg']})")
        except EvidenceError as error:
            faults.append(f"line {number}: its answer is no answer ({error})")
        except _BadAnswer as error:
            faults.append(f"line {number}: {error}")
        except (ValueError, RecursionError):
            faults.append(f"line {number}: it is no JSON")
        else:
            if row.id in lines:
                faults.append(f"line {number}: the id “{row.id}” stands on line {lines[row.id]} already")
            lines.setdefault(row.id, number)
            rows.append(row)
    refuse_faults(path, faults)
    if not rows:
        raise UnreadableFile(path, "it holds no answer", LINE_FORMAT)
    return RecordedAnswers(draw_cases(rows, limit), path.name, hash_file(path)[:16], len(rows))


class _BadAnswer(Exception):
    """What a line lacks."""


def _build_answer(fields: Any) -> RecordedAnswer:
    if not isinstance(fields, dict):
        raise _BadAnswer("it is no JSON object")
    id, gold = fields.get("id"), fields.get("gold") or ""
    if not isinstance(id, str) or not id.strip():
        raise _BadAnswer("it has no id")
    if "answer" not in fields:
        raise _BadAnswer("it has no answer")
    if not isinstance(gold, str):
        raise _BadAnswer("its gold is no text")
    return RecordedAnswer(id, Answer.model_validate(fields["answer"]), gold)


async def measure_answers(
    data: RecordedAnswers, judge: Judge, valid_above: float, score_fluency: ScoreFluency | None = None
) -> list[MeasuredAnswer]:
    """Every answer judged and counted, one after the other. Raises ModelError."""
    found = []
    for row in data.rows:
        judged = await judge_answer(row.answer, judge, row.gold)
        fluency = score_fluency(" ".join(one.text for one in row.answer.statements)) if score_fluency else None
        found.append(MeasuredAnswer(row.id, count_citations(judged, valid_above), judged.unjudged, fluency))
    return found


def average_answers(measured: Sequence[MeasuredAnswer]) -> Mapping[str, tuple[MetricMean, PooledShare | None]]:
    """Metric → its mean over answers, and, of shares, the share over all counts together."""
    found: dict[str, tuple[MetricMean, PooledShare | None]] = {}
    for metric in CITATION_METRICS:
        mean = average_cases(one.to_values()[metric.name] for one in measured)
        is_share = metric.name not in NOT_SHARES
        pooled = pool_cases([getattr(one.counts, metric.name) for one in measured]) if is_share else None
        found[metric.name] = (mean, pooled)
    return found
