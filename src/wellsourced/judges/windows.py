"""Windows: a long text in stretches of whole sentences that each fit into what a judge can read."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from wellsourced.text.sentences import Span, sentences

LONGEST = 1_000
"""Characters of a sentence; a longer one is a table or has lost its stops, and is cut between words."""

Fits = Callable[[int, int], bool]
"""Whether the sentences from the first place to before the second fit together; if they do, so do fewer."""


class Window(NamedTuple):
    """Sentences of a text, from the place `first` to before `last`."""

    first: int
    last: int


def spans(text: str) -> list[Span]:
    """The sentences of a text, none longer than LONGEST characters."""
    return [part for span in sentences(text) for part in _cut(text, span)]


def _cut(text: str, span: Span) -> Iterator[Span]:
    start = span.start
    while span.end - start > LONGEST:
        space = text.rfind(" ", start + 1, start + LONGEST)
        end = space if space > 0 else start + LONGEST
        yield Span(start, end)
        start = end
    yield Span(start, span.end)


def halves(text: str, span: Span) -> tuple[Span, Span]:
    """A stretch of at least two characters in two, at the space nearest before its middle, if there is one."""
    middle = (span.start + span.end + 1) // 2
    space = text.rfind(" ", span.start + 1, middle + 1)
    cut = space if space > 0 else middle
    return Span(span.start, cut), Span(cut, span.end)


def filled(count: int, fits: Fits, overlap: float = 0.0) -> list[Window]:
    """Windows over so many sentences, each as full as it can be; a sentence that does not fit stands alone.

    overlap   share of its sentences that a window gives to the next one as well
    """
    found: list[Window] = []
    first = 0
    while first < count:
        last = _last(first, count, fits)
        found.append(Window(first, last))
        if last == count:
            break
        first = max(first + 1, last - int((last - first) * overlap))
    return found


def sliding(count: int, fits: Fits, widths: Sequence[int]) -> list[Window]:
    """Windows of so many sentences from every sentence on, each once; one that does not fit is as wide as it can be."""
    found: dict[Window, None] = {}
    for width in widths:
        for first in range(max(1, count - width + 1)):
            last = min(count, first + width)
            while last > first + 1 and not fits(first, last):
                last -= 1
            found[Window(first, last)] = None
    return list(found)


def _last(first: int, count: int, fits: Fits) -> int:
    """Where a window that begins at `first` ends: doubled as long as it fits, then halved to the place."""
    step = 1
    while first + step < count and fits(first, first + step):
        step *= 2
    low, high = first + 1, min(count, first + step)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(first, middle) else (low, middle - 1)
    return low
