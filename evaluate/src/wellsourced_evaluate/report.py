"""What a run came to, for whoever prints it: figures with their intervals, and everything as JSON."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from wellsourced.confidence import ConfidenceInterval, bootstrap_mean, percentile
from wellsourced_evaluate.retrieval import changed_settings
from wellsourced_evaluate.run_comparison import RunComparison
from wellsourced_evaluate.run_file import QueryResult, RetrievalRun


class RunSummary(NamedTuple):
    """A run in figures.

    means     of each measure over the queries that did not fail
    queries   that were put; of them `empty` found nothing, `partial` were hit by a failing source, `failed` gave none
    p50, p95  milliseconds that a search took
    errors    what failed, each once
    notes     what searches said of themselves → by how many queries; notes that differ only in figures are one
    """

    means: Mapping[str, ConfidenceInterval]
    queries: int
    empty: int
    partial: int
    failed: int
    p50: float
    p95: float
    errors: tuple[str, ...]
    notes: Mapping[str, int]


def summarize_run(run: RetrievalRun) -> RunSummary:
    """The run in figures. A query that found nothing counts as zero; one that failed was not measured."""
    every = list(run.results.values())
    measured = [one for one in every if one.measures]
    names = measured[0].measures if measured else {}
    times = np.array([one.ms for one in measured])
    empty, partial, failed = (sum(one.status == status for one in every) for status in ("empty", "partial", "failed"))
    return RunSummary(
        {name: bootstrap_mean(np.array([one.measures[name] for one in measured])) for name in names},
        len(every),
        empty,
        partial,
        failed,
        percentile(times, 50),
        percentile(times, 95),
        tuple(dict.fromkeys(error for one in every for error in one.errors)),
        _count_notes(every),
    )


def _count_notes(results: Sequence[QueryResult]) -> dict[str, int]:
    first: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for result in results:
        sorts = {re.sub(r"\d+", "0", note): note for note in result.notes}
        counts.update(sorts.keys())
        first = sorts | first
    return {first[sort]: count for sort, count in counts.most_common()}


def evaluation_to_json(run: RetrievalRun, comparison: RunComparison | None, notes: Sequence[str]) -> dict[str, Any]:
    """A run, and its comparison with another where there is one, as JSON."""
    found = summarize_run(run)
    counts = {"cases": found.queries - found.failed, "undefined": found.failed}
    return {
        "measures": {name: {**mean._asdict(), **counts} for name, mean in found.means.items()},
        **{name: getattr(found, name) for name in ("queries", "empty", "partial", "failed")},
        "ms": {"p50": _round_number(found.p50), "p95": _round_number(found.p95)},
        "errors": list(found.errors),
        "notes": list(notes),
        "search_notes": dict(found.notes),
        "measured": {**run.header.model_dump(mode="json"), "changed": changed_settings(run.header.settings)},
        "results": str(run.path),
        "comparison": comparison_to_json(comparison) if comparison else None,
    }


def comparison_to_json(found: RunComparison) -> dict[str, Any]:
    """A comparison as JSON."""
    contrasts = [
        {
            **{"measure": name, "base": one.base, "ours": one.other, "difference": one.difference.to_json()},
            **{"p": one.p, "wins": one.more, "ties": one.equal, "losses": one.less},
        }
        for name, one in found.contrasts.items()
    ]
    return {
        "base": str(found.base.path),
        "queries": found.queries,
        "left_out": found.left_out,
        "unlike": list(found.unlike),
        "measures": contrasts,
        "changes": dict(found.changes),
    }


def _round_number(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 2)
