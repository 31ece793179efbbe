"""Two arms over the same contexts: which is the better over all places, and which where sources disagree."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from wellsourced.confidence import ConfidenceInterval, bootstrap_mean, randomisation_test
from wellsourced_evaluate.contexts.condition_scores import value_cases
from wellsourced_evaluate.contexts.study_file import StudyRun
from wellsourced_evaluate.questions.scores import labelled_records

_PLACED = re.compile(r"gold at (?P<percent>\d+) % of (?P<size>\d+)")


class ArmGain(NamedTuple):
    """One arm against the first: the mean over places of a case, case by case.

    p   of the randomisation test
    """

    base: str
    other: str
    metric: str
    size: int
    difference: ConfidenceInterval
    p: float
    cases: int


class ConflictCounts(NamedTuple):
    """Answers of an arm which found that sources, or parts of what was read, disagree, beside those of the first arm.

    resolved   that end with the right answer all the same
    wins       that are right where the first arm is not; ties: both right or both not; losses: the reverse
    """

    base: str
    other: str
    conflicts: int
    resolved: int
    wins: int
    ties: int
    losses: int


def list_places(run: StudyRun) -> dict[int, dict[str, int]]:
    """Documents of a context → condition → percent at which the gold document stands, first to last."""
    found: dict[int, dict[str, int]] = {}
    for condition in run.conditions:
        if placed := _PLACED.fullmatch(condition):
            found.setdefault(int(placed["size"]), {})[condition] = int(placed["percent"])
    return found


def compare_arms(base: StudyRun, other: StudyRun, metrics: Sequence[str]) -> Iterator[ArmGain]:
    """The difference of two arms by size and metric, over the cases that both answered at every place."""
    for size, places in list_places(base).items():
        for metric in metrics:
            mine, its = (
                [value_cases(run.select_condition(one).values(), metric) for one in places] for run in (base, other)
            )
            both = sorted(set.intersection(*(set(one) for one in (*mine, *its))))
            if both:
                gains = np.array(
                    [np.mean([one[case] for one in its]) - np.mean([one[case] for one in mine]) for case in both],
                    dtype=np.float64,
                )
                found = bootstrap_mean(gains), randomisation_test(gains)
                yield ArmGain(base.arm, other.arm, metric, size, *found, len(both))


def count_conflicts(base: StudyRun, other: StudyRun) -> ConflictCounts | None:
    """What became of answers that found a conflict, of those with a known answer; None where there is none."""
    known = {(one.condition, one.case) for one in other.records.values() if labelled_records([one])}
    conflicting = [key for key, one in other.records.items() if one.conflicts and key in known & base.records.keys()]
    if not conflicting:
        return None
    right = [(base.records[key].outcome == "right", other.records[key].outcome == "right") for key in conflicting]
    wins, losses = right.count((False, True)), right.count((True, False))
    resolved = sum(its for _, its in right)
    return ConflictCounts(base.arm, other.arm, len(right), resolved, wins, len(right) - wins - losses, losses)
