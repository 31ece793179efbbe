"""The lines that are drawn on a PDF page, of tables and boxes, and whether it holds pictures."""

from collections.abc import Iterable, Iterator
from ctypes import byref, c_float, c_int, c_uint
from itertools import pairwise
from typing import Any, NamedTuple

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


class Rule(NamedTuple):
    """A straight line, level or upright, by its edges in points."""

    left: float
    right: float
    bottom: float
    top: float

    @property
    def is_level(self) -> bool:
        return self.right - self.left > self.top - self.bottom

    @property
    def middle(self) -> float:
        """The place at which it stands, across its length."""
        return (self.bottom + self.top) / 2 if self.is_level else (self.left + self.right) / 2

    def turn(self, quarters: int) -> "Rule":
        """The rule on the page turned with the clock."""
        left, right, bottom, top = self
        return (
            self,
            Rule(bottom, top, -right, -left),
            Rule(-right, -left, -top, -bottom),
            Rule(-top, -bottom, left, right),
        )[quarters]


def merge_places(places: Iterable[float]) -> list[float]:
    """Places that are one for the eye, each once, in order."""
    found: list[float] = []
    for place in sorted(places):
        if not found or place - found[-1] > NEAR:
            found.append(place)
    return found


def read_objects(page: Any, raw: Any) -> tuple[bool, list[Rule]]:
    """Whether a page holds pictures, and its rules."""
    return _ObjectReader(page, raw).read()


class _ObjectReader:
    def __init__(self, page: Any, raw: Any) -> None:
        self.page, self.raw = page, raw
        self._edges = [c_float() for _ in range(4)]
        self._limits = [MAX_PAGE_SHARE * side for side in page.get_size()]
        self._fill, self._stroke = c_int(), c_int()
        self._color = [c_uint() for _ in range(4)]

    def read(self) -> tuple[bool, list[Rule]]:
        raw, pictured, paths = self.raw, False, []
        for index in range(raw.FPDFPage_CountObjects(self.page)):
            item = raw.FPDFPage_GetObject(self.page, index)
            kind = raw.FPDFPageObj_GetType(item)
            if kind == raw.FPDF_PAGEOBJ_PATH:
                paths.append(item)
            elif kind != raw.FPDF_PAGEOBJ_TEXT:
                pictured = pictured or self._holds_picture(item, kind, 3)
        paths = paths if len(paths) <= MAX_PATHS else []
        return pictured, [
            rule
            for path in paths
            for rule in self._path_rules(path)
            if max(rule[1] - rule[0], rule[3] - rule[2]) >= MIN_LENGTH
        ]

    def _holds_picture(self, item: Any, kind: int, depth: int) -> bool:
        raw = self.raw
        if kind != raw.FPDF_PAGEOBJ_FORM or not depth:
            return bool(kind == raw.FPDF_PAGEOBJ_IMAGE)
        inside = (raw.FPDFFormObj_GetObject(item, index) for index in range(raw.FPDFFormObj_CountObjects(item)))
        return any(self._holds_picture(one, raw.FPDFPageObj_GetType(one), depth - 1) for one in inside)

    def _path_rules(self, path: Any) -> Iterator[Rule]:
        raw = self.raw
        left, bottom, right, top = self._edges
        if not raw.FPDFPath_GetDrawMode(path, byref(self._fill), byref(self._stroke)):
            return
        # White on white is nothing, and what is neither filled nor drawn cuts off others.
        raw.FPDFPageObj_GetFillColor(path, *map(byref, self._color))
        is_white = all(part.value > 250 for part in self._color[:3])
        if not self._stroke.value and (not self._fill.value or is_white):
            return
        if not raw.FPDFPageObj_GetBounds(path, *map(byref, self._edges)):
            return
        bounds = Rule(left.value, right.value, bottom.value, top.value)
        if bounds.right - bounds.left > self._limits[0] and bounds.top - bounds.bottom > self._limits[1]:
            return  # the ground of the page, or its frame
        if min(bounds.right - bounds.left, bounds.top - bounds.bottom) <= MAX_THICKNESS:
            yield bounds
            return
        corners = list(self._corners(path))
        for (x, y), (next_x, next_y) in pairwise(corners):
            if min(abs(next_x - x), abs(next_y - y)) < 0.5:
                yield Rule(min(x, next_x), max(x, next_x), min(y, next_y), max(y, next_y))

    def _corners(self, path: Any) -> Iterator[tuple[float, float]]:
        """The points that straight strokes of a path join, as they stand on the page."""
        raw, matrix = self.raw, self.raw.FS_MATRIX()
        x, y = c_float(), c_float()
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
