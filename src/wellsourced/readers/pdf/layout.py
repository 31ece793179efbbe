"""The order in which a printed page is read: words with places → lines, column by column."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, groupby, islice, pairwise, takewhile
from statistics import median
from typing import NamedTuple

from wellsourced.readers.pdf.columns import (
    MIN_WHITE,
    Columns,
    Row,
    Uncertain,
    are_parted,
    find_columns,
    place_words,
    read_rows,
)
from wellsourced.readers.pdf.rows import Box, PdfArea, PdfWord, group_rows, lay_out, row_text, runs_on, split_runs
from wellsourced.readers.pdf.tables import (
    MAX_HEADS,
    count_rows,
    read_below_heads,
    take_aligned_tables,
    take_ruled_areas,
)

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


# Tables that the end of a page breaks: both parts are read as one, so that every row is whole.


def join_broken_tables(sheets: Sequence[tuple[int, Sequence[PdfLine]]]) -> list[tuple[int, list[PdfLine]]]:
    """Pages, with a row that goes on at the top of the next one whole where it begins.

    A table without rules that breaks within its first or last rows is known by its other part.
    """
    pages = [(number, list(lines)) for number, lines in sheets]
    for (_, above), (_, below) in pairwise(pages):
        ends = (*above[: -2 - MAX_HEADS : -1], *below[: MAX_HEADS + 1])
        table = next((line.area for line in ends if line.area and len(line.area.columns) > 2), None)
        counts = [_count_lines(above, table.columns, -1), _count_lines(below, table.columns, 1)] if table else [0]
        if all(counts):
            _join_parts(above, below, *counts)
    return pages


def _count_lines(lines: Sequence[PdfLine], columns: Columns, step: int) -> int:
    """How many lines from the break on, downwards or (step -1) upwards, are those of a table with these columns."""
    near = takewhile(lambda line: not line.area or line.area.is_table, lines[::step])
    rows = [(at, row) for at, line in enumerate(near) for row in _printed_rows(line)[::step]]
    count = count_rows([row for _, row in rows], columns)
    return rows[count - 1][0] + 1 if count else 0


def _printed_rows(line: PdfLine) -> list[Sequence[PdfWord]]:
    return [*group_rows(line.area.words)] if line.area else [line.words]


def _join_parts(above: list[PdfLine], below: list[PdfLine], last: int, first: int) -> None:
    """Put the two parts of a table in place of so many lines at the end of a page and at the top of the next."""
    upper, lower = above[-last:], below[:first]
    lines = [[row for line in part for row in _printed_rows(line)] for part in (upper, lower)]
    words = [tuple(word for line in part for word in line) for part in lines]
    heads = len([*takewhile(lambda pair: row_text(pair[0]) == row_text(pair[1]), zip(*lines, strict=False))])
    one, other = (upper[0].area, lower[0].area) if last == first == 1 else (None, None)
    try:
        if one and other and one.rows and other.rows:
            heads = int(one.rows[0] == other.rows[0])
            rows, rest, columns = one.rows, other.rows[heads:], one.columns
            if not rest or rest[0][0] or len(rest[0]) == 1:
                return
            rows, rest = (*rows[:-1], _complete_row(rows[-1], rest[0])), rest[1:]
        else:
            columns = find_columns([*lines[0], *lines[1][heads:]], MIN_WHITE)
            rows, rest = _read_parts(lines[0], lines[1][heads:], heads, columns)
    except Uncertain:
        if heads and not one:
            above[-last:] = [_as_line(upper[0], PdfArea(words[0], printed=lay_out(lines[0])))]
        if heads and not other:
            below[:first] = [_as_line(lower[0], PdfArea(words[1], printed=lay_out(lines[1])))]
        return
    above[-last:] = [_as_line(upper[0], PdfArea(words[0], rows, columns))]
    rest = (*rows[: bool(heads)], *rest) if rest else ()
    below[:first] = [_as_line(lower[0], PdfArea(words[1], rest, columns))] if rest else []


def _as_line(line: PdfLine, area: PdfArea) -> PdfLine:
    return line._replace(words=(area.as_word(),))


def _read_parts(
    above: Sequence[Sequence[PdfWord]], below: Sequence[Sequence[PdfWord]], heads: int, columns: Columns
) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    """The rows of a table before a break, the last one whole, and behind it. Raises Uncertain."""
    rows = read_below_heads(above[:heads], above[heads:], columns)
    if len(rows[-1]) < len(columns):
        raise Uncertain
    ends = [cell[-1:] for cell in _cell_lines(above, columns)]
    ends = [end if cell else [] for end, cell in zip(ends, rows[-1], strict=True)]
    for at in range(len(below) + 1):
        top = _cell_lines(below[:at], columns)
        if top[0]:
            break
        try:
            rest = tuple(read_rows([word for line in below[at:] for word in line], columns))
        except Uncertain:
            continue
        if not at:
            starts = _cell_lines(below, columns)
            if not starts[0] or not starts[0][0][0].text[0].islower() or are_parted(ends, starts, columns):
                return rows, rest
        # A cell goes on where the line above it is full.
        elif not are_parted(ends, top, columns):
            return (*rows[:-1], _complete_row(rows[-1], [tuple(map(row_text, cell)) for cell in top])), rest
    raise Uncertain


def _cell_lines(lines: Sequence[Sequence[PdfWord]], columns: Columns) -> list[list[list[PdfWord]]]:
    return [group_rows(cell) for cell in place_words([word for line in lines for word in line], columns)]


def _complete_row(row: Row, rest: Sequence[tuple[str, ...]]) -> Row:
    """A row with the lines of its cells on the next page. Raises Uncertain."""
    if len(row) != len(rest) or any(more and not cell for cell, more in zip(row, rest, strict=True)):
        raise Uncertain
    return tuple((*cell, *more) for cell, more in zip(row, rest, strict=True))
