"""Tables on a printed page: rows of cells where rules or white say which they are, else the lines as they are printed.

A pair of a row and a column that the page does not show would be false: whatever leaves a doubt is shown as printed.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median

from wellsourced.lazy import lazy_regex
from wellsourced.readers.pdf.rows import Cell, PdfArea, PdfWord, group_rows, lay_out, row_text, split_runs
from wellsourced.readers.pdf.rules import Rule

NEAR = 3.0
"""Points by which rules miss each other that meet for the eye."""

MIN_TABLE_WIDTH = 60.0
"""Points."""

MAX_CELL_LINES = 40
"""Lines of a cell; more are a part of the page, and no cell."""

MIN_WHITE, MIN_WHITE_OF_TWO = 0.5, 1.0
"""Ems of white between two columns, at least; where nothing but one white strip makes the table, more."""

MIN_ROWS = 3
"""Rows of a table without any rule, at least."""

MAX_HEADS, MAX_HEAD_STEP = 4, 3.0
"""Lines above a table that may name its columns, and how far above, in ems."""

MAX_ALIGNED_ROWS = 400
"""Rows of a table without rules, at most: a page has fewer."""

MAX_EVEN_STEP = 1.25
"""The largest step between two lines of one cell, as a multiple of the smallest; a larger one begins a row."""

MAX_LEVELS = 40
"""Rules of one width that are tried as the edges of a table."""

_ITEM_MARK = lazy_regex(r"[^\w\s]|\(?\w{1,3}[.)]|\[?[0-9]{1,3}\]?|[0-9]+(?:\.[0-9]+)+\.?")
Line = Sequence[PdfWord]
Columns = Sequence[tuple[float, float]]
Row = tuple[Cell, ...]


class Uncertain(Exception):
    """Rows and columns cannot be told with certainty."""


def take_ruled_areas(words: Sequence[PdfWord], rules: Sequence[Rule]) -> list[PdfWord]:
    """The words of a page, one in place of each table that is drawn with rules, and of each box beside the text."""
    rest = list(words)
    for group in _group_rules(_leave_out_underlines(words, rules)):
        rest = _take_area(rest, group)
    return rest


def _leave_out_underlines(words: Sequence[PdfWord], rules: Sequence[Rule]) -> list[Rule]:
    """The rules that do not begin with a word and end with one right above them."""
    ends: dict[int, list[PdfWord]] = {}
    for word in words if any(rule.is_level for rule in rules) else ():
        ends.setdefault(int(word.bottom // NEAR), []).append(word)

    def underlines(rule: Rule) -> bool:
        near = [word for step in range(-2, 3) for word in ends.get(int(rule.top // NEAR) + step, ())]
        is_begun = any(abs(word.left - rule.left) < NEAR / 2 for word in near)
        return is_begun and any(abs(word.right - rule.right) < NEAR / 2 for word in near)

    return [rule for rule in rules if not (rule.is_level and underlines(rule))]


def take_aligned_tables(rows: Sequence[Line], least_columns: int) -> list[Line]:
    """The rows of a page or a column, one in place of each table that white alone makes."""
    found: list[Line] = []
    at = 0
    while at < len(rows):
        end = _aligned_end(rows, at)
        heads = 0
        area = None
        if end - at >= MIN_ROWS:
            while heads < min(len(found), MAX_HEADS) and _is_head(found[-1 - heads], rows[at - heads], rows[at:end]):
                heads += 1
            area = _read_aligned(rows[at - heads : at], rows[at:end], least_columns)
        if area:
            del found[len(found) - heads :]
        found.append([area.as_word()] if area else rows[at])
        at = end if area else at + 1
    return found


def _is_head(row: Line, below: Line, lines: Sequence[Line]) -> bool:
    """Whether a row right above a table names its columns, rather than being the end of the text before it."""
    if any(word.area for word in row) or row[0].bottom - below[0].bottom > MAX_HEAD_STEP * below[0].size:
        return False
    left, right = min(line[0].left for line in lines), max(line[-1].right for line in lines)
    is_apart = len(list(split_runs(row, MIN_WHITE))) > 1 or row[0].left > left + (right - left) / 5
    return is_apart and left - NEAR < row[0].left and row[-1].right < right + (right - left) / 5


# Rules → groups that make one table.


def _group_rules(rules: Sequence[Rule]) -> list[list[Rule]]:
    """Rules that touch, and level ones of one width that stand below each other, the highest group first."""
    groups: list[list[Rule]] = []
    levels: dict[tuple[int, int], list[Rule]] = {}
    for group in _split_touching(rules):
        if any(not rule.is_level for rule in group):
            groups.append(group)
        elif (right := max(rule.right for rule in group)) - (
            left := min(rule.left for rule in group)
        ) > MIN_TABLE_WIDTH:
            key = next((key for key in levels if abs(key[0] - left) < NEAR and abs(key[1] - right) < NEAR), None)
            levels.setdefault(key or (round(left), round(right)), []).extend(group)
    groups += [group for group in levels.values() if len(group) > 1]
    return sorted(groups, key=lambda group: -max(rule.top for rule in group))


def _split_touching(rules: Sequence[Rule]) -> list[list[Rule]]:
    """Parts of the page that hold the rules, with white between them."""
    parts = [list(rules)] if rules else []
    while True:
        split = [part for whole in parts for side in _cut(whole, 2, 3) for part in _cut(side, 0, 1)]
        if len(split) == len(parts):
            return parts
        parts = split


def _cut(rules: Sequence[Rule], low: int, high: int) -> Iterator[list[Rule]]:
    part: list[Rule] = []
    reach = 0.0
    for rule in sorted(rules, key=lambda rule: rule[low]):
        if part and rule[low] > reach + NEAR:
            yield part
            part = []
        reach = max(reach, rule[high]) if part else rule[high]
        part.append(rule)
    if part:
        yield part


def _take_area(words: list[PdfWord], rules: Sequence[Rule]) -> list[PdfWord]:
    uprights = _edges([(rule.left + rule.right) / 2 for rule in rules if not rule.is_level])
    if len(uprights) > 2:
        inside = _words_between(words, rules)
        return _put_area(words, inside, _read_grid(inside, rules))
    levels = _edges([(rule.bottom + rule.top) / 2 for rule in rules if rule.is_level])[-MAX_LEVELS:]
    # Rules of a page and of several tables on it may have one width: the largest part that is a table.
    for size in range(len(levels) - 1, 0, -1):
        for start in range(len(levels) - size):
            low, high = levels[start], levels[start + size]
            part = [rule for rule in rules if low - NEAR < rule.bottom and rule.top < high + NEAR or not rule.is_level]
            inside = _words_between(words, [rule for rule in part if rule.is_level])
            if area := _read_bands(inside, levels[start : start + size + 1], part):
                left = _put_area(words, inside, area)
                return (
                    _take_area(left, [rule for rule in rules if rule not in part]) if size < len(levels) - 1 else left
                )
    if len(uprights) == 2 and len(levels) == 2:
        inside = _words_between(words, rules)
        beside = [
            word
            for word in words
            if word not in inside and _words_between([word], [Rule(0, 9e9, levels[0], levels[1])])
        ]
        # A box with nothing beside it is read where it stands.
        return _put_area(words, inside, PdfArea(tuple(inside)) if beside and inside else None)
    return words


def _put_area(words: list[PdfWord], inside: Sequence[PdfWord], area: PdfArea | None) -> list[PdfWord]:
    if area is None:
        return words
    taken = set(map(id, inside))
    return [*(word for word in words if id(word) not in taken), area.as_word()]


def _words_between(words: Sequence[PdfWord], rules: Sequence[Rule]) -> list[PdfWord]:
    left, right = min(rule.left for rule in rules), max(rule.right for rule in rules)
    bottom, top = min(rule.bottom for rule in rules), max(rule.top for rule in rules)
    return [
        word
        for word in words
        if left - NEAR < word.middle < right + NEAR and bottom < (word.bottom + word.top) / 2 < top and not word.area
    ]


def _edges(places: Sequence[float]) -> list[float]:
    """Places that are one for the eye, each once, in order."""
    found: list[float] = []
    for place in sorted(places):
        if not found or place - found[-1] > NEAR:
            found.append(place)
    return found


# A grid of rules on all sides → cells, those that no rule parts being one.


@dataclass(frozen=True, eq=False)
class _Region:
    """A cell: the rows and columns of the grid that it takes, and its lines."""

    top: int
    bottom: int
    left: int
    right: int
    lines: list[list[PdfWord]]


def _read_grid(words: Sequence[PdfWord], rules: Sequence[Rule]) -> PdfArea | None:
    uprights = [rule for rule in rules if not rule.is_level]
    levels = [rule for rule in rules if rule.is_level]
    xs = _edges([place for rule in levels for place in rule[:2]] + [(rule.left + rule.right) / 2 for rule in uprights])
    ys = _edges([place for rule in uprights for place in rule[2:]] + [(rule.bottom + rule.top) / 2 for rule in levels])
    if len(words) < 4 or len(xs) < 3 or len(xs) * len(ys) > 20_000:
        return None
    ys.reverse()
    regions = _find_regions(words, xs, ys, levels, uprights)
    if len([one for one in regions if one.lines]) < 4 or any(len(one.lines) > MAX_CELL_LINES for one in regions):
        return None
    printed = group_rows(words)
    try:
        rows = _grid_rows(regions, len(ys) - 1, len(xs) - 1)
    except Uncertain:
        return PdfArea(tuple(word for row in printed for word in row), printed=lay_out(printed))
    ordered = tuple(
        word for one in sorted(regions, key=lambda one: (one.top, one.left)) for row in one.lines for word in row
    )
    return PdfArea(ordered, rows) if len(rows) > 1 and len(rows[0]) > 1 else None


def _find_regions(
    words: Sequence[PdfWord], xs: Sequence[float], ys: Sequence[float], levels: Sequence[Rule], uprights: Sequence[Rule]
) -> list[_Region]:
    """The cells of a grid. Raises nothing: one that is no rectangle takes the smallest around it."""
    owner = {(row, column): (row, column) for row in range(len(ys) - 1) for column in range(len(xs) - 1)}

    def root(cell: tuple[int, int]) -> tuple[int, int]:
        while owner[cell] != cell:
            cell = owner[cell]
        return cell

    for row, column in owner:
        top, bottom, left, right = ys[row], ys[row + 1], xs[column], xs[column + 1]
        if (row, column + 1) in owner and not _is_drawn(uprights, 0, right, 2, bottom, top):
            owner[max(root((row, column)), root((row, column + 1)))] = min(root((row, column)), root((row, column + 1)))
        if (row + 1, column) in owner and not _is_drawn(levels, 2, bottom, 0, left, right):
            owner[max(root((row, column)), root((row + 1, column)))] = min(root((row, column)), root((row + 1, column)))
    held: dict[tuple[int, int], list[PdfWord]] = {}
    down = [-y for y in ys]
    for word in words:
        row = min(max(bisect_left(down, -(word.bottom + word.top) / 2) - 1, 0), len(ys) - 2)
        column = min(max(bisect_left(xs, word.middle) - 1, 0), len(xs) - 2)
        held.setdefault(root((row, column)), []).append(word)
    cells = sorted(owner, key=root)
    found = []
    for key, group in groupby(cells, key=root):
        own = list(group)
        rows, columns = [row for row, _ in own], [column for _, column in own]
        lines = group_rows(held.get(key, []))
        found.append(_Region(min(rows), max(rows) + 1, min(columns), max(columns) + 1, lines))
    return found


def _is_drawn(rules: Sequence[Rule], across: int, place: float, along: int, low: float, high: float) -> bool:
    """Whether rules at a place cover most of a stretch."""
    covered = sum(
        max(0.0, min(rule[along + 1], high) - max(rule[along], low))
        for rule in rules
        if rule[across] - NEAR < place < rule[across + 1] + NEAR
    )
    return covered > 0.5 * (high - low)


def _grid_rows(regions: Sequence[_Region], height: int, width: int) -> tuple[Row, ...]:
    """The rows of a grid, each cell in every row and column that it takes. Raises Uncertain."""
    grid: list[list[_Region | None]] = [[None] * width for _ in range(height)]
    for one in regions:
        for row in range(one.top, one.bottom):
            for column in range(one.left, one.right):
                if grid[row][column] is not None:
                    raise Uncertain
                grid[row][column] = one
        # Two columns in one cell: rules part only some of them.
        if sum(len(list(split_runs(line, 2.0))) > 1 for line in one.lines) > 1:
            raise Uncertain
    rows_begun = [row for at, row in enumerate(grid) if any(one and one.top == at for one in row)]
    full = [[one for one in row if one] for row in rows_begun if any(one and one.lines for one in row)]
    cuts = [{one.left for one in row} for row in full]
    # A row whose cells begin where those of no other do, and not where most others' do, is ragged: it has no columns.
    counts = Counter(place for own in cuts for place in own)
    usual = {place for place, count in counts.items() if 2 * count > len(full)}
    ragged = [len(full) > 2 and min(counts[place] for place in own) == 1 and not usual <= own for own in cuts]
    edges = sorted({place for own, is_ragged in zip(cuts, ragged, strict=True) if not is_ragged for place in own})
    used = [column for column in edges if any(row[column].lines for row in full)]
    if len(used) < 2:
        raise Uncertain
    kept = [[row[column] for column in used] for row in full]
    for number, row in enumerate(full):
        if ragged[number]:
            kept[number] = list(dict.fromkeys(row))
            if len(kept[number]) <= len(used):
                raise Uncertain
    rows = [_span_cells(row) for row in kept]
    for row in kept[1:] or kept:
        counts_of_lines = {len(one.lines) for one in row}
        if len(counts_of_lines) == 1 and (lines := counts_of_lines.pop()) > 1 and (lines > 2 or len(full) < MIN_ROWS):
            raise Uncertain  # as many lines in every cell may be as many rows
    first = kept[0]
    heads = max(one.bottom for one in first) - first[0].top if len(set(map(id, first))) < len(first) else 1
    return (_join_heads(rows[:heads]), *rows[heads:])


def _span_cells(row: Sequence[_Region]) -> Row:
    cells = tuple(tuple(row_text(line) for line in one.lines) for one in row)
    # A cell that is alone in its row is the title of a group, and would be repeated in every column.
    return cells[:1] if len(set(map(id, row))) == 1 else cells


def _join_heads(rows: Sequence[Row]) -> Row:
    """The names of columns in one row: "Dose: usual"."""
    width = max(map(len, rows))
    columns = zip(*(row if len(row) == width else row * width for row in rows), strict=True)
    return tuple((": ".join(dict.fromkeys(" ".join(cell) for cell in column if cell)),) for column in columns)


# Level rules alone, or none at all → columns by the white between them, rows by the steps between lines.


def _read_bands(words: Sequence[PdfWord], levels: Sequence[float], rules: Sequence[Rule]) -> PdfArea | None:
    """A table between level rules that go all across; None for what is none."""
    lines = group_rows(words)
    edges = levels[::-1]
    bands = [
        [line for line in lines if low < median((word.bottom + word.top) / 2 for word in line) < high]
        for high, low in pairwise(edges)
    ]
    bands = [band for band in bands if band]
    body = [line for band in bands[1:] or bands for line in band]
    columns = _find_columns(body, MIN_WHITE if len(bands) > 1 else MIN_WHITE_OF_TWO)
    if len(columns) < 2 or len(lines) < 2 or _holds_prose(body, columns) or _lists_items(body, columns):
        return None
    rows: tuple[Row, ...] = ()
    try:
        heads = _name_columns(bands[0], columns, rules) if len(bands) > 1 else None
        own = [row for band in (bands[1:] if heads else bands) for row in _band_rows(band, columns, len(bands))]
        rows = (heads, *own) if heads else tuple(own)
        if len(rows) < 2 or len(rows[0]) < 2 or not all(rows[0][1:]):
            raise Uncertain
    except Uncertain:
        return PdfArea(tuple(word for line in lines for word in line), printed=lay_out(lines))
    return PdfArea(tuple(word for line in lines for word in line), rows)


def _find_columns(lines: Sequence[Line], ems: float) -> list[tuple[float, float]]:
    """(left, right) of columns with a white strip between them that no line of several runs touches."""
    several = [runs for line in lines if len(runs := list(split_runs(line, MIN_WHITE))) > 1]
    places = [(run[0].left, run[-1].right) for runs in several for run in runs]
    return _merge_columns(places, ems * median([run[0].size for runs in several for run in runs] or [0.0]))


def _merge_columns(places: Sequence[tuple[float, float]], white: float) -> list[tuple[float, float]]:
    """Places as columns with at least so much white between them."""
    columns: list[tuple[float, float]] = []
    for left, right in sorted(places):
        if columns and left - columns[-1][1] < white:
            columns[-1] = (columns[-1][0], max(columns[-1][1], right))
        else:
            columns.append((left, right))
    return columns


def _holds_prose(lines: Sequence[Line], columns: Columns) -> bool:
    """Whether lines go on in a column as sentences do: two columns of a page, and not of a table."""
    for column in range(len(columns)):
        cells = [row_text(cell) for line in lines if (cell := _place_words(line, columns)[column])]
        lower = sum(cell[0].islower() and len(cell) > 15 for cell in cells)
        if len(cells) > 2 and lower > 0.4 * len(cells):
            return True
    return False


def _lists_items(lines: Sequence[Line], columns: Columns) -> bool:
    """Whether all that stands in the first of two columns is the mark or the number of an item."""
    firsts = [row_text(cell) for line in lines if (cell := _place_words(line, columns)[0])]
    return len(columns) == 2 and all(_ITEM_MARK.fullmatch(first) for first in firsts)


def _place_words(line: Line, columns: Columns) -> list[list[PdfWord]]:
    """The words of a line by columns."""
    cells: list[list[PdfWord]] = [[] for _ in columns]
    limits = [(one[1] + next_[0]) / 2 for one, next_ in pairwise(columns)]
    for run in split_runs(line, MIN_WHITE):
        for word in run:
            cells[bisect_left(limits, word.middle)].append(word)
    return cells


def _name_columns(lines: Sequence[Line], columns: Columns, rules: Sequence[Rule]) -> Row:
    """The names of columns in the lines of their head; a name over a short rule is that of all columns below it."""
    names: list[list[str]] = [[] for _ in columns]
    for line in lines:
        for run in split_runs(line, MIN_WHITE):
            left, right, low = run[0].left, run[-1].right, min(word.bottom for word in run)
            under = [
                rule
                for rule in rules
                if rule.is_level
                and rule.left < (left + right) / 2 < rule.right
                and -NEAR < low - rule.top < 2 * run[0].size
            ]
            if under and (short := max(under, key=lambda rule: rule.top)).right - short.left < 0.9 * (
                columns[-1][1] - columns[0][0]
            ):
                left, right = short.left, short.right
            over = [at for at, one in enumerate(columns) if min(one[1], right) - max(one[0], left) > 0]
            if not over:
                over = [min(range(len(columns)), key=lambda at: abs(sum(columns[at]) - left - right))]
            if len(over) > 1 and not under and line is lines[-1]:
                raise Uncertain  # one name of two columns, or two names without a white between them
            for at in over:
                names[at].append(row_text(run) + (":" if len(over) > 1 else ""))
    return tuple((" ".join(parts),) if parts else () for parts in names)


def _band_rows(lines: Sequence[Line], columns: Columns, bands: int) -> Iterator[Row]:
    """The rows between two rules that go all across. Raises Uncertain."""
    placed = [_place_words(line, columns) for line in lines]
    for line, cells in zip(lines, placed, strict=True):
        crossing = [
            run for run in split_runs(line, MIN_WHITE) if sum(run[-1] in cell or run[0] in cell for cell in cells) > 1
        ]
        if crossing and len(list(split_runs(line, MIN_WHITE))) > 1:
            raise Uncertain
        if crossing:
            cells[:] = [list(line), *([] for _ in cells[1:])]
    for group in _group_lines(lines, placed, bands):
        cells = tuple(
            tuple(row_text(placed[at][column]) for at in group if placed[at][column]) for column in range(len(columns))
        )
        yield cells[:1] if not any(cells[1:]) else cells


def _group_lines(lines: Sequence[Line], placed: Sequence[Sequence[Line]], bands: int) -> list[list[int]]:
    """The lines of each row, by the steps between them and by which columns they fill. Raises Uncertain."""
    every = list(range(len(lines)))
    if len(lines) == 1:
        return [every]
    is_full = [all(cells) for cells in placed]
    filled = [sum(map(bool, cells)) for cells in placed]
    begins = [bool(cells[0]) for cells in placed]
    # Where rules part every row, what is between two of them is one.
    if bands > MIN_ROWS and sum(is_full) < 2 and begins[0]:
        return [every]
    heights = [median(word.bottom for word in line) for line in lines]
    steps = [one - next_ for one, next_ in pairwise(heights)]
    groups = [[0]]
    for at, step in enumerate(steps, 1):
        if step > MAX_EVEN_STEP * min(steps):
            groups.append([])
        groups[-1].append(at)
    goes_on = [any(cell and cell[0].text[0].islower() for cell in cells) for cells in placed]
    if len(groups) == 1 or all(is_full):
        # Even steps: every line is a row when each begins one.
        if all(begins) and min(filled) > 1 and not any(goes_on[1:]):
            return [[at] for at in every]
        raise Uncertain
    for group in groups:
        # Two lines of a group that might each be a row: nobody can tell whether they are one.
        if not any(begins[at] for at in group) or sum(begins[at] and filled[at] > 1 for at in group) > 1:
            raise Uncertain
    return groups


def _aligned_end(rows: Sequence[Line], start: int) -> int:
    """Behind the last row from `start` on that leaves one white strip open through all of them."""
    columns: list[tuple[float, float]] = []
    end = start
    for at in range(start, min(len(rows), start + MAX_ALIGNED_ROWS)):
        row = rows[at]
        if row[0].area or (at > start and rows[at - 1][0].bottom - row[0].bottom > 3 * row[0].size):
            break
        runs = [(run[0].left, run[-1].right) for run in split_runs(row, MIN_WHITE)]
        if len(runs) > 1:
            merged = _merge_columns([*columns, *runs], MIN_WHITE * row[0].size)
            if len(merged) < 2 or (columns and len(merged) < min(3, len(columns))):
                break
            columns, end = merged, at + 1
        # A line within one column goes on with a cell; one across them is a title, if the table goes on below it.
        elif at == start or not (_columns_around(row, columns) or abs(row[0].left - columns[0][0]) < 1):
            break
    # Lines behind the last full row belong to it as far as they stand close, in one of its columns.
    while start < end < len(rows) and _goes_on(rows[end - 1], rows[end], columns):
        end += 1
    return end


def _columns_around(row: Line, columns: Columns) -> int:
    return sum(left - 1 < row[0].left and row[-1].right < right + 1 for left, right in columns)


def _goes_on(row: Line, below: Line, columns: Columns) -> bool:
    if any(word.area for word in below) or row[0].bottom - below[0].bottom > 1.4 * below[0].size:
        return False
    return _columns_around(below, columns) == 1


def _read_aligned(heads: Sequence[Line], lines: Sequence[Line], least_columns: int) -> PdfArea | None:
    """A table without rules; None for lines that only look like one."""
    columns = _find_columns(lines, MIN_WHITE)
    if len(columns) == 2:
        columns = _find_columns(lines, MIN_WHITE_OF_TWO)
    several = [line for line in lines if len(list(split_runs(line, MIN_WHITE))) > 1]
    if len(columns) < least_columns or len(several) < MIN_ROWS or _holds_prose(several, columns):
        return None
    if _lists_items(several, columns):
        return None
    is_aligned = _are_aligned(several, columns)
    if not is_aligned and len(columns) == 2:
        return None
    every = [*heads, *lines]
    words = tuple(word for line in every for word in line)
    try:
        rows = _named_rows(heads, lines, columns)
        if not is_aligned or len(rows) < MIN_ROWS or len(rows[0]) < len(columns) or not all(rows[0][1:]):
            raise Uncertain
    except Uncertain:
        return PdfArea(words, printed=lay_out(every)) if len(columns) > 2 or heads else None
    return PdfArea(words, rows)


def _named_rows(heads: Sequence[Line], lines: Sequence[Line], columns: Columns) -> tuple[Row, ...]:
    """Rows below the names of their columns. Raises Uncertain."""
    try:
        rows = tuple(_band_rows([*heads, *lines], columns, 1))
        if not heads or (len(rows[0]) == len(columns) and all(rows[0][1:])):
            return rows
    except Uncertain:
        if not heads:
            raise
    return (_name_columns(heads, columns, ()), *_band_rows(lines, columns, 1))


def _are_aligned(lines: Sequence[Line], columns: Columns) -> bool:
    """Whether the cells of each column begin, end or are centred at one place."""
    for column in range(len(columns)):
        cells = [cell for line in lines if (cell := _place_words(line, columns)[column])]
        lefts, rights = [cell[0].left for cell in cells], [cell[-1].right for cell in cells]
        middles = [(left + right) / 2 for left, right in zip(lefts, rights, strict=True)]
        if not any(
            sum(abs(place - median(places)) < 2 for place in places) >= 0.7 * len(places)
            for places in (lefts, rights, middles)
        ):
            return False
    return True
