"""The confusion matrix of the preflight and what follows from it, with intervals of the bootstrap over questions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from wellsourced.confidence import RESAMPLES, SEED
from wellsourced_evaluate.preflight.confusion import Confusion, ratio
from wellsourced_evaluate.preflight.preflight_cases import PreflightCase

SHARES: Mapping[str, Callable[[Confusion], float | None]] = {
    "preflight_precision": lambda one: one.precision,
    "preflight_recall": lambda one: one.recall,
    "preflight_f1": lambda one: one.f1,
    "preflight_specificity": lambda one: one.specificity,
    "preflight_invoked": lambda one: one.predicted_share,
    "preflight_prevalence": lambda one: one.prevalence,
}
"""Metric → how it follows from the counts."""


class PreflightShare(NamedTuple):
    """A share with its interval, what it is of, and what always reading in parts comes to; None of nothing."""

    value: float | None
    low: float | None
    high: float | None
    whole: int
    floor: float | None


class PreflightFigures(NamedTuple):
    """What came of all cases.

    not_retrieved   of which no document that answers was found: in no share
    failed          which could not be searched: likewise
    """

    counts: Confusion
    shares: Mapping[str, PreflightShare]
    not_retrieved: int
    failed: int

    def to_json(self) -> dict[str, Any]:
        """Everything by its name."""
        shares = {name: one._asdict() for name, one in self.shares.items()}
        return {**self._asdict(), "counts": self.counts._asdict(), "shares": shares}


def measure_preflight(cases: Sequence[PreflightCase]) -> PreflightFigures:
    """The counts of the cases in which something happened or did not, and the shares."""
    known = [(one.predicted, one.happened) for one in cases if one.happened is not None and not one.error]
    counts = Confusion.from_cases(known)
    failed = sum(bool(one.error) for one in cases)
    always = Confusion.from_cases((True, so) for _, so in known)
    draws = _draw_again(counts)
    wholes = _count_wholes(counts)
    shares = {name: _build_share(rule, counts, draws, always, wholes[name]) for name, rule in SHARES.items()}
    return PreflightFigures(counts, shares, len(cases) - len(known) - failed, failed)


def _count_wholes(counts: Confusion) -> Mapping[str, int]:
    predicted, so, every = counts.tp + counts.fp, counts.tp + counts.fn, sum(counts)
    return {
        "preflight_precision": predicted,
        "preflight_recall": so,
        "preflight_f1": every,
        "preflight_specificity": every - so,
        "preflight_invoked": every,
        "preflight_prevalence": every,
    }


def _draw_again(counts: Confusion) -> list[Confusion]:
    """As many samples as there are, of as many cases, drawn with replacement."""
    every = sum(counts)
    if not every:
        return []
    drawn = np.random.default_rng(SEED).multinomial(every, [ratio(one, every) or 0.0 for one in counts], RESAMPLES)
    kinds, times = np.unique(drawn, axis=0, return_counts=True)
    return [one for kind, n in zip(kinds.tolist(), times.tolist(), strict=True) for one in [Confusion(*kind)] * n]


def _build_share(
    rule: Callable[[Confusion], float | None],
    counts: Confusion,
    draws: Sequence[Confusion],
    always: Confusion,
    whole: int,
) -> PreflightShare:
    value, able = rule(counts), [found for one in draws if (found := rule(one)) is not None]
    if value is None or not able:
        return PreflightShare(None, None, None, whole, None)
    low, high = np.percentile(able, (2.5, 97.5))
    return PreflightShare(value, float(low), float(high), whole, rule(always))
