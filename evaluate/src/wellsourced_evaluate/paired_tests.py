"""Two arms over the same cases: what differs, and whether chance could have done it.

Of values the test is Wilcoxon's signed ranks (1945) or the randomisation of signs (Smucker et al., 2007), of what is
so or not McNemar's exact test (1947). Where several are made, Holm's correction (1979) keeps the chance of any error.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from wellsourced.errors import SettingsError, SourceRefused
from wellsourced_evaluate.checkups.agreement import mcnemar_p
from wellsourced_evaluate.metrics import MetricMean, average_cases

TIE_TOLERANCE = 1e-9
"""Differences up to this are none."""

CaseValues = Mapping[str, float | None]
"""Case → value of a metric; None: it does not apply."""

CaseGains = np.ndarray[tuple[int], np.dtype[np.float64]]
"""What each case gained, float64 (n,)."""

PairedTest = Callable[[CaseGains], float]
"""How likely gains as large are by chance, either way."""


class ArmContrast(NamedTuple):
    """One metric in two arms.

    base, other   the means over the cases to which it applies in both
    difference    other less base, case by case; its `undefined` cases lack a value in one of the arms
    p             of the paired test, two-sided; None: there is no case
    more          cases in which `other` has the larger value; `equal`, `less` likewise
    """

    base: float | None
    other: float | None
    difference: MetricMean
    p: float | None
    more: int
    equal: int
    less: int


class ShareContrast(NamedTuple):
    """Something that is so or not in two arms: in how many cases only in one; p of McNemar's exact test, two-sided."""

    both: int
    only_base: int
    only_other: int
    neither: int
    p: float


def wilcoxon_p(gains: CaseGains) -> float:
    """How likely signed ranks as far apart are by chance; cases without a difference say nothing, and 1 of no other.

    Exact up to 50 cases that differ, without ties, else as scipy has it. Raises SettingsError without scipy.
    """
    try:
        from scipy.stats import wilcoxon  # type: ignore[import-untyped]
    except ImportError as error:
        remedy = "pip install 'wellsourced[evaluate]'"
        raise SettingsError(f"Wilcoxon's test is scipy's, which is not installed: {remedy}.") from error
    # With zeros among them scipy would take the normal distribution, which makes one gain among 60 cases p = .32.
    return float(wilcoxon(gains[gains != 0]).pvalue) if gains.any() else 1.0


def mcnemar_gains_p(gains: CaseGains) -> float:
    """McNemar's exact test of what is so or not, as 1 and 0: only how many cases changed, and which way, counts."""
    return mcnemar_p(int((gains < 0).sum()), int((gains > 0).sum()))


def contrast_values(base: CaseValues, other: CaseValues, test: PairedTest = wilcoxon_p) -> ArmContrast:
    """The difference of two arms. Raises SourceRefused when they are not of the same cases."""
    _require_same_cases(base, other)
    pairs = {case: (base[case], other[case]) for case in base}
    known = [(one, two) for one, two in pairs.values() if one is not None and two is not None]
    gains = np.array([two - one for one, two in known], dtype=np.float64)
    gains[np.abs(gains) <= TIE_TOLERANCE] = 0.0
    return ArmContrast(
        average_cases(one for one, _ in known).mean,
        average_cases(two for _, two in known).mean,
        average_cases([*gains.tolist(), *[None] * (len(pairs) - len(known))]),
        test(gains) if len(gains) else None,
        int((gains > 0).sum()),
        int((gains == 0).sum()),
        int((gains < 0).sum()),
    )


def adjust_by_holm(values: Sequence[float | None]) -> list[float | None]:
    """The p of several tests, each as it stands after Holm's correction; None is no test, and stays.

    The smallest is multiplied by how many there are, the next by one less, and none falls below one before it.
    """
    order = sorted((p, place) for place, p in enumerate(values) if p is not None)
    adjusted: list[float | None] = [None] * len(values)
    largest = 0.0
    for rank, (p, place) in enumerate(order):
        largest = max(largest, min(1.0, p * (len(order) - rank)))
        adjusted[place] = largest
    return adjusted


def contrast_shares(base: Mapping[str, bool], other: Mapping[str, bool]) -> ShareContrast:
    """The difference of two arms in what is so or not. Raises SourceRefused when they are not of the same cases."""
    _require_same_cases(base, other)
    kinds = [(base[case], other[case]) for case in base]
    only_base, only_other = kinds.count((True, False)), kinds.count((False, True))
    p = mcnemar_p(only_base, only_other)
    return ShareContrast(kinds.count((True, True)), only_base, only_other, kinds.count((False, False)), p)


def _require_same_cases(base: Mapping[str, object], other: Mapping[str, object]) -> None:
    if base.keys() != other.keys():
        lone = min(base.keys() ^ other.keys())
        raise SourceRefused(f"Two arms are compared case by case, and only one of them has {lone}.")
