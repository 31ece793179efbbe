"""Placing: where the words that a model copied stand in what it was shown."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from wellsourced.prompts.writing import Quoted
from wellsourced.text.quotes import Found, aligned
from wellsourced.text.sentences import sentences
from wellsourced.text.tokens import stems
from wellsourced.types import Citation, Passage

Fate = Literal["exact", "normalised", "crossing", "misattributed", "invented"]
"""Where a quote was found; the words are those of `Quotes`."""

FEWEST = 3
"""Words of a quote that can be read alone; fewer are shown in the sentence in which they stand."""

TELLING = 5
"""Words of a quote that is known again in another passage than the one named; fewer stand in many."""

GAP = 3
"""Characters that may lie between two passages of a document that follow each other: blanks and line ends."""


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

    def others(self, passage: Passage | None) -> Iterator[Passage]:
        """The others: those of the same document first, since a model mistakes them most easily."""
        home = passage.reference.id if passage else ""
        rest = (one for one in self._named.values() if one is not passage)
        yield from sorted(rest, key=lambda one: one.reference.id != home)

    def pairs(self, passage: Passage) -> Iterator[tuple[Passage, Passage]]:
        """The passage with the one that follows it in its document, and with the one before it."""
        for one in self._named.values():
            if one.reference.id != passage.reference.id:
                continue
            if 0 <= one.start - passage.end <= GAP:
                yield passage, one
            elif 0 <= passage.start - one.end <= GAP:
                yield one, passage


def _plain(name: str) -> str:
    return name.strip(" \t\n[](){}<>\"'`“”‘’.,;#").casefold()


class Placed(NamedTuple):
    """Where one quote stands, in the source's own characters, and how it was found; nowhere: it is invented."""

    citations: tuple[Citation, ...] = ()
    fate: Fate = "invented"


def placed(quotes: Sequence[Quoted], shelf: Shelf) -> list[Placed]:
    """Where each quote stands. A word or two, a heading say, stand as they are beside a quote that can be read."""
    found = [_placed(quoted, shelf, readable=False) for quoted in quotes]
    is_readable = any(_counted(citation.quote) >= FEWEST for one in found for citation in one.citations)
    return found if is_readable else [_placed(quoted, shelf, readable=True) for quoted in quotes]


def cite(quoted: Quoted, shelf: Shelf) -> tuple[Citation, ...]:
    """Where the quoted words stand in the passage named; none when they do not stand there or say nothing.

    Of words that are too few to be read alone, the sentence in which they stand.
    """
    passage = shelf.find(quoted.passage_id)
    return _named(quoted.quote, passage, readable=True).citations if passage else ()


def _placed(quoted: Quoted, shelf: Shelf, *, readable: bool) -> Placed:
    """In the passage named; over its edge; in another one."""
    passage = shelf.find(quoted.passage_id)
    if passage and (there := _named(quoted.quote, passage, readable=readable)).citations:
        return there
    if _counted(quoted.quote) < TELLING:
        return Placed()
    if passage and (over := _over_the_edge(quoted.quote, shelf.pairs(passage))):
        return Placed(over, "crossing")
    for other in shelf.others(passage):
        if elsewhere := _cut(other, [found[:2] for found in aligned(quoted.quote, other.text)]):
            return Placed(elsewhere, "misattributed")
    return Placed()


def _named(quote: str, passage: Passage, *, readable: bool) -> Placed:
    if readable and not stems(quote):
        return Placed()
    found = aligned(quote, passage.text)
    spans = [_readable(one, passage.text) if readable else one[:2] for one in found]
    fate: Fate = "exact" if all(one.how == "exact" for one in found) else "normalised"
    return Placed(_cut(passage, spans), fate) if spans else Placed()


def _over_the_edge(quote: str, pairs: Iterable[tuple[Passage, Passage]]) -> tuple[Citation, ...]:
    """A quote that begins in one passage and ends in the next, as a citation of each."""
    for first, second in pairs:
        behind = second.start - first.start
        together = first.text.ljust(behind) + second.text
        for found in aligned(quote, together):
            if found.start < len(first.text) and found.end > behind:
                return (
                    *_cut(first, [(found.start, len(first.text))]),
                    *_cut(second, [(0, found.end - behind)]),
                )
    return ()


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
