"""How ratings hang together: across systems, and between two who rated the same answers."""

from collections import Counter
from collections.abc import Sequence
from math import sqrt
from statistics import StatisticsError, correlation
from typing import NamedTuple

from wellsourced.errors import SettingsError


class GroupsTest(NamedTuple):
    """Kruskal and Wallis' H over the ratings of each system, and its p; both None where nothing differs."""

    h: float | None
    p: float | None
    ratings: int


def kruskal_wallis(groups: Sequence[Sequence[float]]) -> GroupsTest:
    """Whether ranks differ between groups (Kruskal and Wallis, 1952), corrected for ties; p by the χ² distribution.

    It takes all ratings as independent. Raises SettingsError without scipy.
    """
    try:
        from scipy.stats import kruskal  # type: ignore[import-untyped]
    except ImportError as error:
        remedy = "pip install 'wellsourced[evaluate]'"
        raise SettingsError(f"Kruskal and Wallis' test is scipy's, which is not installed: {remedy}.") from error
    filled = [one for one in groups if one]
    every = [value for one in filled for value in one]
    if len(filled) < 2 or len(set(every)) < 2:
        return GroupsTest(None, None, len(every))
    found = kruskal(*filled)
    return GroupsTest(float(found.statistic), float(found.pvalue), len(every))


def pearson_r(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Pearson's r of two columns; None of fewer than two rows, or where a column is constant."""
    try:
        return correlation(*zip(*pairs, strict=True)) if len(pairs) > 1 else None
    except StatisticsError:
        return None


def cramers_v(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Cramér's V (1946) of two columns of labels: sqrt(χ² / n / (least number of labels - 1)), Pearson's χ².

    No correction is made for continuity or for small tables. None where a column has one label only.
    """
    rows, columns, cells = Counter(one for one, _ in pairs), Counter(two for _, two in pairs), Counter(pairs)
    least = min(len(rows), len(columns))
    if least < 2:
        return None
    # Σ (observed - expected)² / expected = n · (Σ observed² / (row · column) - 1)
    shares = sum(count**2 / (rows[one] * columns[two]) for (one, two), count in cells.items())
    return sqrt(max(0.0, shares - 1) / (least - 1))


def weighted_kappa(pairs: Sequence[tuple[int, int]]) -> float | None:
    """Cohen's kappa (1968) with quadratic weights: two ratings that are one step apart nearly agree.

    1 - Σ d² of the pairs by Σ d² of every rating of the one with every rating of the other. None where chance alone
    leaves nothing to differ.
    """
    if not pairs:
        return None
    one, other = Counter(first for first, _ in pairs), Counter(second for _, second in pairs)
    seen = sum((first - second) ** 2 for first, second in pairs) / len(pairs)
    chance = sum((a - b) ** 2 * n * m for a, n in one.items() for b, m in other.items()) / len(pairs) ** 2
    return 1 - seen / chance if chance else None
