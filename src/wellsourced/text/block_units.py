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
    header = blocks[positions[0]].parent
    if not rows or header is None:
        return None
    above = [blocks[one].span for one in ancestors(blocks, header)][::-1]
    context = "".join(f"{_close(_collapse(text, span))} " for span in above)
    own = " ".join((*(_close(row.text) for row in rows[:-1]), rows[-1].text))
    return BlockUnit(context + own, (*above, *(span for row in rows for span in row.spans)), own, len(above))


def _read_row(text: str, blocks: Sequence[Block], position: int) -> BlockUnit | None:
    """A row under the heads of its columns: "HFrEF: LVEF: ≤ 40%; Description: systolic dysfunction".

    An empty first cell goes on with the one above it. None for the heads themselves, and for a row that says nothing.
    """
    header = blocks[position].parent
    if header is None or blocks[header].kind != "row":
        return None
    heads = blocks[header].cells
    # A row that leaves its first cell empty goes on with the nearest above that does not.
    cells = [blocks[one].cells[0] for one in range(position, header, -1)]
    first = next((cell for cell in cells if cell.end > cell.start), cells[0])
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
    return len(heads) > 2 and head.end > head.start and _collapse(text, head).casefold() not in _GENERIC_HEADS


def _collapse(text: str, span: Span) -> str:
    return " ".join(text[span.start : span.end].split())


def _close(part: str) -> str:
    return part if part[-1] in ".:;?!" else f"{part};"
