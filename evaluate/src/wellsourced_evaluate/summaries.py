"""Recorded summaries scored again, in both directions, and compared with the scores that were published of them.

The published scores of PubMedRS-200 come back only when the system's text is given as the reference and the people's
answer as the text, its parts joined last first with nothing between. METEOR, chrF and CharacTER are not symmetrical: in
the direction in which they are defined they order the systems otherwise. Both are computed, and each is named.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from functools import partial
from importlib.metadata import version
from multiprocessing import get_context
from typing import Any, Literal, NamedTuple

import numpy as np

from wellsourced.presentation.wording import format_count
from wellsourced_evaluate.metrics import TEXT_METRICS
from wellsourced_evaluate.recorded_rows import Progress, to_plain
from wellsourced_evaluate.recorded_summaries import RecordedReview, RecordedSummaries, repair_letters
from wellsourced_evaluate.source_checks import SourceFigures, contrast_hits, list_searchers, measure_sources
from wellsourced_evaluate.statistics import (
    ArmContrast,
    CaseValues,
    MetricMean,
    ShareContrast,
    average_cases,
    contrast_values,
)
from wellsourced_evaluate.tables import Block, Chance, Interval, Part, Signed, Table, Text
from wellsourced_evaluate.text_metrics import TextScores, load_text_metrics, score_text

Direction = Literal["published", "documented"]
"""Which text is the reference: the system's, as the published scores have it; the people's, as metrics are defined."""

DIRECTIONS: tuple[Direction, ...] = ("published", "documented")
NAMES = tuple(metric.name for metric in TEXT_METRICS)

EQUAL = 1e-6
"""Scores that differ by no more are the same."""

MIN_REVIEWS_A_PROCESS = 4
"""Fewer are scored sooner than another process starts."""

PACKAGES = ("cer", "nltk", "rouge-score-rs", "sacrebleu", "scipy", "wellsourced")
"""The figures are those of their versions."""


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


class SummariesReport(NamedTuple):
    """Everything that can be said.

    published      metric → how far we are from the published scores; empty where none were
    words          system → the mean number of words of its texts
    others         system → metric that nothing here computes → the mean of its published scores
    refusals       system → texts that answer nothing
    removed        reviews that were left out, since a system took no work as relevant
    damaged        texts, references and sources whose letters are damaged
    by_date        "before …" and "from … on" → system → metric → its mean in the documented direction
    deviations     system → metric → standard deviation over reviews, in the documented direction
    means          system → direction → metric → its mean
    sources        of each system that searched
    contrasts      of every other system with the one that was named; empty when none was
    """

    file: str
    sha256: str
    reviews: int
    recorded_reviews: int
    systems: int
    texts: int
    published: Mapping[str, Agreement]
    words: Mapping[str, float]
    others: Mapping[str, Mapping[str, MetricMean]]
    refusals: Mapping[str, int]
    removed: tuple[str, ...]
    damaged: int
    by_date: Mapping[str, Mapping[str, Mapping[str, MetricMean]]]
    deviations: Mapping[str, Mapping[str, float]]
    means: Mapping[str, Mapping[Direction, Mapping[str, MetricMean]]]
    sources: tuple[SourceFigures, ...]
    contrasts: tuple[SystemContrast, ...]
    notes: tuple[str, ...]
    versions: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        differences = {name: agreement.mean for name, agreement in self.published.items()}
        sources = {figures.regime: to_plain(figures) for figures in self.sources}
        return {**to_plain(self._asdict()), "sources": sources, "mean_absolute_difference": differences}


def score_summaries(data: RecordedSummaries, say: Progress, *, repair: bool = False) -> list[ScoredSummary]:
    """Every text of every review, in order; in as many processes as there are processors and enough reviews for them.

    repair   damaged letters are repaired in the documented direction; published scores are of what was found

    Raises SettingsError when a library is not installed.
    """
    load_text_metrics()
    score = partial(score_review, repair=repair)
    workers = min(len(os.sched_getaffinity(0)), len(data.rows) // MIN_REVIEWS_A_PROCESS)

    def gather(batches: Iterator[list[ScoredSummary]]) -> Iterator[ScoredSummary]:
        for place, batch in enumerate(batches, 1):
            say(place, len(data.rows))
            yield from batch

    if workers < 2:
        return list(gather(map(score, data.rows)))
    # Spawned, not forked: libraries here have threads, and a fork of a process with threads may never end.
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        return list(gather(pool.map(score, data.rows)))


def score_review(review: RecordedReview, *, repair: bool = False) -> list[ScoredSummary]:
    """All texts of one review."""
    form = repair_letters if repair else str
    swapped = "".join(reversed(review.reference))
    return [
        ScoredSummary(
            review.id,
            name,
            {metric: summary.published[metric] for metric in NAMES},
            score_text(reference=summary.text, hypothesis=swapped),
            score_text(reference=form(review.expected), hypothesis=form(summary.text)),
        )
        for name, summary in review.systems.items()
    ]


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
    data: RecordedSummaries,
    scored: Sequence[ScoredSummary],
    against: str,
    removed: Sequence[str] = (),
    cutoff: date | None = None,
) -> SummariesReport:
    """All figures; with a system to compare the others with, their differences too; before and after a day."""
    systems, searchers = tuple(data.rows[0].systems), list_searchers(data)
    has_published = any(one.as_published[name] is not None for one in scored for name in NAMES)
    published = {name: compare_metric(name, scored) for name in NAMES} if has_published else {}
    documented = {
        system: {
            name: [score for score in take_column(scored, system, "documented", name).values() if score is not None]
            for name in NAMES
        }
        for system in systems
    }
    others = [name for name in systems if against and name != against]
    notes = {
        "METEOR, chrF and CharacTER give the published scores back only with text and reference exchanged (“published”"
        "); “documented” is the direction in which they are defined, and orders the systems otherwise": has_published,
        "the published scores are of references whose parts are joined last first, without a space": has_published,
        "METEOR differs where sentences are split otherwise: nltk's trained model of sentence ends is a download, and "
        "its untrained one is used": bool(has_published and published["METEOR"].mean),
        "p of several comparisons are given as they are, without a correction": bool(others),
        "it is not recorded what the systems found, so sources are not measured": not searchers,
        "a refusal is a text that is empty or begins like one; its scores count": any(
            one.is_refusal for review in data.rows for one in review.systems.values()
        ),
    }
    return SummariesReport(
        file=data.file,
        sha256=data.sha256,
        reviews=len(data.rows),
        recorded_reviews=data.recorded,
        systems=len(systems),
        texts=len(scored),
        published=published,
        words={
            name: sum(len(review.systems[name].text.split()) for review in data.rows) / len(data.rows)
            for name in systems
        },
        others={
            system: {
                name: average_cases(review.systems[system].others.get(name) for review in data.rows)
                for name in data.rows[0].systems[system].others
            }
            for system in systems
        },
        refusals={name: sum(review.systems[name].is_refusal for review in data.rows) for name in systems},
        removed=tuple(removed),
        damaged=sum(repair_letters(text) != text for review in data.rows for text in _list_texts(review)),
        by_date={
            part: {
                system: {
                    name: average_cases(
                        score
                        for review, score in take_column(scored, system, "documented", name).items()
                        if review in reviews
                    )
                    for name in NAMES
                }
                for system in systems
            }
            for part, reviews in split_reviews(data, cutoff).items()
        },
        deviations={
            system: {name: float(np.std(values, ddof=1)) for name, values in metrics.items() if len(values) > 1}
            for system, metrics in documented.items()
        },
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
        notes=tuple(note for note, holds in notes.items() if holds),
        versions={package: version(package) for package in PACKAGES},
    )


def _list_texts(review: RecordedReview) -> tuple[str, ...]:
    return (review.expected, review.source, *(one.text for one in review.systems.values()))


def split_reviews(data: RecordedSummaries, cutoff: date | None) -> dict[str, set[str]]:
    """The reviews from before the day, from then on, and of no known day, as far as there are any."""
    if cutoff is None:
        return {}
    parts: dict[str, set[str]] = {f"before {cutoff}": set(), f"from {cutoff} on": set(), "without a date": set()}
    before, after, undated = parts.values()
    for one in data.rows:
        (undated if one.published is None else before if one.published < cutoff else after).add(one.id)
    return {part: reviews for part, reviews in parts.items() if reviews}


def summaries_blocks(report: SummariesReport) -> Iterator[Block]:
    """Everything, for people."""
    yield Text(
        f"{format_count(report.texts, 'text')} of {format_count(report.reviews, 'review')} by "
        f"{format_count(report.systems, 'system')}, of {report.file} (sha256 {report.sha256})"
    )
    if report.published:
        yield Text("Against the published scores, absolute differences:")
        columns = ("metric", "compared", "equal", "mean", "worst", "where")
        # Published scores have six decimals.
        rows = [
            (name, one.compared, one.equal, *(None if one.mean is None else f"{part:.6f}" for part in one[3:5]), one[5])
            for name, one in report.published.items()
        ]
        yield Table(columns, rows)
    yield Text("Means (standard deviation), published → documented direction; of CharacTER less is better:")
    means = [
        (system, report.words[system], report.refusals[system], *_mean_cells(ways, report.deviations[system]))
        for system, ways in report.means.items()
    ]
    yield Table(("system", "words", "refusals", *NAMES), means)
    if report.removed:
        yield Text(f"Removed, since nothing was taken as relevant: {', '.join(report.removed)}.")
    for part, systems in report.by_date.items():
        cases = max(mean.cases + mean.undefined for metrics in systems.values() for mean in metrics.values())
        yield Text(f"{part[0].upper()}{part[1:]} ({format_count(cases, 'review')}), documented direction:")
        yield Table(
            ("system", *NAMES),
            [(system, *(mean.mean for mean in metrics.values())) for system, metrics in systems.items()],
        )
    if names := list(dict.fromkeys(name for metrics in report.others.values() for name in metrics)):
        yield Text("As published, of metrics by language models; not computed here:")
        yield Table(
            ("system", *names),
            [
                (system, *(metrics[name].mean if name in metrics else None for name in names))
                for system, metrics in report.others.items()
            ],
        )
    if report.sources:
        yield from _source_blocks(report.sources)
    for contrast in report.contrasts:
        yield from _contrast_blocks(contrast)
    yield from (Text(f"Note: {note}.") for note in report.notes)


def _mean_cells(ways: Mapping[Direction, Mapping[str, MetricMean]], deviations: Mapping[str, float]) -> Iterator[str]:
    """Both directions of each metric, with how many reviews a mean is of where it is not of all."""
    for name in NAMES:
        published, documented = ways["published"][name], ways["documented"][name]
        left = f" ({documented.cases} of {documented.cases + documented.undefined})" if documented.undefined else ""
        first, second = ("–" if one.mean is None else f"{one.mean:.3f}" for one in (published, documented))
        deviation = f" ({deviations[name]:.3f})" if name in deviations else ""
        yield f"{first} → {second}{deviation}{left}"


def _source_blocks(sources: Sequence[SourceFigures]) -> Iterator[Block]:
    """Precision and recall of each search, with what the paper has over all of its questions."""
    yield Text("Works that were found, and of these those taken as relevant, against those that the review cites:")
    rows = [
        (
            *(one.regime, *_name_works(name), mean.mean, Interval(mean.low, mean.high)),
            *(Part(mean.cases, one.reviews), one.means_with_0[name], one.paper and one.paper.get(name)),
        )
        for one in sources
        for name, mean in one.means.items()
    ]
    columns = (
        "search",
        "works",
        "metric",
        "mean",
        "95 % interval",
        "defined for",
        "others as 0",
        "paper, 145 questions",
    )
    yield Table(columns, rows)
    for one in sources:
        yield Text(
            f"{one.regime}: {one.kept:,} of {one.true_candidates:,} cited works that were found were kept; "
            f"{format_count(one.no_hit, 'review')} without any; the review itself was taken in {one.source:.1%}."
        )


def _name_works(metric: str) -> tuple[str, str]:
    """Of which works a metric is, and what it is."""
    kind, _, name = metric.partition("_")
    return {"source": "relevant", "candidate": "found"}[kind], name


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
