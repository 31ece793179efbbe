"""The parts of a text that are nearest to the question, where the whole does not fit into a model's window."""

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from wellsourced.models.base import Model, Prompt
from wellsourced.text.sentences import Span
from wellsourced.text.tokens import content_stems

T = TypeVar("T")


class FittedItems(NamedTuple):
    """What fits into one prompt, in its order, and what was left out, from the end."""

    kept: tuple[Any, ...]
    left_out: tuple[Any, ...]


def fit_items(
    model: Model, prompt_of: Callable[[Sequence[T]], Prompt[Any]], items: Sequence[T], spare: int = 0
) -> FittedItems:
    """As many of the first items as the model has room for; none when not even the first one fits.

    spare   tokens that are kept free for something else
    """
    low, high = 0, len(items)
    while low < high:
        middle = (low + high + 1) // 2
        if model.context_left(prompt_of(items[:middle])) >= spare:
            low = middle
        else:
            high = middle - 1
    return FittedItems(tuple(items[:low]), tuple(items[low:]))


def make_batches(
    model: Model, prompt_of: Callable[[Sequence[T]], Prompt[Any]], items: Sequence[T], size: int
) -> list[tuple[T, ...]]:
    """The items in batches of at most `size` that each fit; an item that fits nowhere is a batch of its own."""
    left, made = list(items), []
    while left:
        kept = fit_items(model, prompt_of, left[:size]).kept or tuple(left[:1])
        made.append(kept)
        left = left[len(kept) :]
    return made


MAX_PIECE_CHARS = 600
"""Characters of a part, at most; it ends with a line, a sentence or a word."""

_PIECE_PATTERN = re.compile(
    rf"\S[^\n]{{0,{MAX_PIECE_CHARS - 1}}}(?:(?<=[.!?;:])(?=\s)|(?=\n|\Z))"
    rf"|\S[^\n]{{0,{MAX_PIECE_CHARS - 1}}}(?=\s)|\S{{1,{MAX_PIECE_CHARS}}}"
)


class TextExcerpt(NamedTuple):
    """What is shown of a text, its parts in their order, and the characters of it, of `of` in all."""

    text: str
    shown: int
    total: int

    def note(self, what: str, model: str) -> str:
        """The note that says how much was left out; "" when all is shown."""
        if self.shown == self.total:
            return ""
        if not self.shown:
            return f"{model} saw none of {what}: its {self.total:,} characters do not fit what it can read at once"
        return (
            f"{model} saw {self.shown:,} of {self.total:,} characters of {what}, the parts nearest the question: it "
            "can read no more at once"
        )


def select_excerpt(
    text: str, about: str, model: Model, prompt_of: Callable[[str], Prompt[Any]], spare: int = 0
) -> TextExcerpt:
    """As much of the text as the model has room for in this prompt: all of it, or the parts nearest to `about`.

    spare   tokens that are kept free for something else
    """
    if model.context_left(prompt_of(text)) >= spare:
        return TextExcerpt(text, len(text), len(text))
    wanted = frozenset(content_stems(about))
    pieces = [Span(*found.span()) for found in _PIECE_PATTERN.finditer(text)]
    nearest = sorted(pieces, key=lambda piece: -len(wanted.intersection(content_stems(text[piece.start : piece.end]))))
    kept = fit_items(model, lambda some: prompt_of(_join_pieces(text, some)), nearest, spare).kept
    return TextExcerpt(_join_pieces(text, kept), sum(piece.end - piece.start for piece in kept), len(text))


def _join_pieces(text: str, pieces: Sequence[Span]) -> str:
    joined, last = "", 0
    for piece in sorted(pieces):
        between = text[last : piece.start]
        joined += "\n…\n" if between.strip() else between if last else ""
        joined += text[piece.start : piece.end]
        last = piece.end
    return joined
