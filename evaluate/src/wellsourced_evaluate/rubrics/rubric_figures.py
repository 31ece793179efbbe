"""What the grades of one arm come to: scores of conversations first, their means second, and floors beside them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args

import numpy as np

from wellsourced.confidence import ConfidenceInterval, bootstrap_mean, randomisation_test
from wellsourced.errors import SourceRefused
from wellsourced_evaluate.rubrics.graders import CriterionGrade, GradeOutcome
from wellsourced_evaluate.rubrics.rubric_files import RubricCase, RubricSet
from wellsourced_evaluate.rubrics.rubric_run import Floor, RubricRun
from wellsourced_evaluate.rubrics.rubric_scores import (
    CaseScore,
    ClippedMean,
    TagName,
    average_scores,
    average_tags,
    score_case,
    scores_to_json,
)

UNKNOWN_GRADE = CriterionGrade("failed", "it was not graded yet")
FLOORS: tuple[Floor, ...] = ("silence", "one answer")


class RubricFigures(NamedTuple):
    """All that is told of one arm.

    scores      by prompt_id
    total       HealthBench's score; `partial`: of the criteria that have a grade, where not all have
    bounds      the least and the largest mean that the criteria without a grade leave open
    outcomes    sign of the points (“wanted”, “fault”) → outcome → criteria
    floors      what is reached by silence, and by one answer given to all others, as far as it was graded
    """

    run: RubricRun
    scores: Mapping[str, CaseScore]
    total: ClippedMean
    partial: ClippedMean
    bounds: tuple[float, float]
    tags: Mapping[TagName, ClippedMean]
    outcomes: Mapping[str, Mapping[GradeOutcome, int]]
    floors: Mapping[Floor, ClippedMean]

    def to_json(self, data: RubricSet) -> dict[str, Any]:
        """Everything, for programs; cases first."""
        return {
            "arm": self.run.header.arm,
            "file": str(self.run.path),
            "header": self.run.header.model_dump(mode="json"),
            "cases": [self._case_to_json(case) for case in data.cases],
            "rubric_score": self.total._asdict(),
            "rubric_score_partial": self.partial._asdict(),
            "bounds": list(self.bounds),
            "tags": [{**tag._asdict(), **mean._asdict()} for tag, mean in self.tags.items()],
            "outcomes": {sign: dict(counts) for sign, counts in self.outcomes.items()},
            "floors": {name: mean._asdict() for name, mean in self.floors.items()},
        }

    def _case_to_json(self, case: RubricCase) -> dict[str, Any]:
        grades = list_grades(self.run, case)
        told = zip(case.rubrics, grades, strict=True)
        answer = self.run.answers.get(case.prompt_id)
        return {
            "prompt_id": case.prompt_id,
            "status": answer.status if answer else "not answered yet",
            "scores": scores_to_json(self.scores[case.prompt_id]),
            "criteria": [{**one.model_dump(mode="json"), **grade._asdict()} for one, grade in told],
        }


def list_grades(run: RubricRun, case: RubricCase, floor: Floor = "") -> list[CriterionGrade]:
    """The grades of a conversation, in the order of its criteria."""
    return [run.grades.get((floor, case.prompt_id, at), UNKNOWN_GRADE) for at in range(len(case.rubrics))]


def build_figures(data: RubricSet, run: RubricRun) -> RubricFigures:
    """Score what a run has recorded so far."""
    scores = {case.prompt_id: _score_run_case(run, case, "") for case in data.cases}
    every = list(scores.values())
    outcomes: dict[str, Counter[GradeOutcome]] = {"wanted": Counter(), "fault": Counter()}
    for case in data.cases:
        for one, grade in zip(case.rubrics, list_grades(run, case), strict=True):
            outcomes["fault" if one.points < 0 else "wanted"][grade.outcome] += 1
    return RubricFigures(
        run,
        scores,
        average_scores([one.score for one in every]),
        average_scores([one.partial for one in every]),
        (_clip_mean([one.lowest for one in every]), _clip_mean([one.highest for one in every])),
        average_tags(every),
        {sign: {one: counts[one] for one in get_args(GradeOutcome)} for sign, counts in outcomes.items()},
        {floor: mean for floor in FLOORS if (mean := _average_floor(data, run, floor))},
    )


def _score_run_case(run: RubricRun, case: RubricCase, floor: Floor) -> CaseScore:
    return score_case(case, [one.is_met for one in list_grades(run, case, floor)])


def _average_floor(data: RubricSet, run: RubricRun, floor: Floor) -> ClippedMean | None:
    """None: it was not graded. Where the grader leaves criteria out, so does the floor."""
    cases = [case for case in data.cases if (floor, case.prompt_id, 0) in run.grades]
    if not cases:
        return None
    scores = [_score_run_case(run, case, floor) for case in cases]
    return average_scores([one.score if run.header.is_model else one.partial for one in scores])


def _clip_mean(values: Sequence[float]) -> float:
    return float(np.clip(np.mean(values), 0, 1))


class RubricContrast(NamedTuple):
    """One arm against the first: the mean difference of scores, conversation by conversation, not clipped.

    p      of the randomisation test, two-sided
    cases  that have a score in both
    """

    base: str
    other: str
    difference: ConfidenceInterval
    p: float
    cases: int

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        return {**self._asdict(), "difference": self.difference._asdict()}


def contrast_figures(figures: Sequence[RubricFigures]) -> list[RubricContrast]:
    """Every other arm against the first, where they have scores in common. Raises SourceRefused for other graders."""
    found = []
    base = figures[0]
    for other in figures[1:]:
        if other.run.header.grader != base.run.header.grader or other.run.header.data != base.run.header.data:
            raise SourceRefused(f"{base.run.path} and {other.run.path} are not of the same data, by the same grader.")
        pairs = [(_get_score(base, id), _get_score(other, id)) for id in base.scores]
        gains = np.array([two - one for one, two in pairs if one is not None and two is not None], dtype=np.float64)
        if len(gains):
            names = base.run.header.arm, other.run.header.arm
            found.append(RubricContrast(*names, bootstrap_mean(gains), randomisation_test(gains), len(gains)))
    return found


def _get_score(figures: RubricFigures, id: str) -> float | None:
    one = figures.scores[id]
    return one.score if figures.run.header.is_model else one.partial
