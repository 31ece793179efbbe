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

_LABEL = re.compile(r"[^:]{2,80}:(?=\s)")


class BlockUnit(NamedTuple):
    """Parts of a text in reading order that make one statement, and how many of the first of them are context.

    text   the parts in one line
    """

    text: str
    spans: tuple[Span, ...]
    context: int = 0


def find_block_units(text: str, blocks: Sequence[Block]) -> Iterator[tuple[int, BlockUnit]]:
    """The units of items, rows and steps, in order, each with the position of the block that it begins with."""
    children: dict[int, list[int]] = defaultdict(list)
    for position, block in enumerate(blocks):
        if block.parent is not None:
            children[block.parent].append(position)
    shown: set[int] = set()
    for position, block in enumerate(blocks):
        if position in shown or block.kind == "paragraph":
            continue
        if block.kind == "row":
            if unit := _build_row(text, blocks, position, children):
                yield position, unit
        elif block.kind == "step":
            if not children[position]:
                yield position, _join(text, [*_chain(blocks, position), block.span], " → ", 0)
        else:
            family = list(_descendants(children, position))
            whole = _build_item(text, blocks, position, family)
            if len(whole.text.split()) <= MAX_UNIT_WORDS or not family:
                shown.update(family)
                yield position, whole
            elif not is_introduction(text, block):
                yield position, _build_item(text, blocks, position, [])


def _descendants(children: Mapping[int, Sequence[int]], position: int) -> Iterator[int]:
    for child in children.get(position, ()):
        yield child
        yield from _descendants(children, child)


def _chain(blocks: Sequence[Block], position: int) -> list[Span]:
    return [blocks[one].span for one in ancestors(blocks, position)][::-1]


def _build_item(text: str, blocks: Sequence[Block], position: int, family: Sequence[int]) -> BlockUnit:
    """An item under the labels of what it hangs on, with all that hangs on it."""
    above = [find_label(text, blocks[one]) for one in ancestors(blocks, position)][::-1]
    return _join(text, [*above, blocks[position].span, *(blocks[one].span for one in family)], " ", len(above))


def find_label(text: str, block: Block) -> Span:
    """What of a line says for whom or what the lines below it hold: its label, or all of it."""
    words = text[block.span.start : block.span.end]
    label = _LABEL.match(words)
    if block.kind == "item" and label and len(label[0].split()) <= MAX_LABEL_WORDS:
        return Span(block.span.start, block.span.start + label.end())
    return block.span


def _build_row(
    text: str, blocks: Sequence[Block], position: int, children: Mapping[int, Sequence[int]]
) -> BlockUnit | None:
    """A row under the heads of its columns: "HFrEF: LVEF: ≤ 40%; Description: systolic dysfunction"."""
    row = blocks[position]
    if row.parent is None:
        return None
    heads = blocks[row.parent].cells
    first, *others = row.cells
    parts = [first] if first.end > first.start else []
    shown = [text[first.start : first.end]] if parts else []
    told = []
    for head, cell in zip(heads[1:], others, strict=False):
        if cell.end > cell.start:
            with_head = len(others) > 1 and head.end > head.start
            parts += [head, cell] if with_head else [cell]
            told.append(": ".join(text[one.start : one.end] for one in ([head, cell] if with_head else [cell])))
    words = ": ".join((*shown, "; ".join(told))) if told else ""
    return BlockUnit(" ".join(words.split()), tuple(parts)) if told and shown else None


def _join(text: str, spans: Sequence[Span], mark: str, context: int) -> BlockUnit:
    parts = [" ".join(text[span.start : span.end].split()) for span in spans]
    closed = [part if part[-1] in ".:;?!" or mark != " " else f"{part};" for part in parts[:-1]]
    return BlockUnit(mark.join((*closed, parts[-1])), tuple(spans), context)
