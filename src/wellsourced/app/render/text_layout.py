"""Lists, tables and steps in a statement's text: as what introduces them, and their items line by line."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from wellsourced.text.quotable_spans import collapse_whitespace
from wellsourced.types import Citation, Passage

MIN_LIST_ITEMS = 3
MINCELL_HEADS = 2
MIN_LIST_WORDS = 18
"""Words of a statement from which its list is set as lines; a shorter one is read faster as it is."""

MIN_STEPS = 3
MIN_STEP_WORDS = 4
"""Words of a step, on average, from which steps are lines; "norepinephrine -> vasopressin" is read as it is."""

_STEP = re.compile(r"\s(?:→|--?>)\s")
CELL_HEAD = re.compile(r"[A-Z0-9](?:[^\s:;]*\s){0,4}[^\s:;]*:\s")
"""The head of a column, with a colon, before a cell."""

_LINE_MARK = re.compile(r"[ \t]*(?:(?:[-•*→]|--?>|\d{1,2}[.)])[ \t]+)?")
"""The indentation of a line, and the mark of an item or a step."""

_SENTENCE_BREAK = re.compile(r"[a-z)\]%]\.\s+[A-Z]")


class TextLayout(NamedTuple):
    """A statement's text as an introduction and the items of its list; without a list the introduction is all.

    mark   what stands before each item
    """

    intro: str
    items: tuple[str, ...] = ()
    mark: str = "–"


def lay_out_text(text: str) -> TextLayout:
    """Return how a text is set: "Intro: item; item; item" and "a → b → c" as lines where they are long enough.

    In a row of a table ("Row: Head: cell; Head: cell") each cell is a line, whatever semicolons stand in it.
    """
    # Arrows before lists: steps may hold semicolons, and items of a list hold no steps.
    steps = _STEP.split(text)
    if len(steps) >= MIN_STEPS and len(text.split()) >= MIN_STEP_WORDS * len(steps):
        return TextLayout(steps[0], tuple(steps[1:]), "→")
    pieces = split_outside_brackets(text, "; ")
    # A sentence that ends inside a piece shows prose with semicolons, which lines would tear apart.
    if len(text.split()) < MIN_LIST_WORDS or any(map(_SENTENCE_BREAK.search, pieces)):
        return TextLayout(text)
    is_row = any(map(CELL_HEAD.match, pieces[1:]))
    parts = split_outside_brackets(pieces[0], ": ")
    # In a row the last colon belongs to the first cell's head, so the introduction ends one colon earlier.
    kept = 2 if is_row else 1
    items = list(_join_cells(pieces)) if is_row else pieces
    if len(parts) <= kept or len(items) < (MINCELL_HEADS if is_row else MIN_LIST_ITEMS):
        return TextLayout(text)
    intro = ": ".join(parts[:-kept]) + ":"
    return TextLayout(intro, (items[0][len(intro) + 1 :], *items[1:]))


def _join_cells(pieces: Sequence[str]) -> Iterator[str]:
    """The cells of a row, each with its head: a piece without one belongs to the cell before it."""
    cell = pieces[0]
    for piece in pieces[1:]:
        if CELL_HEAD.match(piece):
            yield cell
            cell = piece
        else:
            cell = f"{cell}; {piece}"
    yield cell


def split_outside_brackets(text: str, separator: str) -> list[str]:
    """The text at each separator that stands in no bracket."""
    pieces, depth, begin, at = [], 0, 0, 0
    while at < len(text):
        # A closing bracket without its opening one, as in "a) first", must not make the depth negative.
        depth += (text[at] in "([{") - (text[at] in ")]}" and depth > 0)
        if not depth and text.startswith(separator, at):
            pieces.append(text[begin:at])
            begin = at = at + len(separator)
        else:
            at += 1
    return [*pieces, text[begin:]]


class LinePlace(NamedTuple):
    """Where a quote that begins a line of its source stands in a text: how far that line is indented, and its mark."""

    at: int
    indent: int
    has_mark: bool


def lay_out_quotes(
    text: str, quoted: Sequence[Citation], passages: Mapping[str, Passage], *, has_heading: bool
) -> TextLayout:
    """Return how a text of quotes is set that were lines of a list or a table: each outermost line as an item.

    What stands before the first item introduces it; where nothing does, and no heading either, `intro` is "".
    """
    places = list(_find_line_places(text, quoted, passages))
    inner = [place for place in places if place.at]
    if not inner or len(text.split()) < MIN_LIST_WORDS:
        return TextLayout(text)
    # Items below items stay within their item: only the outermost lines of the source become lines here.
    outermost = min(place.indent for place in inner)
    starts = [place.at for place in inner if place.indent == outermost]
    # The first line is an item like the others only if it has their indentation and their mark; else it introduces
    # them.
    is_first_item = places[0].at == 0 and places[0][1:] == next(one for one in inner if one.at == starts[0])[1:]
    pieces = [text[begin:end].strip(" ;→") for begin, end in pairwise([0, *starts, len(text)])]
    mark = "→" if "→" in text[: starts[0]].rstrip()[-1:] else "–"
    if is_first_item or (has_heading and not pieces[0]):
        return TextLayout("", tuple(filter(None, pieces)), mark)
    return TextLayout(pieces[0], tuple(pieces[1:]), mark)


def _find_line_places(text: str, quoted: Sequence[Citation], passages: Mapping[str, Passage]) -> Iterator[LinePlace]:
    """The lines of quotes in their order in the text, but those that a quote begins in their middle."""
    at = 0
    for citation in quoted:
        passage = passages[citation.passage_id]
        before = passage.text[: citation.start - passage.start].rpartition("\n")[2]
        for number, line in enumerate((before + citation.quote).split("\n")):
            mark = line[: _measure_mark(line)]
            words = collapse_whitespace(line[max(len(mark), 0 if number else len(before)) :]).rstrip(" .;:")
            found = text.find(words, at) if words else -1
            if found < 0:
                continue
            at = found + len(words)
            # The first line of a quote counts only if the quote begins where the line does, apart from its mark.
            if number or len(before) <= len(mark):
                yield LinePlace(found, len(mark) - len(mark.lstrip()), bool(mark.strip()))


def _measure_mark(line: str) -> int:
    """Characters of a line's indentation and of the mark behind it."""
    found = _LINE_MARK.match(line)
    return found.end() if found else 0


def fills_line(citation: Citation, passage: Passage) -> bool:
    """Whether nothing but an item's mark stands beside a quote in its line: it is a heading, and no cell of a row."""
    before = passage.text[: citation.start - passage.start].rpartition("\n")[2]
    after = passage.text[citation.end - passage.start :].partition("\n")[0]
    return not re.search(r"[\w|]", before[_measure_mark(before) :] + after)
