"""The net of the alarm, on labelled questions and real ones; prints how many emergencies it and the rules recognise.

    python -m wellsourced_evaluate.fitting.alarm DATA [--out src/wellsourced/understanding/alarm.json]

Fitted on the English rows of the labelled set of the tests and on real questions; measured on parts that were not
fitted on, and by five folds of the whole, in which rows that are alike stay together. The rows were written by two
authors for this purpose: other people's words may do worse. Everything is seeded.
"""

import argparse
import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.clinical.emergencies import detect_emergency
from wellsourced.encoders.base import Encoder
from wellsourced.encoders.cache import CachedEncoder
from wellsourced.encoders.minilm import MiniLM
from wellsourced.understanding.emergency_model import EmergencyClassifier, split_text
from wellsourced_evaluate.clinical.cases import describe_share
from wellsourced_evaluate.clinical.text_checks import LabelledText, read_emergencies, read_questions
from wellsourced_evaluate.development_data import PRODUCT
from wellsourced_evaluate.fitting.models import SEED, Bools, Floats, Ints, fit_logistic

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


class JudgedTexts(NamedTuple):
    """What a net says of labelled rows that it was not fitted on."""

    asked: Sequence[LabelledText]
    probability: Floats

    def report(self, name: str, threshold: float) -> None:
        """Print sensitivity and specificity of the rules, of the net, and of both."""
        danger = np.array([one.kind != "none" for one in self.asked])
        rules: Bools = np.array([detect_emergency(one.text) is not None for one in self.asked])
        net = self.probability > threshold
        for who, alarms in (("rules", rules), ("net", net), ("both", rules | net)):
            print(describe_share(f"{name}, {who}: sensitivity", int(alarms[danger].sum()), int(danger.sum())))
            print(describe_share(f"{name}, {who}: specificity", int((~alarms[~danger]).sum()), int((~danger).sum())))


def fit(
    asked: Sequence[LabelledText], real: Sequence[str], encoder: Encoder, threshold: float = 0.5
) -> EmergencyClassifier:
    """On labelled rows and real questions, emergencies and others weighed equally."""
    values = encoder.encode([one.text for one in asked] + list(real), "query").astype(np.float64)
    labels = np.array([one.kind != "none" for one in asked] + [False] * len(real))
    columns = np.flatnonzero(values.std(axis=0) > FLAT)
    model = fit_logistic(values[:, columns], labels, RIDGE, is_balanced=True)
    weights = np.zeros(encoder.dim)
    weights[columns] = model.weights[0]
    return EmergencyClassifier(
        encoder=encoder.name,
        weights=tuple(weights.round(4).tolist()),
        intercept=round(float(model.intercepts[0]), 4),
        threshold=threshold,
        positives=int(labels.sum()),
        negatives=int((~labels).sum()),
        fitted_on=f"{len(asked)} English rows of tests/text/data/emergencies.tsv and {len(real)} real questions",
    )


def rate_danger(text: str, learnt: EmergencyClassifier, encoder: Encoder) -> float:
    """Of the gravest part; 0 for a text that speaks of nobody who is in danger now."""
    return max(learnt.predict_dangers(split_text(text), encoder), default=0.0)


def judge_folds(asked: Sequence[LabelledText], real: Sequence[str], encoder: Encoder) -> JudgedTexts:
    """What nets say of each row that were fitted on the other folds."""
    fold = split_folds(encoder.encode([one.text for one in asked], "query"))
    found = np.zeros(len(asked))
    for part in range(FOLDS):
        learnt = fit([one for one, place in zip(asked, fold, strict=True) if place != part], real, encoder)
        for row in np.flatnonzero(fold == part).tolist():
            found[row] = rate_danger(asked[row].text, learnt, encoder)
    return JudgedTexts(asked, found)


def split_folds(vectors: NDArray[np.float32]) -> Ints:
    """The fold of each row: rows that are alike, or are like the same third, stay together."""
    group = np.arange(len(vectors))
    for one, other in np.argwhere(np.triu(vectors @ vectors.T, 1) > ALIKE):
        group[group == group[other]] = group[one]
    names, place = np.unique(group, return_inverse=True)
    drawn: Ints = np.random.default_rng(SEED).permutation(np.arange(len(names)) % FOLDS)[place]
    return drawn


def find_quiet_threshold(found: JudgedTexts) -> float:
    """The lowest two-digit threshold at which the net leaves enough of the other questions alone."""
    calm = found.probability[[one.kind == "none" for one in found.asked]]
    return next(place / 100 for place in range(1, 100) if (calm <= place / 100).mean() >= QUIET)


def main() -> None:
    """Fit, measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=PRODUCT / "understanding/alarm.json")
    given = parser.parse_args()
    encoder = CachedEncoder(MiniLM(), limit=50_000)
    asked = [one for one in read_emergencies() if one.language == "en"]
    real = sorted({text for _, text in read_questions(given.data)})
    random.Random(SEED).shuffle(real)  # noqa: S311
    fitted, others = real[:FITTED], real[FITTED : FITTED + OTHERS]

    crossed = judge_folds(asked, fitted, encoder)
    threshold = find_quiet_threshold(crossed)
    print(f"threshold {threshold}")
    for on, tested in ((("seen", "kept"), "fresh"), (("seen", "kept", "fresh"), "last")):
        learnt = fit([one for one in asked if one.half in on], fitted, encoder)
        test = [one for one in asked if one.half == tested]
        judged = JudgedTexts(test, np.array([rate_danger(one.text, learnt, encoder) for one in test]))
        judged.report(f"{'+'.join(on)} → {tested}", threshold)
    crossed.report(f"{FOLDS} folds", threshold)

    learnt = fit(asked, fitted, encoder, threshold)
    alarms = [text for text in others if rate_danger(text, learnt, encoder) > threshold]
    print(describe_share("net: alarms in real questions not fitted on", len(alarms), len(others)), *alarms, sep="\n")
    given.out.write_text(learnt.model_dump_json(indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
