"""Tables that the end of a page breaks: both parts are read as one, so that every row is whole."""

from collections.abc import Sequence
from itertools import pairwise, takewhile

from wellsourced.readers.pdf.columns import (
    MIN_WHITE,
    Columns,
    Line,
    Row,
    Uncertain,
    are_parted,
    find_columns,
    place_words,
    read_rows,
)
from wellsourced.readers.pdf.layout import PdfLine
from wellsourced.readers.pdf.paragraphs import SheetLines
from wellsourced.readers.pdf.rows import PdfArea, PdfWord, group_rows, lay_out, row_text
from wellsourced.readers.pdf.tables import MAX_HEADS, count_rows, read_below_heads


def join_broken_tables(sheets: SheetLines) -> list[tuple[int, list[PdfLine]]]:
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
    rows = [(at, row) for at, line in enumerate(lines[::step]) for row in _printed_rows(line)[::step]]
    count = count_rows([row for _, row in rows], columns)
    return rows[count - 1][0] + 1 if count else 0


def _printed_rows(line: PdfLine) -> list[Line]:
    return [*group_rows(line.area.words)] if line.area else [line.words]


def _join_parts(above: list[PdfLine], below: list[PdfLine], last: int, first: int) -> None:
    """Put the two parts of a table in place of so many lines at the end of a page and at the top of the next."""
    upper, lower = above[-last:], below[:first]
    lines = [[row for line in part for row in _printed_rows(line)] for part in (upper, lower)]
    words = [tuple(word for line in part for word in line) for part in lines]
    heads = len([*takewhile(lambda pair: row_text(pair[0]) == row_text(pair[1]), zip(*lines, strict=False))])
    areas = [upper[0].area, lower[-1].area] if last == first == 1 else [None, None]
    try:
        if all(area and area.rows for area in areas):
            one, other = areas
            rows, rest = one.rows, other.rows[other.rows[0] == one.rows[0] :]
            if rest[0][0] or len(rest[0]) == 1:
                return
            rows, rest, columns = (*rows[:-1], _complete_row(rows[-1], rest[0])), rest[1:], one.columns
        else:
            columns = find_columns([*lines[0], *lines[1][heads:]], MIN_WHITE)
            rows, rest = _read_parts(lines[0], lines[1][heads:], heads, columns)
    except Uncertain:
        if heads:
            for part, own, page in zip((upper, lower), lines, words, strict=True):
                if not (len(part) == 1 and part[0].area):
                    part[:] = [_as_line(part[0], PdfArea(page, printed=lay_out(own)))]
        above[-last:], below[:first] = upper, lower
        return
    above[-last:] = [_as_line(upper[0], PdfArea(words[0], rows, columns))]
    named = (rows[0], *rest) if heads or (areas[1] and areas[1].rows[:1] == rows[:1]) else rest
    below[:first] = [_as_line(lower[0], PdfArea(words[1], named, columns))] if rest else []


def _as_line(line: PdfLine, area: PdfArea) -> PdfLine:
    return line._replace(words=(area.as_word(),))


def _read_parts(
    above: Sequence[Line], below: Sequence[Line], heads: int, columns: Columns
) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    """The rows of a table before a break, the last one whole, and behind it. Raises Uncertain."""
    rows = read_below_heads(above[:heads], above[heads:], columns)
    ends = [cell[-1:] for cell in _column_lines(above, columns)]
    ends = [end if cell else [] for end, cell in zip(ends, rows[-1], strict=True)]
    for at in range(len(below) + 1):
        top = _column_lines(below[:at], columns)
        if top[0]:
            break
        try:
            rest = tuple(read_rows([word for line in below[at:] for word in line], columns))
        except Uncertain:
            continue
        if not at:
            starts = _column_lines(below, columns)
            if not starts[0] or not starts[0][0][0].text[0].islower() or are_parted(ends, starts, columns):
                return rows, rest
        # A cell goes on where the line above it is full.
        elif not are_parted(ends, top, columns):
            return (*rows[:-1], _complete_row(rows[-1], [tuple(map(row_text, cell)) for cell in top])), rest
    raise Uncertain


def _column_lines(lines: Sequence[Line], columns: Columns) -> list[list[list[PdfWord]]]:
    return [group_rows(cell) for cell in place_words([word for line in lines for word in line], columns)]


def _complete_row(row: Row, rest: Sequence[tuple[str, ...]]) -> Row:
    """A row with the lines of its cells on the next page. Raises Uncertain."""
    if len(row) != len(rest) or any(more and not cell for cell, more in zip(row, rest, strict=True)):
        raise Uncertain
    return tuple((*cell, *more) for cell, more in zip(row, rest, strict=True))
