"""One line of the scorecard: a figure with its interval, what it is of, its floor, and what was fitted on its cases."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellsourced.confidence import ConfidenceInterval, bootstrap_mean, wilson_interval
from wellsourced_evaluate.metrics import METRICS
from wellsourced_evaluate.questions.answer_figures import AnswerFigure
from wellsourced_evaluate.run_file import QueryResult
from wellsourced_evaluate.scorecard.parts import FittedPart, PartKind
from wellsourced_evaluate.statistics import MetricMean
from wellsourced_evaluate.verification import JudgedPair, VerificationFigures

SEARCH_METRICS = ("nDCG@10", "R@100")


class ScorecardFigure(NamedTuple):
    """A figure as it stands in the scorecard.

    arm         under what it was measured: the regime, or the half of the queries
    interval    the figure and its 95 % interval; None: it applies to nothing here
    of          in how many things it is measured: cases, facts, queries or pairs
    floor       what is reached without reading anything, or by the plainest way; None: none is known
    fitted      what was fitted on these cases; none: nothing
    """

    kind: PartKind
    title: str
    arm: str
    metric: str
    interval: ConfidenceInterval | None
    of: str
    floor: float | None = None
    floor_name: str = ""
    fitted: tuple[FittedPart, ...] = ()

    @property
    def standing(self) -> str:
        """Where its interval lies: "worse" than the floor, "better", or around it, so that it is "not told apart"."""
        if self.floor is None or self.interval is None:
            return ""
        below, above = self.interval.high < self.floor, self.interval.low > self.floor
        if METRICS[self.metric].lower:
            below, above = above, below
        return "worse" if below else "better" if above else "not told apart"

    @property
    def margin(self) -> float:
        """How far on the good side of its floor; what has none comes last."""
        if self.interval is None or self.floor is None:
            return float("inf")
        return (self.interval.mean - self.floor) * (-1 if METRICS[self.metric].lower else 1)

    def to_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        told = {**self._asdict(), "standing": self.standing, "fitted": [one._asdict() for one in self.fitted]}
        mean, low, high = self.interval or (None, None, None)
        return {name: value for name, value in told.items() if name != "interval"} | {
            "value": mean,
            "low": low,
            "high": high,
        }


def answer_line(
    title: str, arm: str, one: AnswerFigure, fitted: Sequence[FittedPart], kind: PartKind = "answers"
) -> ScorecardFigure:
    """A share of answers."""
    of = f"{one.part:,} of {one.of:,}"
    interval = _know_interval(one.value, one.low, one.high)
    return ScorecardFigure(kind, title, arm, one.metric, interval, of, one.floor, one.floor_name, tuple(fitted))


def citation_line(title: str, metric: str, mean: MetricMean) -> ScorecardFigure:
    """A mean over answers."""
    of = f"{mean.cases:,} answers" + (f" ({mean.undefined:,} have none)" if mean.undefined else "")
    return ScorecardFigure("citations", title, "allowed", metric, _know_interval(*mean[:3]), of)


def _know_interval(value: float | None, low: float | None, high: float | None) -> ConfidenceInterval | None:
    """The three, where they are numbers."""
    if value is None or low is None or high is None or isnan(value) or isnan(low) or isnan(high):
        return None
    return ConfidenceInterval(value, low, high)


def search_lines(
    title: str,
    arm: str,
    results: Mapping[str, QueryResult],
    floors: Mapping[str, QueryResult],
    queries: Iterable[str],
    fitted: Sequence[FittedPart],
) -> Iterator[ScorecardFigure]:
    """Means over these queries, and those of BM25 alone over the same; a query that failed in one of them counts 0."""
    asked = list(queries)
    for metric in SEARCH_METRICS if asked else ():
        mine, plain = (bootstrap_mean(_column(found, asked, metric)) for found in (results, floors))
        of = f"{len(asked):,} queries"
        yield ScorecardFigure(
            "search", title, arm, metric, _know_interval(*mine), of, plain.mean, "BM25 alone", tuple(fitted)
        )


def _column(found: Mapping[str, QueryResult], asked: Sequence[str], metric: str) -> NDArray[np.float64]:
    return np.array([found[one].measures.get(metric, 0.0) for one in asked])


def verification_lines(
    title: str, told: VerificationFigures, pairs: Sequence[JudgedPair], fitted: Sequence[FittedPart]
) -> Iterator[ScorecardFigure]:
    """How often the judge is right, and how far that can be believed which it confirms or denies."""
    known = [one.pair.label for one in pairs]
    commonest = max(set(known), key=known.count)
    share = known.count(commonest) / len(known)
    floors = {"accuracy": (share, f"always “{commonest}”"), "support": (0.5, "chance")}
    for metric in ("accuracy", "macro_f1", "support"):
        mean: ConfidenceInterval = getattr(told, metric)
        of = f"{told.n - told.unjudged:,} of {told.n:,} pairs"
        floor, name = floors.get(metric, (None, ""))
        interval = _know_interval(*mean)
        yield ScorecardFigure("verification", title, "", metric, interval, of, floor, name, tuple(fitted))
    yield from _mark_lines(title, pairs, fitted)


def _mark_lines(title: str, pairs: Sequence[JudgedPair], fitted: Sequence[FittedPart]) -> Iterator[ScorecardFigure]:
    supported = [one for one in pairs if one.pair.label == "supports"]
    told = [one for one in pairs if one.verdict.label == "supports"]
    confirmed = [one for one in pairs if one.verdict.is_confirmed]
    denied = [one for one in pairs if one.verdict.status == "contradicted"]
    floor = len(supported) / len(pairs)
    counts = (
        ("likely_precision", [one.pair.label == "supports" for one in told], floor),
        ("confirmed_precision", [one.pair.label == "supports" for one in confirmed], floor),
        ("confirmed_recall", [one.verdict.is_confirmed for one in supported], None),
        ("denied_precision", [one.pair.label != "supports" for one in denied], 1 - floor),
    )
    for metric, right, base in counts:
        mean = wilson_interval(sum(right), len(right))
        of = f"{sum(right):,} of {len(right):,} pairs"
        name = "" if base is None else "saying so of every pair"
        yield ScorecardFigure("verification", title, "", metric, _know_interval(*mean), of, base, name, tuple(fitted))
