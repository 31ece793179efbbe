"""Recorded summaries scored again, in both directions, and compared with the scores that were published of them.

The published scores of PubMedRS-200 come back only when the system's text is given as the reference and the people's
answer as the text, its parts joined last first with nothing between. METEOR, chrF and CharacTER are not symmetrical: in
the direction in which they are defined they order the systems otherwise. Both are computed, and each is named.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from multiprocessing import get_context
from typing import Any, Literal, NamedTuple

import numpy as np

from wellsourced.presentation.wording import format_count
from wellsourced_evaluate.metrics import TEXT_METRICS
from wellsourced_evaluate.recorded_rows import Progress, to_plain
from wellsourced_evaluate.recorded_summaries import BERTSCORE, RecordedReview, RecordedSummaries
from wellsourced_evaluate.source_checks import SourceFigures, contrast_hits, list_searchers, measure_sources
from wellsourced_evaluate.statistics import (
    ArmContrast,
    CaseValues,
    MetricMean,
    ShareContrast,
    average_cases,
    contrast_values,
    spearman,
)
from wellsourced_evaluate.tables import Block, Chance, Interval, Part, Signed, Table, Text
from wellsourced_evaluate.text_metrics import MiniLMTokens, TextScores, load_text_metrics, match_greedily, score_text

Direction = Literal["published", "documented"]
"""Which text is the reference: the system's, as the published scores have it; the people's, as metrics are defined."""

DIRECTIONS: tuple[Direction, ...] = ("published", "documented")
NAMES = tuple(metric.name for metric in TEXT_METRICS)

BY_MINILM = "BERTScore (MiniLM)"

EQUAL = 1e-6
"""Scores that differ by no more are the same."""

MIN_REVIEWS_A_PROCESS = 4
"""Fewer are scored sooner than another process starts."""

PACKAGES = ("cer", "nltk", "rouge-score-rs", "sacrebleu", "scipy", "wellsourced")
"""The figures are those of their versions."""

RESAMPLES, SEED = 1_000, 7

Case = tuple[str, str]
"""Review and system."""


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


class RankAgreement(NamedTuple):
    """How far two scores put the texts in the same order.

    texts       that have both
    spearman    rank correlation over all of them; None for fewer than three, or where all are alike
    low, high   95 % interval: reviews are drawn again, each with all of its texts
    within      mean over reviews of the correlation within each
    """

    texts: int
    spearman: float | None
    low: float | None
    high: float | None
    within: MetricMean


class ModelFigures(NamedTuple):
    """The mean for each system, and how the order goes with that of the published score; None: none was published."""

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


def score_summaries(data: RecordedSummaries, say: Progress) -> list[ScoredSummary]:
    """Every text of every review, in order; in as many processes as there are processors and enough reviews for them.

    Raises SettingsError when a library is not installed.
    """
    load_text_metrics()
    workers = min(len(os.sched_getaffinity(0)), len(data.rows) // MIN_REVIEWS_A_PROCESS)

    def gather(batches: Iterator[list[ScoredSummary]]) -> Iterator[ScoredSummary]:
        for place, batch in enumerate(batches, 1):
            say(place, len(data.rows))
            yield from batch

    if workers < 2:
        return list(gather(map(score_review, data.rows)))
    # Spawned, not forked: libraries here have threads, and a fork of a process with threads may never end.
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        return list(gather(pool.map(score_review, data.rows)))


def score_review(review: RecordedReview) -> list[ScoredSummary]:
    """All texts of one review."""
    swapped = "".join(reversed(review.reference))
    return [
        ScoredSummary(
            review.id,
            name,
            {metric: summary.published[metric] for metric in NAMES},
            score_text(reference=summary.text, hypothesis=swapped),
            score_text(reference=review.expected, hypothesis=summary.text),
        )
        for name, summary in review.systems.items()
    ]


def score_by_minilm(data: RecordedSummaries, say: Progress) -> dict[Case, float | None]:
    """Every text against the people's answer; None where that says nothing."""
    model = MiniLMTokens()
    found: dict[Case, float | None] = {}
    for place, review in enumerate(data.rows, 1):
        reference = model.read_tokens(review.expected)
        for name, summary in review.systems.items():
            score = match_greedily(model.read_tokens(summary.text), reference)
            found[review.id, name] = score if review.expected.strip() else None
        say(place, len(data.rows))
    return found


def measure_scores(data: RecordedSummaries, scores: Mapping[Case, float | None]) -> ModelFigures:
    """What these scores come to beside those that were published."""
    reviews = [
        [
            (ours, theirs)
            for name, summary in review.systems.items()
            if (ours := scores[review.id, name]) is not None and (theirs := summary.published[BERTSCORE]) is not None
        ]
        for review in data.rows
    ]
    means = {name: average_cases(scores[review.id, name] for review in data.rows) for name in data.rows[0].systems}
    return ModelFigures(means, compare_ranks(reviews) if any(reviews) else None)


def compare_ranks(groups: Sequence[Sequence[tuple[float, float]]]) -> RankAgreement:
    """How far two scores of the texts of these groups agree."""
    filled = [pairs for pairs in groups if pairs]
    pooled = [pair for pairs in filled for pair in pairs]
    # Of one review nothing is known of how others would differ.
    times = RESAMPLES if len(filled) > 1 else 0
    draws = np.random.default_rng(SEED).integers(0, max(len(filled), 1), (times, len(filled)))
    again = [spearman([pair for at in draw for pair in filled[at]]).value for draw in draws]
    known = [value for value in again if value is not None]
    low, high = (float(end) for end in np.percentile(known, (2.5, 97.5))) if known else (None, None)
    within = average_cases(spearman(pairs).value for pairs in filled)
    return RankAgreement(len(pooled), spearman(pooled).value, low, high, within)


def compare_metric(metric: str, scored: Sequence[ScoredSummary]) -> Agreement:
    """How far our scores in the published direction are from those that were published."""
    distances = {
        f"{one.review}, {one.system}": abs(ours - theirs)
        for one in scored
        if (ours := one.published[metric]) is not None and (theirs := one.as_published[metric]) is not None
    }
    left_out = len(scored) - len(distances)
    if not distances:
        return Agreement(0, left_out, 0, None, None, "")
    worst = max(distances, key=lambda case: distances[case])
    equal = sum(distance <= EQUAL for distance in distances.values())
    mean = sum(distances.values()) / len(distances)
    return Agreement(len(distances), left_out, equal, mean, distances[worst], worst if equal < len(distances) else "")


def take_column(scored: Sequence[ScoredSummary], system: str, direction: Direction, metric: str) -> CaseValues:
    """Review → the score of a system's text."""
    return {one.review: getattr(one, direction)[metric] for one in scored if one.system == system}


def build_report(
    data: RecordedSummaries, scored: Sequence[ScoredSummary], against: str, by_minilm: Mapping[Case, float | None]
) -> SummariesReport:
    """All figures; with a system to compare the others with, their differences too; BERTScore where there is any."""
    systems, searchers = tuple(data.rows[0].systems), list_searchers(data)
    published = {name: compare_metric(name, scored) for name in NAMES}
    others = [name for name in systems if against and name != against]
    notes = {
        "METEOR, chrF and CharacTER give the published scores back only with text and reference exchanged (“published”"
        "); “documented” is the direction in which they are defined, and orders the systems otherwise": True,
        "the published scores are of references whose parts are joined last first, with nothing between them": True,
        "METEOR differs where sentences are split otherwise: nltk's trained model of sentence ends is a download, and "
        "its untrained one is used": bool(published["METEOR"].mean),
        "p of several comparisons are given as they are, without a correction": bool(others),
        "it is not recorded what the systems found, so sources are not measured": not searchers,
    }
    return SummariesReport(
        file=data.file,
        sha256=data.sha256,
        reviews=len(data.rows),
        recorded_reviews=data.recorded,
        systems=len(systems),
        texts=len(scored),
        published=published,
        means={
            system: {
                way: {name: average_cases(take_column(scored, system, way, name).values()) for name in NAMES}
                for way in DIRECTIONS
            }
            for system in systems
        },
        sources=tuple(measure_sources(data, name) for name in searchers),
        contrasts=tuple(
            SystemContrast(
                against,
                other,
                {
                    name: contrast_values(
                        take_column(scored, against, "documented", name), take_column(scored, other, "documented", name)
                    )
                    for name in NAMES
                },
                contrast_hits(data, against, other) if {against, other} <= set(searchers) else None,
            )
            for other in others
        ),
        model_metrics={BY_MINILM: measure_scores(data, by_minilm)} if by_minilm else {},
        notes=tuple(note for note, holds in notes.items() if holds),
        versions={package: version(package) for package in PACKAGES},
    )


def summaries_blocks(report: SummariesReport) -> Iterator[Block]:
    """Everything, for people."""
    yield Text(
        f"{format_count(report.texts, 'text')} of {format_count(report.reviews, 'review')} by "
        f"{format_count(report.systems, 'system')}, of {report.file} (sha256 {report.sha256})"
    )
    yield Text("Against the published scores, absolute differences:")
    columns = ("metric", "compared", "equal", "mean", "worst", "where")
    # Published scores have six decimals.
    rows = [
        (name, one.compared, one.equal, *(None if one.mean is None else f"{value:.6f}" for value in one[3:5]), one[5])
        for name, one in report.published.items()
    ]
    yield Table(columns, rows)
    yield Text("Means, published direction → documented direction; of CharacTER less is better:")
    yield Table(("system", *NAMES), [(system, *_mean_cells(ways)) for system, ways in report.means.items()])
    for metric, figures in report.model_metrics.items():
        yield Text(f"{metric}:")
        means = [(name, mean.mean, Interval(mean.low, mean.high), mean.cases) for name, mean in figures.means.items()]
        yield Table(("system", "mean", "95 % interval", "reviews"), means)
        if ranks := figures.agreement:
            within = ranks.within
            yield Text("Rank correlation with the published score:")
            correlations = [
                (f"over {ranks.texts:,} texts", ranks.spearman, Interval(ranks.low, ranks.high)),
                ("within a review, on average", within.mean, Interval(within.low, within.high)),
            ]
            yield Table(("Spearman's rho", "value", "95 % interval"), correlations)
    if report.sources:
        yield from _source_blocks(report.sources)
    for contrast in report.contrasts:
        yield from _contrast_blocks(contrast)
    yield from (Text(f"Note: {note}.") for note in report.notes)


def _mean_cells(ways: Mapping[Direction, Mapping[str, MetricMean]]) -> Iterator[str]:
    """Both directions of each metric, with how many reviews a mean is of where it is not of all."""
    for name in NAMES:
        published, documented = ways["published"][name], ways["documented"][name]
        left = f" ({documented.cases} of {documented.cases + documented.undefined})" if documented.undefined else ""
        first, second = ("–" if one.mean is None else f"{one.mean:.3f}" for one in (published, documented))
        yield f"{first} → {second}{left}"


def _source_blocks(sources: Sequence[SourceFigures]) -> Iterator[Block]:
    """Precision and recall of each search, with what the paper has over all of its questions."""
    yield Text("Works taken as relevant, against those that the review cites:")
    rows = [
        (
            *(one.regime, name.removeprefix("source_"), mean.mean, Interval(mean.low, mean.high)),
            *(Part(mean.cases, one.reviews), one.means_with_0[name], one.paper and one.paper[name]),
        )
        for one in sources
        for name, mean in one.means.items()
        if name.startswith("source_")
    ]
    columns = ("search", "metric", "mean", "95 % interval", "defined for", "others as 0", "paper, 145 questions")
    yield Table(columns, rows)
    for one in sources:
        yield Text(
            f"{one.regime}: {one.kept:,} of {one.true_candidates:,} cited works that were found were kept; "
            f"{format_count(one.no_hit, 'review')} without any; the review itself was taken in {one.source:.1%}."
        )


def _contrast_blocks(contrast: SystemContrast) -> Iterator[Block]:
    yield Text(f"{contrast.other} less {contrast.base} (documented direction):")
    columns = ("metric", "base", "other", "difference", "95 % interval", "p", "more", "equal", "less", "undefined")
    rows = [
        (
            *(name, one.base, one.other, Signed(one.difference.mean)),
            *(Interval(one.difference.low, one.difference.high, signed=True), Chance(one.p)),
            *(one.more, one.equal, one.less, one.difference.undefined),
        )
        for name, one in contrast.metrics.items()
    ]
    yield Table(columns, rows)
    if contrast.hits:
        yield Text(
            f"A cited work was found in {contrast.hits.only_base:,} reviews only by {contrast.base}, in "
            f"{contrast.hits.only_other:,} only by {contrast.other} (McNemar, p {contrast.hits.p:.4f})."
        )
