"""Columns of a table by the white between them, and its rows by the steps between lines: certain, or none at all."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from wellsourced.lazy import lazy_regex
from wellsourced.readers.pdf.rows import Cell, PdfWord, group_rows, row_text, runs_on, split_runs

MIN_WHITE = 0.5
"""Ems of white between two columns, at least."""

SAME_EDGE = 0.6
"""Points by which the edges of a column differ, at most."""

MAX_UNEVEN_STEP = 1.25
"""The largest step between two lines of a cell, as a multiple of the smallest; raised digits make one larger."""

MAX_LEADING = 1.7
"""Ems from one line of a cell to the next, at most."""

MIN_FULL_OF_PARAGRAPHS = 0.3
"""Share of full lines in a column of short paragraphs, at least."""

_ITEM_MARK = lazy_regex(r"[^\w\s]|\(?\w{1,3}[.)]|\[?[0-9]{1,3}\]?|[0-9]+(?:\.[0-9]+)+\.?")

Line = Sequence[PdfWord]
Columns = Sequence[tuple[float, float]]
Row = tuple[Cell, ...]
"""Its cells; one cell alone is the title of a group of rows."""


class Uncertain(Exception):
    """Rows and columns cannot be told with certainty."""


def find_columns(lines: Sequence[Line], ems: float) -> list[tuple[float, float]]:
    """(left, right) of columns with so many ems of white between them that no line of several runs touches."""
    edges = find_edges(lines)
    every = [list(split_at_edges(line, edges)) for line in lines]
    sizes = [line[0].size for line in lines] or [0.0]
    places = [(run[0].left, run[-1].right) for runs in every if len(runs) > 1 for run in runs]
    return merge_columns(places, ems * median(sizes), edges)


def find_edges(lines: Sequence[Line]) -> list[float]:
    """Where runs of two lines begin behind white, in points from the left."""
    every = (list(split_runs(line, MIN_WHITE)) for line in lines)
    begun = sorted(run[0].left for runs in every if len(runs) > 1 for run in runs)
    return list(dict.fromkeys(round(next_, 1) for one, next_ in pairwise(begun) if next_ - one < SAME_EDGE))


def is_edge(left: float, edges: Sequence[float]) -> bool:
    """Whether a column begins there."""
    return any(abs(left - edge) < SAME_EDGE for edge in edges)


def split_at_edges(line: Line, edges: Sequence[float], *, is_inside: bool = False) -> Iterator[Line]:
    """The runs of a line; a word at the edge of a column begins one, too, in a table or beside other white."""
    runs = list(split_runs(line, MIN_WHITE))
    for run in runs:
        start = 0
        for at in range(1, len(run)) if is_inside or len(runs) > 1 else ():
            if is_edge(run[at].left, edges):
                yield run[start:at]
                start = at
        yield run[start:]


def split_cells(line: Line, edges: Sequence[float] = ()) -> list[Line]:
    """The runs of a line; one where the white between them is that of a justified line, of one width everywhere."""
    runs = list(split_runs(line, MIN_WHITE))
    between = [next_[0].left - one[-1].right for one, next_ in pairwise(runs)]
    within = [next_.left - one.right for run in runs for one, next_ in pairwise(run)]
    if within and between:
        is_justified = min(between) <= 1.5 * max(within)
    else:
        is_justified = len(between) > 2 and max(between) < 1.5 * min(between)
    if is_justified and not all(is_edge(run[0].left, edges) for run in runs):
        return [line]
    return list(split_at_edges(line, edges))


def split_columns(line: Line, columns: Columns) -> Iterator[Line]:
    """The runs of a line of a table."""
    return split_at_edges(line, [left for left, _ in columns[1:]], is_inside=True)


def merge_columns(
    places: Sequence[tuple[float, float]], white: float, edges: Sequence[float] = ()
) -> list[tuple[float, float]]:
    """Places as columns with at least so much white between them, or any where a column is known to begin."""
    columns: list[tuple[float, float]] = []
    for left, right in sorted(places):
        if columns and left - columns[-1][1] < (0 if is_edge(left, edges) else white):
            columns[-1] = (columns[-1][0], max(columns[-1][1], right))
        else:
            columns.append((left, right))
    return columns


def place_words(words: Line, columns: Columns) -> list[list[PdfWord]]:
    """Words by columns; those of one run are of one column."""
    cells: list[list[PdfWord]] = [[] for _ in columns]
    limits = [(one[1] + next_[0]) / 2 for one, next_ in pairwise(columns)]
    for run in (run for line in group_rows(words) for run in split_columns(line, columns)):
        over = columns_of(run[0].left, run[-1].right, columns)
        for word in run:
            cells[over[0] if len(over) == 1 else bisect_left(limits, word.middle)].append(word)
    return cells


def are_items(lines: Sequence[Line], columns: Columns) -> bool:
    """Whether two columns are items behind their marks."""
    firsts = [place_words(line, columns)[0] for line in lines]
    return len(columns) == 2 and all(_ITEM_MARK.fullmatch(row_text(first)) for first in firsts if first)


def _is_running(lines: Sequence[Line]) -> bool:
    """Whether lines of several words go on with each other, not each with a capital."""
    goes_on = sum(not line[0].text[0].isupper() for line in lines[1:])
    # A white of the justified lines is not one of all lines.
    places = [(run[0].left, run[-1].right) for line in lines for run in split_cells(line)]
    if len(lines) < 3 or sum(map(len, lines)) < 4 * len(lines) or 4 * goes_on < len(lines) - 1:
        return False
    if len(merge_columns(places, 1.0)) > 1:
        return False
    return runs_on(lines, MIN_FULL_OF_PARAGRAPHS)


def read_rows(words: Sequence[PdfWord], columns: Columns) -> Iterator[Row]:
    """The rows of a table without rules between them. Raises Uncertain."""
    part: list[PdfWord] = []
    for line in group_rows(words):
        runs = list(split_columns(line, columns))
        wide = [run for run in runs if len(columns_of(run[0].left, run[-1].right, columns)) > 1]
        if wide and len(runs) > 1:
            raise Uncertain
        if wide:
            yield from _read_cells(part, columns)
            yield ((row_text(line),),)
            part = []
        else:
            part += line
    yield from _read_cells(part, columns)


def name_columns(words: Sequence[PdfWord], columns: Columns) -> Row:
    """The names of columns in their head; one above several is that of each of them. Raises Uncertain."""
    if _may_be_rows([group_rows(cell) for cell in place_words(words, columns)]):
        raise Uncertain
    names: list[list[str]] = [[] for _ in columns]
    lines = group_rows(words)
    if lines[0][0].bold and not all(word.bold for word in lines[-1]):
        raise Uncertain  # the first line of a row
    for line in lines:
        for run in split_columns(line, columns):
            over = columns_of(run[0].left, run[-1].right, columns)
            if not over or (len(over) > 1 and line is lines[-1]):
                raise Uncertain  # one name of two columns, or two names without a white between them
            for at in over:
                names[at].append(row_text(run) + (":" if len(over) > 1 else ""))
    return tuple((" ".join(parts),) if parts else () for parts in names)


def columns_of(left: float, right: float, columns: Columns) -> list[int]:
    """The numbers of the columns that a stretch of a line overlaps."""
    return [at for at, one in enumerate(columns) if min(one[1], right) - max(one[0], left) > 0]


def _steps(lines: Sequence[Sequence[Line]]) -> list[float]:
    """From one line of a column to the next, in points."""
    return [one[0].bottom - next_[0].bottom for column in lines for one, next_ in pairwise(column)]


def join_row(lines: Sequence[Sequence[Line]]) -> Row:
    """The lines of each cell as one row."""
    row = tuple(tuple(map(row_text, cell)) for cell in lines)
    return row if any(row[1:]) else row[:1]


def _may_be_rows(lines: Sequence[Sequence[Line]]) -> bool:
    """Whether two lines of the first cell have others beside them, as two rows would."""
    beside = [
        sum(any(abs(one[0].bottom - other[0].bottom) < 2 for other in lines[0]) for one in cell) for cell in lines[1:]
    ]
    return len(lines[0]) > 1 and max(beside, default=0) > 1


def _read_cells(words: Sequence[PdfWord], columns: Columns) -> list[Row]:
    """Rows, each of which has a line of the first column, and other cells around it or below it. Raises Uncertain."""
    if not words:
        return []
    lines = [group_rows(cell) for cell in place_words(words, columns)]
    heights = [line[0].bottom for line in lines[0]]
    if not heights:
        raise Uncertain
    size = median(word.size for word in words)
    rows: list[list[list[Line]]] = [[[] for _ in lines] for _ in heights]
    for column, own in enumerate(lines):
        for line in own:
            nearest = min(range(len(heights)), key=lambda at: abs(heights[at] - line[0].bottom))
            rows[nearest][column].append(line)
    for height, row in zip(heights, rows, strict=True):
        filled = [cell for cell in row if cell]
        middles = [(cell[0][0].bottom + cell[-1][0].bottom) / 2 for cell in filled]
        tops = [cell[0][0].bottom for cell in filled]
        if not any(all(abs(place - height) < size / 4 for place in places) for places in (middles, tops)):
            raise Uncertain
        if any(cell[0][0].bold and not cell[-1][0].bold for cell in filled):
            raise Uncertain  # the name of a column, and the first line below it
    within = [step for row in rows for step in _steps(row)]
    # A line that is further from its cell than its lines from each other is of another row, which has no name.
    if within and max(within) > MAX_UNEVEN_STEP * min(within):
        raise Uncertain
    limit = median(within) + 1 if within else MAX_LEADING * size
    # Room in running text is the end of a paragraph, and of no row.
    is_text = any(len(own) > 2 and _is_running(own) for own in lines)
    for above, below in pairwise(rows):
        is_named = min(sum(map(bool, above)), sum(map(bool, below))) > 1 and not below[0][0][0].text[0].islower()
        is_apart = above[0][0][0].bottom - below[0][0][0].bottom > limit
        if not (is_named or is_apart or (not is_text and are_parted(above, below, columns))):
            raise Uncertain
    return [join_row(row) for row in rows]


def are_parted(above: Sequence[Sequence[Line]], below: Sequence[Sequence[Line]], columns: Columns) -> bool:
    """Whether a cell ends where the first word of the one below it has room, or the names of columns are above."""
    return any(
        (one[-1][-1].bold and not other[0][0].bold)
        or right - one[-1][-1].right > other[0][0].right - other[0][0].left + other[0][0].size / 2
        for one, other, (_, right) in zip(above, below, columns, strict=True)
        if one and other
    )
