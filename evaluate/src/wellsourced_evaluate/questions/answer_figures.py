"""Figures of the answers of one arm: shares and means, each with its interval, what it is of, and its floor."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wellsourced.confidence import bootstrap_share, wilson_interval
from wellsourced_evaluate.statistics import average_cases

CaseCounts = Sequence[tuple[int, int]]
"""(part, whole) of each case."""

CaseMetrics = Mapping[str, float | None]
"""Metric → its value for one case; None, or nothing: it does not apply."""


class AnswerFigure(NamedTuple):
    """A share, or a mean over cases, as `wellsourced evaluate list` spells it.

    low, high   95 % interval: bootstrap over cases; Wilson's where all cases are alike, of which a bootstrap knows
                nothing
    part, of    what it is a share of, in things; of a mean the cases to which it applies, and all of them
    cases       over so many cases it is a mean, each of its own share or number; 0: it is a share of all things
    floor       what is reached without reading anything; None: nobody knows one
    floor_name  how that is reached
    """

    metric: str
    value: float | None
    low: float | None
    high: float | None
    part: int
    of: int
    floor: float | None = None
    floor_name: str = ""
    cases: int = 0

    @property
    def standing(self) -> str:
        """Where the interval lies: "below" the floor, "above" it, or around it, so that it is "not told apart"."""
        if self.floor is None or self.low is None or self.high is None:
            return ""
        return "below" if self.high < self.floor else "above" if self.low > self.floor else "not told apart"

    @property
    def margin(self) -> float:
        """How far above its floor; what has none comes last."""
        return float("inf") if self.value is None or self.floor is None else self.value - self.floor


def measure_share(metric: str, counts: CaseCounts, floor: float | None = None, floor_name: str = "") -> AnswerFigure:
    """The figure over (part, whole) of each case; Wilson's interval where all cases are alike."""
    part, of = sum(one for one, _ in counts), sum(one for _, one in counts)
    if not of:
        return AnswerFigure(metric, None, None, None, 0, 0, floor, floor_name)
    # Of cases, also where several facts of one are counted: they do not come independently.
    cases = sum(whole > 0 for _, whole in counts)
    found = wilson_interval(cases if part else 0, cases) if part in (0, of) else bootstrap_share(counts)
    return AnswerFigure(metric, found.mean, found.low, found.high, part, of, floor, floor_name)


def mean_figures(names: Sequence[str], scored: Sequence[CaseMetrics]) -> list[AnswerFigure]:
    """The mean of each metric over the cases to which it applies (`part`), of all of them (`of`)."""
    figures = []
    for name in names:
        mean = average_cases(one.get(name) for one in scored)
        figures.append(AnswerFigure(name, mean.mean, mean.low, mean.high, mean.cases, mean.cases + mean.undefined))
    return figures
