"""Quotable spans of lists, tables and algorithms: each with every line above it that says for whom or what it holds.

"Reduce to 75 mg BID" stands under "Dabigatran", that under "Dose reduction in non-valvular AF": without them it is
wrong. A unit here never leaves out an ancestor that adds content.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from wellsourced.text.blocks import Block, ancestors, is_introduction
from wellsourced.text.sentences import Span

MAX_UNIT_WORDS = 60
"""Words of an item with all that hangs on it that are shown together; what is longer is shown part by part."""

MAX_LABEL_WORDS = 8
"""Words before the first colon of an item up to which they are its label: "Apixaban: Standard dose is 5 mg BID."."""

_GENERIC_HEADS = frozenset(
    [
        "action",
        "comment",
        "comments",
        "criteria",
        "criterion",
        "definition",
        "description",
        "detail",
        "details",
        "finding",
        "note",
        "notes",
        "parameter",
        "recommendation",
        "recommendations",
        "threshold",
        "value",
    ]
)
"""Heads of columns that add nothing to what stands in them."""

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
        if position in shown:
            continue
        if block.kind == "row":
            if unit := _build_row(text, blocks, position):
                yield position, unit
        elif block.kind == "step":
            if not family:
                yield position, _build_chain(text, blocks, position)
        elif block.kind == "item" or (is_introduction(text, block) and _is_flat_list(blocks, position, family)):
            whole = _build_item(text, blocks, position, family)
            if not family or len(whole.text.split()) <= MAX_UNIT_WORDS:
                shown.update(family)
                yield position, whole
            elif not is_introduction(text, block):
                yield position, _build_item(text, blocks, position, [])


def _is_flat_list(blocks: Sequence[Block], position: int, family: Sequence[int]) -> bool:
    return bool(family) and all(blocks[one].kind == "item" and blocks[one].parent == position for one in family)


def _descendants(children: Mapping[int, Sequence[int]], position: int) -> Iterator[int]:
    for child in children.get(position, ()):
        yield child
        yield from _descendants(children, child)


def _build_chain(text: str, blocks: Sequence[Block], position: int) -> BlockUnit:
    """A leaf of an algorithm after all the steps that lead there."""
    spans = [*(blocks[one].span for one in ancestors(blocks, position)), blocks[position].span]
    spans.sort()
    *above, own = (_collapse(text, span) for span in spans)
    context = "".join(f"{step} → " for step in above)
    return BlockUnit(context + own, tuple(spans), own, len(above))


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


def _build_row(text: str, blocks: Sequence[Block], position: int) -> BlockUnit | None:
    """A row under the heads of its columns: "HFrEF: LVEF: ≤ 40%; Description: systolic dysfunction".

    An empty first cell goes on with the one above it. None for the heads themselves, and for a row that says nothing.
    """
    header = blocks[position].parent
    if header is None or blocks[header].kind != "row":
        return None
    heads = blocks[header].cells
    first = _find_row_name(blocks, position, header)
    spans = [first]
    told: list[str] = []
    for head, cell in zip(heads[1:], blocks[position].cells[1:], strict=True):
        if cell.end > cell.start:
            parts = (head, cell) if _is_telling_head(text, head, heads) else (cell,)
            spans += parts
            told.append(": ".join(_collapse(text, part) for part in parts))
    name = _collapse(text, first)
    if not told or not name:
        return None
    above = [blocks[one].span for one in ancestors(blocks, header)][::-1]
    context = "".join(f"{_close(_collapse(text, span))} " for span in above)
    own = f"{name}: {'; '.join(told)}"
    return BlockUnit(context + own, (*above, *spans), own, len(above))


def _find_row_name(blocks: Sequence[Block], position: int, header: int) -> Span:
    """The first cell of a row; of one that leaves it empty, the nearest above that does not."""
    cells = [blocks[one].cells[0] for one in range(position, header, -1)]
    return next((cell for cell in cells if cell.end > cell.start), cells[0])


def _is_telling_head(text: str, head: Span, heads: Sequence[Span]) -> bool:
    """Whether the head of a column says more than that here is what there is to say."""
    return len(heads) > 2 and head.end > head.start and _collapse(text, head).casefold() not in _GENERIC_HEADS


def _collapse(text: str, span: Span) -> str:
    return " ".join(text[span.start : span.end].split())


def _close(part: str) -> str:
    return part if part[-1] in ".:;?!" else f"{part};"
