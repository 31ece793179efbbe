"""What stands on a printed page with its place: words, those on one height, and the lines of tables and boxes."""

from collections.abc import Iterable, Iterator, Sequence
from ctypes import byref, c_float, c_int, c_uint
from itertools import pairwise
from typing import Any, NamedTuple


class PdfWord(NamedTuple):
    """A word, where it stands in points (the origin at the lower left), the size of its print, and its weight.

    area   whose words are read together, where this stands for all of them in the order of the page
    """

    text: str
    left: float
    right: float
    bottom: float
    top: float
    size: float
    bold: bool
    area: "PdfArea | None" = None

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2


class Box(NamedTuple):
    """A part of the page by its edges in points; a rule, level or upright, is a thin one."""

    left: float
    right: float
    bottom: float
    top: float

    @classmethod
    def around(cls, boxes: Iterable["Box | PdfWord"]) -> "Box":
        """The smallest one that holds all of these."""
        edges = [(box.left, box.right, box.bottom, box.top) for box in boxes]
        lefts, rights, bottoms, tops = zip(*edges, strict=True)
        return cls(min(lefts), max(rights), min(bottoms), max(tops))

    @property
    def is_level(self) -> bool:
        return self.right - self.left > self.top - self.bottom

    @property
    def middle(self) -> float:
        """Of a rule, the place at which it stands, across its length."""
        return (self.bottom + self.top) / 2 if self.is_level else (self.left + self.right) / 2

    def turn(self, quarters: int) -> "Box":
        """The same part of the page turned with the clock."""
        turned = self
        for _ in range(quarters):
            turned = Box(turned.bottom, turned.top, -turned.right, -turned.left)
        return turned


CHARACTERS_PER_EM = 2.4
"""Of a line that is laid out as it is printed: with fewer, its words would need more room than on the page."""

Cell = tuple[str, ...]
"""The printed lines of a cell of a table."""


class PdfArea(NamedTuple):
    """A table, or a box of text, on a page.

    words    in the order in which they are read
    rows     of a table, the names of its columns first; a row of one cell is the title of a group
    columns  where each of them begins and ends
    printed  its lines as they are laid out, of a table whose rows and columns are not certain
    """

    words: tuple[PdfWord, ...]
    rows: tuple[tuple[Cell, ...], ...] = ()
    columns: Sequence[tuple[float, float]] = ()
    printed: Cell = ()

    @property
    def is_table(self) -> bool:
        return bool(self.rows or self.printed)

    def has_columns_of(self, other: "PdfArea") -> bool:
        """Whether two tables have as many columns, each of which begins or ends at one place in both."""
        pairs = [*zip(self.columns, other.columns, strict=False)]
        return 0 < len(pairs) == max(len(self.columns), len(other.columns)) and all(
            min(abs(one[0] - two[0]), abs(one[1] - two[1])) < 2 for one, two in pairs
        )

    def as_word(self) -> PdfWord:
        """A word that stands where the first line of the area does, as wide as the area."""
        first = max(self.words, key=lambda word: word.top)
        around = Box.around(self.words)
        return PdfWord("", around.left, around.right, first.bottom, first.top, first.size, bold=False, area=self)


def group_rows(words: Sequence[PdfWord]) -> list[list[PdfWord]]:
    """Words that stand on one height across the whole page, from the top down, each row from left to right."""
    found: list[list[PdfWord]] = []
    for word in sorted(words, key=lambda word: (-(word.bottom + word.top) / 2, word.left)):
        if found:
            # A footnote mark or an index overlaps its line by more than half; the next line does not.
            tallest = max(found[-1][-4:], key=lambda one: one.size)
            overlap = min(tallest.top, word.top) - max(tallest.bottom, word.bottom)
            if overlap > 0.6 * min(tallest.top - tallest.bottom, word.top - word.bottom):
                found[-1].append(word)
                continue
        found.append([word])
    return [sorted(row, key=lambda word: word.left) for row in found]


def split_runs(row: Sequence[PdfWord], ems: float, least: float = 0.0) -> Iterator[Sequence[PdfWord]]:
    """Words of a row without a white between them of more than so many ems, or `least` points."""
    start = 0
    for number, (one, next_) in enumerate(pairwise(row), 1):
        white = next_.left - one.right
        if white > least and white > ems * one.size:
            yield row[start:number]
            start = number
    yield row[start:]


def runs_on(lines: Sequence[Sequence[PdfWord]], share: float = 0.5) -> bool:
    """Whether lines are running text: more than a share end where the first word of the next one has no room."""
    edge = sorted(line[-1].right for line in lines)[-1 - len(lines) // 10]
    full = sum(
        edge - line[-1].right < next_[0].right - next_[0].left + next_[0].size / 4 for line, next_ in pairwise(lines)
    )
    return full > share * (len(lines) - 1)


def row_text(row: Sequence[PdfWord]) -> str:
    """The words of a row with a space between each two."""
    return " ".join(word.text for word in row)


def lay_out(rows: Sequence[Sequence[PdfWord]]) -> Cell:
    """Rows as lines in which every run of words begins about where it is printed."""
    left, em = min(row[0].left for row in rows), min(word.size for row in rows for word in row)
    lines = []
    for row in rows:
        line = ""
        for run in split_runs(row, 0.55):
            room = max(round(CHARACTERS_PER_EM * (run[0].left - left) / em), len(line) + 3 if line else 0)
            line = line.ljust(room) + row_text(run)
        lines.append(line)
    return tuple(lines)


# Rules: the lines that are drawn.

NEAR = 3.0
"""Points by which rules miss each other that meet for the eye."""

MAX_THICKNESS = 3.0
"""Points: what is thicker is an area."""

MAX_PAGE_SHARE = 0.85
"""Of both sides of a page: what is larger frames everything on it, and parts nothing."""

MIN_LENGTH = 6.0
"""Points that a rule is long, at least; fewer are a sign or a dash."""

MAX_PATHS = 2_000
"""Paths of one page that are looked at: a page with more is a chart or a map."""

MAX_SEGMENTS = 2_000
"""Corners of one path, likewise."""


def merge_places(places: Iterable[float]) -> list[float]:
    """Places that are one for the eye, each once, in order."""
    found: list[float] = []
    for place in sorted(places):
        if not found or place - found[-1] > NEAR:
            found.append(place)
    return found


def read_rules(page: Any, raw: Any) -> list[Box]:
    """The rules of a page; none of a chart or a map."""
    items = (raw.FPDFPage_GetObject(page, index) for index in range(raw.FPDFPage_CountObjects(page)))
    paths = [item for item in items if raw.FPDFPageObj_GetType(item) == raw.FPDF_PAGEOBJ_PATH]
    limits = [MAX_PAGE_SHARE * side for side in page.get_size()]
    found = [rule for path in paths for rule in _path_rules(path, raw, limits)] if len(paths) <= MAX_PATHS else []
    return [rule for rule in found if max(rule.right - rule.left, rule.top - rule.bottom) >= MIN_LENGTH]


def _path_rules(path: Any, raw: Any, limits: Sequence[float]) -> Iterator[Box]:
    fill, stroke = c_int(), c_int()
    if not raw.FPDFPath_GetDrawMode(path, byref(fill), byref(stroke)):
        return
    # White on white is nothing, and what is neither filled nor drawn cuts off others.
    color = [c_uint() for _ in range(4)]
    raw.FPDFPageObj_GetFillColor(path, *map(byref, color))
    is_white = all(part.value > 250 for part in color[:3])
    if not stroke.value and (not fill.value or is_white):
        return
    left, bottom, right, top = edges = [c_float() for _ in range(4)]
    if not raw.FPDFPageObj_GetBounds(path, *map(byref, edges)):
        return
    bounds = Box(left.value, right.value, bottom.value, top.value)
    width, height = bounds.right - bounds.left, bounds.top - bounds.bottom
    if width > limits[0] and height > limits[1]:
        return  # the ground of the page, or its frame
    if min(width, height) <= MAX_THICKNESS:
        yield bounds
        return
    for (x, y), (next_x, next_y) in pairwise(_corners(path, raw)):
        if min(abs(next_x - x), abs(next_y - y)) < 0.5:
            yield Box(min(x, next_x), max(x, next_x), min(y, next_y), max(y, next_y))


def _corners(path: Any, raw: Any) -> Iterator[tuple[float, float]]:
    """The points that straight strokes of a path join, as they stand on the page."""
    matrix, x, y = raw.FS_MATRIX(), c_float(), c_float()
    raw.FPDFPageObj_GetMatrix(path, byref(matrix))
    start = (0.0, 0.0)
    for index in range(min(raw.FPDFPath_CountSegments(path), MAX_SEGMENTS)):
        segment = raw.FPDFPath_GetPathSegment(path, index)
        raw.FPDFPathSegment_GetPoint(segment, byref(x), byref(y))
        point = (
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        if raw.FPDFPathSegment_GetType(segment) == raw.FPDF_SEGMENT_MOVETO:
            yield float("inf"), float("-inf")  # nothing is drawn on the way
            start = point
        yield point
        if raw.FPDFPathSegment_GetClose(segment):
            yield start
