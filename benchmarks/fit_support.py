"""Fit the local judge of support and the choice of the sentence to show; say how good both are on what they never saw.

    python -m benchmarks.fit_support DATA [--out src/wellsourced/judges/weighed.json]

DATA is the folder of the development data. One model is fitted on SciFact (claims against abstracts), Evidence
Inference (results of trials) and K-QA (physicians' statements against answers) together. Every figure is of rows whose
claim and document were not fitted on: five folds by `group`, and each set with a model that saw only the other two.
Everything is seeded: two runs print the same. "Five folds" are calibrated per set, "never seen" is not calibrated.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.support.crossing import balanced_by_set, bearing, crossed, features_of, folds_of, ranking, unseen
from benchmarks.support.fitting import Ints, calibrate, fit
from benchmarks.support.samples import SETS, Row, Sample, measure, samples
from benchmarks.support.telling import emit, recalibrated, tell_rationale
from wellsourced.encoders.base import TokenEncoder, in_one_thread
from wellsourced.encoders.minilm import MiniLM
from wellsourced.judges import linear_model as learnt
from wellsourced.judges.feature_judge import calibrate_scores, sentence_features
from wellsourced.judges.linear_model import Floats, ModelBlend, SupportModel, TaskCalibration


def final(table: Sequence[Row], scores: Floats) -> tuple[ModelBlend, tuple[TaskCalibration, ...]]:
    """The model on all rows, and its calibrations on the scores of rows that were not fitted on."""
    labels = np.array([row.sample.label for row in table])
    names, values = features_of(table, bearing(table, np.ones(len(table), bool), folds_of(table)), None)
    tasks = [calibrate(scores, labels, "", balanced_by_set(table))]
    for name in SETS:
        here = np.array([row.sample.set == name for row in table])
        tasks.append(calibrate(scores[here], labels[here], name))
    model = fit(values, labels)
    return ModelBlend(linear=model.named(names), nets=model.nets), tuple(tasks)


def in_general(scores: Floats, labels: Ints, fold: Ints) -> Floats:  # noqa: ARG001 - as `recalibrated`
    """Probabilities as they come."""
    return calibrate_scores(scores, TaskCalibration())


def main() -> None:
    """Measure, print, fit, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=Path(learnt.__file__).with_name(learnt.MODEL_FILE))
    given = parser.parse_args()
    with in_one_thread():
        run(list(samples(given.data)), MiniLM(), given.out)


def run(found: Sequence[Sample], encoder: TokenEncoder, out: Path) -> None:
    """Everything, from samples on."""
    table = measure(found, encoder)
    figures = tell_rationale(table)
    scores = crossed(table, None)
    figures |= emit("five folds", table, scores, recalibrated)
    figures |= emit("never seen", table, unseen(table, None), in_general)
    plain, tasks = final(table, scores)
    model = SupportModel(
        encoder=encoder.name,
        rationale=ranking(table, np.ones(len(table), bool)).named(_names(table[0])),
        plain=plain,
        tasks=tasks,
        figures=figures,
    )
    out.write_text(json.dumps(model.model_dump(), separators=(",", ":")) + "\n", encoding="utf-8")


def _names(row: Row) -> Sequence[str]:
    return list(sentence_features(row.claim, row.parts, row.seen)[0])


if __name__ == "__main__":
    main()
