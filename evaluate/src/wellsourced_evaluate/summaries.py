"""Recorded summaries scored again, in both directions, and compared with the scores that were published of them.

The published scores of PubMedRS-200 come back only when the system's text is given as the reference and the people's
answer as the text, its parts joined last first with nothing between. METEOR, chrF and CharacTER are not symmetrical: in
the direction in which they are defined they order the systems otherwise. Both are computed, and each is named.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from importlib.util import find_spec
from multiprocessing import get_context
from typing import Any, Literal, NamedTuple

from wellsourced.app.terminal import format_count
from wellsourced_evaluate.bertscore import RankAgreement
from wellsourced_evaluate.metrics import TEXT_METRICS
from wellsourced_evaluate.recorded_rows import to_plain
from wellsourced_evaluate.recorded_summaries import RecordedReview, RecordedSummaries
from wellsourced_evaluate.source_checks import SourceFigures, contrast_hits, list_searchers, measure_sources
from wellsourced_evaluate.statistics import (
    ArmContrast,
    MetricMean,
    ShareContrast,
    average_cases,
    contrast_values,
)
from wellsourced_evaluate.tables import Block, Chance, Interval, Part, Signed, Table, Text, tabulate
from wellsourced_evaluate.text_metrics import TextScores, load_text_tools, score_text

Direction = Literal["published", "documented"]
"""Which text is the reference: the system's, as the published scores have it; the people's, as metrics are defined."""

DIRECTIONS: tuple[Direction, ...] = ("published", "documented")
NAMES = tuple(metric.name for metric in TEXT_METRICS)

EQUAL = 1e-6
"""Scores that differ by no more are the same."""

MIN_REVIEWS_A_PROCESS = 4
"""Fewer are scored sooner than another process starts."""

PACKAGES = {
    "cer": "cer",
    "nltk": "nltk",
    "rouge_score_rs": "rouge-score-rs",
    "sacrebleu": "sacrebleu",
    "scipy": "scipy",
    "wellsourced": "wellsourced",
}
"""Module → package; the figures are those of its version."""

DIRECTION_NOTE = (
    "METEOR, chrF and CharacTER give the published scores back only with text and reference exchanged (“published”); "
    "“documented” is the direction in which they are defined, and orders the systems otherwise"
)
REFERENCE_NOTE = "the published scores are of references whose parts are joined last first, with nothing between them"
METEOR_NOTE = (
    "METEOR differs where sentences are split otherwise: nltk's trained model of sentence ends is a download, and its "
    "untrained one is used"
)

SummaryProgress = Callable[[int, int], None]
"""Who hears how many reviews are scored, of how many."""


class ScoredSummary(NamedTuple):
    """One system's text of one review: the scores that were published, and ours in both directions."""

    review: str
    system: str
    as_published: Mapping[str, float | None]
    published: TextScores
    documented: TextScores


class Agreement(NamedTuple):
    """How far our scores of one metric are from the published ones.

    compared     texts that have both; `left_out` lack one of them
    equal        that differ by 0.000001 at most
    mean, worst  absolute difference; None when nothing was compared
    worst_case   review and system of the worst, where any differs
    """

    compared: int
    left_out: int
    equal: int
    mean: float | None
    worst: float | None
    worst_case: str


class SystemContrast(NamedTuple):
    """A system against the base, in the documented direction; `hits`: reviews with a true work, where both searched."""

    base: str
    other: str
    metrics: Mapping[str, ArmContrast]
    hits: ShareContrast | None


class ModelFigures(NamedTuple):
    """BERTScore by MiniLM: its mean for each system, and how its order goes with that of the published score."""

    means: Mapping[str, MetricMean]
    agreement: RankAgreement | None


class SummariesReport(NamedTuple):
    """Everything that can be said.

    published      metric → how far we are from the published scores
    means          system → direction → metric → its mean
    sources        of each system that searched
    contrasts      of every other system with the one that was named; empty when none was
    model_metrics  of what needs a model; empty when none was wanted
    """

    file: str
    sha256: str
    reviews: int
    recorded_reviews: int
    systems: int
    texts: int
    published: Mapping[str, Agreement]
    means: Mapping[str, Mapping[Direction, Mapping[str, MetricMean]]]
    sources: tuple[SourceFigures, ...]
    contrasts: tuple[SystemContrast, ...]
    model_metrics: Mapping[str, ModelFigures]
    notes: tuple[str, ...]
    versions: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        differences = {name: agreement.mean for name, agreement in self.published.items()}
        sources = {figures.regime: to_plain(figures) for figures in self.sources}
        return {**to_plain(self._asdict()), "sources": sources, "mean_absolute_difference": differences}


def score_summaries(data: RecordedSummaries, say: SummaryProgress) -> list[ScoredSummary]:
    """Every text of every review, in order; in as many processes as there are processors and enough reviews for them.

    Raises SettingsError when a library is not installed.
    """
    load_text_tools()
    workers = min(len(os.sched_getaffinity(0)), len(data.reviews) // MIN_REVIEWS_A_PROCESS)
    if workers < 2:
        return list(_gather(map(score_review, data.reviews), len(data.reviews), say))
    # Spawned, not forked: libraries here have threads, and a fork of a process with threads may never end.
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        return list(_gather(pool.map(score_review, data.reviews), len(data.reviews), say))


def _gather(batches: Iterator[list[ScoredSummary]], total: int, say: SummaryProgress) -> Iterator[ScoredSummary]:
    for place, batch in enumerate(batches, 1):
        say(place, total)
        yield from batch


def score_review(review: RecordedReview) -> list[ScoredSummary]:
    """All texts of one review."""
    swapped = "".join(reversed(review.reference))
    return [
        ScoredSummary(
            review.id,
            name,
            summary.published,
            score_text(reference=summary.text, hypothesis=swapped),
            score_text(reference=review.expected, hypothesis=summary.text),
        )
        for name, summary in review.systems.items()
    ]


def compare_metric(metric: str, scored: Sequence[ScoredSummary]) -> Agreement:
    """How far our scores in the published direction are from those that were published."""
    distances: dict[str, float] = {}
    for summary in scored:
        ours, theirs = summary.published[metric], summary.as_published[metric]
        if ours is not None and theirs is not None:
            distances[f"{summary.review}, {summary.system}"] = abs(ours - theirs)
    left_out = len(scored) - len(distances)
    if not distances:
        return Agreement(0, left_out, 0, None, None, "")
    worst = max(distances, key=lambda case: distances[case])
    equal = sum(distance <= EQUAL for distance in distances.values())
    mean = sum(distances.values()) / len(distances)
    worst_case = worst if equal < len(distances) else ""
    return Agreement(len(distances), left_out, equal, mean, distances[worst], worst_case)


def average_system(scored: Sequence[ScoredSummary], system: str, direction: Direction) -> dict[str, MetricMean]:
    """Metric → its mean over the reviews, for one system."""
    own = [getattr(summary, direction) for summary in scored if summary.system == system]
    return {name: average_cases(scores[name] for scores in own) for name in NAMES}


def contrast_systems(scored: Sequence[ScoredSummary], base: str, other: str) -> dict[str, ArmContrast]:
    """Metric → the difference of two systems over the same reviews, in the documented direction."""

    def column(system: str, metric: str) -> dict[str, float | None]:
        return {summary.review: summary.documented[metric] for summary in scored if summary.system == system}

    return {name: contrast_values(column(base, name), column(other, name)) for name in NAMES}


def build_report(
    data: RecordedSummaries,
    scored: Sequence[ScoredSummary],
    against: str = "",
    models: Mapping[str, ModelFigures] | None = None,
) -> SummariesReport:
    """All figures; with a system to compare the others with, their differences too."""
    searchers = list_searchers(data)
    published = {name: compare_metric(name, scored) for name in NAMES}
    contrasts = [
        SystemContrast(
            against,
            other,
            contrast_systems(scored, against, other),
            contrast_hits(data, against, other) if {against, other} <= set(searchers) else None,
        )
        for other in data.systems
        if against and other != against
    ]
    notes = [DIRECTION_NOTE, REFERENCE_NOTE]
    notes += [METEOR_NOTE] if published["METEOR"].mean else []
    notes += ["p of several comparisons are given as they are, without a correction"] if contrasts else []
    notes += [] if searchers else ["it is not recorded what the systems found, so sources are not measured"]
    return SummariesReport(
        data.file,
        data.sha256,
        len(data.reviews),
        data.recorded,
        len(data.systems),
        len(scored),
        published,
        {name: {way: average_system(scored, name, way) for way in DIRECTIONS} for name in data.systems},
        tuple(measure_sources(data, name) for name in searchers),
        tuple(contrasts),
        models or {},
        tuple(notes),
        {package: version(package) for module, package in PACKAGES.items() if find_spec(module)},
    )


def summaries_blocks(report: SummariesReport) -> Iterator[Block]:
    """Everything, for people."""
    yield Text(
        f"{format_count(report.texts, 'text')} of {format_count(report.reviews, 'review')} by "
        f"{format_count(report.systems, 'system')}, of {report.file} (sha256 {report.sha256})"
    )
    yield Text("Against the published scores, absolute differences:")
    columns = ("metric", "compared", "equal", "mean", "worst", "where")
    rows = [
        (name, one.compared, one.equal, _six_decimals(one.mean), _six_decimals(one.worst), one.worst_case)
        for name, one in report.published.items()
    ]
    yield Table(columns, rows)
    yield Text("Means, published direction → documented direction; of CharacTER less is better:")
    yield Table(("system", *NAMES), [(system, *_mean_cells(ways)) for system, ways in report.means.items()])
    for metric, figures in report.model_metrics.items():
        yield from _model_blocks(metric, figures)
    if report.sources:
        yield from _source_blocks(report.sources)
    for contrast in report.contrasts:
        yield from _contrast_blocks(contrast)
    yield from (Text(f"Note: {note}.") for note in report.notes)


def _six_decimals(value: float | None) -> str | None:
    """Published scores have so many."""
    return None if value is None else f"{value:.6f}"


def _mean_cells(ways: Mapping[Direction, Mapping[str, MetricMean]]) -> Iterator[str]:
    """Both directions of each metric, with how many reviews a mean is of where it is not of all."""
    for name in NAMES:
        published, documented = ways["published"][name], ways["documented"][name]
        left = f" ({documented.cases} of {documented.cases + documented.undefined})" if documented.undefined else ""
        first, second = ("–" if one.mean is None else f"{one.mean:.3f}" for one in (published, documented))
        yield f"{first} → {second}{left}"


def _model_blocks(metric: str, figures: ModelFigures) -> Iterator[Block]:
    yield Text(f"{metric}:")
    yield Table(
        ("system", "mean", "95 % interval", "reviews"),
        [(name, mean.mean, Interval(mean.low, mean.high), mean.cases) for name, mean in figures.means.items()],
    )
    if ranks := figures.agreement:
        yield Text("Rank correlation with the published score:")
        rows = [
            (f"over {ranks.texts:,} texts", ranks.spearman, Interval(ranks.low, ranks.high)),
            ("within a review, on average", ranks.within.mean, Interval(ranks.within.low, ranks.within.high)),
        ]
        yield Table(("Spearman's rho", "value", "95 % interval"), rows)


def _source_blocks(sources: Sequence[SourceFigures]) -> Iterator[Block]:
    """Precision and recall of each search, with what the paper has over all of its questions."""
    yield Text("Works taken as relevant, against those that the review cites:")
    shares = [(one, name, one.means[name]) for one in sources for name in ("source_precision", "source_recall")]
    yield tabulate(
        shares,
        {
            "search": lambda row: row[0].regime,
            "metric": lambda row: row[1].removeprefix("source_"),
            "mean": lambda row: row[2].mean,
            "95 % interval": lambda row: Interval(row[2].low, row[2].high),
            "defined for": lambda row: Part(row[2].cases, row[0].reviews),
            "others as 0": lambda row: row[0].means_with_0[row[1]].mean,
            "paper, 145 questions": lambda row: row[0].paper[row[1]] if row[0].paper else None,
        },
    )
    for one in sources:
        yield Text(
            f"{one.regime}: {one.kept:,} of {one.true_candidates:,} cited works that were found were kept; "
            f"{format_count(one.no_hit, 'review')} without any; the review itself was taken in {one.source:.1%}."
        )


def _contrast_blocks(contrast: SystemContrast) -> Iterator[Block]:
    yield Text(f"{contrast.other} less {contrast.base} (documented direction):")
    yield tabulate(
        contrast.metrics.items(),
        {
            "metric": lambda row: row[0],
            "base": lambda row: row[1].base,
            "other": lambda row: row[1].other,
            "difference": lambda row: Signed(row[1].difference.mean),
            "95 % interval": lambda row: Interval(row[1].difference.low, row[1].difference.high, signed=True),
            "p": lambda row: Chance(row[1].p),
            "more": lambda row: row[1].more,
            "equal": lambda row: row[1].equal,
            "less": lambda row: row[1].less,
            "undefined": lambda row: row[1].difference.undefined,
        },
    )
    if contrast.hits:
        yield Text(
            f"A cited work was found in {contrast.hits.only_base:,} reviews only by {contrast.base}, in "
            f"{contrast.hits.only_other:,} only by {contrast.other} (McNemar, p {contrast.hits.p:.4f})."
        )
