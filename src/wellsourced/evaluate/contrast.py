"""Two runs over the same queries: what differs, and whether chance could have done it."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from wellsourced.errors import Refused
from wellsourced.evaluate.results import Run
from wellsourced.evaluate.statistics import Interval, interval, randomisation

TIE = 1e-9
"""Differences up to this are none."""


class Contrast(NamedTuple):
    """One measure in two runs.

    difference   ours less theirs, over the queries of both
    p            of the randomisation test
    """

    measure: str
    base: float
    ours: float
    difference: Interval
    p: float
    wins: int
    ties: int
    losses: int


class Comparison(NamedTuple):
    """A run against an earlier one, its base.

    queries    that are compared; `left_out` failed in one of the two
    unlike     what differs between the two, in words
    contrasts  one for each measure
    changes    query → difference of the first measure, where there is one, the largest gain first
    """

    base: Run
    queries: int
    left_out: int
    unlike: tuple[str, ...]
    contrasts: tuple[Contrast, ...]
    changes: Mapping[str, float]


def compare(ours: Run, base: Run) -> Comparison:
    """Each measure that both have, query by query. Raises Refused when the two were asked different things."""
    _comparable(ours, base)
    both = [q for q, one in ours.results.items() if one.measures and base.results[q].measures]
    if not both:
        raise Refused(f"There is nothing to compare with {base.path}: every query failed in one of the runs.")
    names = [name for name in ours.results[both[0]].measures if name in base.results[both[0]].measures]
    contrasts = tuple(_contrast(name, ours, base, both) for name in names)
    gains = {q: ours.results[q].measures[names[0]] - base.results[q].measures[names[0]] for q in both}
    changes = {q: gain for q, gain in sorted(gains.items(), key=lambda one: (-one[1], one[0])) if abs(gain) > TIE}
    unlike = tuple(ours.header.unlike(base.header))
    return Comparison(base, len(both), len(ours.results) - len(both), unlike, contrasts, changes)


def _comparable(ours: Run, base: Run) -> None:
    mine, its = ours.results.keys(), base.results.keys()
    if mine != its:
        remedy = "Measure both with the same --queries, --qrels and --limit, to the end."
        counts = f"{len(its):,} queries, this run has {len(mine):,}, and {len(mine & its):,} are of both"
        raise Refused(f"{base.path} cannot be compared with: it has {counts}. {remedy}")
    if ours.header.topics.get("qrels_sha256") != base.header.topics.get("qrels_sha256"):
        remedy = "Measure both with the same --qrels."
        raise Refused(f"{base.path} cannot be compared with: its queries were judged by another file. {remedy}")


def _contrast(measure: str, ours: Run, base: Run, queries: list[str]) -> Contrast:
    mine, its = (np.array([run.results[query].measures[measure] for query in queries]) for run in (ours, base))
    gains = mine - its
    return Contrast(
        measure,
        float(its.mean()),
        float(mine.mean()),
        interval(gains),
        randomisation(gains),
        int((gains > TIE).sum()),
        int((np.abs(gains) <= TIE).sum()),
        int((gains < -TIE).sum()),
    )
