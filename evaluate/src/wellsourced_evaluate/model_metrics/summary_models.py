"""Recorded summaries scored by models, and how far that goes with the scores that were published of them.

A published score by another model, or by a version that nobody knows, cannot come back: what can be compared is the
order in which both put the texts.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from wellsourced_evaluate.metrics import MODEL_METRICS
from wellsourced_evaluate.model_metrics.metric_models import ModelScores, ScoredText, TextScorer, explain_missing
from wellsourced_evaluate.recorded_summaries import RecordedSummaries
from wellsourced_evaluate.statistics import MetricMean, average_cases

PUBLISHED_NAMES = {
    "BERTScore": "bertscore",
    "BERTScore (MiniLM)": "bertscore",
    "UniEval coherence": "coherence",
    "UniEval consistency": "consistency",
    "UniEval fluency": "fluency",
    "UniEval relevance": "relevance",
    "UniEval overall": "overall",
    "COMET": "commet",
    "CTC consistency": "CTC_summary",
    "CTC relevance": "CTC_summary",
}
"""Metric → how the scores of Clinfo.ai call it; which aspect its CTC_summary is, is not written down anywhere."""

RESAMPLES, SEED = 1_000, 7
MIN_TEXTS = 3

Case = tuple[str, str]
"""Review and system."""


class RankAgreement(NamedTuple):
    """How far two scores put the texts in the same order.

    texts       that have both
    spearman    rank correlation over all of them; None for fewer than three, or where all are alike
    low, high   95 % interval: reviews are drawn again, each with all of its texts
    within      mean over reviews of the correlation of its texts: how far the systems stand in the same order
    """

    texts: int
    spearman: float | None
    low: float | None
    high: float | None
    within: MetricMean


class ModelFigures(NamedTuple):
    """One metric: by which model, its mean for each system, and how it goes with the published score.

    missing   what has to be named so that it can be measured; "" when it was
    """

    metric: str
    model: Mapping[str, str | int | bool]
    means: Mapping[str, MetricMean]
    published: str
    agreement: RankAgreement | None
    missing: str = ""

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        agreement = {**self.agreement._asdict(), "within": self.agreement.within.to_json()} if self.agreement else None
        return {
            "model": dict(self.model) or None,
            "missing": self.missing or None,
            "means": {system: one.to_json() for system, one in self.means.items()} or None,
            "published": self.published or None,
            "agreement": agreement,
        }


def score_by_models(
    data: RecordedSummaries, scorers: Sequence[TextScorer], say: Callable[[int, int], None]
) -> dict[Case, ModelScores]:
    """Every text by every model, as metrics are defined: the reference is the people's answer."""
    references = {one.id: " ".join(reversed(one.reference)) for one in data.reviews}
    for scorer in scorers:
        scorer.prepare([references[one.id] for one in data.reviews for _ in one.systems])
    found: dict[Case, ModelScores] = {}
    for place, review in enumerate(data.reviews, 1):
        for name, summary in review.systems.items():
            text = ScoredText(summary.text, references[review.id], review.source)
            found[review.id, name] = {key: one for scorer in scorers for key, one in scorer.score(text).items()}
        say(place, len(data.reviews))
    return found


def summarize_models(
    data: RecordedSummaries, scorers: Sequence[TextScorer], scores: Mapping[Case, ModelScores]
) -> tuple[ModelFigures, ...]:
    """Every metric that needs a model, those that have none among them."""
    known = {metric: scorer for scorer in scorers for metric in scorer.metrics}
    figures = []
    for metric in (one.name for one in MODEL_METRICS):
        published = PUBLISHED_NAMES.get(metric, "")
        if metric not in known:
            figures.append(ModelFigures(metric, {}, {}, published, None, explain_missing(metric)))
            continue
        means = {
            system: average_cases(scores[review.id, system][metric] for review in data.reviews)
            for system in data.systems
        }
        figures.append(
            ModelFigures(metric, known[metric].describe(), means, published, _compare(data, scores, metric, published))
        )
    return tuple(figures)


def _compare(
    data: RecordedSummaries, scores: Mapping[Case, ModelScores], metric: str, published: str
) -> RankAgreement | None:
    """None where no such score was published of any text."""
    reviews: list[list[tuple[float, float]]] = []
    for review in data.reviews:
        pairs = []
        for system, summary in review.systems.items():
            ours, theirs = scores[review.id, system][metric], summary.others.get(published)
            if ours is not None and theirs is not None:
                pairs.append((ours, theirs))
        reviews.append(pairs)
    pooled = [pair for pairs in reviews for pair in pairs]
    return compare_ranks(reviews) if pooled else None


def compare_ranks(groups: Sequence[Sequence[tuple[float, float]]]) -> RankAgreement:
    """How far two scores of the texts of these groups agree."""
    pooled = [pair for pairs in groups for pair in pairs]
    filled = [pairs for pairs in groups if pairs]
    # Of one review nothing is known of how others would differ.
    times = RESAMPLES if len(filled) > 1 else 0
    draws = np.random.default_rng(SEED).integers(0, max(len(filled), 1), (times, len(filled)))
    again = [rank_correlation([pair for at in draw for pair in filled[at]]) for draw in draws]
    known = [one for one in again if one is not None]
    low, high = (float(one) for one in np.percentile(known, (2.5, 97.5))) if known else (None, None)
    within = average_cases(rank_correlation(pairs) for pairs in filled)
    return RankAgreement(len(pooled), rank_correlation(pooled), low, high, within)


def rank_correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Spearman's, ties sharing their ranks; None for fewer than three pairs, or where one side is all alike."""
    if len(pairs) < MIN_TEXTS:
        return None
    from scipy.stats import rankdata  # type: ignore[import-untyped]

    ranks = rankdata(np.array(pairs, dtype=np.float64), axis=0)
    ranks -= ranks.mean(axis=0)
    spread = float(np.sqrt((ranks[:, 0] ** 2).sum() * (ranks[:, 1] ** 2).sum()))
    return float((ranks[:, 0] * ranks[:, 1]).sum() / spread) if spread else None
