"""Citing: tie what a model drafted to the places its words come from; what cannot be tied is left out, and counted."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from wellsourced.prompts.writing import Drafted, Quoted
from wellsourced.text.lines import one_line
from wellsourced.text.quotes import Found, aligned
from wellsourced.text.sentences import sentences
from wellsourced.text.tokens import stems
from wellsourced.types import Citation, Dropped, Passage, Statement, Verdict

UNCHECKED = Verdict(label="silent", score=0.0, reason="not checked yet")

NOWHERE = "a quote is in no passage read"
UNKNOWN = "it cites a passage that was not read"
NOTHING = "it cites nothing"

FEWEST = 3
"""Words of a quote that can be read alone; fewer are shown in the sentence in which they stand."""


class Shelf:
    """The passages that a model was shown, found by key or id as a model may spell them: "[K3J2AA]", "id: k3j2aa"."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self._named: dict[str, Passage] = {}
        self._keys: dict[str, Passage] = {}
        for passage in passages:
            self._named[_plain(passage.id)] = passage
            self._keys[passage.key] = passage

    def find(self, name: str) -> Passage | None:
        """The passage of that key or id; None when there is none, or when the name could mean two."""
        if passage := self._named.get(_plain(name)) or self._keys.get(_plain(name)):
            return passage
        meant = {word for word in re.findall(r"\b[a-z2-7]{6}\b", name.casefold()) if word in self._keys}
        return self._keys[meant.pop()] if len(meant) == 1 else None


def _plain(name: str) -> str:
    return name.strip(" \t\n[](){}<>\"'`“”‘’.,;#").casefold()


class Cited(NamedTuple):
    """Statements whose words are real, those that have none, and how many quotes stand nowhere.

    lost   quotes that were left out, those of statements that stand without them among them
    """

    statements: tuple[Statement, ...]
    dropped: tuple[Dropped, ...]
    lost: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What its reader should know of it."""
        if not self.lost:
            return ()
        said = "1 quote stands" if self.lost == 1 else f"{self.lost} quotes stand"
        return (f"{said} in no passage read, and {'was' if self.lost == 1 else 'were'} left out",)


def cited(drafted: Sequence[Drafted], shelf: Shelf) -> Cited:
    """The statements with citations in the source's own characters.

    A quote that stands nowhere is left out, and so is a statement that has no other.
    """
    kept: list[Statement] = []
    dropped: list[Dropped] = []
    lost, said = 0, set()
    for one in drafted:
        places = _places(one.quotes, shelf)
        lost += sum(not place for place in places)
        citations = tuple(dict.fromkeys(citation for place in places for citation in place))
        text = one_line(one.text)
        if citations and text and text not in said:
            said.add(text)
            kept.append(_statement(one, text, citations))
        elif text not in said:
            dropped.append(left_out(text, _why(one, shelf)))
    return Cited(tuple(kept), tuple(dropped), lost)


def _places(quotes: Sequence[Quoted], shelf: Shelf) -> list[tuple[Citation, ...]]:
    """Where each quote stands. A word or two, a heading say, stand as they are beside a quote that can be read."""
    found = [_located(quoted, shelf) for quoted in quotes]
    is_readable = any(_counted(citation.quote) >= FEWEST for places in found for citation in places)
    return found if is_readable else [cite(quoted, shelf) for quoted in quotes]


def cite(quoted: Quoted, shelf: Shelf) -> tuple[Citation, ...]:
    """Where the quoted words stand, in the source's own characters; none when they stand nowhere or say nothing.

    Of words that are too few to be read alone, the sentence in which they stand.
    """
    passage = shelf.find(quoted.passage_id)
    if passage is None or not stems(quoted.quote):
        return ()
    return _cut(passage, [_readable(found, passage.text) for found in aligned(quoted.quote, passage.text)])


def _located(quoted: Quoted, shelf: Shelf) -> tuple[Citation, ...]:
    passage = shelf.find(quoted.passage_id)
    return _cut(passage, [found[:2] for found in aligned(quoted.quote, passage.text)]) if passage else ()


def _cut(passage: Passage, places: Sequence[tuple[int, int]]) -> tuple[Citation, ...]:
    return tuple(
        Citation(
            passage_id=passage.id,
            quote=passage.text[start:end],
            start=passage.start + start,
            end=passage.start + end,
        )
        for start, end in places
    )


def _readable(found: Found, text: str) -> tuple[int, int]:
    if _counted(text[found.start : found.end]) < FEWEST:
        for span in sentences(text):
            if span.start <= found.start and found.end <= span.end:
                return span.start, span.end
    return found.start, found.end


def _counted(quote: str) -> int:
    return len(re.findall(r"\w+", quote))


def left_out(text: str, reason: str) -> Dropped:
    """A statement that is not made, and why."""
    return Dropped(what="statement", id="", text=text, reason=reason)


def _why(one: Drafted, shelf: Shelf) -> str:
    if not one.quotes:
        return NOTHING
    return NOWHERE if any(shelf.find(quoted.passage_id) for quoted in one.quotes) else UNKNOWN


def _statement(one: Drafted, text: str, citations: tuple[Citation, ...]) -> Statement:
    return Statement(text=text, citations=citations, verdict=UNCHECKED, topic=one_line(one.topic), lead=one.lead)
