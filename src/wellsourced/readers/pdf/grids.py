"""A grid of rules on all sides → rows of cells; those that no rule parts are one cell in every row and column."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from wellsourced.readers.pdf.columns import MIN_WHITE, Columns, Row, Uncertain, read_rows
from wellsourced.readers.pdf.rows import (
    NEAR,
    Box,
    PdfArea,
    PdfWord,
    group_rows,
    lay_out,
    merge_places,
    row_text,
    split_runs,
)

MAX_CELL_LINES = 40
"""Lines of a cell; more are a part of the page, and no cell."""

MAX_CELLS = 20_000
"""Of one grid: one with more is a picture."""


@dataclass(frozen=True, eq=False)
class _Region:
    """A cell: the rows and columns of the grid that it takes, and its lines."""

    top: int
    bottom: int
    left: int
    right: int
    lines: list[list[PdfWord]]


def read_grid(words: Sequence[PdfWord], rules: Sequence[Box]) -> PdfArea | None:
    """The table in a grid; None for what is none."""
    uprights = [rule for rule in rules if not rule.is_level]
    levels = [rule for rule in rules if rule.is_level]
    # Rules are drawn cell by cell or in one: only their outermost ends are edges.
    ends = Box.around(rules)
    xs = merge_places([ends.left, ends.right, *(rule.middle for rule in uprights)])
    ys = merge_places([ends.bottom, ends.top, *(rule.middle for rule in levels)])[::-1]
    if len(words) < 4 or len(xs) < 3 or len(xs) * len(ys) > MAX_CELLS:
        return None
    regions = _find_regions(words, xs, ys, levels, uprights)
    if sum(bool(one.lines) for one in regions) < 4 or any(len(one.lines) > MAX_CELL_LINES for one in regions):
        return None
    try:
        rows = _grid_rows(regions, xs, len(ys) - 1)
    except Uncertain:
        printed = group_rows(words)
        return PdfArea(tuple(word for row in printed for word in row), printed=lay_out(printed))
    ordered = sorted(regions, key=lambda one: (one.top, one.left))
    found = tuple(word for one in ordered for row in one.lines for word in row)
    return PdfArea(found, rows, [*pairwise(xs)]) if len(rows) > 1 and len(rows[0]) > 1 else None


def _find_regions(
    words: Sequence[PdfWord], xs: Sequence[float], ys: Sequence[float], levels: Sequence[Box], uprights: Sequence[Box]
) -> list[_Region]:
    owner = {(row, column): (row, column) for row in range(len(ys) - 1) for column in range(len(xs) - 1)}

    def root(cell: tuple[int, int]) -> tuple[int, int]:
        while owner[cell] != cell:
            cell = owner[cell]
        return cell

    def join(cell: tuple[int, int], other: tuple[int, int]) -> None:
        first, second = sorted((root(cell), root(other)))
        owner[second] = first

    for row, column in owner:
        top, bottom, left, right = ys[row], ys[row + 1], xs[column], xs[column + 1]
        if (row, column + 1) in owner and not _is_drawn(uprights, 0, right, 2, bottom, top):
            join((row, column), (row, column + 1))
        if (row + 1, column) in owner and not _is_drawn(levels, 2, bottom, 0, left, right):
            join((row, column), (row + 1, column))
    held: dict[tuple[int, int], list[PdfWord]] = {}
    down = [-y for y in ys]
    for word in words:
        row = min(max(bisect_left(down, -(word.bottom + word.top) / 2) - 1, 0), len(ys) - 2)
        column = min(max(bisect_left(xs, word.middle) - 1, 0), len(xs) - 2)
        held.setdefault(root((row, column)), []).append(word)
    found = []
    for key, group in groupby(sorted(owner, key=root), key=root):
        rows, columns = zip(*group, strict=True)
        lines = group_rows(held.get(key, []))
        found.append(_Region(min(rows), max(rows) + 1, min(columns), max(columns) + 1, lines))
    return found


def _is_drawn(rules: Sequence[Box], across: int, place: float, along: int, low: float, high: float) -> bool:
    """Whether rules at a place cover most of a stretch."""
    covered = sum(
        max(0.0, min(rule[along + 1], high) - max(rule[along], low))
        for rule in rules
        if rule[across] - NEAR < place < rule[across + 1] + NEAR
    )
    return covered > 0.5 * (high - low)


def _grid_rows(regions: Sequence[_Region], xs: Sequence[float], height: int) -> tuple[Row, ...]:
    """The rows of a grid, the names of its columns first. Raises Uncertain."""
    grid: list[dict[int, _Region]] = [{} for _ in range(height)]
    for one in regions:
        for band in grid[one.top : one.bottom]:
            if not band.keys().isdisjoint(range(one.left, one.right)):
                raise Uncertain  # a region that is no rectangle
            band.update(dict.fromkeys(range(one.left, one.right), one))
        # Two columns in one cell: rules part only some of them.
        is_whole = (one.left, one.right) == (0, len(xs) - 1)
        if not is_whole and sum(len(list(split_runs(line, 2.0))) > 1 for line in one.lines) > 1:
            raise Uncertain
    begun = [row for at, row in enumerate(grid) if any(one.top == at for one in row.values())]
    full = [row for row in begun if any(one.lines for one in row.values())]
    cuts = [{one.left for one in row.values()} for row in full]
    # A row whose cells begin where those of no other do, and not where most others' do, is ragged: it has no columns.
    counts = Counter(place for own in cuts for place in own)
    usual = {place for place, count in counts.items() if 2 * count > len(full)}
    ragged = [len(full) > 2 and min(counts[place] for place in own) == 1 and not usual <= own for own in cuts]
    edges = sorted({place for own, is_ragged in zip(cuts, ragged, strict=True) if not is_ragged for place in own})
    used = [place for place in edges if any(row[place].lines for row in full)]
    if len(used) < 2:
        raise Uncertain
    kept = [[row[place] for place in used] for row in full]
    for number, row in enumerate(full):
        if ragged[number] and len(set(row.values())) <= len(used):
            raise Uncertain
        kept[number] = list(dict.fromkeys(row.values())) if ragged[number] else kept[number]
    first = kept[0]
    heads = max(one.bottom for one in first) - first[0].top if len(set(first)) < len(first) else 1
    columns = [(left, right - 1) for left, right in pairwise([*(xs[place] for place in used), xs[-1]])]
    if len(full) == 1:
        return tuple(_split_band(first, columns))
    # Two bands are the names of columns and all rows below them.
    bands = [_split_band(row, columns) if len(full) == 2 else [_span_cells(row)] for row in kept[heads:]]
    top = [_span_cells(row) for row in kept[:heads]]
    return (_join_heads(top), *(row for band in bands for row in band))


def _split_band(row: Sequence[_Region], columns: Columns) -> list[Row]:
    """The rows between two level rules: one, unless its cells are as many rows as columns. Raises Uncertain."""
    # Only every second row is shaded, and has edges, in many tables.
    is_open = len(set(row)) == 1 and any(len(list(split_runs(line, MIN_WHITE))) > 1 for line in row[0].lines)
    is_spanned = len(set(row)) < len(row) or any(one.bottom - one.top > 1 for one in row)
    if not is_open and (len(row[0].lines) < 2 or is_spanned):
        return [_span_cells(row)]
    words = [word for one in dict.fromkeys(row) for line in one.lines for word in line]
    return list(read_rows(words, columns))


def _span_cells(row: Sequence[_Region]) -> Row:
    cells = tuple(tuple(map(row_text, one.lines)) for one in row)
    # A cell that is alone in its row is the title of a group, and would be repeated in every column.
    return cells[:1] if len(set(row)) == 1 else cells


def _join_heads(rows: Sequence[Row]) -> Row:
    """The names of columns in one row: "Dose: usual"."""
    width = max(map(len, rows))
    columns = zip(*(row if len(row) == width else row * width for row in rows), strict=True)
    return tuple((": ".join(dict.fromkeys(" ".join(cell) for cell in column if cell)),) for column in columns)
