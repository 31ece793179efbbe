"""What recorded runs come to, arm by arm: scores, ranks over sets, calibration, parts by date, rows of cases."""

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wellsourced_evaluate.questions.answer_run import AnswerRecord, AnswerRun
from wellsourced_evaluate.questions.arm_comparison import AnswerContrast, contrast_runs, group_runs
from wellsourced_evaluate.questions.fitted_sets import FittedShare, list_fitted
from wellsourced_evaluate.questions.scores import ArmScore, count_marks, labelled_records, score_run
from wellsourced_evaluate.recorded_rows import to_plain
from wellsourced_evaluate.statistics import MetricMean, average_cases
from wellsourced_evaluate.tables import write_csv
from wellsourced_evaluate.verification import (
    Flags,
    Floats,
    ReliabilityBin,
    bootstrap_interval,
    ece,
    reliability_bins,
    resample_clusters,
)

SEARCH_METRICS = ("queries", "query_words", "query_diversity", "passages_read")
"""Of the searches behind an answer, as `wellsourced evaluate list` spells them and as a record has them."""

QUALITY_METRICS = ("answer_accuracy", "facts_said")
"""By which arms are ranked and set against their cost: the first that a set has."""

RUN_COLUMNS = ("set", "arm", "preset", "regime", "sha256", "seed", "model", "judge", "library", "code")
CASE_COLUMNS = (
    *("case", "group", "as_of", "answerable", "gold", "label", "outcome", "status", "writer", "probability"),
    *("error", "reason", "facts_said", "facts_judged", "own_source", *SEARCH_METRICS, "calls", "cached", "tokens"),
    *("cost", "failed_calls", "model_error", "judge_calls", "judge_cost", "seconds", "at_once", "prompts", "fitted"),
    *("cited", "short"),
)
"""Columns of a table of cases; `outcome` is empty where no answer is known."""


class AverageRanks(NamedTuple):
    """Arm → the mean of its ranks over the sets that all of them have, 1 the best; ties share the mean of their places.

    sets       set → its metric
    left_out   arms that not every set has
    """

    ranks: Mapping[str, float]
    sets: Mapping[str, str]
    left_out: tuple[str, ...]


class AnswerCalibration(NamedTuple):
    """How far the probabilities of labels are the share that is right, and their bins."""

    answer_ece: MetricMean
    answer_brier: MetricMean
    bins: tuple[ReliabilityBin, ...] = ()


class SetReport(NamedTuple):
    """One data set: its arms, how they compare with the first, and what was fitted on it.

    cutoff   day by which its cases are reported apart: what the model may know ends there; None: they are not
    """

    name: str
    arms: tuple[ArmScore, ...]
    contrasts: tuple[AnswerContrast, ...]
    fitted: tuple[FittedShare, ...]
    cutoff: date | None = None

    @property
    def worst_margin(self) -> float:
        """How far the worst figure lies above its floor."""
        return min((figure.margin for arm in self.arms for figure in arm.figures), default=float("inf"))

    @property
    def quality(self) -> str:
        """The metric by which its arms are ranked; "" for none."""
        return next((metric for metric in QUALITY_METRICS if any(arm.find(metric) for arm in self.arms)), "")

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        arms = [self._arm_to_json(arm) for arm in self.arms]
        return {"set": self.name, "arms": arms, "contrasts": self.contrasts, "fitted": self.fitted}

    def _arm_to_json(self, arm: ArmScore) -> dict[str, Any]:
        found = measure_calibration(arm.run)
        told = {**arm.to_json(), "searches": average_searches(arm.run)}
        told["calibration"] = {"answer_ece": found.answer_ece, "answer_brier": found.answer_brier}
        if self.cutoff:
            parts = split_by_date(arm.run, self.cutoff).items()
            told["by_date"] = {
                part: {"cases": len(run.records), "figures": score_run(run).figures} for part, run in parts
            }
        return told


def report_runs(runs: Sequence[AnswerRun], cutoff: date | None = None) -> list[SetReport]:
    """Every set that the runs are of, the worst first. Raises SourceRefused when two runs cannot be compared."""
    found = []
    for group in group_runs(runs):
        name = str(group[0].header.data["name"])
        fitted = tuple(list_fitted(name, max(group, key=lambda run: len(run.records)).records.values()))
        contrasts = tuple(contrast_runs(group[0], other) for other in group[1:])
        found.append(SetReport(name, tuple(map(score_run, group)), contrasts, fitted, cutoff))
    return sorted(found, key=lambda report: report.worst_margin)


def reports_to_json(reports: Sequence[SetReport]) -> list[dict[str, Any]]:
    """Every set, and with each the average ranks over all; null where there are none."""
    ranks = rank_arms(reports)
    told = [{**report.to_json(), "average_ranks": ranks} for report in reports]
    plain: list[dict[str, Any]] = to_plain(told)
    return plain


def rank_arms(reports: Sequence[SetReport]) -> AverageRanks | None:
    """The arms that every set has, ranked; None of one set, or where fewer than two arms are in all of them."""
    by_set = {report.name: report.quality for report in reports if report.quality}
    values = [_list_values(report) for report in reports if report.quality]
    every = list(dict.fromkeys(arm for column in values for arm in column))
    common = [arm for arm in every if all(arm in column for column in values)]
    if len(values) < 2 or len(common) < 2:
        return None
    placed = [rank_values({arm: column[arm] for arm in common}) for column in values]
    ranks = {arm: sum(ranks[arm] for ranks in placed) / len(placed) for arm in common}
    return AverageRanks(ranks, by_set, tuple(arm for arm in every if arm not in common))


def _list_values(report: SetReport) -> dict[str, float]:
    figures = {arm.run.arm: arm.find(report.quality) for arm in report.arms}
    return {arm: figure.value for arm, figure in figures.items() if figure and figure.value is not None}


def rank_values(values: Mapping[str, float]) -> dict[str, float]:
    """Name → its place, the largest value first; equal ones share the mean of their places."""
    every = list(values.values())
    return {
        name: 1 + sum(other > value for other in every) + (every.count(value) - 1) / 2 for name, value in values.items()
    }


def average_searches(run: AnswerRun) -> dict[str, MetricMean]:
    """Metric → its mean over the cases of a run; a case that failed has no searches that are known."""
    return {name: average_cases(getattr(one, name) for one in run.records.values()) for name in SEARCH_METRICS}


def measure_calibration(run: AnswerRun) -> AnswerCalibration:
    """Of cases with a known answer; an answer without a probability is left out, and counted."""
    records = labelled_records(run.records.values())
    known = [(one.probability, one.outcome == "right") for one in records if one.probability is not None]
    scores: Floats = np.array([score for score, _ in known], dtype=np.float64)
    right: Flags = np.array([is_right for _, is_right in known], dtype=np.bool_)
    brier = average_cases([*((scores - right) ** 2).tolist(), *[None] * (len(records) - len(scores))])
    if not len(scores):
        return AnswerCalibration(brier, brier)
    found = bootstrap_interval(resample_clusters(range(len(scores))), lambda at: ece(scores[at], right[at]))
    return AnswerCalibration(MetricMean(*found, brier.cases, brier.undefined), brier, reliability_bins(scores, right))


def split_by_date(run: AnswerRun, cutoff: date) -> dict[str, AnswerRun]:
    """The cases made up to the day, after it, or on a day that is not known, as far as there are any."""
    parts: dict[str, dict[str, AnswerRecord]] = {f"up to {cutoff}": {}, f"after {cutoff}": {}, "without a date": {}}
    up_to, after, undated = parts.values()
    for case, record in run.records.items():
        part = undated if record.as_of is None else up_to if record.as_of <= cutoff else after
        part[case] = record
    return {name: run._replace(records=records) for name, records in parts.items() if records}


def write_case_table(path: Path, runs: Sequence[AnswerRun]) -> None:
    """Write every case of every arm as a row, for a spreadsheet or a statistician."""
    rows = []
    for run in runs:
        header, data = run.header, run.header.data
        common = [data["name"], run.arm, header.preset, header.regime, data.get("sha256"), data.get("seed")]
        common += [header.model, header.judge, header.library, header.code]
        rows += [[*common, *_list_cells(record)] for record in run.records.values()]
    write_csv(path, (*RUN_COLUMNS, *CASE_COLUMNS), rows)


def _list_cells(record: AnswerRecord) -> list[object]:
    said, judged = count_marks(record)
    own = {
        **{"facts_said": said if judged else None, "facts_judged": judged if record.marks else None},
        "outcome": record.outcome if record.gold and record.answerable is not False else "",
    }
    return [own[name] if name in own else getattr(record, name) for name in CASE_COLUMNS]
