"""Tests between groups of values, as publications report them: whoever has another's table recomputes its p.

A row has a group, a value (a number or a label), and where values are paired the case; `count`: so many rows alike.
"""

import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field

from wellsourced.errors import UnreadableFile
from wellsourced_evaluate.recorded_rows import RecordedRow, Words, read_table
from wellsourced_evaluate.statistics import cramers_v, kruskal_wallis, mcnemar_p, pearson, wilcoxon_p
from wellsourced_evaluate.tables import Block, Chance, Table, Text

MIN_ROWS = 5
"""Groups with fewer values are not tested (SourceCheckup)."""

MIN_EXPECTED = 5.0
"""Cells of which fewer are expected make chi-square doubtful: Fisher's exact test is meant for these."""

STARS = ((0.0001, "****"), (0.001, "***"), (0.01, "**"), (0.05, "*"))


def _read_value(given: object) -> object:
    try:
        return float(str(given))
    except ValueError:
        return given


class GroupedValue(RecordedRow):
    """One value of a group, or `count` of them."""

    group: Words
    value: Annotated[float | Words, BeforeValidator(_read_value)]
    case: Annotated[str, BeforeValidator(lambda given: str(given or ""))] = ""
    count: int = Field(1, ge=1)


class TestResult(NamedTuple):
    """A test of some groups; its figures None where it says nothing, as of values that are all alike."""

    groups: str
    test: str
    items: int
    statistic: float | None
    df: float | None
    p: float | None
    note: str = ""

    @property
    def stars(self) -> str:
        """As publications mark p; never without it."""
        return "" if self.p is None else next((stars for bound, stars in STARS if self.p <= bound), "ns")


def read_values(path: Path) -> list[GroupedValue]:
    """The rows of a file (.csv, .jsonl, .json). Raises UnreadableFile that names the rows which cannot be used."""
    rows = read_table(path, GroupedValue, "value")
    if len({row.group for row in rows}) < 2:
        raise UnreadableFile(
            path, "it has fewer than two groups", 'A row reads {"group": "a", "value": 1, "case": "q1"}.'
        )
    return rows


def list_tests(rows: Sequence[GroupedValue]) -> Iterator[TestResult]:
    """Each test that fits: of all groups together, then of each two, paired over the cases that both have."""
    groups: dict[str, list[GroupedValue]] = {}
    for row in rows:
        groups.setdefault(row.group, []).extend([row] * row.count)
    values = {name: [row.value for row in some] for name, some in groups.items()}
    paired = {name: {row.case: row.value for row in some if row.case} for name, some in groups.items()}
    is_numeric = all(isinstance(row.value, float) for row in rows)
    if len(groups) > 2 or not is_numeric:
        yield _test_table("all", values)
    if is_numeric:
        found = kruskal_wallis([[*map(float, some)] for some in values.values()])
        yield TestResult("all", "Kruskal–Wallis H", found.items, found.value, len(groups) - 1, found.p)
    for pair in combinations(groups, 2):
        name, (first, second) = " and ".join(pair), (values[one] for one in pair)
        cases = [case for case in paired[pair[0]] if case in paired[pair[1]]]
        both = [(paired[pair[0]][case], paired[pair[1]][case]) for case in cases]
        if is_numeric and min(len(first), len(second)) < MIN_ROWS:
            yield TestResult(name, "none", len(first) + len(second), None, None, None, f"fewer than {MIN_ROWS} values")
        elif is_numeric:
            yield from _test_numbers(name, first, second, both)
        elif both:
            yield TestResult(name, "Cramér's V, paired", len(both), cramers_v([*map(_name_pair, both)]), None, None)


def _name_pair(pair: tuple[object, object]) -> tuple[str, str]:
    return str(pair[0]), str(pair[1])


def _test_numbers(
    name: str, first: Sequence[object], second: Sequence[object], both: Sequence[tuple[object, object]]
) -> Iterator[TestResult]:
    from scipy import stats

    one, other = (np.array(some, dtype=np.float64) for some in (first, second))
    items = len(one) + len(other)
    for test, equal in (("Student's t", True), ("Welch's t", False)):
        found = _compute(stats.ttest_ind, one, other, equal_var=equal)
        yield _take(name, test, items, found.statistic, found.df, found.pvalue)
    is_binary = {*first, *second} <= {0.0, 1.0}
    if is_binary:
        yield _test_table(name, {"one": first, "other": second})
        yield _test_table(name, {"one": first, "other": second}, corrected=True)
        table = [[int((some == at).sum()) for at in (1.0, 0.0)] for some in (one, other)]
        yield _take(name, "Fisher's exact", items, None, None, stats.fisher_exact(table).pvalue)
    if len(both) < MIN_ROWS:
        return
    before, after = np.array(both, dtype=np.float64).T
    found = _compute(stats.ttest_rel, before, after)
    yield _take(name, "paired t", len(both), found.statistic, found.df, found.pvalue)
    if is_binary:
        gained, lost = int((before > after).sum()), int((before < after).sum())
        yield TestResult(
            name, "McNemar, exact", len(both), None, None, mcnemar_p(gained, lost), f"{gained}, {lost} differ"
        )
    yield TestResult(name, "Wilcoxon, signed ranks", len(both), None, None, wilcoxon_p(after - before))
    correlation = pearson([(float(x), float(y)) for x, y in zip(before, after, strict=True)])
    yield TestResult(name, "Pearson's r", len(both), correlation.value, len(both) - 2, correlation.p)


def _test_table(name: str, values: Mapping[str, Sequence[object]], *, corrected: bool = False) -> TestResult:
    """Chi-square of groups by values; `corrected` for continuity, as Yates has it."""
    from scipy.stats import chi2_contingency

    labels = [*dict.fromkeys(value for some in values.values() for value in some)]
    table = [[Counter(some)[label] for label in labels] for some in values.values()]
    test, items = "chi-square, corrected" if corrected else "chi-square", sum(map(sum, table))
    if len(labels) < 2:
        return TestResult(name, test, items, None, None, None, "all values are alike")
    found = chi2_contingency(table, correction=corrected)
    few = "fewer than 5 expected in a cell" if (found.expected_freq < MIN_EXPECTED).any() else ""
    return _take(name, test, items, found.statistic, found.dof, found.pvalue)._replace(note=few)


def _compute(test: Callable[..., Any], *values: NDArray[np.float64], **options: bool) -> Any:
    """The result of a test of scipy, which warns of values that are alike: `_take` leaves these out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return test(*values, **options)


def _take(name: str, test: str, items: int, statistic: float | None, df: float | None, p: float) -> TestResult:
    """A result of scipy; values that are all alike have none."""
    if not isfinite(p) or (statistic is not None and not isfinite(statistic)):
        return TestResult(name, test, items, None, None, None, "all values, or differences, are alike")
    return TestResult(name, test, items, statistic and float(statistic), df and float(df), float(p))


def test_blocks(rows: Sequence[GroupedValue], results: Sequence[TestResult]) -> Iterator[Block]:
    """Each group, then each test."""
    groups: dict[str, list[GroupedValue]] = {}
    for row in rows:
        groups.setdefault(row.group, []).append(row)
    means = []
    for name, some in groups.items():
        number, numbers = sum(row.count for row in some), [row.value for row in some if isinstance(row.value, float)]
        whole = sum(value * row.count for row, value in zip(some, numbers, strict=False))
        means.append((name, number, whole / number if len(numbers) == len(some) else None))
    yield Table(("group", "values", "mean"), means)
    shown = [
        (one.groups, one.test, one.items, one.statistic, one.df, Chance(one.p), one.stars, one.note) for one in results
    ]
    yield Table(("groups", "test", "values", "statistic", "df", "p", "", "note"), shown)
    yield Text("p are two-sided, and given as they are; **** .0001, *** .001, ** .01, * .05. Paired over common cases.")
