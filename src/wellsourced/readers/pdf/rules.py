"""The lines that are drawn on a PDF page, of tables and boxes."""

from collections.abc import Iterable, Iterator, Sequence
from ctypes import byref, c_float, c_int, c_uint
from itertools import pairwise
from typing import Any

from wellsourced.readers.pdf.rows import Box

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
