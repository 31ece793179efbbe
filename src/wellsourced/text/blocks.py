"""A text as it is laid out: paragraphs, lists in lists, rows of tables, steps of algorithms, and what each hangs on.

Text is laid out as the readers of Markdown and HTML write it: a mark before each item, " | " between the cells of a
row, an arrow before each step, and indentation for what belongs to the line above.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from wellsourced.text.sentences import Span, trim_span

BlockKind = Literal["paragraph", "item", "row", "step"]
_LINE = re.compile(r"[^\n]*\S[^\n]*")
NO_HEADER = "[no header]"
"""The name of a column that its table does not name. Where all are called so, none is said."""

_ITEM_MARK = re.compile(r"(?P<indent>[ \t]*)(?:[-•*]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,5})[.)])[ \t]+(?=\S)")
_STEP_MARK = re.compile(r"(?P<indent>[ \t|]*)\+?(?:→|-{1,3}>|=>)[ \t]*(?=\S)")
_TREE_MARK = re.compile(r"(?P<indent>[ \t]*\|[ \t|]*)(?=[^\s|])")
_INDENT = re.compile(r"(?P<indent>[ \t]*)")
_TREE_LINE = re.compile(r"[ \t]*\|[ \t|]*(?:\+?-{1,3}>.*|[ \t|]*|[^|\n]*)")
"""A line of an algorithm that is drawn with strokes: "|  +--> NO", "|  |"."""

_CELL_GAP = re.compile(r"(?:(?<![^\n])|[ \t]+)\|(?=[ \t]|$)")


class Block(NamedTuple):
    """A line that is read as one.

    span     its words, without the mark before them
    parent   position in the list of blocks of the one that it hangs on: the item that its list stands in, the line
             that introduces it or its table, the first row of its table or the title of its group of rows, the step
             before it; None: it hangs on nothing
    cells    of a row: where its cells stand, empty ones too
    """

    kind: BlockKind
    span: Span
    parent: int | None = None
    cells: tuple[Span, ...] = ()


class _OpenBlock(NamedTuple):
    """A block on which the next lines may hang: those that are indented more, or all if it introduces them."""

    position: int
    indent: int


def find_blocks(text: str, start: int = 0, end: int | None = None) -> list[Block]:
    """The blocks of text[start:end], in order. Linear in the length of the text."""
    blocks: list[Block] = []
    opened: list[_OpenBlock] = []
    last = start
    for line in _LINE.finditer(text, start, len(text) if end is None else end):
        is_apart = text.count("\n", last, line.start()) > 1
        last = line.end()
        is_drawn = bool(opened) and blocks[-1].kind != "row" and _TREE_LINE.fullmatch(line[0]) is not None
        cells = () if is_drawn else _split_cells(text, line.start(), line.end())
        if len(cells) > 1:
            above = _find_row_parent(blocks, cells, is_apart)
            parent = _find_table_lead(text, blocks) if above is None else above
            blocks.append(Block("row", Span(cells[0].start, cells[-1].end), parent, cells))
            continue
        if not line[0].strip(" \t|"):
            continue
        kind, mark = _read_mark(line[0], is_drawn)
        indent = len(mark["indent"].expandtabs(4))
        span = Span(line.start() + mark.end(), line.start() + len(line[0].rstrip()))
        if kind == "paragraph" and not is_apart and _goes_on(text, blocks, opened, indent):
            blocks[-1] = blocks[-1]._replace(span=Span(blocks[-1].span.start, span.end))
            continue
        _close_blocks(text, blocks, opened, kind, indent, is_apart)
        opened.append(_OpenBlock(len(blocks), indent))
        parent = opened[-2].position if len(opened) > 1 else None
        if kind == "paragraph" and not is_apart and blocks and blocks[-1].kind == "row":
            # The title of a group of rows, in the middle of their table.
            header = _find_header(blocks, len(blocks) - 1)
            parent = len(blocks) - 1 if header is None else header
        blocks.append(Block(kind, span, parent))
    return blocks


def _read_mark(line: str, is_drawn: bool) -> tuple[BlockKind, re.Match[str]]:
    """What a line is by the mark before its words. In a drawing every line is a step."""
    if mark := _STEP_MARK.match(line):
        return "step", mark
    if is_drawn and (mark := _TREE_MARK.match(line)):
        return "step", mark
    if mark := _ITEM_MARK.match(line):
        return "item", mark
    return "paragraph", next(_INDENT.finditer(line))


def _goes_on(text: str, blocks: Sequence[Block], opened: Sequence[_OpenBlock], indent: int) -> bool:
    """Whether a line without a mark goes on with the one above it, which was too long for its line."""
    above = blocks[-1] if blocks else None
    if above and above.kind == "paragraph" and text[above.span.end :].lstrip()[:1].islower():
        return text[above.span.end - 1] not in ".!?:;"
    if not opened or blocks[-1].kind != "step" or opened[-1].position != len(blocks) - 1:
        return False
    return indent > opened[-1].indent and text[blocks[-1].span.end - 1] != "?"


def ancestors(blocks: Sequence[Block], position: int) -> Iterator[int]:
    """The positions of the blocks that one hangs on, the nearest first."""
    parent = blocks[position].parent
    while parent is not None:
        yield parent
        parent = blocks[parent].parent


def is_introduction(text: str, block: Block) -> bool:
    """Whether a line introduces what follows: it ends with a colon."""
    return block.kind != "row" and text[block.span.end - 1] == ":"


def _split_cells(text: str, start: int, end: int) -> tuple[Span, ...]:
    gaps = [gap.span() for gap in _CELL_GAP.finditer(text, start, end)]
    edges = [start, *(edge for gap in gaps for edge in gap), end]
    return tuple(trim_span(text, *cell) for cell in zip(edges[::2], edges[1::2], strict=True))


def _find_row_parent(blocks: Sequence[Block], cells: Sequence[Span], is_apart: bool) -> int | None:
    """What a row hangs on: the first row of the table that it goes on, or the title of its group; None for a first."""
    if is_apart or not blocks:
        return None
    last = len(blocks) - 1
    header = _find_header(blocks, last)
    width = len(blocks[last if header is None else header].cells)
    goes_on = blocks[last].kind == "row" and header is not None
    return (blocks[last].parent if goes_on else last) if width == len(cells) else None


def _find_header(blocks: Sequence[Block], position: int) -> int | None:
    """The first row of the table in which a row, or the title of a group of rows, stands; None for that row itself."""
    return next((one for one in ancestors(blocks, position) if blocks[one].kind == "row"), None)


def _find_table_lead(text: str, blocks: Sequence[Block]) -> int | None:
    leads = bool(blocks) and blocks[-1].kind == "paragraph" and is_introduction(text, blocks[-1])
    return len(blocks) - 1 if leads else None


def _close_blocks(
    text: str, blocks: Sequence[Block], opened: list[_OpenBlock], kind: BlockKind, indent: int, is_apart: bool
) -> None:
    """Forget the blocks on which a line does not hang.

    A paragraph of its own hangs on nothing; an item also hangs on a line of the same indentation that introduces it.
    """
    if kind == "paragraph" and (is_apart or not indent):
        opened.clear()
    while opened:
        above = blocks[opened[-1].position]
        introduces = above.kind == "paragraph" and kind != "paragraph" and is_introduction(text, above)
        leads = above.kind == "paragraph" and kind == "step"
        if opened[-1].indent < indent or (opened[-1].indent == indent and (introduces or leads)):
            return
        opened.pop()
