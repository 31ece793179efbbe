"""What a run of the search came to: figures with their intervals, for people and as JSON."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from wellsourced.app.terminal import format_count
from wellsourced.confidence import ConfidenceInterval, bootstrap_mean, percentile
from wellsourced_evaluate.retrieval import changed_settings
from wellsourced_evaluate.retrieval_runs import QueryResult, RetrievalRun, RunComparison
from wellsourced_evaluate.tables import Block, Bullets, Chance, Heading, Interval, Signed, Text, tabulate

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
    return RunSummary(
        {name: bootstrap_mean(np.array([result.measures[name] for result in measured])) for name in names},
        len(results),
        *(statuses["empty"], statuses["partial"], statuses["failed"]),
        percentile(times, 50),
        percentile(times, 95),
        tuple(dict.fromkeys(error for result in results for error in result.errors)),
        _count_notes(results),
    )


def _count_notes(results: Sequence[QueryResult]) -> dict[str, int]:
    first: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for result in results:
        kinds = {re.sub(r"\d+", "0", note): note for note in result.notes}
        counts.update(kinds.keys())
        first = kinds | first
    return {first[kind]: count for kind, count in counts.most_common()}


def evaluation_to_json(run: RetrievalRun, comparison: RunComparison | None, notes: Sequence[str]) -> dict[str, Any]:
    """A run, and its comparison with another where there is one, as JSON."""
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
    counts = {"base": str(found.base.path), "queries": found.queries, "left_out": found.left_out}
    return {**counts, "unlike": list(found.unlike), "measures": contrasts, "changes": dict(found.changes)}


def retrieval_blocks(
    run: RetrievalRun, comparison: RunComparison | None, notes: Sequence[str], words: Mapping[str, str]
) -> Iterator[Block]:
    """Everything, for people; `words` are those of the queries."""
    found, corpus = summarize_run(run), run.header.corpus
    yield Text(f"{format_count(found.queries, 'query')} put to {corpus['name']}, {corpus['documents']:,} documents")
    yield tabulate(
        found.means.items(),
        {
            "measure": lambda item: item[0],
            "mean": lambda item: item[1].mean,
            "95 % interval": lambda item: Interval(item[1].low, item[1].high),
        },
    )
    yield from _trouble_blocks(found)
    yield from (Text(f"Note: {note}.") for note in notes)
    for note, queries in [*found.notes.items()][:MAX_SHOWN]:
        yield Text(f"{format_count(queries, 'query')}: {note}.")
    yield Text(f"A search took {found.p50:,.0f} ms (median), {found.p95:,.0f} ms (95th percentile).")
    # What was measured, so that it can be measured again.
    header = run.header
    others = ", ".join(f"{name}={value}" for name, value in changed_settings(header.settings).items())
    versions = ", ".join(f"{name} {number}" for name, number in header.versions.items())
    yield Text(f"Settings: {others or 'as they come'}")
    yield Text(f"Versions: wellsourced {header.wellsourced} (code {header.code}), {versions}")
    yield Text(f"Corpus: sha256 {corpus['sha256']}, {corpus['passages']:,} passages")
    yield Text(f"Results: {run.path}")
    if comparison:
        yield from _comparison_blocks(comparison, words)


def _trouble_blocks(found: RunSummary) -> Iterator[Block]:
    """What did not go as it should; a line of reassurance when all did."""
    if found.empty:
        counts = "counts" if found.empty == 1 else "count"
        yield Text(f"{format_count(found.empty, 'query')} found nothing, and {counts} as 0.")
    else:
        yield Text("Every query that was measured found something.")
    if found.failed:
        failed = f"{format_count(found.failed, 'query')} FAILED, left out of the means"
        yield Text(f"{failed}: the same command measures them again.", True)
    if found.partial:
        partial = f"{format_count(found.partial, 'query')} lacked a source that failed"
        yield Text(f"{partial}; they count with what the others found.", True)
    more = len(found.errors) - MAX_SHOWN
    rest = [f"and {format_count(more, 'error')} more, in the file of results"] if more > 0 else []
    if found.errors:
        yield Bullets([*found.errors[:MAX_SHOWN], *rest])


def _comparison_blocks(found: RunComparison, words: Mapping[str, str]) -> Iterator[Block]:
    """The difference from the base, measure by measure, and the queries that changed most."""
    yield Heading(2, f"Against {found.base.path}, {format_count(found.queries, 'query')} of both")
    yield Text(f"What differs: {'; '.join(found.unlike) or 'nothing'}")
    if found.left_out:
        yield Text(f"{format_count(found.left_out, 'query')} failed in one of the two, and could not be compared.")
    yield tabulate(
        found.contrasts.items(),
        {
            "measure": lambda item: item[0],
            "base": lambda item: item[1].base,
            "now": lambda item: item[1].other,
            "difference": lambda item: Signed(item[1].difference.mean),
            "95 % interval": lambda item: Interval(item[1].difference.low, item[1].difference.high, signed=True),
            "p": lambda item: Chance(item[1].p),
            "better": lambda item: item[1].more,
            "same": lambda item: item[1].equal,
            "worse": lambda item: item[1].less,
        },
    )
    gains = [(query, gain) for query, gain in found.changes.items() if gain > 0][:MAX_SHOWN]
    losses = [(query, gain) for query, gain in reversed([*found.changes.items()]) if gain < 0][:MAX_SHOWN]
    for name, some in (("gained", gains), ("lost", losses)):
        if some:
            yield Text(f"Queries that {name} most ({next(iter(found.contrasts))}):")
            yield Bullets([f"{gain:+.3f}  {query}  {words.get(query, '')[:90]}" for query, gain in some])
