"""How good the probabilities are that answers give with a decision."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from wellsourced_evaluate.plot import draw_reliability
from wellsourced_evaluate.questions.answer_run import AnswerRecord, AnswerRun
from wellsourced_evaluate.questions.report_blocks import (
    ReportBlock,
    ReportHeading,
    ReportPicture,
    ReportTable,
    ReportText,
)
from wellsourced_evaluate.questions.run_tables import format_mean
from wellsourced_evaluate.questions.scores import ArmScore, labelled_records
from wellsourced_evaluate.statistics import MetricMean, average_cases
from wellsourced_evaluate.verdict_metrics import (
    Flags,
    Floats,
    bootstrap_interval,
    ece,
    reliability_bins,
    resample_clusters,
)

FEW_IN_A_BIN = 100
"""Below so many answers with a probability, a bin has too few to say much."""


class AnswerCalibration(NamedTuple):
    """How far the probabilities that answers give with a label are the share that is right."""

    answer_ece: MetricMean
    answer_brier: MetricMean


def measure_calibration(run: AnswerRun) -> AnswerCalibration:
    """Of cases with a known answer; an answer without a probability is left out, and counted."""
    records = labelled_records(run.records.values())
    scores, right = _read_probabilities(records)
    brier = average_cases([*((scores - right) ** 2).tolist(), *[None] * (len(records) - len(scores))])
    if not len(scores):
        return AnswerCalibration(brier, brier)
    draws = resample_clusters(range(len(scores)))
    found = bootstrap_interval(draws, lambda at: ece(scores[at], right[at]))
    return AnswerCalibration(MetricMean(found.mean, found.low, found.high, brier.cases, brier.undefined), brier)


def _read_probabilities(
    records: Sequence[AnswerRecord],
) -> tuple[Floats, Flags]:
    known = [(one.probability, one.outcome == "right") for one in records if one.probability is not None]
    return np.array([one for one, _ in known], dtype=np.float64), np.array([so for _, so in known], dtype=np.bool_)


def calibration_blocks(arms: Sequence[ArmScore]) -> Iterator[ReportBlock]:
    """Where answers give a probability: how good it is, and a picture of each arm."""
    measured = [(one.run, measure_calibration(one.run)) for one in arms]
    measured = [(run, found) for run, found in measured if found.answer_brier.cases]
    if not measured:
        return
    yield ReportHeading(3, "Calibration of decisions")
    rows = [
        (
            *(run.arm, f"{found.answer_brier.cases:,}", f"{found.answer_brier.undefined:,}"),
            *(format_mean(found.answer_ece), format_mean(found.answer_brier)),
        )
        for run, found in measured
    ]
    yield ReportTable(("arm", "with a probability", "without", "answer_ece", "answer_brier"), rows)
    for run, found in measured:
        if found.answer_brier.cases < FEW_IN_A_BIN:
            yield ReportText(f"{run.arm}: {found.answer_brier.cases:,} probabilities are few for ten bins.", True)
        bins = reliability_bins(*_read_probabilities(labelled_records(run.records.values())))
        title = f"{run.arm}: share right by probability"
        yield ReportPicture(draw_reliability(title, bins, "probability", "right", "answers"))
