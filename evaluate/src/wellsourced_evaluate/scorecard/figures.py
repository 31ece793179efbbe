"""One line of the scorecard: a figure with its interval, what it is of, its floor, and what was fitted on its cases."""

from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from wellsourced.confidence import ConfidenceInterval, bootstrap_mean, wilson_interval
from wellsourced_evaluate.metrics import METRICS
from wellsourced_evaluate.questions.answer_run import AnswerRun
from wellsourced_evaluate.questions.fitted_sets import list_fitted
from wellsourced_evaluate.questions.scores import score_run
from wellsourced_evaluate.retrieval import QueryResult
from wellsourced_evaluate.scorecard.parts import FittedPart, PartKind
from wellsourced_evaluate.statistics import MetricMean
from wellsourced_evaluate.verification import JudgedPair, VerificationFigures

SEARCH_METRICS = ("nDCG@10", "R@100")


class ScorecardFigure(NamedTuple):
    """A figure as it is in the scorecard.

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
        del told["interval"]
        return told | dict(zip(("value", "low", "high"), self.interval or (None, None, None), strict=True))


def _know_interval(value: float | None, low: float | None, high: float | None) -> ConfidenceInterval | None:
    """The three, where they are numbers."""
    if value is None or low is None or high is None or isnan(value) or isnan(low) or isnan(high):
        return None
    return ConfidenceInterval(value, low, high)


def answer_figures(run: AnswerRun, title: str, arm: str, kind: PartKind = "answers") -> list[ScorecardFigure]:
    """The figures of a run, with what was fitted on its cases."""
    fitted = tuple(
        FittedPart(f"{share.cases:,} of {len(run.records):,}", share.what, share.script)
        for share in list_fitted(str(run.header.data["name"]), run.records.values())
    )
    return [
        ScorecardFigure(
            *(kind, title, arm, one.metric, _know_interval(one.value, one.low, one.high)),
            *(f"{one.part:,} of {one.of:,}", one.floor, one.floor_name, fitted),
        )
        for one in score_run(run).figures
    ]


def citation_figure(title: str, metric: str, mean: MetricMean) -> ScorecardFigure:
    """A mean over answers."""
    of = f"{mean.cases:,} answers" + (f" ({mean.undefined:,} have none)" if mean.undefined else "")
    return ScorecardFigure("citations", title, "allowed", metric, _know_interval(*mean[:3]), of)


def search_figures(
    title: str,
    arm: str,
    runs: Sequence[Mapping[str, QueryResult]],
    asked: Sequence[str],
    fitted: Sequence[FittedPart],
) -> Iterator[ScorecardFigure]:
    """Means over these queries, and those of BM25 alone over the same; a query that failed in one of them counts 0.

    runs   query → its result: of the search, and of BM25 alone
    """
    for metric in SEARCH_METRICS if asked else ():
        columns = (np.array([results[query].measures.get(metric, 0.0) for query in asked]) for results in runs)
        mine, plain = map(bootstrap_mean, columns)
        of = f"{len(asked):,} queries"
        interval = _know_interval(*mine)
        yield ScorecardFigure("search", title, arm, metric, interval, of, plain.mean, "BM25 alone", tuple(fitted))


def verification_figures(
    title: str, told: VerificationFigures, pairs: Sequence[JudgedPair], fitted: Sequence[FittedPart]
) -> Iterator[ScorecardFigure]:
    """How often the judge is right, and how far that can be believed which it confirms or denies."""
    known = [one.pair.label for one in pairs]
    commonest = max(set(known), key=known.count)
    share, so = known.count(commonest) / len(known), known.count("supports") / len(known)
    every = "saying so of every pair"
    confirmed = [one for one in pairs if one.verdict.is_confirmed]
    counts = (
        ("likely_precision", [one.pair.label == "supports" for one in pairs if one.verdict.label == "supports"], so),
        ("confirmed_precision", [one.pair.label == "supports" for one in confirmed], so),
        ("confirmed_recall", [one.verdict.is_confirmed for one in pairs if one.pair.label == "supports"], None),
        (
            "denied_precision",
            [one.pair.label != "supports" for one in pairs if one.verdict.status == "contradicted"],
            1 - so,
        ),
    )
    of_all = f"{told.n - told.unjudged:,} of {told.n:,} pairs"
    rows: list[tuple[str, ConfidenceInterval, str, float | None, str]] = [
        ("accuracy", told.accuracy, of_all, share, f"always “{commonest}”"),
        ("macro_f1", told.macro_f1, of_all, None, ""),
        ("support", told.support, of_all, 0.5, "chance"),
    ]
    for metric, right, floor in counts:
        of = f"{sum(right):,} of {len(right):,} pairs"
        rows.append((metric, wilson_interval(sum(right), len(right)), of, floor, "" if floor is None else every))
    for metric, mean, of, floor, name in rows:
        interval = _know_interval(*mean)
        yield ScorecardFigure("verification", title, "", metric, interval, of, floor, name, tuple(fitted))
