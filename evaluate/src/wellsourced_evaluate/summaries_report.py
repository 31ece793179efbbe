"""What a scoring of recorded summaries came to, as values for whoever prints it, and as JSON."""

from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

from wellsourced_evaluate.model_metrics.summary_models import ModelFigures
from wellsourced_evaluate.paired_tests import ArmContrast, ShareContrast
from wellsourced_evaluate.recorded_summaries import RecordedSummaries
from wellsourced_evaluate.source_metrics import SourceFigures, contrast_hits, list_searchers, measure_sources
from wellsourced_evaluate.statistics import MetricMean
from wellsourced_evaluate.summaries import (
    Agreement,
    Direction,
    ScoredSummary,
    average_system,
    compare_with_published,
    contrast_systems,
)

DIRECTIONS: tuple[Direction, ...] = ("published", "documented")
PACKAGES = ("wellsourced", "cer", "nltk", "rouge-score-rs", "sacrebleu", "scipy")

DIRECTION_NOTE = (
    "METEOR, chrF and CharacTER give the published scores back only with text and reference exchanged (“published”); "
    "“documented” is the direction in which they are defined, and orders the systems otherwise"
)
REFERENCE_NOTE = "the published scores are of references whose parts are joined last first, with nothing between them"
METEOR_NOTE = (
    "METEOR differs where sentences are parted otherwise: nltk's trained model of sentence ends is a download, and its "
    "untrained one is used"
)


class SystemContrast(NamedTuple):
    """A system against the base, in the documented direction; `hits`: reviews with a true work, where both searched."""

    base: str
    other: str
    metrics: Mapping[str, ArmContrast]
    hits: ShareContrast | None


class SummariesReport(NamedTuple):
    """Everything that can be said.

    agreement   metric → how far we are from the published scores
    means       system → direction → metric → its mean
    sources     of each system that searched
    contrasts   of every other system with the one that was named; empty when none was
    """

    data: RecordedSummaries
    texts: int
    agreement: Mapping[str, Agreement]
    means: Mapping[str, Mapping[Direction, Mapping[str, MetricMean]]]
    sources: tuple[SourceFigures, ...]
    contrasts: tuple[SystemContrast, ...]
    notes: tuple[str, ...]
    models: tuple[ModelFigures, ...] = ()


def build_report(data: RecordedSummaries, scored: Sequence[ScoredSummary], against: str = "") -> SummariesReport:
    """All figures; with a system to compare the others with, their differences too."""
    searchers = list_searchers(data)
    agreement = compare_with_published(scored)
    contrasts = [
        SystemContrast(
            against,
            other,
            contrast_systems(scored, against, other, "documented"),
            contrast_hits(data, against, other) if {against, other} <= set(searchers) else None,
        )
        for other in data.systems
        if against and other != against
    ]
    notes = [DIRECTION_NOTE, REFERENCE_NOTE]
    notes += [METEOR_NOTE] if agreement["METEOR"].mean else []
    notes += ["p of several comparisons are given as they are, without a correction"] if contrasts else []
    notes += [] if searchers else ["it is not recorded what the systems found, so sources are not measured"]
    return SummariesReport(
        data,
        len(scored),
        agreement,
        {name: {one: average_system(scored, name, one) for one in DIRECTIONS} for name in data.systems},
        tuple(measure_sources(data, name) for name in searchers),
        tuple(contrasts),
        tuple(notes),
    )


def report_to_json(told: SummariesReport, seconds: float) -> dict[str, Any]:
    """Everything, for programs."""
    data = told.data
    return {
        "file": data.file,
        "sha256": data.sha256,
        "reviews": len(data.reviews),
        "recorded_reviews": data.recorded,
        "systems": len(data.systems),
        "texts": told.texts,
        "mean_absolute_difference": {name: one.mean for name, one in told.agreement.items()},
        "published": {name: one._asdict() for name, one in told.agreement.items()},
        "means": {
            system: {
                direction: {name: one.to_json() for name, one in metrics.items()}
                for direction, metrics in directions.items()
            }
            for system, directions in told.means.items()
        },
        "sources": {one.regime: one.to_json() for one in told.sources},
        "model_metrics": {one.metric: one.to_json() for one in told.models},
        "contrasts": [_contrast_to_json(one) for one in told.contrasts],
        "notes": list(told.notes),
        "versions": {name: there for name in PACKAGES if (there := _package_version(name))},
        "seconds": round(seconds, 1),
    }


def scored_to_json(one: ScoredSummary) -> dict[str, Any]:
    """One text with its scores, for a line of a file."""
    ours = {str(direction): scores for direction, scores in one.scores.items()}
    return {"review": one.review, "system": one.system, "as_published": dict(one.published), **ours}


def _contrast_to_json(one: SystemContrast) -> dict[str, Any]:
    metrics = {
        name: {**contrast._asdict(), "difference": contrast.difference.to_json()}
        for name, contrast in one.metrics.items()
    }
    return {
        "base": one.base,
        "other": one.other,
        "metrics": metrics,
        "hits": one.hits._asdict() if one.hits else None,
    }


def _package_version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
