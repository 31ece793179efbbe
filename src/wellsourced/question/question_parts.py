"""The parts of a question: several questions in one, a comparison of two things, two things that are asked of one."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from wellsourced.errors import ModelError, UnsupportedPrompt
from wellsourced.text.lexicon import word_set
from wellsourced.text.sanitization import deduplicate_texts, fold_case, short_line
from wellsourced.text.tokens import content_stems, tokenize

MAX_PARTS = 8
"""Parts of a question, those of parts included."""

PartRequest = Callable[[str], Awaitable[Sequence[str]]]
"""Names the parts of a question. Raises ModelError; UnsupportedPrompt where there is no language model."""


class QuestionDecomposition(NamedTuple):
    """The parts of one question; none when it is one whole."""

    parts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


async def split_question(question: str, asked: PartRequest, most: int, depth: int) -> QuestionDecomposition:
    """All parts, level by level, each level asked for at once; of one that is split again, its parts stand for it.

    A part that is the question, or a part that was named before, is left out. Where nobody can be asked, a question is
    split only where its words leave no doubt.

    most    parts of one question, at most
    depth   how often parts are split again: 1 is parts alone
    """
    seen = {fold_case(question)}
    open_, whole, notes = [question], list[str](), list[str]()
    for _ in range(depth):
        splits = await asyncio.gather(*(_split_once(one, asked, most) for one in open_))
        new: list[str] = []
        for one, its in zip(open_, splits, strict=True):
            fresh = [part for part in its.parts if fold_case(part) not in seen]
            seen.update(fold_case(part) for part in fresh)
            new += fresh
            whole += [] if fresh or one == question else [one]
            notes += its.notes
        # Each part is searched for on its own, so that their number has to end somewhere; what is cut is told.
        open_ = new[: MAX_PARTS - len(whole)]
        if len(open_) < len(new):
            notes.append(f"the question has more than {MAX_PARTS} parts; only the first {MAX_PARTS} are searched for")
    parts = (*whole, *open_)
    told = [f"also searched for in parts: {', '.join(f'“{part}”' for part in parts)}"] if parts else []
    return QuestionDecomposition(parts, (*told, *dict.fromkeys(notes)))


async def _split_once(question: str, asked: PartRequest, most: int) -> QuestionDecomposition:
    """One question in its own parts."""
    try:
        named = await asked(question)
    except UnsupportedPrompt:
        return QuestionDecomposition(tuple(split_by_rules(question)))
    except ModelError as error:
        return QuestionDecomposition((), (f"the model did not split the question ({short_line(str(error))})",))
    told = deduplicate_texts(short_line(part) for part in named if fold_case(part) != fold_case(question))
    parts = told[:most]
    notes = () if len(told) <= most else (f"of {len(told)} parts, only the first {most} are searched for",)
    # One part alone is the question in other words.
    return QuestionDecomposition(parts, notes) if len(parts) > 1 else QuestionDecomposition()


BACK_REFERENCES = word_set("""
    it its they them their theirs this these that those he him his she her hers there then so such same former latter
    both either neither one ones other others else
""")
"""Words by which a question speaks of another: what has one does not stand for itself."""

_COMPARED_NAME = r"[^\s,;:?]+(?: [^\s,;:?]+){0,4}?"
_SHARED_TAIL = r"(?P<tail> (?:in|for|of|on|among|during|after|as|to) [^?]+?)?"
_COMPARISONS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:what (?:is|are) )?(?:the )?differences? between (?P<one>{_COMPARED_NAME}) and "
        rf"(?P<other>{_COMPARED_NAME}){_SHARED_TAIL}\??",
        rf"compare (?P<one>{_COMPARED_NAME}) (?:and|with|to|versus|vs\.?) "
        rf"(?P<other>{_COMPARED_NAME}){_SHARED_TAIL}[.?]?",
        rf"(?P<one>{_COMPARED_NAME}) (?:versus|vs\.?) (?P<other>{_COMPARED_NAME}){_SHARED_TAIL}[.?]?",
    )
)
"""Comparisons of two things, which share what is said after them."""


_TWO_NAMES = re.compile(
    r"(?:what|which) (?:(?:is|are|was|were) )?(?:the )?(?P<one>[\w-]+(?: [\w-]+){0,2}?) and (?:the )?"
    r"(?P<other>[\w-]+(?: [\w-]+){0,2}?) (?P<tail>(?:of|for|in|to|with) [^?]+)\??",
    re.IGNORECASE,
)
"""Two things that are asked of one: "What are the dose and duration of X?"."""


def split_by_rules(question: str) -> list[str]:
    """The parts of several questions that each stand for themselves, of a comparison of two things, or of two things
    that are asked of one; else none."""
    text = question.strip()
    if two := _TWO_NAMES.fullmatch(text):
        return [f"{two['one']} {two['tail']}", f"{two['other']} {two['tail']}"]
    return _split_askings_after_story(text) or _split_comparison(text)


def _split_askings_after_story(text: str) -> list[str]:
    """Each question with the story that is told before all of them; none where one speaks of another."""
    first, *others = re.split(r"(?<=\?)\s+", text)
    story, end, asking = first.rpartition(". ")
    askings = [asking, *others]
    if len(askings) < 2 or not all(one.endswith("?") and _stands_alone(one, is_told=bool(story)) for one in askings):
        return []
    return [f"{story}{end}{one}" for one in askings]


def _stands_alone(part: str, *, is_told: bool) -> bool:
    # "Is it safe?" behind another question asks of that one, and would be searched for as of nothing; "Transfuse?" asks
    # of what is told before.
    least = 1 if is_told else 2
    return len(set(content_stems(part))) >= least and not BACK_REFERENCES.intersection(tokenize(part))


def _split_comparison(text: str) -> list[str]:
    found = next((match for pattern in _COMPARISONS if (match := pattern.fullmatch(text.strip()))), None)
    if not found:
        return []
    compared = [found["one"], found["other"]]
    # "A and B versus C" compares more than two, and nothing says what belongs to what.
    if any({"and", "or", "versus", "vs"} & set(tokenize(name)) or not content_stems(name) for name in compared):
        return []
    return [f"{name}{found['tail'] or ''}" for name in compared]


_ASKED = r"(?:what|which|when|how|who|where|why)\b"
_SECOND_ASKING = re.compile(
    rf"(?P<sign>\s*[,;+&]\s*(?!and\b))?(?(sign)|,?\s+(?:and|plus)\s+)"
    rf"(?=(?:(?:at|for|in|with|by|to|from|on) )?{_ASKED})",
    re.IGNORECASE,
)


def list_asked_parts(question: str) -> list[str]:
    """What one sentence asks one after the other: "When is X started, and at what dose?"; [] where it asks one thing.

    A later part names what the first one is about, since it leaves that out.
    """
    first, *others = _split_askings(question)
    subject = " ".join(word for word in tokenize(first) if word not in _ASKING_WORDS)
    return [f"{first}?", *(f"{other} ({subject})?" for other in others)] if others else []


def _split_askings(question: str) -> list[str]:
    """A sentence before each of its questions; a story before a comma asks nothing and stays with the first of them:
    "Scald an hour ago, how long under the tap"."""
    text = question.strip().rstrip("?")
    parts, start = [], 0
    for match in _SECOND_ASKING.finditer(text):
        if not match["sign"] or re.search(_ASKED, text[start : match.start()], re.IGNORECASE):
            parts.append(text[start : match.start()].rstrip("?"))
            start = match.end()
    return [*parts, text[start:]]


def name_part(part: str, question: str) -> str:
    """The words of a part as the question has them, without the story or the subject that it shares with others."""
    words = re.split(r"(?<=[^\W_][.:;]) (?=[^?]+\?$)", part)[-1].rstrip("?").split()
    typed = " ".join(question.split())
    own = next((own for end in range(len(words), 0, -1) if (own := " ".join(words[:end])) in typed), part)
    return own + "?" * part.endswith("?")


_ASKING_WORDS = frozenset(
    [
        "what", "which", "when", "how", "who", "where", "why", "is", "are", "was", "were", "be", "should", "can",
        "do", "does", "the", "a", "an", "of", "for", "in",
    ]
)  # fmt: skip
