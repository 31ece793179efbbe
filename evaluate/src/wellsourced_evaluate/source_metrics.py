"""How well the works that a system took as relevant are those that the review of the same question cites.

Precision and recall as Clinfo.ai's paper has them (Lozano et al., PSB 2024, equations 1 and 2), and means over reviews.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from wellsourced_evaluate.recorded_summaries import RecordedReview, RecordedSummaries
from wellsourced_evaluate.statistics import MetricMean, ShareContrast, average_cases, contrast_shares

REGIMES: Mapping[str, tuple[str, float, float]] = {
    "clinfo_pubmed_LimitedSearch_ExludePMID": ("restricted", 0.218, 0.055),
    "clinfo_pubmed_ExludePMID": ("source dropped", 0.186, 0.054),
    "clinfo_pubmed": ("unrestricted", 0.157, 0.051),
}
"""System of PubMedRS-200 → the paper's name of how it searched, and precision and recall over all 145 questions, as its
published rows give them; a part of the questions comes to other figures."""

Ids = frozenset[str]


class ReviewSources(NamedTuple):
    """One review: metric → value (None: it does not apply), whether anything true was found, and the review itself."""

    values: Mapping[str, float | None]
    has_hit: bool
    has_source: bool
    kept: int
    true_candidates: int


class SourceFigures(NamedTuple):
    """What a system took as relevant, over all reviews.

    means         of each metric, over the reviews in which it is defined
    means_with_0  the same where one that is not defined counts as 0
    kept          of `true_candidates`, works found that the review cites, those that were taken as relevant
    no_hit        reviews of which no cited work was found at all
    source        share of the reviews in which the review itself was taken as relevant
    """

    system: str
    regime: str
    reviews: int
    means: Mapping[str, MetricMean]
    means_with_0: Mapping[str, MetricMean]
    kept: int
    true_candidates: int
    no_hit: int
    source: float
    paper: Mapping[str, float] | None

    def to_json(self) -> dict[str, Any]:
        """Everything by its name."""
        means = {name: mean.to_json() for name, mean in self.means.items()}
        with_0 = {name: mean.mean for name, mean in self.means_with_0.items()}
        return self._asdict() | {"means": means, "means_with_0": with_0}


def list_searchers(data: RecordedSummaries) -> list[str]:
    """The systems of which it is recorded, for every review, what they found."""
    if any(review.cited is None for review in data.reviews):
        return []
    return [name for name in data.systems if all(one.systems[name].candidates is not None for one in data.reviews)]


def measure_sources(data: RecordedSummaries, system: str) -> SourceFigures:
    """All figures of a system of which it is recorded what it found."""
    found = [measure_review(review, system) for review in data.reviews]
    columns = {name: [review.values[name] for review in found] for name in found[0].values}
    regime, precision, recall = REGIMES.get(system, (system, None, None))
    return SourceFigures(
        system,
        regime,
        len(found),
        {name: average_cases(values) for name, values in columns.items()},
        {name: average_cases(value or 0.0 for value in values) for name, values in columns.items()},
        sum(review.kept for review in found),
        sum(review.true_candidates for review in found),
        sum(not review.has_hit for review in found),
        sum(review.has_source for review in found) / len(found),
        {"source_precision": precision, "source_recall": recall} if precision and recall else None,
    )


def measure_review(review: RecordedReview, system: str) -> ReviewSources:
    """Precision and recall of one search, before and after relevance was judged."""
    summary, cited = review.systems[system], review.cited or frozenset()
    relevant, candidates = summary.relevant or frozenset(), summary.candidates or frozenset()
    values = {
        "source_precision": _share(relevant, cited),
        "source_recall": _share(cited, relevant),
        "candidate_precision": _share(candidates, cited),
        "candidate_recall": _share(cited, candidates),
    }
    true = candidates & cited
    return ReviewSources(values, bool(true), review.source_pmid in relevant, len(relevant & cited), len(true))


def _share(these: Ids, others: Ids) -> float | None:
    """Of these, the share that is among the others; None of nothing."""
    return len(these & others) / len(these) if these else None


def contrast_hits(data: RecordedSummaries, base: str, other: str) -> ShareContrast:
    """In how many reviews only one of two systems found any work that the review cites."""
    return contrast_shares(
        *({review.id: measure_review(review, system).has_hit for review in data.reviews} for system in (base, other))
    )
