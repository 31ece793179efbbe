"""How good the ranking is: nDCG@10, recall@10 and recall@100 by words alone and by words and meaning."""

from collections.abc import Iterable

import ir_measures
import numpy as np
from ir_measures import R, nDCG
from numpy.typing import NDArray

from benchmarks.report import Report
from wellsourced.confidence import ConfidenceInterval, bootstrap_mean
from wellsourced.encoders.base import Encoder
from wellsourced.sources.library import Library
from wellsourced.types import Hit, Query
from wellsourced_evaluate.development_data import TASKS, Bench, Queries, Task, draw_queries, open_library, show_work

MEASURES = (nDCG @ 10, R @ 10, R @ 100)
PASSAGES = 400
"""Hits asked for, so that they fold to a hundred documents or more."""

WIDTHS = (12, 9, 10, 8, 8, 13, 20, 8)

Scores = dict[str, NDArray[np.float64]]
"""Measure → its value for each query, in the order of the queries."""


async def measure(bench: Bench, encoder: Encoder, report: Report) -> None:
    """One line for each set and measure."""
    report.section("retrieval", "Retrieval on the development queries (documents, by their best passage)")
    report.row(("set", "queries", "measure", "BM25", "hybrid", "hybrid−BM25", "95 % interval", "floor"), WIDTHS)
    for task in TASKS:
        put = draw_queries(bench, task)
        if not put.queries:
            report.note(f"{task.name}: none of its queries has an answer in the sample")
            continue
        words = await scores(await open_library(bench, task.library, None), put, f"{task.name} by words")
        both = await scores(await open_library(bench, task.library, encoder), put, f"{task.name} by both")
        _tell(task, len(put.queries), words, both, report)


async def scores(source: Library, put: Queries, what: str) -> Scores:
    """Each measure for each query; a query that finds nothing counts as zero."""
    run: dict[str, dict[str, float]] = {}
    for place, (name, text) in enumerate(put.queries.items()):
        if place % 50 == 0:
            show_work(f"{what}: {place:,} of {len(put.queries):,} queries")
        run[name] = folded((await source.search(Query(terms=(text,)), PASSAGES)).hits)
    show_work("")
    values: dict[str, dict[str, float]] = {str(measure): dict.fromkeys(put.queries, 0.0) for measure in MEASURES}
    for metric in ir_measures.iter_calc(MEASURES, put.qrels, run):
        values[str(metric.measure)][metric.query_id] = metric.value
    return {name: np.array(list(by_query.values())) for name, by_query in values.items()}


def folded(hits: Iterable[Hit]) -> dict[str, float]:
    """Document → score: the place of its best passage counts, since scores of two lists cannot be compared."""
    ranked: dict[str, float] = {}
    for place, hit in enumerate(hits, start=1):
        ranked.setdefault(hit.passage.reference.id, 1 / place)
    return ranked


def difference(ours: NDArray[np.float64], base: NDArray[np.float64]) -> ConfidenceInterval:
    """The mean difference of paired values, and how far it may be off."""
    return bootstrap_mean(ours - base)


def _tell(task: Task, queries: int, words: Scores, both: Scores, report: Report) -> None:
    for name in map(str, MEASURES):
        gain = difference(both[name], words[name])
        floor = f"{task.floor:.3f}" if name == str(nDCG @ 10) else ""
        means = (f"{words[name].mean():.3f}", f"{both[name].mean():.3f}")
        span = f"{gain.low:+.3f} … {gain.high:+.3f}"
        report.row((task.name, f"{queries:,}", name, *means, f"{gain.mean:+.3f}", span, floor), WIDTHS)
        report.record(f"{task.name} {name} BM25", float(words[name].mean()), "", floor)
        report.record(f"{task.name} {name} hybrid", float(both[name].mean()), "", floor)
        report.record(
            f"{task.name} {name} hybrid−BM25 (low, mean, high)", gain.mean, f"{gain.low:+.4f},{gain.high:+.4f}"
        )
