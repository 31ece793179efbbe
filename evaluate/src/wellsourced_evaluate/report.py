"""What a run of the search came to: figures with their intervals, for people and as JSON."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from wellsourced.confidence import ConfidenceInterval
from wellsourced.presentation.wording import format_count
from wellsourced_evaluate.retrieval import RetrievalRun, changed_settings
from wellsourced_evaluate.statistics import bootstrap_mean, percentile
from wellsourced_evaluate.tables import Block, Bullets, Interval, Table, Text

MAX_SHOWN = 5
"""Queries that gained most, and that lost most, and errors, that are shown."""


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
    results = list(run.results.values())
    measured = [result for result in results if result.measures]
    names = measured[0].measures if measured else {}
    times = np.array([result.ms for result in measured])
    statuses = Counter(result.status for result in results)
    first: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for result in results:
        kinds = {re.sub(r"\d+", "0", note): note for note in result.notes}
        counts.update(kinds.keys())
        first = kinds | first
    return RunSummary(
        {name: bootstrap_mean(np.array([result.measures[name] for result in measured])) for name in names},
        len(results),
        *(statuses["empty"], statuses["partial"], statuses["failed"]),
        percentile(times, 50),
        percentile(times, 95),
        tuple(dict.fromkeys(error for result in results for error in result.errors)),
        {first[kind]: count for kind, count in counts.most_common()},
    )


def evaluation_to_json(run: RetrievalRun, notes: Sequence[str]) -> dict[str, Any]:
    """A run as JSON."""
    found = summarize_run(run)
    counts = {"cases": found.queries - found.failed, "undefined": found.failed}
    return {
        "measures": {name: {**mean._asdict(), **counts} for name, mean in found.means.items()},
        **{name: getattr(found, name) for name in ("queries", "empty", "partial", "failed")},
        "ms": {name: None if math.isnan(ms) else round(ms, 2) for name, ms in (("p50", found.p50), ("p95", found.p95))},
        "errors": list(found.errors),
        "notes": list(notes),
        "search_notes": dict(found.notes),
        "measured": {**run.header.model_dump(mode="json"), "changed": changed_settings(run.header.settings)},
        "results": str(run.path),
    }


def retrieval_blocks(run: RetrievalRun, notes: Sequence[str]) -> Iterator[Block]:
    """Everything, for people."""
    found, header, corpus = summarize_run(run), run.header, run.header.corpus
    yield Text(f"{format_count(found.queries, 'query')} put to {corpus['name']}, {corpus['documents']:,} documents")
    rows = [(name, mean.mean, Interval(mean.low, mean.high)) for name, mean in found.means.items()]
    yield Table(("measure", "mean", "95 % interval"), rows)
    yield from _trouble_blocks(found)
    # What was measured, so that it can be measured again.
    others = ", ".join(f"{name}={value}" for name, value in changed_settings(header.settings).items())
    versions = ", ".join(f"{name} {number}" for name, number in header.versions.items())
    for line in (
        *(f"Note: {note}." for note in notes),
        *(f"{format_count(count, 'query')}: {note}." for note, count in [*found.notes.items()][:MAX_SHOWN]),
        f"A search took {found.p50:,.0f} ms (median), {found.p95:,.0f} ms (95th percentile).",
        f"Settings: {others or 'as they come'}",
        f"Versions: wellsourced {header.wellsourced} (code {header.code}), {versions}",
        f"Corpus: sha256 {corpus['sha256']}, {corpus['passages']:,} passages",
        f"Results: {run.path}",
    ):
        yield Text(line)


def _trouble_blocks(found: RunSummary) -> Iterator[Block]:
    """What did not go as it should; a line of reassurance when all did."""
    empty, failed, partial = (format_count(count, "query") for count in (found.empty, found.failed, found.partial))
    if found.empty:
        yield Text(f"{empty} found nothing, and {'counts' if found.empty == 1 else 'count'} as 0.")
    else:
        yield Text("Every query that was measured found something.")
    if found.failed:
        yield Text(f"{failed} FAILED, left out of the means: the same command measures them again.", True)
    if found.partial:
        yield Text(f"{partial} lacked a source that failed; they count with what the others found.", True)
    if found.errors:
        more = len(found.errors) - MAX_SHOWN
        rest = [f"and {format_count(more, 'error')} more, in the file of results"] if more > 0 else []
        yield Bullets([*found.errors[:MAX_SHOWN], *rest])
