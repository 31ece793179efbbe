"""Splitting a question into parts that answer it together: whoever names them, they are few, new, and not deep."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from wellsourced.errors import ModelError, Unanswerable
from wellsourced.text.lines import distinct, folded, line
from wellsourced.text.tokens import stems, words

IN_ALL = 8
"""Parts of a question, those of parts included."""

Asked = Callable[[str], Awaitable[Sequence[str]]]
"""Names the parts of a question. Raises ModelError; Unanswerable where there is no language model."""


class Split(NamedTuple):
    """The parts of one question; none when it is one whole."""

    parts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


async def split_up(question: str, asked: Asked, most: int, depth: int) -> Split:
    """All parts, level by level, each level asked for at once; of one that is split again, its parts stand for it.

    A part that is the question, or a part that was named before, is left out. Where nobody can be asked, a question is
    split only where its words leave no doubt.

    most    parts of one question, at most
    depth   how often parts are split again: 1 is parts alone
    """
    seen = {folded(question)}
    open_, whole, notes = [question], list[str](), list[str]()
    for _ in range(depth):
        splits = await asyncio.gather(*(_parts(one, asked, most) for one in open_))
        new: list[str] = []
        for one, its in zip(open_, splits, strict=True):
            fresh = [part for part in its.parts if folded(part) not in seen]
            seen.update(folded(part) for part in fresh)
            new += fresh
            whole += [] if fresh or one == question else [one]
            notes += its.notes
        open_ = new[: IN_ALL - len(whole)]
        if len(open_) < len(new):
            notes.append(f"the question has more than {IN_ALL} parts, and the first {IN_ALL} are searched for")
    parts = (*whole, *open_)
    told = [f"also searched for in parts: {', '.join(f'“{part}”' for part in parts)}"] if parts else []
    return Split(parts, (*told, *dict.fromkeys(notes)))


async def _parts(question: str, asked: Asked, most: int) -> Split:
    """One question in its own parts."""
    try:
        named = await asked(question)
    except Unanswerable:
        return Split(tuple(split(question)))
    except ModelError as error:
        return Split((), (f"the question was not split by a model ({line(str(error))})",))
    told = distinct(line(part) for part in named if folded(part) != folded(question))
    parts = told[:most]
    notes = () if len(told) <= most else (f"of {len(told)} parts, the first {most} are searched for",)
    # One part alone is the question in other words.
    return Split(parts, notes) if len(parts) > 1 else Split()


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
