"""The net of the alarm, on labelled questions and real ones; prints how many emergencies it and the rules recognise.

    python -m wellsourced_evaluate.fitting.alarm DATA [--out src/wellsourced/pipeline/frame/alarm.json]

Fitted on the English rows of the labelled set of the tests and on real questions; measured on parts that were not
fitted on, and by five folds of the whole, in which rows that are alike stay together. The rows were written by two
authors for this purpose: other people's words may do worse. Everything is seeded.
"""

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wellsourced.encoders.base import Encoder
from wellsourced.medicine.emergencies import detect_emergency
from wellsourced.pipeline.frame.emergency_model import EmergencyClassifier, split_text
from wellsourced_evaluate.clinical.marks import CaseMarks, add_marks, count
from wellsourced_evaluate.clinical.text_checks import LabelledText, mark_alarms, read_emergencies, read_questions
from wellsourced_evaluate.development_data import PRODUCT
from wellsourced_evaluate.fitting.models import (
    SEED,
    Floats,
    Ints,
    fit_logistic,
    open_encoder,
    start_parser,
    write_weights,
)

FOLDS = 5
FITTED = 1250
"""Real questions that are fitted on; twice as many changed nothing."""

OTHERS = 5000
"""Real questions on which false alarms are counted."""

RIDGE = 30.0
"""10 to 300 are within .02 of each other."""

FLAT = 0.005
"""The spread below which a number of the vectors says nothing: the others spread by some .05."""

QUIET = 0.9
"""How many of the anxious questions that are no emergency the net has to leave alone, in the folds: more costs twice as
many emergencies as it spares alarms."""

ALIKE = 0.75
"""The cosine from which two rows stay in one fold."""

PARTS = ((("seen", "kept"), "fresh"), (("seen", "kept", "fresh"), "last"))
"""Parts of the labelled set that a net is fitted on, and the later one that it is measured on."""


def fit(
    asked: Sequence[LabelledText], real: Sequence[str], encoder: Encoder, threshold: float = 0.5
) -> EmergencyClassifier:
    """On labelled rows and real questions, emergencies and others weighed equally."""
    values = encoder.encode([one.text for one in asked] + list(real), "query").astype(np.float64)
    labels = np.array([one.is_danger for one in asked] + [False] * len(real))
    columns = np.flatnonzero(values.std(axis=0) > FLAT)
    model = fit_logistic(values[:, columns], labels, RIDGE, is_balanced=True)
    weights = np.zeros(encoder.dim)
    weights[columns] = model.weights
    return EmergencyClassifier(
        encoder=encoder.name,
        weights=tuple(weights.round(4).tolist()),
        intercept=round(model.intercept, 4),
        threshold=threshold,
        positives=int(labels.sum()),
        negatives=int((~labels).sum()),
        fitted_on=f"{len(asked)} English rows of tests/text/data/emergencies.tsv and {len(real)} real questions",
    )


def rate_dangers(texts: Sequence[str], learnt: EmergencyClassifier, encoder: Encoder) -> Floats:
    """Of the gravest part of each; 0 for a text that speaks of nobody who is in danger now."""
    return np.array([max(learnt.predict_dangers(split_text(text), encoder), default=0.0) for text in texts])


def split_folds(vectors: NDArray[np.float32]) -> Ints:
    """The fold of each row: rows that are alike, or are like the same third, stay together."""
    group = np.arange(len(vectors))
    for one, other in np.argwhere(np.triu(vectors @ vectors.T, 1) > ALIKE):
        group[group == group[other]] = group[one]
    names, place = np.unique(group, return_inverse=True)
    drawn: Ints = np.random.default_rng(SEED).permutation(np.arange(len(names)) % FOLDS)[place]
    return drawn


def rate_folds(asked: Sequence[LabelledText], real: Sequence[str], encoder: Encoder) -> Floats:
    """What nets say of each row that were fitted on the other folds."""
    texts = [one.text for one in asked]
    fold = split_folds(encoder.encode(texts, "query"))
    found = np.zeros(len(asked))
    for part in range(FOLDS):
        learnt = fit([one for one, place in zip(asked, fold, strict=True) if place != part], real, encoder)
        left_out = np.flatnonzero(fold == part)
        found[left_out] = rate_dangers([texts[place] for place in left_out], learnt, encoder)
    return found


def find_quiet_threshold(asked: Sequence[LabelledText], dangers: Floats) -> float:
    """The lowest two-digit threshold at which the net leaves enough of the other questions alone."""
    calm = dangers[[not one.is_danger for one in asked]]
    return next(place / 100 for place in range(1, 100) if (calm <= place / 100).mean() >= QUIET)


def report(name: str, asked: Sequence[LabelledText], dangers: Floats, threshold: float) -> None:
    """Print sensitivity and specificity of the rules, of the net, and of both, on rows that were not fitted on."""
    marked = []
    for one, danger in zip(asked, dangers, strict=True):
        rules, net = detect_emergency(one.text) is not None, bool(danger > threshold)
        marked.append(CaseMarks(one.text, mark_alarms(name, one, {"rules": rules, "net": net, "both": rules or net})))
    print(*(figure.describe() for figure in add_marks(marked)), sep="\n")


def main() -> None:
    """Fit, measure and write."""
    given = start_parser(__doc__, PRODUCT / "pipeline/frame/alarm.json").parse_args()
    encoder = open_encoder()
    asked = [one for one in read_emergencies() if one.language == "en"]
    real = sorted({text for _, text in read_questions(given.data)})
    random.Random(SEED).shuffle(real)  # noqa: S311
    fitted, others = real[:FITTED], real[FITTED : FITTED + OTHERS]

    dangers = rate_folds(asked, fitted, encoder)
    threshold = find_quiet_threshold(asked, dangers)
    print(f"threshold {threshold}")
    for on, tested in PARTS:
        learnt = fit([one for one in asked if one.half in on], fitted, encoder)
        test = [one for one in asked if one.half == tested]
        report(f"{'+'.join(on)} → {tested}", test, rate_dangers([one.text for one in test], learnt, encoder), threshold)
    report(f"{FOLDS} folds", asked, dangers, threshold)

    learnt = fit(asked, fitted, encoder, threshold)
    alarms = rate_dangers(others, learnt, encoder) > threshold
    marked = [
        CaseMarks(text, {"net: alarms in real questions not fitted on": count([alarm])})
        for text, alarm in zip(others, alarms, strict=True)
    ]
    print(*(figure.describe() for figure in add_marks(marked)), sep="\n")
    print(*(text for text, alarm in zip(others, alarms, strict=True) if alarm), sep="\n")
    write_weights(learnt, given.out, indent=1)


if __name__ == "__main__":
    main()
