"""How far a grader agrees with physicians, as HealthBench's meta-evaluation counts it (healthbench_meta_eval.py).

Every pair of a grader's label and one physician's counts once. Of each class precision and recall are taken over the
pairs, F1 of both, and macro F1 is the mean of the two classes; it is not defined where a class is never said, or never
known. Physicians are measured likewise, each against the others who graded the same completion.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.confidence import SEED, batch_shapes
from wellsourced_evaluate.rubrics.rubric_files import VotedCompletion
from wellsourced_evaluate.statistics import MetricMean, average_cases

RESAMPLES = 1_000
CHANCE = 0.5
"""The macro F1 of labels that are drawn at the rate of the physicians', without reading anything."""

_KINDS = ((True, True), (True, False), (False, True), (False, False))

PairCounts = NDArray[np.float64]
"""Pairs by what they say, float64 (…, 4): both met; only the one measured; only the other; neither."""


class MacroF1(NamedTuple):
    """Macro F1 over pairs of labels; None where a class is never said or never known.

    low, high   95 % interval: bootstrap over conversations
    agreement   share of the pairs that are equal
    pairs       that were counted
    """

    value: float | None
    low: float | None
    high: float | None
    f1_met: float | None
    f1_unmet: float | None
    agreement: float | None
    pairs: int


class AgreementFigures(NamedTuple):
    """A grader, and physicians among each other, on the same completions.

    completions      with a grade of the grader; `ungraded`: without, left out of its figures
    met_share        share of the physicians' votes that say met
    physicians       macro F1 of all votes against the other votes on the same completion
    each_physician   mean over physicians of what each reaches alone; None: who voted is not known
    """

    completions: int
    ungraded: int
    met_share: float
    grader: MacroF1
    physicians: MacroF1
    each_physician: MetricMean | None

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        each = self.each_physician.to_json() if self.each_physician else None
        return {
            **self._asdict(),
            "grader": self.grader._asdict(),
            "physicians": self.physicians._asdict(),
            "each_physician": each,
        }


class GraderAgreement(NamedTuple):
    """All categories together, and each, the worst first.

    mean_of_categories   of the grader's macro F1, each category as heavy as the others
    """

    overall: AgreementFigures
    categories: Mapping[str, AgreementFigures]
    mean_of_categories: MetricMean


Labels = Mapping[int, bool | None]
"""Line of a completion → whether the grader says met; None: it said nothing that counts."""


def measure_agreement(cases: Mapping[int, VotedCompletion], labels: Labels) -> GraderAgreement:
    """The grader against the physicians, and these among each other."""
    by_category: dict[str, dict[int, VotedCompletion]] = defaultdict(dict)
    for line, case in cases.items():
        by_category[case.category][line] = case
    found = {name: _measure_cases(some, labels) for name, some in by_category.items()}
    ordered = sorted(found.items(), key=lambda pair: (pair[1].grader.value is None, pair[1].grader.value, pair[0]))
    means = average_cases(one.grader.value for one in found.values())
    return GraderAgreement(_measure_cases(cases, labels), dict(ordered), means)


def _measure_cases(cases: Mapping[int, VotedCompletion], labels: Labels) -> AgreementFigures:
    graded = {line: label for line in cases if (label := labels.get(line)) is not None}
    votes = [vote for case in cases.values() for vote in case.binary_labels]
    against_votes = [
        (cases[line], [(label, vote) for vote in cases[line].binary_labels]) for line, label in graded.items()
    ]
    return AgreementFigures(
        len(graded),
        len(cases) - len(graded),
        sum(votes) / len(votes),
        score_pairs(against_votes),
        score_pairs([(case, _pair_votes(case.binary_labels)) for case in cases.values()]),
        _average_physicians(list(cases.values())),
    )


def _pair_votes(votes: Sequence[bool]) -> list[tuple[bool, bool]]:
    """Each vote against each other one on the same completion, both ways."""
    return [(one, other) for at, one in enumerate(votes) for to, other in enumerate(votes) if at != to]


def _average_physicians(cases: Sequence[VotedCompletion]) -> MetricMean | None:
    pairs: dict[str, list[tuple[VotedCompletion, list[tuple[bool, bool]]]]] = defaultdict(list)
    for case in cases:
        for at, physician in enumerate(case.anonymized_physician_ids):
            own = case.binary_labels[at]
            others = [(own, vote) for to, vote in enumerate(case.binary_labels) if to != at]
            if others:
                pairs[physician].append((case, others))
    if not pairs:
        return None
    return average_cases(macro_f1(count_pairs([pair for _, told in some for pair in told])) for some in pairs.values())


def count_pairs(pairs: Sequence[tuple[bool, bool]]) -> PairCounts:
    """How many pairs (measured, other) say what."""
    found = Counter(pairs)
    return np.array([found[kind] for kind in _KINDS], dtype=np.float64)


def macro_f1(counts: PairCounts) -> float | None:
    """The mean of the F1 of both classes; None where one of them is not defined."""
    met, unmet = _class_f1(counts, 0), _class_f1(counts, 3)
    return None if met is None or unmet is None else (met + unmet) / 2


def _class_f1(counts: PairCounts, place: int) -> float | None:
    """F1 of the class whose pairs that agree stand at this place; None where it is never said, or never known."""
    right, said, known = (float(counts[at]) for at in (place, 1 if place == 0 else 2, 2 if place == 0 else 1))
    if not right + said or not right + known:
        return None
    return 2 * right / (2 * right + said + known)


def score_pairs(told: Sequence[tuple[VotedCompletion, Sequence[tuple[bool, bool]]]]) -> MacroF1:
    """Macro F1 over pairs; conversations are drawn again for its interval."""
    clusters: dict[str, PairCounts] = {}
    for case, pairs in told:
        key = case.prompt_id or case.prompt[-1].content
        clusters[key] = clusters.get(key, np.zeros(4)) + count_pairs(pairs)
    matrix = np.array(list(clusters.values())).reshape(-1, 4)
    counts: PairCounts = matrix.sum(axis=0)
    total = int(counts.sum())
    if not total:
        return MacroF1(None, None, None, None, None, None, 0)
    value = macro_f1(counts)
    low, high = _resample_f1(matrix) if value is not None else (None, None)
    agreement = float((counts[0] + counts[3]) / total)
    return MacroF1(value, low, high, _class_f1(counts, 0), _class_f1(counts, 3), agreement, total)


def _resample_f1(matrix: PairCounts) -> tuple[float | None, float | None]:
    """The 95 % interval; a resample in which it is not defined says nothing and is left out.

    Conversations whose pairs are alike are drawn together.
    """
    rng = np.random.default_rng(SEED)
    size = len(matrix)
    kinds, often = np.unique(matrix, axis=0, return_counts=True)
    draws = [rng.multinomial(size, often / size, rows) @ kinds for rows, _ in batch_shapes(RESAMPLES, len(kinds))]
    values = [value for counts in np.concatenate(draws) if (value := macro_f1(counts)) is not None]
    if not values:
        return None, None
    low, high = np.percentile(values, (2.5, 97.5))
    return float(low), float(high)
