"""How a library weighs words against meaning, and how the ranking judge weighs what it sees.

    python -m wellsourced_evaluate.fitting.ranking DATA WORK [--queries 600]

writes sources/library/ranking.json (with MiniLM only: the weights are of standardised scores, and hold for any encoder)
and the rows of judges/rankings.json for that encoder. Queries are split by `group`; what maximises the mean nDCG@10 of
the four sets, each counting alike, is sought on one half and reported on the other. Everything is seeded.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from wellsourced.encoders.base import Encoder
from wellsourced.encoders.splade import Splade
from wellsourced.judges.base import Calibration
from wellsourced.judges.ranking import RankingJudge, calibration_name
from wellsourced.sources.library import Library
from wellsourced.sources.library.engines import PassageFilter
from wellsourced.sources.library.hybrid_search import FusionWeights, fuse_rankings, load_fusion_weights
from wellsourced.text.passages import text_under_titles
from wellsourced.types import Query
from wellsourced_evaluate.development_data import (
    PRODUCT,
    TASKS,
    Bench,
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
    open_encoder,
    print_table,
    replace_rows,
    start_parser,
    write_weights,
)
from wellsourced_evaluate.statistics import bootstrap_mean

CUT = 10
JUDGED = 50
"""Candidates that the judge is fitted on: those that it is shown in use."""

STEPS = (0.2, 0.1, 0.05)
"""By how much a weight is moved, coarse first; finer steps fit noise."""

ON = "BioASQ, PubMedQA, SciFact and MedQuAD queries, one half by group, for nDCG@10; the sets count alike"

EACH = (FusionWeights(words=1, meaning=0), FusionWeights(words=0, meaning=1))
PRIOR = {"suggested": 0.25, "rare_coverage": 0.2, "rarest": 0.05, "cosine": 0.5}
"""What the ranking judge sees, and the weights from which the search for better ones begins."""


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

    def rate_found(self) -> float:
        """nDCG@10 in the order in which things were found."""
        return self.rate(-np.arange(len(self.gains), dtype=float))


Pools = Mapping[str, Sequence[Pool]]


def sum_gains(gains: Sequence[float]) -> float:
    """Discounted cumulative gain, the first place counting whole."""
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains))


# --- what is weighed -------------------------------------------------------------------------------------------------

Found = tuple[Sequence[str], Floats]
"""The documents of the passages that were found for a query, and what is weighed of each: float (passages, kinds)."""

Look = Callable[[str], Awaitable[Found]]


async def build_pools(bench: Bench, encoder: Encoder, prepare: Callable[[Library], Look]) -> Pools:
    """What is found for the queries of the four tasks, which are drawn with a fixed seed."""
    pools: dict[str, list[Pool]] = {}
    for task in TASKS:
        rows = read_rows(bench.data / f"{task.path}.queries.jsonl.gz")
        group = {row["_id"]: row["metadata"]["group"] for row in rows}
        put = draw_queries(bench, task)
        look = prepare(await open_library(bench, task.library, encoder))
        pools[task.name] = []
        for place, (query, text) in enumerate(put.queries.items()):
            show_work(f"{task.name}: {place:,} of {len(put.queries):,} queries")
            documents, values = await look(text)
            qrels = put.qrels[query]
            gains = np.array([qrels.get(document, 0) for document in documents], float)
            ideal = sum_gains(sorted(qrels.values(), reverse=True)[:CUT])
            pools[task.name].append(Pool(documents, gains, ideal, is_fitted_half(group[query]), values))
        show_work("")
    return pools


def search_candidates(library: Library) -> Look:
    """The candidates of each query with their standardised scores: by word, by meaning."""

    async def look(text: str) -> Found:
        seen = await library._hybrid_search.find_candidates(Query(terms=(text,)), JUDGED, PassageFilter())
        kinds = [fuse_rankings(seen.words, seen.near, seen.cosines, weights) for weights in EACH]
        scores = [{one.passage.id: one.score for one in kind} for kind in kinds]
        passages = {one.passage.id: one.passage for one in kinds[0]}
        ids = sorted(passages)
        values = np.array([[kind[id] for kind in scores] for id in ids]).reshape(-1, len(scores))
        return [passages[id].document_id for id in ids], values

    return look


def judge_hits(judge: RankingJudge) -> Callable[[Library], Look]:
    """The first hits of each query, in their order, with the features of the judge in the order of `PRIOR`."""

    def prepare(library: Library) -> Look:
        async def look(text: str) -> Found:
            hits = (await library.search(Query(terms=(text,)), JUDGED)).hits
            seen = judge.features(text, [text_under_titles(hit.passage) for hit in hits])
            values = np.array([[one[name] for name in PRIOR] for one in seen]).reshape(-1, len(PRIOR))
            return [hit.passage.reference.id for hit in hits], values

        return look

    return prepare


# --- fit -------------------------------------------------------------------------------------------------------------


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


def fit_library(sets: Pools) -> FusionWeights:
    """How words and meaning are weighed; prints what that gains on the other half over words alone."""
    weights = climb(sets, np.array([0.5, 0.5]))
    print(f"\nlibrary: words {weights[0]:.2f}, meaning {weights[1]:.2f}")
    report(sets, weights, "by word alone", lambda pool: pool.rate(pool.values @ np.array([1.0, 0.0])))
    words, meaning = (round(float(one), 3) for one in weights)
    return FusionWeights(words=words, meaning=meaning, fitted_on=ON)


def fit_judge(sets: Pools, name: str, used: Sequence[str]) -> Calibration:
    """The weights that rank best, stretched so that they give a probability; prints what that gains.

    The threshold is of the half that was fitted, the figures are of the other.
    """
    columns = [list(PRIOR).index(feature) for feature in used]
    seen = {name: [one._replace(values=one.values[:, columns]) for one in some] for name, some in sets.items()}
    weights = climb(seen, np.array([PRIOR[feature] for feature in used]))
    every = [one for some in seen.values() for one in some if len(one.gains)]
    labels = np.concatenate([one.gains > 0 for one in every])
    use = np.concatenate([np.full(len(one.gains), one.fitting) for one in every])
    sums = np.concatenate([one.values @ weights for one in every])[:, None]
    model = fit_logistic(sums[use], labels[use], 1.0, is_balanced=True)
    print(f"\n{name}: {dict(zip(used, weights.round(3).tolist(), strict=True))}")
    report(seen, weights, "as the library ranks", Pool.rate_found)
    stretched = {feature: weight * model.weights[0] for feature, weight in zip(used, weights, strict=True) if weight}
    rated = model.rate(sums)
    threshold = find_threshold(rated[use], labels[use])
    scores, others = rated[~use], labels[~use]
    return Calibration(
        purpose="relevance",
        judge=name,
        weights={feature: round(float(weight), 4) for feature, weight in stretched.items()},
        intercept=round(model.intercept, 4),
        threshold=threshold,
        fitted_on=ON,
        n=int(use.sum()),
        auroc=round(measure_auroc(scores, others), 3),
        accuracy=round(measure_accuracy(scores, others, threshold), 3),
        ece=round(measure_calibration_error(scores, others), 3),
    )


def report(sets: Pools, weights: Floats, against: str, rate_before: Callable[[Pool], float]) -> None:
    """Print nDCG@10 on both halves, and on the other half the gain with its interval."""
    rows: list[tuple[str | float, ...]] = []
    for name, some in sets.items():
        other = rate_half(some, weights, False)
        before = np.array([rate_before(one) for one in some if not one.fitting])
        gain = bootstrap_mean(other - before)
        means = (float(one.mean()) for one in (rate_half(some, weights, True), other, before))
        rows.append((name, *means, f"{gain.mean:+.4f}", f"{gain.low:+.4f} … {gain.high:+.4f}"))
    print_table(("set", "fitted half", "other half", against, "gain", "95 %"), rows)


async def main() -> None:
    """Fit the library, then the judge on what the library brings up."""
    parser = start_parser(__doc__, PRODUCT)
    parser.add_argument("work", type=Path, help="where the libraries of the measurements are kept")
    parser.add_argument("--queries", type=int, default=600, help="of each set")
    given = parser.parse_args()
    bench = Bench(given.data.resolve(), given.work.resolve(), 0, given.queries)
    encoder, matcher = open_encoder(), Splade()
    found = fit_library(await build_pools(bench, encoder, search_candidates))
    write_weights(found, given.out / "sources/library/ranking.json")
    load_fusion_weights.cache_clear()
    # Its features do not depend on how they are weighed.
    weightless = Calibration(purpose="relevance", judge="", weights={}, intercept=0, threshold=0)
    pools = await build_pools(bench, encoder, judge_hits(RankingJudge(matcher, encoder, weightless)))
    rows = [fit_judge(pools, calibration_name(matcher, encoder), list(PRIOR))]
    without = [feature for feature in PRIOR if feature != "cosine"]
    rows.append(fit_judge(pools, calibration_name(matcher, None), without))
    replace_rows(given.out / "judges/rankings.json", Calibration, rows, lambda one: one.judge)


if __name__ == "__main__":
    asyncio.run(main())
