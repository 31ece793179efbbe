"""What meaning costs when a library is filled and when it is asked, and how much better it finds for that.

Each setting is a whole search of the research corpus: of the library, by word or by word and meaning, and the ranking
of the best fifty. Vectors are computed for all passages beforehand, exactly or in 8 bits; or for the best fifty of each
question when it is asked; or not at all.

docs/encoding-frontier.svg: how well each way of encoding finds, against the processor time of a passage.

    python -m benchmarks.encoding

The figures stand in `benchmarks/encoding_frontier.jsonl`, a row for each setting and set of questions; they are those
of docs/performance.md, which says how they were measured.
"""

import json
import time
from collections.abc import Iterable, Sequence
from itertools import groupby, islice
from typing import NamedTuple
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from benchmarks.footprint import TREE
from benchmarks.report import Report
from benchmarks.retrieval import difference, rank_documents, rate_queries
from wellsourced.encoders.base import Encoder, Role, Vectors
from wellsourced.encoders.cache import CachedEncoder
from wellsourced.encoders.minilm import MiniLM
from wellsourced.encoders.splade import Splade
from wellsourced.judges.ranking import RankingJudge, calibration_name, load_ranking_calibration
from wellsourced.pipeline.retrieve.retrieval import rerank_candidates
from wellsourced.pipeline.retrieve.search import Candidate
from wellsourced.policy import Policy
from wellsourced.sources.library import Library
from wellsourced.types import Query, Question
from wellsourced_evaluate.development_data import TASKS, Bench, draw_queries, open_library, read_rows, show_work
from wellsourced_evaluate.plots import GAIN_COLOUR, LOSS_COLOUR

# --- encoding --------------------------------------------------------------------------------------------------------

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


# --- frontier --------------------------------------------------------------------------------------------------------

DATA, PICTURE = TREE / "benchmarks" / "encoding_frontier.jsonl", TREE / "docs" / "encoding-frontier.svg"

PANEL_WIDTH, PANEL_HEIGHT = 320, 240
LEFT, TOP, GAP, FOOT, RIGHT = 70, 84, 90, 64, 24
"""Pixels: a panel for each set of questions, and the room around them."""

MILLISECONDS, MILLISECONDS_STEP = 60, 20
SPAN, SPAN_STEP = 0.025, 0.005
"""What the axes show, and how far apart their lines are. Every panel spans as much nDCG, so that slopes compare."""

GREY, LINE = "#444", "#ddd"


class EncodingResult(NamedTuple):
    """What a setting costs and finds.

    low_ms, high_ms   processor time of a passage, the range of several runs; 0 where nothing is encoded beforehand
    """

    setting: str
    set: str
    ndcg: float
    low_ms: float
    high_ms: float

    @property
    def milliseconds(self) -> float:
        """The middle of the range."""
        return (self.low_ms + self.high_ms) / 2


def read_results() -> list[EncodingResult]:
    """The rows of the data file, those of a set together."""
    return [EncodingResult(**json.loads(line)) for line in DATA.read_text(encoding="utf-8").splitlines()]


def select_frontier(results: Iterable[EncodingResult]) -> list[EncodingResult]:
    """Those than which none is both as cheap and better, the cheapest first."""
    best: list[EncodingResult] = []
    for one in sorted(results, key=lambda one: (one.milliseconds, -one.ndcg)):
        if not best or one.ndcg > best[-1].ndcg:
            best.append(one)
    return best


def draw_frontier(results: Iterable[EncodingResult]) -> str:
    """SVG: a panel for each set, every setting a labelled point, a line through those that nothing beats."""
    sets = [list(some) for _, some in groupby(results, key=lambda one: one.set)]
    width = LEFT + len(sets) * PANEL_WIDTH + (len(sets) - 1) * GAP + RIGHT
    height = TOP + PANEL_HEIGHT + FOOT
    panels = "\n".join(
        f'<g transform="translate({LEFT + place * (PANEL_WIDTH + GAP)} {TOP})">\n{_draw_panel(some)}\n</g>'
        for place, some in enumerate(sets)
    )
    title = "Whole search of the research corpus: quality against processor time of a passage"
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" \
aria-label="{title}" font-family="sans-serif" font-size="12">
<rect width="{width}" height="{height}" fill="#fff"/>
<text x="{LEFT}" y="24" font-size="14">{title}</text>
<text x="{LEFT}" y="44"><tspan fill="{GAIN_COLOUR}">Blue: the frontier.</tspan> <tspan fill="{LOSS_COLOUR}">Orange: \
another finds as well and costs no more.</tspan> Bars: the range of two runs.</text>
{panels}
</svg>
"""


def _draw_panel(results: Sequence[EncodingResult]) -> str:
    # A line of the grid above the best, so that its label has room.
    top = (round(max(one.ndcg for one in results) / SPAN_STEP) + 1) * SPAN_STEP
    foot = top - SPAN
    steps = [foot + place * SPAN_STEP for place in range(round(SPAN / SPAN_STEP) + 1)]
    frontier = select_frontier(results)
    line = " ".join(f"{_place_x(one.milliseconds):.1f},{_place_y(one.ndcg, top):.1f}" for one in frontier)
    parts = [
        f'<text x="0" y="-10" font-weight="bold">{escape(results[0].set)}</text>',
        *(_draw_level(value, top) for value in steps),
        *(_draw_tick(value) for value in range(0, MILLISECONDS + 1, MILLISECONDS_STEP)),
        f'<rect width="{PANEL_WIDTH}" height="{PANEL_HEIGHT}" fill="none" stroke="{GREY}"/>',
        f'<text x="{PANEL_WIDTH / 2}" y="{PANEL_HEIGHT + 40}" text-anchor="middle">'
        "processor time of a passage, beforehand (ms)</text>",
        f'<text text-anchor="middle" transform="translate(-48 {PANEL_HEIGHT / 2}) rotate(-90)">nDCG@10</text>',
        f'<polyline points="{line}" fill="none" stroke="{GAIN_COLOUR}" stroke-width="1.5"/>',
        *(_draw_point(one, top, one in frontier) for one in results),
    ]
    return "\n".join(parts)


def _place_x(milliseconds: float) -> float:
    return PANEL_WIDTH * milliseconds / MILLISECONDS


def _place_y(ndcg: float, top: float) -> float:
    return PANEL_HEIGHT * (top - ndcg) / SPAN


def _draw_level(value: float, top: float) -> str:
    y = _place_y(value, top)
    return (
        f'<line x1="0" y1="{y:.1f}" x2="{PANEL_WIDTH}" y2="{y:.1f}" stroke="{LINE}"/>'
        f'<text x="-8" y="{y + 4:.1f}" text-anchor="end">{f"{value:.3f}".removeprefix("0")}</text>'
    )


def _draw_tick(value: int) -> str:
    x = _place_x(value)
    return (
        f'<line x1="{x:.1f}" y1="{PANEL_HEIGHT}" x2="{x:.1f}" y2="{PANEL_HEIGHT + 5}" stroke="{GREY}"/>'
        f'<text x="{x:.1f}" y="{PANEL_HEIGHT + 20}" text-anchor="middle">{value}</text>'
    )


def _draw_point(one: EncodingResult, top: float, is_best: bool) -> str:
    """A dot, a line over the range of its time, and its name: above it, or beside it at the edge."""
    x, y = _place_x(one.milliseconds), _place_y(one.ndcg, top)
    low, high = _place_x(one.low_ms), _place_x(one.high_ms)
    colour = GAIN_COLOUR if is_best else LOSS_COLOUR
    label = (
        f'x="{x + 12:.1f}" y="{y + 16:.1f}"'
        if not one.milliseconds
        else f'x="{x:.1f}" y="{y - 12:.1f}" text-anchor="middle"'
    )
    return (
        f'<line x1="{low:.1f}" y1="{y:.1f}" x2="{high:.1f}" y2="{y:.1f}" stroke="{colour}" stroke-width="3"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>'
        f"<text {label}>{escape(one.setting)} · {f'{one.ndcg:.3f}'.removeprefix('0')}</text>"
    )


def main() -> None:
    """Draw the picture anew."""
    PICTURE.write_text(draw_frontier(read_results()), encoding="utf-8")
    print(PICTURE)


if __name__ == "__main__":
    main()
