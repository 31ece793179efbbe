"""Splitting a question without a model, only where its words leave no doubt about the parts."""

import re

from wellsourced.text.tokens import stems, words


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


REFERRING = _set("""
    it its they them their theirs this these that those he him his she her hers there then so such same former latter
    both either neither one ones other others else
""")
"""Words by which a question speaks of another: what has one does not stand for itself."""

_NAME = r"[^\s,;:?]+(?: [^\s,;:?]+){0,4}?"
_TAIL = r"(?P<tail> (?:in|for|of|on|among|during|after|as|to) [^?]+?)?"
_BETTER = r"(?:better|safer|preferred|more effective)"
_OF_TWO = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:what (?:is|are) )?(?:the )?differences? between (?P<one>{_NAME}) and (?P<other>{_NAME}){_TAIL}\??",
        rf"compare (?P<one>{_NAME}) (?:and|with|to|versus|vs\.?) (?P<other>{_NAME}){_TAIL}[.?]?",
        rf"(?P<one>{_NAME}) (?:versus|vs\.?) (?P<other>{_NAME}){_TAIL}[.?]?",
        rf"(?:which|what) is {_BETTER}{_TAIL}[,:] (?P<one>{_NAME}) or (?P<other>{_NAME})\??",
        rf"is (?P<one>{_NAME}) or (?P<other>{_NAME}) {_BETTER}{_TAIL}\??",
    )
)
"""Comparisons of two things, which share what is said after them."""


def split(question: str) -> list[str]:
    """The parts of several questions that each stand for themselves, or of a comparison of two things; else none."""
    return _questions(question) or _of_two(question)


def _questions(text: str) -> list[str]:
    parts = re.split(r"(?<=\?)\s+", text.strip())
    if len(parts) < 2 or not all(part.endswith("?") and _stands(part) for part in parts):
        return []
    return parts


def _stands(part: str) -> bool:
    # A full stop within it is the end of a story that the other parts may be about.
    return len(set(stems(part))) > 1 and not REFERRING.intersection(words(part)) and ". " not in part


def _of_two(text: str) -> list[str]:
    found = next((match for pattern in _OF_TWO if (match := pattern.fullmatch(text.strip()))), None)
    if not found:
        return []
    compared = [found["one"], found["other"]]
    if any({"and", "or", "versus", "vs"} & set(words(name)) or not stems(name) for name in compared):
        return []
    return [f"{name}{found['tail'] or ''}" for name in compared]
