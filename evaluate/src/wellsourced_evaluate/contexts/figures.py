"""What the answers of a study come to: figures by condition, tests of the same cases under several, arms compared."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.confidence import SEED, ConfidenceInterval, wilson_interval
from wellsourced_evaluate.contexts.study import ConditionRecord, StudyRun
from wellsourced_evaluate.probing import share_works
from wellsourced_evaluate.questions.answer_figures import AnswerFigure
from wellsourced_evaluate.questions.scores import count_marks, labelled_records, marked_records, score_run
from wellsourced_evaluate.statistics import (
    PERMUTATIONS,
    Association,
    ShareContrast,
    adjust_by_holm,
    average_cases,
    bootstrap_mean,
    contrast_shares,
    pool_cases,
    randomisation_test,
)

KEPT_FIGURES = ("answer_accuracy", "decided_accuracy", "coverage", "facts_said")
"""Of the figures of a run, those that say something of a condition."""

_PLACED = re.compile(r"gold at (?P<percent>\d+) % of (?P<size>\d+)")


class ConditionScore(NamedTuple):
    """The answers of one arm under one condition."""

    arm: str
    condition: str
    figures: tuple[AnswerFigure, ...]
    outcomes: Mapping[str, int]
    statuses: Mapping[str, int]
    cases: int

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        return {**self._asdict(), "figures": [{**one._asdict(), "standing": one.standing} for one in self.figures]}

    def find_figure(self, metric: str) -> AnswerFigure:
        """The figure of this metric; without a value where it does not apply."""
        absent = AnswerFigure(metric, None, None, None, 0, 0)
        return next((figure for figure in self.figures if figure.metric == metric), absent)


class ConditionContrast(NamedTuple):
    """One condition against the first.

    shares       cases in which something is so under both, one, none, with McNemar's p; None: it is no yes or no
    difference   mean difference case by case, other less first
    p            McNemar's, or of the randomisation test
    adjusted     the same after Holm's correction for all comparisons beside it
    """

    base: str
    other: str
    shares: ShareContrast | None
    difference: ConfidenceInterval
    cases: int
    p: float
    adjusted: float


class ConditionTests(NamedTuple):
    """One metric under several conditions of one arm: all together, and each against the first."""

    arm: str
    metric: str
    cochran: Association | None
    against_first: tuple[ConditionContrast, ...]


class ArmGain(NamedTuple):
    """One arm against the first: the mean over the places of a context of this size, case by case."""

    metric: str
    size: int
    contrast: ConditionContrast

    def to_json(self) -> dict[str, Any]:
        """All in one."""
        return {"metric": self.metric, "size": self.size, **self.contrast._asdict()}


class ConflictCounts(NamedTuple):
    """Answers of an arm which found that what was read disagrees, beside those of the first arm to the same.

    condition   "": any of them
    resolved    that are right all the same
    wins        that are right where the first arm is not; ties: both right or both not; losses: the reverse
    missing     cases that the first arm was not asked: they are in no count
    """

    base: str
    other: str
    condition: str
    conflicts: int
    resolved: int
    wins: int
    ties: int
    losses: int
    missing: tuple[str, ...]


class RelativeDrop(NamedTuple):
    """How much of a figure is lost by a change: (without it - with it) / without it; None of 0."""

    arm: str
    condition: str
    metric: str
    base: float
    other: float
    drop: float | None


def score_condition(run: StudyRun, condition: str, base: str = "") -> ConditionScore:
    """The figures of one condition: what stays as it is under the base condition, those of a run, and what is cited.

    base   the condition without a change; "": nothing is compared
    """
    records = run.select_condition(condition)
    score = score_run(run.as_answers(condition))
    figures = [figure for figure in score.figures if figure.metric in KEPT_FIGURES]
    if base not in ("", condition):
        figures = [*_compare_answers(run.select_condition(base), records), *figures]
    figures.append(share_of_cases("abstention", value_cases(records, "abstention").values()))
    if cited := value_cases(records, "gold_cited"):
        figures.append(share_of_cases("gold_cited", cited.values()))
    return ConditionScore(run.arm, condition, tuple(figures), score.outcomes, score.statuses, len(records))


def share_of_cases(metric: str, cases: Iterable[float]) -> AnswerFigure:
    """The share of the cases of which something is so, each 1 or 0, with Wilson's interval."""
    every = [bool(one) for one in cases]
    if not every:
        return AnswerFigure(metric, None, None, None, 0, 0)
    return AnswerFigure(metric, *wilson_interval(sum(every), len(every)), sum(every), len(every))


def _compare_answers(
    before: Mapping[str, ConditionRecord], after: Mapping[str, ConditionRecord]
) -> Iterator[AnswerFigure]:
    """What stays as it is without the change, over the cases to which each figure applies."""
    pairs = [
        (before[case], now)
        for case, now in after.items()
        if case in before and "failed" not in (before[case].status, now.status)
    ]
    said = [([mark.said for mark in one.marks], [mark.said for mark in two.marks]) for one, two in pairs if one.marks]
    yield share_of_cases("same_label", [one.label == two.label for one, two in pairs if one.label])
    yield share_of_cases("same_lead", [{*one.lead_cited} == {*two.lead_cited} for one, two in pairs if one.lead_cited])
    yield share_of_cases("same_facts", [first == second for first, second in said])
    shared = average_cases(share_works(one.cited, two.cited) for one, two in pairs)
    yield AnswerFigure("shared_works", shared.mean, shared.low, shared.high, shared.cases, len(pairs))
    kept = pool_cases([(two.kept, len(one.statements)) for one, two in pairs if two.kept is not None])
    yield AnswerFigure("statements_kept", kept.share, kept.low, kept.high, kept.part, kept.whole)


def value_cases(records: Mapping[str, ConditionRecord], metric: str) -> dict[str, float]:
    """Case → what it has of the metric, as far as that applies to it."""
    if metric == "answer_accuracy":
        return {one.case: float(one.outcome == "right") for one in records.values() if labelled_records([one])}
    if metric == "gold_cited":
        placed = [one for one in records.values() if one.gold_document in one.given]
        return {one.case: float(one.gold_document in one.cited) for one in placed}
    if metric == "abstention":
        return {one.case: float(one.status == "abstained") for one in records.values()}
    counted = {one.case: count_marks(one) for one in marked_records(records.values())}
    return {case: said / judged for case, (said, judged) in counted.items() if judged}


def compare_conditions(
    run: StudyRun, conditions: Sequence[str], metric: str, *, with_cochran: bool = True
) -> ConditionTests | None:
    """One metric under these conditions, against the first of them; None where it applies to fewer than two.

    with_cochran   test all of them together too, which wants every case under every condition
    """
    values = {name: of for name in conditions if (of := value_cases(run.select_condition(name), metric))}
    if len(values) < 2:
        return None
    cochran = cochran_q([*values.values()]) if with_cochran and all(map(_is_binary, values.values())) else None
    return ConditionTests(run.arm, metric, cochran, tuple(contrast_with_first(values)))


def _is_binary(values: Mapping[str, float]) -> bool:
    return {*values.values()} <= {0, 1}


def contrast_with_first(values: Mapping[str, Mapping[str, float]]) -> list[ConditionContrast]:
    """Every other condition against the first, over the cases that both have; Holm's correction over all of them.

    values   condition → case → what it has of a metric

    Where all values are 0 or 1 the test is McNemar's.
    """
    (base, first), *others = values.items()
    found = []
    for other, second in others:
        if not (both := [case for case in first if case in second]):
            continue
        one, two = ({case: of[case] for case in both} for of in (first, second))
        gains = np.array([two[case] - one[case] for case in both], dtype=np.float64)
        is_binary = _is_binary(one) and _is_binary(two)
        shares = contrast_shares(*({case: bool(of[case]) for case in both} for of in (one, two))) if is_binary else None
        p = shares.p if shares else randomisation_test(gains)
        found.append(ConditionContrast(base, other, shares, bootstrap_mean(gains), len(both), p, p))
    adjusted = adjust_by_holm([contrast.p for contrast in found])
    return [contrast._replace(adjusted=p or 0.0) for contrast, p in zip(found, adjusted, strict=True)]


def cochran_q(columns: Sequence[Mapping[str, float]]) -> Association:
    """Whether shares differ between conditions (Cochran, 1950), over the cases that all have; no Q where none differs.

    Q = (k-1) · (k·ΣC² - T²) / (k·T - ΣR²). C: how often it is so under a condition, R: under how many it is so of a
    case, T: in all. Its p is that of drawing again which condition of a case is which (10,000 times), so that few
    cases need no approximation.
    """
    shared = sorted(set.intersection(*map(set, columns))) if columns else []
    table = np.array([[column[case] for column in columns] for case in shared], dtype=np.float64)
    # Cases that are alike under every condition change nothing.
    mixed = table[table.any(axis=1) & ~table.all(axis=1)] if shared else table
    if not len(mixed):
        return Association(None, None, len(shared))
    seen = _q_of(mixed)
    rng = np.random.default_rng(SEED)
    extreme = sum(_q_of(rng.permuted(mixed, axis=1)) >= seen - 1e-9 for _ in range(PERMUTATIONS))
    return Association(seen, (extreme + 1) / (PERMUTATIONS + 1), len(shared))


def _q_of(table: NDArray[np.float64]) -> float:
    k, total = table.shape[1], table.sum()
    columns, rows = table.sum(axis=0), table.sum(axis=1)
    return float((k - 1) * (k * (columns**2).sum() - total**2) / (k * total - (rows**2).sum()))


def list_places(run: StudyRun) -> dict[int, dict[str, int]]:
    """Documents of a context → condition → percent at which the gold document is, first to last."""
    found: dict[int, dict[str, int]] = {}
    for condition in run.conditions:
        if placed := _PLACED.fullmatch(condition):
            found.setdefault(int(placed["size"]), {})[condition] = int(placed["percent"])
    return found


def compare_arms(base: StudyRun, other: StudyRun, metrics: Sequence[str]) -> Iterator[ArmGain]:
    """The difference of two arms by size and metric, over the cases that both answered at every place."""
    for size, places in list_places(base).items():
        for metric in metrics:
            means = {}
            for run in (base, other):
                columns = [value_cases(run.select_condition(place), metric) for place in places]
                shared = sorted(set.intersection(*map(set, columns)))
                means[run.arm] = {case: fmean(column[case] for column in columns) for case in shared}
            yield from (ArmGain(metric, size, contrast) for contrast in contrast_with_first(means))


def count_conflicts(base: StudyRun, other: StudyRun) -> Iterator[ConflictCounts]:
    """What became of the answers that found a conflict, where the right one is known: of all, then by condition."""
    found = [one for one in other.records.values() if one.conflicts and labelled_records([one])]
    for condition in ("", *other.conditions):
        asked = [one for one in found if condition in ("", one.condition)]
        pairs = [(base.records.get((one.condition, one.case)), one) for one in asked]
        right = [(first.outcome == "right", one.outcome == "right") for first, one in pairs if first]
        missing = tuple(dict.fromkeys(one.case for first, one in pairs if first is None))
        wins, losses = right.count((False, True)), right.count((True, False))
        resolved = wins + right.count((True, True))
        counts = (len(right), resolved, wins, len(right) - wins - losses, losses)
        if asked:
            yield ConflictCounts(base.arm, other.arm, condition, *counts, missing)


def count_misplaced(run: StudyRun) -> int:
    """Answers before which what was read was in another order than it was given in."""
    return sum(
        list(record.read) != [id for id in record.given if id in record.read] or record.gold_document not in record.read
        for record in run.records.values()
        if record.gold_document in record.given and record.status != "failed"
    )


def measure_drop(run: StudyRun, base: str, after: ConditionScore, metric: str) -> RelativeDrop | None:
    """What is lost of a metric over the cases of a condition; None where it is not known with and without it."""
    cases = run.select_condition(after.condition).keys()
    same = {key: one for key, one in run.records.items() if key[1] in cases}
    before = score_condition(run._replace(records=same), base)
    first, second = (score.find_figure(metric).value for score in (before, after))
    if first is None or second is None:
        return None
    return RelativeDrop(run.arm, after.condition, metric, first, second, (first - second) / first if first else None)
