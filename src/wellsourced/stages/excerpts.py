"""Excerpts: of a text that is longer than a model's window, the parts that are nearest to what is asked."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from wellsourced.models.base import Model, Prompt
from wellsourced.stages.fitting import fitted
from wellsourced.text.tokens import stems

PIECE = 600
"""Characters of a part, at most; it ends with a line, a sentence or a word."""

_PIECE = re.compile(
    rf"\S[^\n]{{0,{PIECE - 1}}}(?:(?<=[.!?;:])(?=\s)|(?=\n|\Z))|\S[^\n]{{0,{PIECE - 1}}}(?=\s)|\S{{1,{PIECE}}}"
)


class Excerpt(NamedTuple):
    """What is shown of a text, its parts in their order, and the characters of it, of `of` in all."""

    text: str
    shown: int
    of: int

    def note(self, what: str, model: str) -> str:
        """What is to be told of it; "" when all is shown."""
        if self.shown == self.of:
            return ""
        if not self.shown:
            return f"nothing of {what} ({self.of:,} characters) fits what {model} can read at once"
        return (
            f"of {what}, {self.shown:,} of {self.of:,} characters were shown to {model}, which can read no more at "
            "once: the parts nearest to the question"
        )


class _Piece(NamedTuple):
    start: int
    end: int


def excerpt(text: str, about: str, model: Model, prompt_of: Callable[[str], Prompt[Any]], spare: int = 0) -> Excerpt:
    """As much of the text as the model has room for in this prompt: all of it, or the parts nearest to `about`.

    spare   tokens that are kept free for something else
    """
    if model.room(prompt_of(text)) >= spare:
        return Excerpt(text, len(text), len(text))
    wanted = frozenset(stems(about))
    pieces = [_Piece(*found.span()) for found in _PIECE.finditer(text)]
    nearest = sorted(pieces, key=lambda piece: -len(wanted.intersection(stems(text[piece.start : piece.end]))))
    kept = fitted(model, lambda some: prompt_of(_joined(text, some)), nearest, spare).kept
    return Excerpt(_joined(text, kept), sum(piece.end - piece.start for piece in kept), len(text))


def _joined(text: str, pieces: Sequence[_Piece]) -> str:
    return "".join(_parts(text, sorted(pieces)))


def _parts(text: str, pieces: Sequence[_Piece]) -> Iterator[str]:
    """The pieces as they stand in the text, with a mark where something between them is left out."""
    last = 0
    for piece in pieces:
        between = text[last : piece.start]
        yield "\n…\n" if between.strip() else between if last else ""
        yield text[piece.start : piece.end]
        last = piece.end
