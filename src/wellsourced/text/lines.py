"""Lines: short texts of others, put into a shape in which they can be compared and told."""

from collections.abc import Callable, Hashable, Iterable


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
    plain = "".join(letter if letter.isprintable() else " " for letter in text)
    told = plain.split()
    return " ".join(told[:most]) + (" …" if len(told) > most else "")
