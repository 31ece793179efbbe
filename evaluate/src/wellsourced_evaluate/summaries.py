"""Recorded summaries scored again, in both directions, and compared with the scores that were published of them.

The published scores of PubMedRS-200 come back only when the system's text is given as the reference and the people's
answer as the text, its parts joined last first with nothing between. METEOR, chrF and CharacTER are not symmetrical: in
the direction in which they are defined they order the systems otherwise. Both are computed, and each is named.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Literal, NamedTuple

from wellsourced_evaluate.metrics import TEXT_METRICS
from wellsourced_evaluate.paired_tests import ArmContrast, contrast_values
from wellsourced_evaluate.recorded_summaries import RecordedReview, RecordedSummaries
from wellsourced_evaluate.statistics import MetricMean, average_cases
from wellsourced_evaluate.text_metrics import TextScores, load_text_tools, score_text

Direction = Literal["published", "documented"]
"""Which text is the reference: the system's, as the published scores have it; the people's, as metrics are defined."""

EQUAL = 1e-6
"""Scores that differ by no more are the same."""

MIN_REVIEWS_A_PROCESS = 4
"""Fewer are scored sooner than another process starts."""

SummaryProgress = Callable[[int, int], None]
"""Who hears how many reviews are scored, of how many."""


class ScoredSummary(NamedTuple):
    """One system's text of one review: its scores in both directions, and those that were published."""

    review: str
    system: str
    published: Mapping[str, float | None]
    scores: Mapping[Direction, TextScores]


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


def score_summaries(data: RecordedSummaries, say: SummaryProgress) -> list[ScoredSummary]:
    """Every text of every review, in order; in as many processes as there are processors and enough reviews for them.

    Raises SettingsError when a library is not installed.
    """
    load_text_tools()
    workers = min(count_processors(), len(data.reviews) // MIN_REVIEWS_A_PROCESS)
    found: list[ScoredSummary] = []
    if workers < 2:
        batches = map(score_review, data.reviews)
        found = list(_gather(batches, len(data.reviews), say))
    else:
        # Spawned, not forked: libraries here have threads, and a fork of a process with threads may never end.
        with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
            found = list(_gather(pool.map(score_review, data.reviews), len(data.reviews), say))
    return found


def _gather(batches: Iterator[list[ScoredSummary]], total: int, say: SummaryProgress) -> Iterator[ScoredSummary]:
    for place, batch in enumerate(batches, 1):
        say(place, total)
        yield from batch


def count_processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def score_review(review: RecordedReview) -> list[ScoredSummary]:
    """All texts of one review."""
    return [
        ScoredSummary(review.id, name, one.published, score_directions(review.reference, one.text))
        for name, one in review.systems.items()
    ]


def score_directions(reference: Sequence[str], text: str) -> dict[Direction, TextScores]:
    """The scores of a text against the parts of the people's answer, in both directions."""
    parts = list(reversed(reference))
    return {
        "published": score_text(reference=text, hypothesis="".join(parts)),
        "documented": score_text(reference=" ".join(parts), hypothesis=text),
    }


def compare_with_published(scored: Sequence[ScoredSummary]) -> dict[str, Agreement]:
    """Metric → how far our scores in the published direction are from those that were published."""
    return {metric.name: _compare_metric(metric.name, scored) for metric in TEXT_METRICS}


def _compare_metric(metric: str, scored: Sequence[ScoredSummary]) -> Agreement:
    distances: dict[str, float] = {}
    for one in scored:
        ours, theirs = one.scores["published"][metric], one.published[metric]
        if ours is not None and theirs is not None:
            distances[f"{one.review}, {one.system}"] = abs(ours - theirs)
    if not distances:
        return Agreement(0, len(scored), 0, None, None, "")
    worst = max(distances, key=lambda case: distances[case])
    equal = sum(distance <= EQUAL for distance in distances.values())
    mean = sum(distances.values()) / len(distances)
    return Agreement(
        len(distances),
        len(scored) - len(distances),
        equal,
        mean,
        distances[worst],
        worst if equal < len(distances) else "",
    )


def average_system(scored: Sequence[ScoredSummary], system: str, direction: Direction) -> dict[str, MetricMean]:
    """Metric → its mean over the reviews, for one system."""
    own = [one.scores[direction] for one in scored if one.system == system]
    return {metric.name: average_cases(scores[metric.name] for scores in own) for metric in TEXT_METRICS}


def contrast_systems(
    scored: Sequence[ScoredSummary], base: str, other: str, direction: Direction
) -> dict[str, ArmContrast]:
    """Metric → the difference of two systems over the same reviews."""
    arms = {
        system: {one.review: one.scores[direction] for one in scored if one.system == system}
        for system in (base, other)
    }
    columns = {
        metric.name: [{case: scores[metric.name] for case, scores in arms[system].items()} for system in (base, other)]
        for metric in TEXT_METRICS
    }
    return {name: contrast_values(ours, theirs) for name, (ours, theirs) in columns.items()}
