"""Works that a system took as relevant, held against those that the review of the same question cites.

Precision and recall as Clinfo.ai's paper has them (Lozano et al., PSB 2024, equations 1 and 2), and means over reviews.
"""

from collections.abc import Mapping
from typing import NamedTuple

from wellsourced_evaluate.recorded_summaries import RecordedReview, RecordedSummaries
from wellsourced_evaluate.statistics import MetricMean, ShareContrast, average_cases, contrast_shares

REGIMES: Mapping[str, tuple[str, float, float]] = {
    "clinfo_pubmed_LimitedSearch_ExludePMID": ("restricted", 0.218, 0.055),
    "clinfo_pubmed_ExludePMID": ("source dropped", 0.186, 0.054),
    "clinfo_pubmed": ("unrestricted", 0.157, 0.051),
}
"""System of PubMedRS-200 → the paper's name of how it searched, and precision and recall over all 145 questions, as its
published rows give them; a part of the questions comes to other figures."""


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
    means_with_0: Mapping[str, float | None]
    kept: int
    true_candidates: int
    no_hit: int
    source: float
    paper: Mapping[str, float] | None


def list_searchers(data: RecordedSummaries) -> list[str]:
    """The systems of which it is recorded, for every review, what they found."""
    if any(review.cited is None for review in data.rows):
        return []
    return [name for name in data.rows[0].systems if all(one.systems[name].candidates is not None for one in data.rows)]


def measure_sources(data: RecordedSummaries, system: str) -> SourceFigures:
    """All figures of a system of which it is recorded what it found."""
    found = [measure_review(review, system) for review in data.rows]
    columns = {name: [part / of if of else None for part, of in (one[name] for one in found)] for name in found[0]}
    kept, true_candidates = (sum(one[name][0] for one in found) for name in ("source_recall", "candidate_recall"))
    regime, *paper = REGIMES.get(system, (system,))
    return SourceFigures(
        system,
        str(regime),
        len(found),
        {name: average_cases(values) for name, values in columns.items()},
        {name: average_cases(value or 0.0 for value in values).mean for name, values in columns.items()},
        kept,
        true_candidates,
        sum(not one["candidate_recall"][0] for one in found),
        sum(one.source_pmid in (one.systems[system].relevant or ()) for one in data.rows) / len(found),
        dict(zip(("source_precision", "source_recall"), paper, strict=True)) if paper else None,
    )


def measure_review(review: RecordedReview, system: str) -> dict[str, tuple[int, int]]:
    """Precision and recall of one search, before and after relevance was judged, as (part, whole)."""
    summary, cited = review.systems[system], review.cited or frozenset()
    found = {}
    for name, works in (("source", summary.relevant), ("candidate", summary.candidates)):
        taken = works or frozenset()
        found[f"{name}_precision"] = len(taken & cited), len(taken)
        found[f"{name}_recall"] = len(taken & cited), len(cited)
    return found


def contrast_hits(data: RecordedSummaries, base: str, other: str) -> ShareContrast:
    """In how many reviews only one of two systems found any work that the review cites."""
    ours, theirs = (
        {review.id: measure_review(review, system)["candidate_recall"][0] > 0 for review in data.rows}
        for system in (base, other)
    )
    return contrast_shares(ours, theirs)
