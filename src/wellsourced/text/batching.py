"""Passages in rank order, put into batches that are read one by one, and split where they do not fit."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

from wellsourced.text.passages import passage_spans
from wellsourced.types import Passage

Item = TypeVar("Item")

MIN_CUTTABLE_LENGTH = 200
"""Characters up to which a passage is not sliced any more: less can hardly be understood."""


class PassageSlice(NamedTuple):
    """What is shown of a passage: all of it, or a slice with its own offsets in the document."""

    shown: Passage
    whole: Passage


def split_evenly(items: Sequence[Item], parts: int) -> list[tuple[Item, ...]]:
    """The items in order, in so many parts whose sizes differ by 1 at most; as many parts as items if these are fewer.

    Each item is in exactly one part, and no part is empty.
    """
    parts = min(parts, len(items))
    bounds = [place * len(items) // parts for place in range(parts + 1)] if parts else [0]
    return [tuple(items[start:end]) for start, end in pairwise(bounds)]


def split_to_fit(
    parts: Sequence[tuple[PassageSlice, ...]], fits: Callable[[tuple[PassageSlice, ...]], bool]
) -> list[tuple[PassageSlice, ...]]:
    """The parts, each that does not fit cut in two until it does, a passage that alone does not fit into slices.

    What cannot be cut any more stays as it is, and everything does when not even an empty part fits.
    """
    if not fits(()):
        return list(parts)
    made: list[tuple[PassageSlice, ...]] = []
    for part in parts:
        halves = [] if fits(part) else halve_batch(part)
        made += split_to_fit(halves, fits) if halves else [part]
    return made


def halve_batch(part: tuple[PassageSlice, ...]) -> list[tuple[PassageSlice, ...]]:
    """Two parts of it, or two or three slices of its only passage; none when that is too short to be cut."""
    if len(part) > 1:
        return split_evenly(part, 2)
    return [(one,) for piece in part for one in slice_passage(piece)]


def slice_passage(piece: PassageSlice) -> list[PassageSlice]:
    """Slices of about half its length that end, where they can, with a sentence; none of one that is short."""
    passage, length = piece.shown, len(piece.shown.text)
    if length <= MIN_CUTTABLE_LENGTH:
        return []
    return [
        PassageSlice(_build_slice(passage, start, end), piece.whole)
        for start, end in passage_spans(passage.text, 0, length, length // 2 + 1)
    ]


def _build_slice(passage: Passage, start: int, end: int) -> Passage:
    return Passage(
        reference=passage.reference,
        text=passage.text[start:end],
        start=passage.start + start,
        end=passage.start + end,
        section=passage.section,
        page=passage.page,
    )
