"""How good the ranking is, and what each part of a search adds and costs.

`retrieval`: nDCG@10, recall@10 and recall@100 by words alone and by words and meaning. `ablation`: BM25, + dense, +
expansion, + rerank; every row is the whole search (frame, plan, search, fuse, rank) over the same libraries with one
part more. Quality is measured on each set's own library, time on research and consumer together (33,303 documents),
one question at a time.
"""

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import ir_measures
import numpy as np
from ir_measures import R, nDCG
from numpy.typing import NDArray

from benchmarks.questions import draw_questions
from benchmarks.report import Report
from wellsourced.confidence import ConfidenceInterval
from wellsourced.context import Context
from wellsourced.encoders.base import Encoder
from wellsourced.encoders.cache import CachedEncoder
from wellsourced.encoders.splade import Splade
from wellsourced.judges.base import load_calibration
from wellsourced.judges.overlap import OverlapJudge
from wellsourced.judges.ranking import RankingJudge
from wellsourced.models.base import NoModel
from wellsourced.pipeline.retrieve.retrieval import retrieve
from wellsourced.pipeline.retrieve.search import Candidate
from wellsourced.planners.rules import RulePlanner
from wellsourced.policy import Policy
from wellsourced.question.expansions import LexicalUnderstanding
from wellsourced.question.vocabulary import Lexicon
from wellsourced.sources.library import Library
from wellsourced.types import Hit, Query, Question
from wellsourced_evaluate.development_data import (
    CORPORA,
    TASKS,
    Bench,
    Queries,
    Task,
    draw_queries,
    open_library,
    show_work,
)
from wellsourced_evaluate.statistics import bootstrap_mean

# --- retrieval -------------------------------------------------------------------------------------------------------

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


# --- ablation --------------------------------------------------------------------------------------------------------

NDCG = nDCG @ 10
CANDIDATES = 100
TIMED = 200
WARM = 5
PART_WIDTHS = (14, 20, 20, 20, 20, 10, 10)


class Row(NamedTuple):
    """One setting: which parts take part."""

    name: str
    dense: bool
    expansion: bool
    rerank: bool


ROWS = (
    Row("BM25", dense=False, expansion=False, rerank=False),
    Row("+ dense", dense=True, expansion=False, rerank=False),
    Row("+ expansion", dense=True, expansion=True, rerank=False),
    Row("+ rerank", dense=True, expansion=True, rerank=True),
    Row("without expansion", dense=True, expansion=False, rerank=True),
)

Values = NDArray[np.float64]


async def measure_parts(bench: Bench, encoder: Encoder, report: Report) -> None:
    """One line for each row: nDCG@10 of the four sets, the gain over BM25 with its interval, and milliseconds."""
    known = CachedEncoder(encoder)
    report.section(
        "ablation", "What each part of a search adds (nDCG@10, gain over BM25 with 95 %; whole search in ms)"
    )
    report.row(("", *(task.name for task in TASKS), "p50 ms", "p95 ms"), PART_WIDTHS)
    base: dict[str, Values] = {}
    for row in ROWS:
        cells = []
        for task in TASKS:
            put = draw_queries(bench, task)
            context = context_of(row, [await open_library(bench, task.library, known if row.dense else None)], known)
            values = await quality(put, context, f"{row.name}, {task.name}")
            base.setdefault(task.name, values)
            cells.append(_cell(row.name, task.name, values, base[task.name], report))
        seconds = await times(bench, row, known)
        for share in (50, 95):
            report.record(f"{row.name}, whole search, p{share}", 1000 * float(np.percentile(seconds, share)), "ms")
        spent = (f"{1000 * np.percentile(seconds, share):.0f}" for share in (50, 95))
        report.row((row.name, *cells, *spent), PART_WIDTHS)


def _cell(row: str, task: str, values: Values, base: Values, report: Report) -> str:
    gain = difference(values, base)
    report.record(f"{row}, {task} {NDCG}", float(values.mean()), "", f"{gain.low:+.4f},{gain.high:+.4f}")
    return f"{values.mean():.3f}" if values is base else f"{values.mean():.3f} {gain.low:+.3f}…{gain.high:+.3f}"


def context_of(row: Row, sources: Sequence[Library], encoder: Encoder) -> Context:
    """A context that searches these libraries with the parts of this row; it is never asked to answer."""
    judge = OverlapJudge(load_calibration("relevance", "overlap"))
    lexicons = [source for source in sources if isinstance(source, Lexicon)]
    understanding = LexicalUnderstanding(lexicons, None) if row.expansion else None
    context = Context(
        sources=tuple(sources),
        model=NoModel(),
        support_judge=judge,
        planner=RulePlanner(understanding),
        reranker=RankingJudge(Splade(), encoder) if row.rerank else None,
        policy=Policy(candidates=CANDIDATES),
    )
    return replace(context, understanding=understanding) if understanding else context


async def quality(put: Queries, context: Context, what: str) -> Values:
    """nDCG@10 of each query; one that finds nothing counts as zero."""
    run: dict[str, dict[str, float]] = {}
    for place, (name, text) in enumerate(put.queries.items()):
        if place % 20 == 0:
            show_work(f"{what}: {place:,} of {len(put.queries):,} queries")
        run[name] = rank_documents((await retrieve(Question(text=text), context)).candidates)
    show_work("")
    return rate_queries(put, run)


def rank_documents(candidates: Sequence[Candidate]) -> dict[str, float]:
    """Documents by their best passage, with scores that fall."""
    ranked = dict.fromkeys(one.passage.reference.id for one in candidates)
    return {document: 1 / rank for rank, document in enumerate(ranked, start=1)}


def rate_queries(put: Queries, run: dict[str, dict[str, float]]) -> Values:
    """nDCG@10 of each query, in their order; one that finds nothing counts as zero."""
    values = dict.fromkeys(put.queries, 0.0)
    for metric in ir_measures.iter_calc([NDCG], put.qrels, run):
        values[metric.query_id] = metric.value
    return np.array(list(values.values()))


async def times(bench: Bench, row: Row, encoder: Encoder) -> list[float]:
    """Seconds of each whole search over the libraries of `ask`."""
    names = [name for name, corpus in CORPORA.items() if corpus.asked]
    # Of its own, so that no vector is remembered from the questions before.
    fresh = CachedEncoder(encoder.encoder) if isinstance(encoder, CachedEncoder) else encoder
    context = context_of(row, [await open_library(bench, name, fresh if row.dense else None) for name in names], fresh)
    seconds = []
    for question in draw_questions(bench, TIMED):
        begun = time.perf_counter()
        await retrieve(Question(text=question), context)
        seconds.append(time.perf_counter() - begun)
    return seconds[WARM:]
