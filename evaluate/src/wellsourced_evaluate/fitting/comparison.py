"""The weights of the default judge of support (a row of judges/calibrations.json), and how good it is.

    python -m wellsourced_evaluate.fitting.comparison DATA [--out src/wellsourced/judges/calibrations.json]

Fitted on eight sets: the written statements of four authors, as_written, and the development halves of SciFact,
Evidence Inference and K-QA. Each set is printed twice: "unseen" is fitted on the seven others, "document left out" on
these and four fifths of its own documents. What is shipped is fitted on all.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from wellsourced.encoders.minilm import MiniLM
from wellsourced.judges.base import Calibration, Pair
from wellsourced.judges.comparison import MEASURES, ComparisonJudge
from wellsourced_evaluate.development_data import PRODUCT, find_data
from wellsourced_evaluate.fitting.models import (
    Bools,
    Floats,
    Ints,
    Logistic,
    find_threshold,
    fit_logistic,
    measure_accuracy,
    measure_auroc,
    measure_calibration_error,
    print_table,
    replace_rows,
    start_parser,
)
from wellsourced_evaluate.labelled_pairs import read_pairs
from wellsourced_evaluate.tables import Cell

AUTHORS = ("statements_a", "statements_b", "statements_c", "statements_d")
FILES = ("as_written", "scifact", "evidence_inference", "kqa")

COUNTED_TWICE = ("scifact", "kqa")
"""Sets of texts that are often about something else, which few texts of the authors are."""

FOLDS = 5
RIDGE = 10.0


class MeasuredSet(NamedTuple):
    """A set: what was measured of its pairs, float64 (pairs, MEASURES), whether each is supported, and its document."""

    name: str
    values: Floats
    labels: Bools
    documents: Ints

    @property
    def centre(self) -> Floats:
        """What lies between the supported pairs and the others, measure by measure."""
        middle: Floats = (self.values[self.labels].mean(axis=0) + self.values[~self.labels].mean(axis=0)) / 2
        return middle

    def take(self, kept: Bools) -> "MeasuredSet":
        """The pairs that are kept."""
        return MeasuredSet(self.name, self.values[kept], self.labels[kept], self.documents[kept])


def measure_set(path: Path, judge: ComparisonJudge) -> MeasuredSet:
    """Everything that the judge measures of the pairs of a file."""
    rows = read_pairs([path]).rows
    found = judge.compare([Pair(row.claim, row.text) for row in rows])
    values = [[one.measures[name] if one else 0.0 for name in MEASURES] for one in found]
    labels = np.array([row.label == "supports" for row in rows])
    return MeasuredSet(path.name.partition(".")[0], np.array(values), labels, np.array([row.cluster for row in rows]))


def fit_sets(sets: Sequence[MeasuredSet]) -> Logistic:
    """One logistic model of all sets, each shifted to one centre: what sets have in common tells nothing of a pair."""
    counted = [one for one in sets for _ in range(2 if one.name in COUNTED_TWICE else 1)]
    values = np.concatenate([one.values - one.centre for one in counted])
    found = fit_logistic(values, np.concatenate([one.labels for one in counted]), RIDGE, is_balanced=True)
    middle = np.mean([one.centre for one in sets], axis=0)
    return Logistic(found.weights, float(found.intercept - middle @ found.weights))


def rate_left_out(tested: MeasuredSet, others: Sequence[MeasuredSet]) -> Floats:
    """The scores of a set, each fifth of its documents by a model fitted on the others and on its other fifths."""
    scores = np.zeros(len(tested.labels))
    for fold in range(FOLDS):
        left_out = tested.documents % FOLDS == fold
        scores[left_out] = fit_sets([*others, tested.take(~left_out)]).rate(tested.values[left_out])
    return scores


def print_figures(sets: Sequence[MeasuredSet], unseen: Sequence[Floats]) -> None:
    """AUROC of each set, unseen and with the document left out, and of each measure alone."""
    rows: list[Sequence[Cell]] = []
    for at, (one, scores) in enumerate(zip(sets, unseen, strict=True)):
        near = rate_left_out(one, [other for place, other in enumerate(sets) if place != at])
        alone = [measure_auroc(one.values[:, column], one.labels) for column in range(len(MEASURES))]
        rows.append(
            (one.name, len(one.labels), *(measure_auroc(found, one.labels) for found in (scores, near)), *alone)
        )
    print_table(("set", "pairs", "unseen", "document left out", *MEASURES), rows)


def average(figures: Iterable[float]) -> float:
    """The mean of the sets, to three digits."""
    return round(float(np.mean(list(figures))), 3)


def main() -> None:
    """Measure, fit, print and write."""
    given = start_parser(__doc__, PRODUCT / "judges/calibrations.json").parse_args()
    encoder = MiniLM()
    name = f"comparison:{encoder.name}"
    judge = ComparisonJudge(encoder, Calibration(purpose="support", judge=name, weights={}, intercept=0, threshold=0.5))
    paths = [find_data("written_statements") / f"{author}.jsonl" for author in AUTHORS]
    paths += [given.data / "verification" / f"{file}.pairs.jsonl.gz" for file in FILES]
    sets = [measure_set(path, judge) for path in paths]
    unseen = [fit_sets([other for other in sets if other is not one]).rate(one.values) for one in sets]
    print_figures(sets, unseen)

    fitted = fit_sets(sets)
    threshold = find_threshold(np.concatenate(unseen), np.concatenate([one.labels for one in sets]))
    held = [(scores, one.labels) for scores, one in zip(unseen, sets, strict=True)]
    row = Calibration(
        purpose="support",
        judge=name,
        weights={measure: round(float(weight), 4) for measure, weight in zip(MEASURES, fitted.weights, strict=True)},
        intercept=round(fitted.intercept, 4),
        threshold=threshold,
        fitted_on=f"{', '.join(one.name for one in sets)}: supported or not; figures are means of sets unseen",
        n=sum(len(one.labels) for one in sets),
        auroc=average(measure_auroc(*one) for one in held),
        accuracy=average(measure_accuracy(*one, threshold) for one in held),
        ece=average(measure_calibration_error(*one) for one in held),
    )
    replace_rows(given.out, Calibration, [row], lambda one: (one.purpose, one.judge))
    print(row.model_dump_json(indent=1))


if __name__ == "__main__":
    main()
