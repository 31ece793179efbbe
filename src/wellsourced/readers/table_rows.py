"""Tables of every format → lines "a | b", each of which can be read alone with the first, the names of the columns."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from wellsourced.readers.inline_text import collapse_whitespace
from wellsourced.text.blocks import NO_HEADER
from wellsourced.text.sentences import CELL_SEPARATOR

MAX_COLUMNS = 200
"""Columns that one cell is believed to span, and to which rows are filled up; no cell of a wider table is left out."""

MAX_REPEATED_CHARS = 200_000
"""Characters of a table that are written again because their cell spans rows or columns; then a mark stands instead."""

REPEATED = "[as above]"

_INNER_SEPARATOR = re.compile(r"[ \t]+\|(?=[ \t]|$)[ \t]*")
_SENTENCE_MARKS = ".:;,?!"
_VALUE = re.compile(r"[<>≤≥=~≈±+−–-]?\s?\d")


class Cell(NamedTuple):
    """A cell as its format gives it.

    text      its words; items of a list, paragraphs and forced line breaks are lines of their own
    rows      how many rows it spans, from its own downwards
    columns   how many columns it spans
    """

    text: str
    rows: int = 1
    columns: int = 1


class TableRow(NamedTuple):
    """The cells that begin in one row.

    is_header   whether the format says that they name the columns
    """

    cells: Sequence[Cell]
    is_header: bool = False


def plain_rows(rows: Iterable[Sequence[str]], headers: int = 0) -> list[TableRow]:
    """Rows of words without spans, of which the first `headers` name the columns."""
    return [TableRow([Cell(words) for words in row], number < headers) for number, row in enumerate(rows)]


def span_count(given: str | None) -> int:
    """How many rows or columns an attribute says that a cell spans; 1 for what is no number."""
    return max(1, int(given)) if given and given.isdecimal() and len(given) < 6 else 1


def table_lines(rows: Sequence[TableRow]) -> Iterator[str]:
    """The columns' names in one line ("Uruguay: Men"), then a line a row; a blank line before other names further down.

    A cell that spans rows or columns stands in each of them. One that is alone in its row, the title of a group, is a
    line by itself. Missing cells are empty; a column without a name is NO_HEADER, as all are where no row names them.
    Rows without words are left out. Join the lines with line ends: none contains one.
    """
    for number, (headers, body) in enumerate(_split_tables(_mark_spanning_names(rows))):
        if number:
            yield ""
        yield from _write_table(headers, body)


def name_values(columns: Sequence[str], cells: Sequence[str]) -> str:
    """A row that is a document as "Column: value; …": empty cells are left out, and no value beyond the columns.

    Lines of a cell are parted by commas, since a semicolon ends a column.
    """
    named = zip_longest(columns, (cell_line(cell, ",") for cell in cells), fillvalue="")
    return "; ".join(f"{cell_line(column) or NO_HEADER}: {value}" for column, value in named if value)


def cell_line(text: str, between: str = ";") -> str:
    """The lines of a cell in one: "0.5 mg twice daily; 0.5 mg once daily in renal failure"."""
    if "\n" not in text and "|" not in text:
        return collapse_whitespace(text).strip()
    parts: list[str] = []
    for part in filter(None, (collapse_whitespace(part).strip() for part in text.split("\n"))):
        is_new = parts and parts[-1][-1] not in _SENTENCE_MARKS and part[0] not in "(,;:)%"
        parts += [between] * bool(is_new) + [" ", part] if parts else [part]
    # A stroke that is printed in a cell must not part it in two.
    line = "".join(parts)
    return _INNER_SEPARATOR.sub("|", line) if "|" in line else line


def _mark_spanning_names(rows: Sequence[TableRow]) -> Sequence[TableRow]:
    """The rows; where none is marked, a first one of which cells go on below beside one over columns is, with those."""
    if any(row.is_header for row in rows) or not rows:
        return rows
    over = any(cell.columns > 1 and cell.rows == 1 for cell in rows[0].cells)
    reach = max((cell.rows for cell in rows[0].cells), default=1) if over else 1
    if not 1 < reach < len(rows):
        return rows
    return [*(row._replace(is_header=True) for row in rows[:reach]), *rows[reach:]]


def _split_tables(rows: Sequence[TableRow]) -> Iterator[tuple[list[TableRow], list[TableRow]]]:
    """(names of columns, what stands below them), as often as new names follow."""
    headers: list[TableRow] = []
    body: list[TableRow] = []
    for row in rows:
        # One cell with words, in the middle of a table, is the title of a group.
        if row.is_header and (not body or sum(bool(cell.text.strip()) for cell in row.cells) > 1):
            if body:
                yield headers, body
                headers, body = [], []
            headers.append(row)
        else:
            body.append(row)
    # A table of names alone has its own in the first row.
    yield (headers, body) if body else (headers[:1], headers[1:])


def _write_table(headers: list[TableRow], body: list[TableRow]) -> Iterator[str]:
    while len(headers) > 1 and len(headers[0].cells) == 1 and headers[0].cells[0].columns > 1:
        yield from filter(None, [cell_line(headers.pop(0).cells[0].text, "")])
    grid = _Grid()
    columns = zip_longest(*(grid.fill_row(row) for row in headers), fillvalue="")
    names = [": ".join(dict.fromkeys(filter(None, column))) for column in columns]
    grid = _Grid()
    filled = [cells for row in body if any(cells := grid.fill_row(row))]
    if not any(names):
        names = filled.pop(0) if filled and _names_columns(filled[0], filled[1:]) else []
    width = min(max(map(len, (names, *filled)), default=0), MAX_COLUMNS)
    if width > 1 and len(filled) + bool(names) > 1:
        used = {column for cells in filled for column in range(len(names), len(cells)) if cells[column]}
        reach = max((width, *(column + 1 for column in used)))
        names += [NO_HEADER if column in used else "" for column in range(len(names), reach)]
    for cells in (names, *filled):
        if any(cells):
            yield cells[0] if len(cells) == 1 else CELL_SEPARATOR.join(cells + [""] * (width - len(cells)))


class _Grid:
    """Rows filled with the cells that reach into them from above and from the left."""

    def __init__(self) -> None:
        self._reaching: dict[int, tuple[int, str]] = {}  # column → (rows still to come, words)
        self._left = MAX_REPEATED_CHARS

    def fill_row(self, row: TableRow) -> list[str]:
        between = "" if row.is_header else ";"
        if not self._reaching and all(cell.rows == cell.columns == 1 for cell in row.cells):
            return [cell_line(cell.text, between) for cell in row.cells]
        cells: list[str] = []
        # A cell that is alone in its row is the title of a group, and would be repeated in every column.
        is_alone = len(row.cells) == 1 and not self._reaching and not row.is_header
        for cell in row.cells:
            self._take_from_above(cells)
            text = cell_line(cell.text, between)
            for column in range(cell.columns if cell.columns == 1 or not is_alone else 1):
                if column and len(cells) >= MAX_COLUMNS:
                    break
                if cell.rows > 1:
                    self._reaching[len(cells)] = (cell.rows - 1, text)
                cells.append(self._repeat(text) if column else text)
        if row.cells:
            self._take_from_above(cells)
        return cells

    def _take_from_above(self, cells: list[str]) -> None:
        while (column := len(cells)) in self._reaching:
            left, text = self._reaching.pop(column)
            if left > 1:
                self._reaching[column] = (left - 1, text)
            cells.append(self._repeat(text))

    def _repeat(self, text: str) -> str:
        self._left -= len(text)
        return text if self._left >= 0 or len(text) <= len(REPEATED) else REPEATED


def _names_columns(first: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
    """Whether the first row of a table without marked names names the columns, by what the others have below.

    Its words are no values or sentences, and none is repeated below; a table of two columns has figures in the second.
    """
    names = first[1:]
    below = [[cells[column] for cells in others if column < len(cells)] for column in range(1, len(first))]
    if not names or not others or not all(names) or any(_VALUE.match(name) or name[-1] in ".;" for name in names):
        return False
    if any(name in values for name, values in zip(names, below, strict=True)):
        return False
    return len(names) > 1 or all(any(map(str.isdigit, value)) for value in below[0] if value)
