"""A printed table as lines: each row can be read alone, because what spans several cells stands in each of them."""

from collections.abc import Iterator, Sequence

from wellsourced.readers.xml_records import Element, element_text, local_name

MAX_COLUMNS = 200
"""As many as a table is believed to have: no printed one has more, and one cell may say that it spans a million."""

CellRow = list[str]


def table_lines(table: Element) -> Iterator[str]:
    """The columns' names, from however many rows of heads, in one line; then "a | b", a line a row.

    A cell that spans a whole row, the title of a group, stands in it once. Rows without words are left out.
    """
    heads = [row for row in table.iter("tr") if _is_header_row(row)]
    names = [": ".join(dict.fromkeys(filter(None, column))) for column in zip(*_fill_columns(heads), strict=True)]
    body = _fill_columns([row for row in table.iter("tr") if not _is_header_row(row)])
    for first, *others in filter(any, (names, *body)):
        yield " | ".join((first, *others)) if any(others) else first


def _is_header_row(row: Element) -> bool:
    parent = row.getparent()
    return parent is not None and local_name(parent) == "thead"


def _fill_columns(rows: Sequence[Element]) -> list[CellRow]:
    """Every row with a cell in every column, to the width of the widest."""
    reaching: dict[int, tuple[int, str]] = {}
    filled = [_row_cells(row, reaching) for row in rows]
    width = max(map(len, filled), default=0)
    return [row + [""] * (width - len(row)) for row in filled]


def _row_cells(row: Element, reaching: dict[int, tuple[int, str]]) -> CellRow:
    """The cells of one row. `reaching`: column → (rows still to come, words) of cells that began further up."""
    cells: CellRow = []
    own = [child for child in row if local_name(child) in ("td", "th")]
    for cell in own:
        _take_spanning_cells(reaching, cells)
        text, down = element_text(cell), _span_count(cell, "rowspan")
        # A cell that is alone in its row is the title of a group, and would be repeated in every column.
        across = _span_count(cell, "colspan") if len(own) > 1 else 1
        for column in range(len(cells), min(len(cells) + across, MAX_COLUMNS)):
            if down > 1:
                reaching[column] = (down - 1, text)
            cells.append(text)
    _take_spanning_cells(reaching, cells)
    return cells


def _take_spanning_cells(reaching: dict[int, tuple[int, str]], cells: CellRow) -> None:
    """Go on with the cells from further up that stand next."""
    while (column := len(cells)) in reaching:
        left, text = reaching.pop(column)
        if left > 1:
            reaching[column] = (left - 1, text)
        cells.append(text)


def _span_count(cell: Element, name: str) -> int:
    given = cell.get(name, "1")
    return max(1, int(given)) if given.isdecimal() and len(given) < 6 else 1
