"""Tables on a printed page: rows of cells where rules or white say which they are, else the lines as they are printed.

A pair of a row and a column that the page does not show would be false: whatever leaves a doubt is shown as printed.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise

from wellsourced.readers.pdf.columns import (
    MIN_WHITE,
    Columns,
    Line,
    Row,
    Uncertain,
    are_items,
    columns_of,
    find_columns,
    find_edges,
    join_row,
    merge_columns,
    name_columns,
    place_words,
    read_rows,
    split_cells,
    split_columns,
)
from wellsourced.readers.pdf.grids import read_grid
from wellsourced.readers.pdf.rows import NEAR, Box, PdfArea, PdfWord, group_rows, lay_out, merge_places, split_runs

MIN_TABLE_WIDTH = 60.0
"""Points."""

MIN_WHITE_OF_TWO = 1.0
"""Ems of white between two columns, at least, where nothing but one white strip makes the table."""

MIN_ROWS, MAX_ROWS = 3, 400
"""Rows of a table without any rule, at least and at most."""

MAX_HEADS, MAX_STEP = 4, 3.5
"""Lines above a table that may name its columns, at most, and ems from one line of a table to the next."""

MAX_OPEN_HEIGHT = 150.0
"""Points above and below the rules of a table in which further rows of it are looked for."""

MIN_UNDERLINED = 0.6
"""Share of an underline above which words stand; the rest is the spaces between them."""

MAX_LEVELS = 40
"""Rules of one width that are tried as the edges of a table."""


def take_ruled_areas(words: Sequence[PdfWord], rules: Sequence[Box]) -> list[PdfWord]:
    """The words of a page, one in place of each table that is drawn with rules, and of each box beside the text."""
    rest = list(words)
    bands: dict[tuple[int, int], list[Box]] = {}
    for group in _split_touching(_leave_out_underlines(words, rules)):
        left, right, _, _ = Box.around(group)
        outer = [rule for rule in group if rule.is_level or rule.left < left + NEAR or rule.right > right - NEAR]
        area = read_grid(inside := _words_between(rest, group), group) if len(outer) < len(group) else None
        if area:
            rest = _put_area(rest, inside, area)
        elif right - left > MIN_TABLE_WIDTH:
            # A shaded row is a box, or several side by side: it parts rows as a rule does.
            key = next((key for key in bands if abs(key[0] - left) < NEAR and abs(key[1] - right) < NEAR), None)
            bands.setdefault(key or (round(left), round(right)), []).extend(outer)
    for group in sorted(bands.values(), key=lambda group: -max(rule.top for rule in group)):
        rest = _take_bands(rest, group)
    return rest


def take_aligned_tables(rows: Sequence[Line], *, across: bool, is_columned: bool = False) -> list[Line]:
    """The rows of a column, or across a page that may have several, one in place of each table that white alone makes.

    Two columns across a page, and running text, may be columns of the page.
    """
    found: list[Line] = []
    edges = find_edges([row for row in rows if len(split_cells(row)) > 1])
    runs = [[] if any(word.area for word in row) else split_cells(row, edges) for row in rows]
    at, last = 0, 0
    while at < len(rows):
        end, area = _aligned_end(rows, runs, edges, at) if at >= last else at, None
        # A name that is centred over its column stands between the columns of the rows below.
        if end - at >= MIN_ROWS and _aligned_end(rows, runs, edges, at + 1) <= end:
            heads = _count_heads(found, rows[at], rows[at:end])
            area = _read_aligned(rows[at - heads : at], rows[at:end], across=across)
            if area is None:
                last = end  # nothing more can begin in it
        if area and not (area.printed and is_columned):
            del found[len(found) - heads :]
            found.append([area.as_word()])
            at = end
        else:
            found.append(rows[at])
            at += 1
    return found


# Rules → parts of the page that they make.


def _leave_out_underlines(words: Sequence[PdfWord], rules: Sequence[Box]) -> list[Box]:
    """The rules that are not drawn under words: within their height, and hardly longer than they are."""
    rows: dict[int, list[PdfWord]] = {}
    for word in words if any(rule.is_level for rule in rules) else ():
        rows.setdefault(int(word.bottom // NEAR), []).append(word)

    def underlines(rule: Box) -> bool:
        near = [word for step in range(-2, 2) for word in rows.get(int(rule.middle // NEAR) + step, ())]
        over = [word for word in near if word.bottom - 0.5 < rule.middle < word.bottom + 0.3 * (word.top - word.bottom)]
        covered = sum(max(0.0, min(word.right, rule.right) - max(word.left, rule.left)) for word in over)
        return covered > MIN_UNDERLINED * (rule.right - rule.left)

    return [rule for rule in rules if not (rule.is_level and underlines(rule))]


def _split_touching(rules: Sequence[Box]) -> list[list[Box]]:
    """Parts of the page that hold the rules, with white between them."""
    parts = [list(rules)] if rules else []
    while True:
        split = [part for whole in parts for side in _cut(whole, 2, 3) for part in _cut(side, 0, 1)]
        if len(split) == len(parts):
            return parts
        parts = split


def _cut(rules: Sequence[Box], low: int, high: int) -> Iterator[list[Box]]:
    part: list[Box] = []
    reach = 0.0
    for rule in sorted(rules, key=lambda rule: rule[low]):
        if part and rule[low] > reach + NEAR:
            yield part
            part = []
        reach = max(reach, rule[high]) if part else rule[high]
        part.append(rule)
    if part:
        yield part


def _take_bands(words: list[PdfWord], rules: Sequence[Box]) -> list[PdfWord]:
    """The words, one in place of each table between rules of one width, or of the box that two of them make."""
    levels = merge_places([rule.middle for rule in rules if rule.is_level])[-MAX_LEVELS:]
    # Rules of a page and of several tables on it may have one width: the largest part that is a table.
    for size in range(len(levels) - 1, 0, -1):
        for start in range(len(levels) - size):
            edges = levels[start : start + size + 1]
            part = [rule for rule in rules if edges[0] - NEAR < rule.bottom and rule.top < edges[-1] + NEAR]
            if part and (area := _read_bands(words, edges, part)):
                left_over = [rule for rule in rules if rule not in part]
                rest = _put_area(words, area.words, area)
                return _take_bands(rest, left_over) if left_over else rest
    if len(levels) == 2 and any(not rule.is_level for rule in rules):
        inside = _words_between(words, rules)
        is_beside = any(levels[0] < (word.bottom + word.top) / 2 < levels[1] for word in words if word not in inside)
        # A box with nothing beside it is read where it stands.
        return _put_area(words, inside, PdfArea(tuple(inside)) if is_beside and inside else None)
    return words


def _put_area(words: list[PdfWord], inside: Sequence[PdfWord], area: PdfArea | None) -> list[PdfWord]:
    if area is None:
        return words
    taken = set(map(id, inside))
    return [*(word for word in words if id(word) not in taken), area.as_word()]


def _words_between(words: Sequence[PdfWord], rules: Sequence[Box]) -> list[PdfWord]:
    left, right, bottom, top = Box.around(rules)
    return [
        word
        for word in words
        if left - NEAR < word.middle < right + NEAR and bottom < (word.bottom + word.top) / 2 < top and not word.area
    ]


def _read_bands(words: Sequence[PdfWord], levels: Sequence[float], rules: Sequence[Box]) -> PdfArea | None:
    """A table between level rules that go all across, with rows above and below them; None for what is none."""
    inside = _words_between(words, rules)
    bands = [
        [word for word in inside if low < (word.bottom + word.top) / 2 < high] for high, low in pairwise(levels[::-1])
    ]
    bands = [band for band in bands if band]
    lines = group_rows(inside)
    columns = find_columns(lines, MIN_WHITE if len(bands) > 1 else MIN_WHITE_OF_TWO)
    if len(columns) < 2 or are_items(lines, columns):
        return None
    bands = [_open_rows(words, rules, columns, 1), *bands, _open_rows(words, rules, columns, -1)]
    bands = [band for band in bands if band]
    lines = [line for band in bands for line in group_rows(band)]
    found = tuple(word for line in lines for word in line)
    columns = find_columns(lines[1:], MIN_WHITE)
    if len(columns) < 2:
        return None
    try:
        return PdfArea(found, _read_named_rows(bands, columns), columns)
    except Uncertain:
        return PdfArea(found, printed=lay_out(lines))


def _open_rows(words: Sequence[PdfWord], rules: Sequence[Box], columns: Columns, side: int) -> list[PdfWord]:
    """The rows of a table that stand above its highest rule (side 1) or below its lowest one (-1)."""
    left, right, bottom, top = Box.around(rules)
    edge = top if side > 0 else bottom
    near = [word for word in words if 0 < side * ((word.bottom + word.top) / 2 - edge) < MAX_OPEN_HEIGHT]
    found: list[PdfWord] = []
    for line in group_rows(near)[::-side]:
        runs = list(split_runs(line, MIN_WHITE))
        step = abs((line[0].bottom + line[0].top) / 2 - edge)
        over = [merge_columns([*columns, (run[0].left, run[-1].right)], MIN_WHITE * line[0].size) for run in runs]
        is_inside = left - NEAR < line[0].left and line[-1].right < right + NEAR and not any(word.area for word in line)
        # A line of one cell may be a note, or the next paragraph.
        if not is_inside or len(runs) < 2 or step > 2.5 * line[0].size or min(map(len, over)) < len(columns):
            break
        found += line
        edge = (line[0].bottom + line[0].top) / 2
    return found


def _read_named_rows(bands: Sequence[Line], columns: Columns) -> tuple[Row, ...]:
    """The rows of parts of a table: the first part names its columns, of one part its first row. Raises Uncertain."""
    names = [name_columns(bands[0], columns)] if len(bands) > 1 else []
    body = bands[len(names) :]
    # Few rules part groups of rows, and their head from them; many part each row.
    if len(bands) > MIN_ROWS:
        rows = (*names, *(join_row([group_rows(cell) for cell in place_words(band, columns)]) for band in body))
    else:
        rows = (*names, *(row for band in body for row in read_rows(band, columns)))
    if len(rows) < 2 or len(rows[0]) < len(columns) or not all(rows[0][1:]):
        raise Uncertain
    return rows


# No rules at all.


def _aligned_end(rows: Sequence[Line], runs: Sequence[Sequence[Line]], edges: Sequence[float], start: int) -> int:
    """Behind the last row from `start` on that leaves one white strip open through all of them."""
    columns: list[tuple[float, float]] = []
    end = start
    for at in range(start, min(len(rows), start + MAX_ROWS)):
        row = rows[at]
        if not runs[at] or (at > start and rows[at - 1][0].bottom - row[0].bottom > MAX_STEP * row[0].size):
            break
        if at == start and len(runs[at]) == 1:
            break
        own = list(split_columns(row, columns)) if len(columns) > 2 and len(runs[at]) == 1 else runs[at]
        merged = merge_columns(
            [*columns, *((run[0].left, run[-1].right) for run in own)], MIN_WHITE * row[0].size, edges
        )
        if len(own) > 1:
            if len(merged) < max(2, len(columns)):
                break
            columns, end = merged, at + 1
        # A line within one column goes on with a cell; one across them is a title, if the table goes on below it.
        elif columns and len(merged) >= len(columns):
            columns = merged
        elif abs(row[0].left - columns[0][0]) > 1:
            break
    # Lines behind the last full row belong to it as far as they stand close, in one of its columns.
    while start < end < len(rows) and _goes_on(rows[end - 1], rows[end], columns):
        end += 1
    return end


def _goes_on(row: Line, below: Line, columns: Columns) -> bool:
    if any(word.area for word in below) or row[0].bottom - below[0].bottom > 1.4 * below[0].size:
        return False
    return sum(left - 1 < below[0].left and below[-1].right < right + 1 for left, right in columns) == 1


def _count_heads(above: Sequence[Line], first: Line, lines: Sequence[Line]) -> int:
    """How many rows right above a table name its columns, rather than being the end of the text before it."""
    left, right = min(line[0].left for line in lines), max(line[-1].right for line in lines)
    names = min((run[0].left for line in lines for run in list(split_runs(line, MIN_WHITE))[1:]), default=left)
    room, count, below = (right - left) / 5, 0, first
    for row in above[: -1 - MAX_HEADS : -1]:
        is_apart = len(list(split_runs(row, MIN_WHITE))) > 1 or row[0].left > names - 1
        is_near = row[0].bottom - below[0].bottom <= MAX_STEP * below[0].size
        is_above = left - NEAR <= row[0].left and row[-1].right <= right + room
        if any(word.area for word in row) or not (is_apart and is_near and is_above):
            break
        count, below = count + 1, row
    return count


def _read_aligned(heads: Sequence[Line], lines: Sequence[Line], *, across: bool) -> PdfArea | None:
    """A table without rules; None for lines that only look like one."""
    columns = find_columns(lines, MIN_WHITE)
    if len(columns) == 2:
        columns = find_columns(lines, MIN_WHITE_OF_TWO)
    several = [line for line in lines if len(list(split_runs(line, MIN_WHITE))) > 1]
    if len(columns) < 2 + across or len(several) < MIN_ROWS or are_items(lines, columns):
        return None
    words = tuple(word for line in (*heads, *lines) for word in line)
    with suppress(Uncertain):
        return PdfArea(words, read_below_heads(heads, lines, columns), columns)
    return PdfArea(words, (), columns, lay_out([*heads, *lines]))


def read_below_heads(heads: Sequence[Line], lines: Sequence[Line], columns: Columns) -> tuple[Row, ...]:
    """The rows of a table without rules, the names of its columns first. Raises Uncertain."""
    head, body = ([word for line in part for word in line] for part in (heads, lines))
    with suppress(Uncertain):
        return _read_named_rows([[*head, *body]], columns)
    if not head:
        raise Uncertain
    return _read_named_rows([head, body], columns)


def count_rows(rows: Sequence[Line], columns: Columns) -> int:
    """How many rows, from the end of a page up or from its top down, are those of a table with these columns."""
    count = 0
    for at, row in enumerate(rows):
        over = [columns_of(run[0].left, run[-1].right, columns) for run in split_columns(row, columns)]
        step = abs(rows[at - 1][0].bottom - row[0].bottom) if at else 0.0
        if step > MAX_STEP * row[0].size or any(len(places) != 1 for places in over):
            break
        # A line in the first column alone may be a heading, or the end of a paragraph.
        count = at + 1 if over != [[0]] else count
    return count
