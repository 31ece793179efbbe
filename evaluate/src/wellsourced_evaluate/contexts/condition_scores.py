"""What the answers of a study come to, condition by condition: each figure with its interval, and what it is of."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from wellsourced.confidence import wilson_interval
from wellsourced_evaluate.contexts.condition_tests import (
    CochranTest,
    ConditionContrast,
    cochran_q,
    contrast_with_first,
)
from wellsourced_evaluate.contexts.study_file import ConditionRecord, StudyRun
from wellsourced_evaluate.questions.answer_figures import AnswerFigure
from wellsourced_evaluate.questions.scores import (
    count_marks,
    labelled_records,
    marked_records,
    score_run,
)

KEPT_FIGURES = ("answer_accuracy", "decided_accuracy", "coverage", "facts_said")
"""Of the figures of a run, those that say something of a condition."""


class ConditionScore(NamedTuple):
    """The answers of one arm under one condition."""

    arm: str
    condition: str
    figures: tuple[AnswerFigure, ...]
    outcomes: Mapping[str, int]
    statuses: Mapping[str, int]
    cases: int

    def find_figure(self, metric: str) -> AnswerFigure | None:
        """The figure of this metric; None where it does not apply."""
        return next((one for one in self.figures if one.metric == metric), None)

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        figures = [{**one._asdict(), "standing": one.standing} for one in self.figures]
        return {**self._asdict(), "figures": figures}


class ConditionTests(NamedTuple):
    """One metric under several conditions of one arm: all together, and each against the first."""

    arm: str
    metric: str
    together: CochranTest | None
    contrasts: tuple[ConditionContrast, ...]

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        contrasts = [
            {
                **one._asdict(),
                "difference": one.difference._asdict(),
                "shares": one.shares._asdict() if one.shares else None,
            }
            for one in self.contrasts
        ]
        together = self.together._asdict() if self.together else None
        return {"arm": self.arm, "metric": self.metric, "cochran": together, "against_first": contrasts}


def study_to_json(
    runs: Sequence[StudyRun], scores: Sequence[ConditionScore], tests: Sequence[ConditionTests]
) -> dict[str, Any]:
    """What all studies tell programs."""
    return {
        "header": {run.arm: run.header.model_dump(mode="json") for run in runs},
        "files": {run.arm: str(run.path) for run in runs},
        "conditions": [one.to_json() for one in scores],
        "tests": [one.to_json() for one in tests],
        "failed": {run.arm: run.failures for run in runs},
    }


def score_condition(run: StudyRun, condition: str) -> ConditionScore:
    """The figures of one condition: those of a run, and how often nothing is answered, or what answers is cited."""
    records = list(run.select_condition(condition).values())
    told = score_run(run.as_answers(condition))
    kept = [one for one in told.figures if one.metric in KEPT_FIGURES]
    figures = (
        *kept,
        share_of_cases("abstention", records, lambda one: one.status == "abstained"),
        *_gold_figures(records),
    )
    return ConditionScore(run.arm, condition, figures, told.outcomes, told.statuses, len(records))


def _gold_figures(records: Sequence[ConditionRecord]) -> list[AnswerFigure]:
    known = [one for one in records if one.gold_document and one.gold_document in one.given]
    return [share_of_cases("gold_cited", known, cites_gold)] if known else []


def cites_gold(record: ConditionRecord) -> bool:
    """Whether an answer cites the document that answers."""
    return record.gold_document in record.cited


def share_of_cases(
    metric: str, records: Sequence[ConditionRecord], is_so: Callable[[ConditionRecord], bool]
) -> AnswerFigure:
    """The share of the cases of which something is so, with Wilson's interval."""
    part = sum(map(is_so, records))
    if not records:
        return AnswerFigure(metric, None, None, None, 0, 0)
    found = wilson_interval(part, len(records))
    return AnswerFigure(metric, found.mean, found.low, found.high, part, len(records))


def value_cases(records: Iterable[ConditionRecord], metric: str) -> dict[str, float]:
    """Case → what it has of the metric, as far as that applies to it."""
    every = list(records)
    if metric == "answer_accuracy":
        labelled = [one for one in every if one in labelled_records([one])]
        return {one.case: float(one.outcome == "right") for one in labelled}
    if metric == "gold_cited":
        return {one.case: float(cites_gold(one)) for one in every if one.gold_document in one.given}
    if metric == "abstention":
        return {one.case: float(one.status == "abstained") for one in every}
    counted = {one.case: count_marks(one) for one in marked_records(every) if isinstance(one, ConditionRecord)}
    return {case: said / judged for case, (said, judged) in counted.items() if judged}


def compare_conditions(
    run: StudyRun, conditions: Sequence[str], metric: str, *, with_cochran: bool = True
) -> ConditionTests | None:
    """One metric under these conditions, against the first of them; None where it applies to fewer than two.

    with_cochran   test all of them together too, which wants every case under every condition
    """
    values = {one: value_cases(run.select_condition(one).values(), metric) for one in conditions}
    known = {condition: of for condition, of in values.items() if of}
    if len(known) < 2:
        return None
    contrasts = tuple(contrast_with_first(known))
    is_binary = with_cochran and all(value in (0, 1) for of in known.values() for value in of.values())
    together = (
        cochran_q([{case: bool(value) for case, value in of.items()} for of in known.values()]) if is_binary else None
    )
    return ConditionTests(run.arm, metric, together, contrasts)
