"""What each case of a run counts for in each metric, and the standard error of what that comes to.

inspect_ai shows a score for each sample and metrics with standard errors for a log. Ours are shares over all cases: the
parts and wholes of the cases add up to them.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wellsourced_evaluate.questions.answer_figures import AnswerFigure
from wellsourced_evaluate.questions.answer_run import AnswerRecord, AnswerRun, Outcome
from wellsourced_evaluate.questions.scores import ArmScore, labelled_records, score_run

LABEL_METRIC = "answer_accuracy"
"""The metric whose scores are letters: inspect_ai has C for right, I for wrong, N for no answer."""

VERDICTS: Mapping[Outcome, str] = {"right": "C", "wrong": "I", "unparsed": "I", "abstained": "N", "failed": "N"}

REASONS: Mapping[Outcome, str] = {
    "unparsed": "invalid_response_format",
    "abstained": "refusal",
    "failed": "no_response",
}
"""Outcome → how inspect_ai calls the reason why a score is not what it should be."""


class CaseCount(NamedTuple):
    """What one case counts for in one metric: so many of so many; nothing of nothing when it does not apply."""

    metric: str
    part: int
    of: int


class RunFigure(NamedTuple):
    """A figure of a run, its standard error, and to how many cases it applies."""

    figure: AnswerFigure
    stderr: float | None
    cases: int


class ScoredCases(NamedTuple):
    """A run, what its cases count for, and what they come to."""

    arm: ArmScore
    cases: Mapping[str, tuple[CaseCount, ...]]
    figures: tuple[RunFigure, ...]


def score_cases(run: AnswerRun) -> ScoredCases:
    """Every case by every metric that applies to it."""
    arm = score_run(run)
    labelled = {one.case for one in labelled_records(run.records.values())}
    cases = {id: _score_case(run, one, labelled) for id, one in run.records.items()}
    figures = []
    for figure in arm.figures:
        counts = [(one.part, one.of) for scores in cases.values() for one in scores if one.metric == figure.metric]
        figures.append(RunFigure(figure, standard_error(counts), len(counts)))
    return ScoredCases(arm, cases, tuple(figures))


def _score_case(run: AnswerRun, record: AnswerRecord, labelled: set[str]) -> tuple[CaseCount, ...]:
    """A run of one case has the figures of this case."""
    figures = score_run(run._replace(records={record.case: record})).figures
    # Where labels are known of any case, coverage is of those cases alone.
    counted = [one for one in figures if one.metric != "coverage" or not labelled or record.case in labelled]
    return tuple(CaseCount(one.metric, one.part, one.of) for one in counted if one.of)


def standard_error(counts: Sequence[tuple[int, int]]) -> float | None:
    """The standard error of the share over (part, whole) of each case; None for fewer than two cases.

    Linearised, as of a ratio: where every whole is 1 it is the deviation of the sample by the root of its size.
    """
    cases, whole = len(counts), sum(of for _, of in counts)
    if cases < 2 or not whole:
        return None
    share = sum(part for part, _ in counts) / whole
    squares = sum((part - share * of) ** 2 for part, of in counts)
    return math.sqrt(squares / (cases * (cases - 1))) / (whole / cases)


def explain_score(record: AnswerRecord, metric: str) -> str:
    """Why a case has its score, in words: what was read, what is said and what is not, and the words it cites."""
    if record.status == "failed":
        return f"The question failed: {record.error}"
    if metric in ("facts_said", "facts_in_short"):
        return _explain_marks(record, metric)
    parts = [f"Abstained: {record.reason}" if record.status == "abstained" else f"Outcome: {record.outcome}"]
    return "\n\n".join([*parts, *_list_quotes(record)]) if metric == LABEL_METRIC else parts[0]


def _explain_marks(record: AnswerRecord, metric: str) -> str:
    words = {True: "said", False: "not said", None: "no verdict"}
    lines = []
    for mark in record.marks:
        is_said = mark.said if metric == "facts_said" else mark.leads
        lines.append(f"- {words[is_said]}: {mark.fact}{' (judged)' if mark.is_judged else ''}")
    return "\n".join(["Expected:", *lines, *_list_quotes(record)])


def _list_quotes(record: AnswerRecord) -> list[str]:
    """What the answer cites, each statement with its quotes; documents alone where the quotes were not recorded."""
    if record.quotes:
        cited = [f"- statement {one.statement + 1}, {one.document}: “{one.quote}”" for one in record.quotes]
    else:
        cited = [f"- {one}" for one in record.cited]
    return ["\n".join(["Cites:", *cited])] if cited else []
