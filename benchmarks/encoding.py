"""What meaning costs when a library is filled and when it is asked, and how much better it finds for that.

Each setting is a whole search of the research corpus: of the library, by word or by word and meaning, and the ranking
of the best fifty. Vectors are computed for all passages beforehand, exactly or in 8 bits; or for the best fifty of each
question when it is asked; or not at all.
"""

import time
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.ablation import rank_documents, rate_queries
from benchmarks.report import Report
from benchmarks.retrieval import difference
from wellsourced.encoders.base import Encoder, Role, Vectors
from wellsourced.encoders.cache import CachedEncoder
from wellsourced.encoders.minilm import MiniLM
from wellsourced.encoders.splade import Splade
from wellsourced.judges.ranking import RankingJudge, calibration_name, load_ranking_calibration
from wellsourced.pipeline.retrieve.reranking import rerank_candidates
from wellsourced.pipeline.retrieve.search import Candidate
from wellsourced.policy import Policy
from wellsourced.sources.library import Library
from wellsourced.types import Query, Question
from wellsourced_evaluate.development_data import TASKS, Bench, draw_queries, read_rows, show_work

SETS = ("BioASQ", "PubMedQA")
JUDGED = 50
TIMED = 300
"""Passages that are encoded for the time of one."""

WIDTHS = (40, 14, 14, 30, 30)


class ExactMiniLM(MiniLM):
    """The built-in encoder as it was: passages, too, are computed exactly."""

    name = f"{MiniLM.name}-exact"

    def encode(self, texts: Sequence[str], role: Role = "passage") -> Vectors:  # noqa: ARG002 - all are alike
        """One unit row for each text, in order."""
        return super().encode(texts, "query")


_MINILM = MiniLM()


class Setting(NamedTuple):
    """How passages are found and ranked.

    finder   the encoder that made the library's vectors, None to find by word
    ranks    whether meaning counts in the ranking
    """

    name: str
    finder: CachedEncoder | None
    ranks: bool


class Found(NamedTuple):
    """nDCG@10 of each query, and the processor time of one in milliseconds (the median)."""

    values: NDArray[np.float64]
    milliseconds: float


async def measure(bench: Bench, report: Report) -> None:
    """Print what each setting costs and finds."""
    report.section("encoding", "Meaning: what it costs, and what it finds")
    exact = ExactMiniLM()
    costs = {"8 bits": measure_passage(bench, _MINILM), "exact": measure_passage(bench, exact), "": 0.0}
    settings = (
        (Setting("by word, ranked without meaning", None, ranks=False), ""),
        (Setting("by word, best 50 encoded when asked", None, ranks=True), ""),
        (Setting("by word and meaning, in 8 bits", CachedEncoder(_MINILM), ranks=True), "8 bits"),
        (Setting("by word and meaning, exact", CachedEncoder(exact), ranks=True), "exact"),
    )
    report.row(("", "ms a passage", "ms a question", *(f"{name} nDCG@10" for name in SETS)), WIDTHS)
    known: dict[str, NDArray[np.float64]] = {}
    for setting, kind in reversed(settings):
        found = {task.name: await search_all(bench, task.name, setting) for task in TASKS if task.name in SETS}
        cells = []
        for name, one in found.items():
            base = known.setdefault(name, one.values)
            gain = difference(one.values, base)
            cells.append(f"{one.values.mean():.4f} ({gain.low:+.3f} … {gain.high:+.3f})")
            report.record(f"{setting.name}, {name}", float(one.values.mean()), "nDCG@10")
        asked_for = float(np.mean([one.milliseconds for one in found.values()]))
        report.record(f"{setting.name}, a passage", costs[kind], "ms")
        report.record(f"{setting.name}, a question", asked_for, "ms")
        report.row((setting.name, f"{costs[kind]:.1f}", f"{asked_for:.0f}", *cells), WIDTHS)


def measure_passage(bench: Bench, encoder: Encoder) -> float:
    """Milliseconds of processor time for one passage of the corpus, whole abstracts as most are."""
    every = islice(read_rows(bench.data / "corpora/research.jsonl.gz"), TIMED)
    texts = [f"{row['title']}\n{row['text']}" for row in every]
    encoder.encode(texts[:1])
    started = time.process_time()
    encoder.encode(texts)
    return (time.process_time() - started) * 1000 / len(texts)


async def search_all(bench: Bench, task: str, setting: Setting) -> Found:
    """Put the queries of a task; the library with these vectors is built first, where it is not there."""
    put = draw_queries(bench, next(one for one in TASKS if one.name == task))
    is_exact = setting.finder is not None and isinstance(setting.finder.encoder, ExactMiniLM)
    own = bench._replace(work=bench.work / "exact") if is_exact else bench
    held = await open_library(own, "research", setting.finder)
    ranked, times = {}, list[float]()
    for place, (query, text) in enumerate(put.queries.items()):
        show_work(f"{setting.name}, {task}: {place:,} of {len(put.queries):,} queries")
        started = time.process_time()
        ranked[query] = await rank(held, text, setting)
        times.append((time.process_time() - started) * 1000)
    show_work("")
    return Found(rate_queries(put, ranked), float(np.median(times)))


async def rank(held: Library, text: str, setting: Setting) -> dict[str, float]:
    """Documents by their best passage, with scores that fall."""
    hits = (await held.search(Query(terms=(text,)), JUDGED)).hits
    candidates = [Candidate(hit.passage, held.folder.name, hit.score) for hit in hits]
    encoder = (setting.finder or CachedEncoder(_MINILM)) if setting.ranks else None
    matcher = Splade()
    judge = RankingJudge(matcher, encoder, load_ranking_calibration(calibration_name(matcher, encoder and _MINILM)))
    found = await rerank_candidates(Question(text=text), candidates, judge, Policy(rerank=JUDGED))
    return rank_documents(found.candidates)
