"""The order in which a printed page is read: words with places → lines, column by column."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, groupby, islice
from statistics import median
from typing import NamedTuple

from wellsourced.readers.pdf.rows import Box, PdfArea, PdfWord, group_rows, row_text, runs_on, split_runs
from wellsourced.readers.pdf.tables import take_aligned_tables, take_ruled_areas

SAMPLE_PAGES = 20
"""Pages that are looked at to see whether a file is set in columns."""

MIN_GUTTER = 6.0
"""Points of white between two columns, at least."""

MIN_COLUMN_WIDTH = 90.0
"""Points that a column is wide, at least; three columns of a page have 160."""

MIN_TWO_COLUMN_WIDTH = 300.0
"""Points that two columns are wide together, at least; one column of two has 260."""

MIN_COLUMN_LINES, MIN_COLUMN_WORDS = 4, 12
"""A column has as many, at least."""


class PdfLine(NamedTuple):
    """A line of one column; its own edges and those of its column, left and right, are in points.

    continues    it stands directly below the line before it, in the same column
    """

    words: tuple[PdfWord, ...]
    column: tuple[float, float]
    continues: bool = False

    @property
    def text(self) -> str:
        return row_text(self.words)

    @property
    def area(self) -> PdfArea | None:
        """The table or box that this stands for."""
        return self.words[0].area

    @property
    def bottom(self) -> float:
        """The lowest point of most of it: raised and lowered marks do not count."""
        return median(word.bottom for word in self.words)

    @property
    def size(self) -> float:
        """The size of most of its letters, to half a point."""
        sizes: Counter[float] = Counter()
        first = self.words[0].size
        if all(word.size == first for word in self.words):
            return round(first * 2) / 2
        for word in self.words:
            sizes[round(word.size * 2) / 2] += len(word.text)
        return max(sizes, key=lambda size: (sizes[size], size))

    @property
    def bold(self) -> bool:
        return all(word.bold for word in self.words)


def find_usual_gutter(pages: Iterable[Sequence[PdfWord]]) -> float:
    """Where columns meet, in points from the left, when they do so on two pages and on a third of them; else 0."""
    found = [_find_gutter(group_rows(words), 0.0) for words in islice(pages, SAMPLE_PAGES) if words]
    strips = [strip for strip in found if strip]
    middle = median((left + right) / 2 for left, right in strips) if strips else 0.0
    agreed = sum(left - MIN_GUTTER < middle < right + MIN_GUTTER for left, right in strips)
    return middle if agreed >= max(2, len(found) / 3) else 0.0


def read_page(words: Sequence[PdfWord], rules: Sequence[Box], usual: float) -> list[PdfLine]:
    """The lines of a page in reading order, each table one of them; `usual` as in find_lines."""
    rows = group_rows(take_ruled_areas(words, rules))
    tables = take_aligned_tables(rows, across=True)
    if any(row not in rows for row in tables) and _find_gutter(tables, usual):
        tables = take_aligned_tables(rows, across=True, is_columned=True)
    return _order_rows(tables, usual, 2)


def find_lines(words: Sequence[PdfWord], usual: float = 0.0, depth: int = 2) -> list[PdfLine]:
    """The lines in reading order: what spans both columns where it stands, else the left column before the right.

    usual   where columns meet on other pages, in points from the left; 0 when unknown
    """
    return _order_rows(group_rows(words), usual, depth)


def _order_rows(found: Sequence[Sequence[PdfWord]], usual: float, depth: int) -> list[PdfLine]:
    strip = _find_gutter(found, usual) if depth else None
    if strip is None:
        return _column_lines(found)
    parts: list[PdfLine] = []
    left: list[PdfWord] = []
    right: list[PdfWord] = []
    for row in found:
        if _spans_columns(row, strip):
            parts += find_lines(left, usual, depth - 1) + find_lines(right, usual, depth - 1) + _column_lines([row])
            left, right = [], []
            continue
        middle = (strip[0] + strip[1]) / 2
        for run in split_runs(row, 0.7, MIN_GUTTER):
            (left if run[0].left + run[-1].right < 2 * middle else right).extend(run)
    return parts + find_lines(left, usual, depth - 1) + find_lines(right, usual, depth - 1)


def _column_lines(found: Sequence[Sequence[PdfWord]]) -> list[PdfLine]:
    if not found:
        return []
    edges = (min(row[0].left for row in found), max(max(word.right for word in row) for row in found))
    lines: list[PdfLine] = []
    for row in take_aligned_tables(found, across=False):
        text = tuple(word for word in row if not word.area)
        for words in filter(None, (text, *((word,) for word in row if word.area))):
            lines.append(PdfLine(words, edges, continues=bool(lines)))
    return lines


def _spans_columns(row: Sequence[PdfWord], strip: tuple[float, float]) -> bool:
    """A row is full when words cross the white between the columns, and it reaches well into both."""
    reach = 2 * max(word.size for word in row)
    edges = ((run[0].left, run[-1].right) for run in split_runs(row, 0.7, MIN_GUTTER))
    return any(strip[0] - left > reach and right - strip[1] > reach for left, right in edges)


def _find_gutter(found: Sequence[Sequence[PdfWord]], usual: float) -> tuple[float, float] | None:
    """The white strip between two columns, None when there is one column.

    The lines of two columns run on; the cells of a table do not. A figure or a table may fill one column of two
    where other pages meet, or in the middle; beside a column of another width it would itself be the table.
    """
    words = [word for row in found for word in row]
    if len(found) < MIN_COLUMN_LINES or not words:
        return None
    low, high = min(word.left for word in words), max(word.right for word in words)
    for strip in _candidate_strips(found, low, high, usual):
        beside = [row for row in found if not _spans_columns(row, strip)]
        left, right = _lines_between(beside, low, strip[0]), _lines_between(beside, strip[1], high)
        is_few = any(len(side) < MIN_COLUMN_LINES or sum(map(len, side)) < MIN_COLUMN_WORDS for side in (left, right))
        if is_few or len(left) + len(right) <= len(found) - len(beside):
            continue
        is_central = abs(strip[0] + strip[1] - low - high) < 0.08 * (high - low)
        is_usual = strip[0] - MIN_GUTTER < usual < strip[1] + MIN_GUTTER
        if runs_on(left) + runs_on(right) + is_central + 2 * is_usual >= 2:
            return strip
    return None


def _lines_between(found: Sequence[Sequence[PdfWord]], low: float, high: float) -> list[list[PdfWord]]:
    lines = ([word for word in row if word.left >= low - 1 and word.right <= high + 1] for row in found)
    return [line for line in lines if line]


def _candidate_strips(
    found: Sequence[Sequence[PdfWord]], low: float, high: float, usual: float
) -> list[tuple[float, float]]:
    """Upright strips that few rows touch: first where columns usually meet, then well inside, the whitest first."""
    width = int(high - low) + 1
    if not 2 * MIN_GUTTER < width < 20_000:
        return []
    touched = [0] * (width + 2)
    for row in found:
        for run in split_runs(row, 0.7, MIN_GUTTER):
            touched[max(0, int(run[0].left - low))] += 1
            touched[min(width, int(run[-1].right - low) + 1)] -= 1
    touched = list(accumulate(touched))
    near, edge = int(usual - low), int(max(MIN_COLUMN_WIDTH, width / 5))
    insides: list[range] = []
    if 0 < near < width:
        insides.append(range(max(near - 15, 1), min(near + 15, width)))
    if width >= MIN_TWO_COLUMN_WIDTH:
        insides.append(range(edge, width - edge))
    return [strip for inside in insides for strip in islice(_whitest_strips(touched, inside, low), 8)]


def _whitest_strips(touched: Sequence[int], inside: range, low: float) -> Iterator[tuple[float, float]]:
    for level in sorted({touched[place] for place in inside})[:4]:
        for is_white, stretch in groupby(inside, [count <= level for count in touched].__getitem__):
            first, *others = stretch
            if is_white and len(others) + 1 >= MIN_GUTTER:
                yield low + first, low + first + len(others) + 1
