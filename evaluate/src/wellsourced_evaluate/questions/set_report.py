"""What the runs on one data set came to together, and all that programs are told of it."""

from collections.abc import Sequence
from datetime import date
from typing import Any, NamedTuple

from wellsourced_evaluate.questions.answer_calibration import measure_calibration
from wellsourced_evaluate.questions.answer_run import AnswerRun
from wellsourced_evaluate.questions.arm_comparison import AnswerContrast, contrast_arms, group_runs
from wellsourced_evaluate.questions.arm_ranks import rank_arms
from wellsourced_evaluate.questions.fitted_sets import FittedShare, list_fitted
from wellsourced_evaluate.questions.run_tables import average_searches, split_by_date
from wellsourced_evaluate.questions.scores import ArmScore, score_run


class SetReport(NamedTuple):
    """One data set: its arms, how they compare with the first, and what was fitted on it.

    cutoff   day by which its cases are told apart: what the model may know ends there; None: they are not
    """

    name: str
    arms: tuple[ArmScore, ...]
    contrasts: tuple[AnswerContrast, ...]
    fitted: tuple[FittedShare, ...]
    cutoff: date | None = None

    @property
    def worst_margin(self) -> float:
        """How far the worst figure lies above its floor."""
        return min((figure.margin for one in self.arms for figure in one.figures), default=float("inf"))

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        return {
            "set": self.name,
            "arms": [self._arm_to_json(one) for one in self.arms],
            "contrasts": [one.to_json() for one in self.contrasts],
            "fitted": [one._asdict() for one in self.fitted],
        }

    def _arm_to_json(self, arm: ArmScore) -> dict[str, Any]:
        calibration = measure_calibration(arm.run)
        told = {
            **arm.to_json(),
            "searches": {name: mean.to_json() for name, mean in average_searches(arm.run).items()},
            "calibration": {name: mean.to_json() for name, mean in calibration._asdict().items()},
        }
        if self.cutoff:
            told["by_date"] = {
                part: {
                    "cases": len(records),
                    "figures": [one._asdict() for one in score_run(arm.run._replace(records=records)).figures],
                }
                for part, records in split_by_date(arm.run, self.cutoff).items()
            }
        return told


def reports_to_json(reports: Sequence[SetReport]) -> list[dict[str, Any]]:
    """Every set, and with each the average ranks over all; null where there are none."""
    ranks = rank_arms({one.name: one.arms for one in reports})
    return [{**one.to_json(), "average_ranks": ranks.to_json() if ranks else None} for one in reports]


def report_runs(runs: Sequence[AnswerRun], cutoff: date | None = None) -> list[SetReport]:
    """Every set that the runs are of, the worst first. Raises SourceRefused when two runs cannot be compared."""
    found = []
    for group in group_runs(runs):
        name = str(group[0].header.data["name"])
        fitted = tuple(list_fitted(name, max(group, key=lambda run: len(run.records)).records.values()))
        found.append(SetReport(name, tuple(map(score_run, group)), tuple(contrast_arms(group)), fitted, cutoff))
    return sorted(found, key=lambda one: one.worst_margin)
