"""A text as it is laid out: paragraphs, lists in lists, rows of tables, steps of algorithms, and what each hangs on.

Text is laid out as the readers of Markdown and HTML write it: a mark before each item, " | " between the cells of a
row, an arrow before each step, and indentation for what belongs to the line above.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
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


# Quotable spans of lists, tables and algorithms: each with every line above it that says for whom or what it holds.
#
# "Reduce to 75 mg BID" stands under "Dabigatran", that under "Dose reduction in non-valvular AF": without them it is
# wrong. A unit here never leaves out an ancestor that adds content.


MAX_UNIT_WORDS = 60
"""Words of an item with all that hangs on it that are shown together; what is longer is shown part by part."""

MAX_LABEL_WORDS = 8
"""Words before the first colon of an item up to which they are its label: "Apixaban: Standard dose is 5 mg BID."."""

_GENERIC_HEADS = frozenset(
    [
        "action", "comment", "comments", "criteria", "criterion", "definition", "description", "detail", "details",
        "finding", "note", "notes", "parameter", "recommendation", "recommendations", "threshold", "value",
    ]
)  # fmt: skip
"""Heads of columns that add nothing to what stands in them."""

_ADDS = re.compile(r"\W*(?:plus|and|with|\+)(?!\w)", re.IGNORECASE)
"""How a row begins that only adds to the one above it."""

_BRANCH = re.compile(r"\?|^\W*(?:yes|no|if|else|otherwise|none|or)\b|(?:-+>|→)", re.IGNORECASE)
"""What a step has that asks, or that follows from an answer: of such steps one is taken, not all."""

_LABEL = re.compile(r"[^:]{2,80}:(?=\s)")


class BlockUnit(NamedTuple):
    """Parts of a text in reading order that make one statement.

    text       the parts in one line
    own_text   its end, without the lines above that say for whom or what it holds
    context    how many of the first parts are those lines
    """

    text: str
    spans: tuple[Span, ...]
    own_text: str
    context: int = 0


def find_block_units(text: str, blocks: Sequence[Block]) -> Iterator[tuple[int, BlockUnit]]:
    """The units of items, rows and steps, in order, each with the position of the block that it begins with.

    A list without lists in it, with the line that introduces it, and an item with all that hangs on it, are one unit
    while they are short.
    """
    children: dict[int, list[int]] = defaultdict(list)
    for position, block in enumerate(blocks):
        if block.parent is not None:
            children[block.parent].append(position)
    shown: set[int] = set()
    for position, block in enumerate(blocks):
        family = list(_descendants(children, position))
        is_flat = bool(family) and all(blocks[one].kind == "item" and blocks[one].parent == position for one in family)
        if position in shown:
            continue
        if block.kind == "row":
            rows = _list_rows_together(text, blocks, position)
            shown.update(rows)
            if unit := _build_rows(text, blocks, rows):
                yield position, unit
        elif block.kind == "step":
            steps = _list_steps_together(text, blocks, position, children)
            shown.update(steps)
            if not family:
                yield position, _build_chain(text, blocks, steps)
        elif block.kind == "item" or (is_introduction(text, block) and is_flat):
            whole = _build_item(text, blocks, position, family)
            if not family or len(whole.text.split()) <= MAX_UNIT_WORDS:
                shown.update(family)
                yield position, whole
            elif not is_introduction(text, block):
                yield position, _build_item(text, blocks, position, [])


def _descendants(children: Mapping[int, Sequence[int]], position: int) -> Iterator[int]:
    for child in children.get(position, ()):
        yield child
        yield from _descendants(children, child)


def _list_steps_together(
    text: str, blocks: Sequence[Block], position: int, children: Mapping[int, Sequence[int]]
) -> list[int]:
    """A leaf of an algorithm, and those that follow it under the same step, where all are to be done and are short.

    "Start insulin" without "do not replace potassium", which stands beside it, would be half of what is advised.
    """
    found = [position]
    parent = blocks[position].parent
    siblings = children.get(parent, ()) if parent is not None else ()
    for following in (one for one in siblings if one > position):
        if children.get(following) or not all(_is_action(text, blocks[one]) for one in (found[-1], following)):
            break
        found.append(following)
    words = sum(len(text[blocks[one].span.start : blocks[one].span.end].split()) for one in found)
    return found if words <= MAX_UNIT_WORDS else [position]


def _is_action(text: str, block: Block) -> bool:
    """Whether a step says what is done, and is neither a question nor the answer to one."""
    words = text[block.span.start : block.span.end]
    return block.kind == "step" and not _BRANCH.search(words)


def _build_chain(text: str, blocks: Sequence[Block], leaves: Sequence[int]) -> BlockUnit:
    """Leaves of an algorithm under one step, after all the steps that lead there."""
    above = sorted(blocks[one].span for one in ancestors(blocks, leaves[0]))
    spans = [blocks[one].span for one in leaves]
    own = _list_parts(text, spans)
    context = "".join(f"{_collapse(text, step)} → " for step in above)
    return BlockUnit(context + own, (*above, *spans), own, len(above))


def _build_item(text: str, blocks: Sequence[Block], position: int, family: Sequence[int]) -> BlockUnit:
    """An item, or a line that introduces a list, under the labels of what it hangs on, with all that hangs on it."""
    above = [find_label(text, blocks[one]) for one in ancestors(blocks, position)][::-1]
    own = _list_parts(text, [blocks[one].span for one in (position, *family)])
    context = "".join(f"{_close(_collapse(text, span))} " for span in above)
    return BlockUnit(context + own, (*above, *(blocks[one].span for one in (position, *family))), own, len(above))


def _list_parts(text: str, spans: Sequence[Span]) -> str:
    parts = [_collapse(text, span) for span in spans]
    return " ".join((*map(_close, parts[:-1]), parts[-1]))


def find_label(text: str, block: Block) -> Span:
    """What of a line says for whom or what the lines below it hold: its label, or all of it."""
    words = text[block.span.start : block.span.end]
    label = _LABEL.match(words)
    if block.kind == "item" and label and len(label[0].split()) <= MAX_LABEL_WORDS:
        return Span(block.span.start, block.span.start + label.end())
    return block.span


def _list_rows_together(text: str, blocks: Sequence[Block], position: int) -> list[int]:
    """A row, and those below it that only add to it: "PLUS Rifampin"."""
    found = [position]
    for following in range(position + 1, len(blocks)):
        block = blocks[following]
        if block.kind != "row" or not block.cells or not _ADDS.match(text, block.cells[0].start, block.cells[0].end):
            break
        found.append(following)
    return found


def _build_rows(text: str, blocks: Sequence[Block], positions: Sequence[int]) -> BlockUnit | None:
    """Rows that are said together, under the lines above their table; None where they say nothing."""
    rows = [row for one in positions if (row := _read_row(text, blocks, one))]
    if not rows:
        return None
    above = [blocks[one].span for one in ancestors(blocks, positions[0]) if blocks[one].kind != "row"][::-1]
    context = "".join(f"{_close(_collapse(text, span))} " for span in above)
    own = " ".join((*(_close(row.text) for row in rows[:-1]), rows[-1].text))
    return BlockUnit(context + own, (*above, *(span for row in rows for span in row.spans)), own, len(above))


def _read_row(text: str, blocks: Sequence[Block], position: int) -> BlockUnit | None:
    """A row under the heads of its columns: "HFrEF: LVEF: ≤ 40%; Description: systolic dysfunction".

    An empty first cell goes on with the one above it. None for the heads themselves, and for a row that says nothing.
    """
    header, group = _find_header(blocks, position), blocks[position].parent
    if header is None or group is None:
        return None
    heads = blocks[header].cells
    # A row that leaves its first cell empty goes on with the nearest above that does not.
    cells = (blocks[one].cells[0] for one in range(position, group, -1))
    first = next((cell for cell in cells if cell.end > cell.start), blocks[position].cells[0])
    spans = [first]
    told: list[str] = []
    for head, cell in zip(heads[1:], blocks[position].cells[1:], strict=True):
        if cell.end > cell.start:
            parts = (head, cell) if _is_telling_head(text, head, heads) else (cell,)
            spans += parts
            told.append(": ".join(_collapse(text, part) for part in parts))
    name = _collapse(text, first)
    row = f"{name}: {'; '.join(told)}"
    return BlockUnit(row, tuple(spans), row) if told and name else None


def _is_telling_head(text: str, head: Span, heads: Sequence[Span]) -> bool:
    """Whether the head of a column says more than that here is what there is to say."""
    if len(heads) < 3 or head.end == head.start or all(_collapse(text, one) == NO_HEADER for one in heads[1:]):
        return False
    return _collapse(text, head).casefold() not in _GENERIC_HEADS


def _collapse(text: str, span: Span) -> str:
    return " ".join(text[span.start : span.end].split())


def _close(part: str) -> str:
    return part if part[-1] in ".:;?!" else f"{part};"
