"""Two runs over the same queries: what differs, and whether chance could have done it."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from wellsourced.confidence import ConfidenceInterval, bootstrap_mean, randomisation_test
from wellsourced.errors import SourceRefused
from wellsourced.evaluate.run_file import RetrievalRun

TIE_TOLERANCE = 1e-9
"""Differences up to this are none."""


class MeasureContrast(NamedTuple):
    """One measure in two runs.

    difference   ours less theirs, over the queries of both
    p            of the randomisation test
    """

    measure: str
    base: float
    ours: float
    difference: ConfidenceInterval
    p: float
    wins: int
    ties: int
    losses: int


class RunComparison(NamedTuple):
    """A run against an earlier one, its base.

    queries    that are compared; `left_out` failed in one of the two
    unlike     what differs between the two, in words
    contrasts  one for each measure
    changes    query → difference of the first measure, where there is one, the largest gain first
    """

    base: RetrievalRun
    queries: int
    left_out: int
    unlike: tuple[str, ...]
    contrasts: tuple[MeasureContrast, ...]
    changes: Mapping[str, float]


def compare_runs(ours: RetrievalRun, base: RetrievalRun) -> RunComparison:
    """Each measure that both have, query by query. Raises SourceRefused when the two were asked different things."""
    _require_comparable(ours, base)
    both = [q for q, one in ours.results.items() if one.measures and base.results[q].measures]
    if not both:
        raise SourceRefused(f"There is nothing to compare with {base.path}: every query failed in one of the runs.")
    names = [name for name in ours.results[both[0]].measures if name in base.results[both[0]].measures]
    contrasts = tuple(_contrast_measure(name, ours, base, both) for name in names)
    gains = {q: ours.results[q].measures[names[0]] - base.results[q].measures[names[0]] for q in both}
    by_gain = sorted(gains.items(), key=lambda one: (-one[1], one[0]))
    changes = {q: gain for q, gain in by_gain if abs(gain) > TIE_TOLERANCE}
    unlike = tuple(ours.header.describe_differences(base.header))
    return RunComparison(base, len(both), len(ours.results) - len(both), unlike, contrasts, changes)


def _require_comparable(ours: RetrievalRun, base: RetrievalRun) -> None:
    mine, its = ours.results.keys(), base.results.keys()
    if mine != its:
        remedy = "Measure both with the same --queries, --qrels and --limit, to the end."
        counts = f"{len(its):,} queries, this run has {len(mine):,}, and {len(mine & its):,} are of both"
        raise SourceRefused(f"{base.path} cannot be compared with: it has {counts}. {remedy}")
    if ours.header.topics.get("qrels_sha256") != base.header.topics.get("qrels_sha256"):
        remedy = "Measure both with the same --qrels."
        raise SourceRefused(f"{base.path} cannot be compared with: its queries were judged by another file. {remedy}")


def _contrast_measure(measure: str, ours: RetrievalRun, base: RetrievalRun, queries: list[str]) -> MeasureContrast:
    mine, its = (np.array([run.results[query].measures[measure] for query in queries]) for run in (ours, base))
    gains = mine - its
    return MeasureContrast(
        measure,
        float(its.mean()),
        float(mine.mean()),
        bootstrap_mean(gains),
        randomisation_test(gains),
        int((gains > TIE_TOLERANCE).sum()),
        int((np.abs(gains) <= TIE_TOLERANCE).sum()),
        int((gains < -TIE_TOLERANCE).sum()),
    )
