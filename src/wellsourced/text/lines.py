"""Lines: short texts of others, put into a shape in which they can be compared and told."""

from collections.abc import Callable, Hashable, Iterable
from unicodedata import category

_JOINERS = "\u200c\u200d"
"""Nobody sees them, and yet Persian and the scripts of India are misspelled without them."""


def folded(text: str) -> str:
    """The text as it is compared with others: in lower case, single spaces."""
    return " ".join(text.casefold().split())


def distinct(texts: Iterable[str], key: Callable[[str], Hashable] = folded) -> tuple[str, ...]:
    """The texts in their order, the first of those that are equal by their key; no empty one."""
    first: dict[Hashable, str] = {}
    for text in texts:
        first.setdefault(key(text), text)
    return tuple(filter(None, first.values()))


def line(text: str, most: int = 100) -> str:
    """The first `most` words of what a model says, in one line that does nothing to a terminal."""
    told = visible(text).split()
    return " ".join(told[:most]) + (" …" if len(told) > most else "")


def one_line(text: str) -> str:
    """All words of what a model says, in one line that reads as it is and does nothing to a terminal."""
    return " ".join(visible(text).split())


def visible(text: str) -> str:
    """The text without what nobody sees (marks that reverse what is read, zero widths); white space stays."""
    return "".join(map(_seen, text))


def _seen(letter: str) -> str:
    if letter.isprintable() or letter.isspace() or letter in _JOINERS:
        return letter
    return "" if category(letter) == "Cf" else " "
