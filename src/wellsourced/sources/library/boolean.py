"""Which documents of a library a Boolean query means, as sets.

A part that cannot be held against any record (a language, a day of entry, a filter of another database) asks for
nothing: it narrows nothing, adds nothing, and leaves nothing out.
"""

from collections.abc import Callable, Collection, Mapping
from functools import reduce
from typing import TypeAlias

import numpy as np

from wellsourced.query_language.tree import (
    And,
    Dates,
    Everything,
    Heading,
    Near,
    Node,
    Not,
    Or,
    Qualifier,
    Term,
)
from wellsourced.sources.library.word_entries import folded, names
from wellsourced.sources.library.word_matching import asks, literal, nearby, wordings
from wellsourced.sources.library.word_reading import Mask, Words
from wellsourced.text.dates import Days, days

SPECIAL = ("id", "language")
"""Fields that are no columns of words."""

Found: TypeAlias = Mask | None
"""A set of documents; None for a part that asks for nothing."""

Note = Callable[[str], None]


class Boolean:
    """Finds the documents that queries mean.

    meant   heading, or type of publication, as it is written in the query → itself and all that stands below it
    note    is told, once a query, what its writer should know
    """

    def __init__(self, words: Words, meant: Mapping[str, Collection[str]], note: Note) -> None:
        self._words, self._meant, self._note = words, meant, note
        self._live = words.documents.live

    def matching(self, node: Node) -> Mask:
        """The documents that are meant; all of them by a query that asks for nothing. Raises Refused: see wordings."""
        found = self._find(node, True)
        return self._live if found is None else found & self._live

    def _find(self, node: Node, guess: bool) -> Found:
        """`guess`: a document without headings may be taken for one of a heading that it names."""
        match node:
            case And(parts):
                return _joined(np.logical_and, [self._find(part, guess) for part in parts])
            case Or(parts):
                return self._any(parts, guess)
            case Not():
                return self._without(node, guess)
            case Term():
                return self._any((node,), guess)
            case Near():
                return self._near(node, guess)
            case Heading():
                return self._heading(node, guess)
            case Qualifier():
                return self._words.qualified(folded(node.name))
            case Dates():
                return self._dates(node)
            case Everything():
                return None

    def _any(self, parts: Collection[Node], guess: bool) -> Found:
        # Words go to the index together: a strategy asks for hundreds of them.
        plain = [part for part in parts if isinstance(part, Term) and part.field not in SPECIAL]
        found = [self._special(part, guess) for part in parts if not isinstance(part, Term) or part.field in SPECIAL]
        # A term without a letter or a digit asks for nothing.
        if asked := [term for term in plain if asks(term)]:
            found.append(self._words.holding({match for term in asked for match in self._matches(term)}))
        return _joined(np.logical_or, found)

    def _special(self, node: Node, guess: bool) -> Found:
        if not isinstance(node, Term):
            return self._find(node, guess)
        if node.field == "id":
            return self._words.named(names(node.words))
        self._note("no document here says its language, so that none is left out for it")
        return None

    def _matches(self, term: Term) -> list[str]:
        every = self._meant.get(term.words, (term.words,)) if term.field == "type" else (term.words,)
        return [one.expression for said in every for one in wordings(term._replace(words=said), self._words)]

    def _without(self, node: Not, guess: bool) -> Found:
        # What is left out is not left out on a guess.
        kept, left_out = self._find(node.kept, guess), self._find(node.left_out, not guess)
        if left_out is None:
            return kept
        return (self._live if kept is None else kept) & ~left_out

    def _near(self, node: Near, guess: bool) -> Found:
        matches = nearby(node, self._words)
        if matches is None:
            self._note("terms that are more than words cannot be near each other here: all of them are asked for")
            return self._find(And(node.parts, node.at), guess)
        return self._words.holding(matches)

    def _dates(self, node: Dates) -> Found:
        if node.field == "entered":
            self._note("no document here says when it came into its database, so that none is left out for it")
            return None
        first, last = (days(end.replace("/", "-")) for end in (node.first, node.last))
        undated = int(np.count_nonzero(self._live & (self._words.documents.latest == 0)))
        if undated:
            self._note(f"{undated:,} documents here say no date, and are of no period")
        return self._words.within(Days(first.earliest if node.first else 1, last.latest if node.last else 99_999_998))

    def _heading(self, node: Heading, guess: bool) -> Mask:
        every = self._meant.get(node.name, (node.name,)) if node.explode else (node.name,)
        found = self._words.tagged({folded(name) for name in every}, [folded(one) for one in node.qualifiers])
        if node.major:
            self._note("records here do not say which headings are the main ones: a heading counts wherever it stands")
        untagged = self._live & ~self._words.documents.tagged
        if not guess or not untagged.any():
            return found
        count = np.count_nonzero(untagged)
        self._note(f"{count:,} documents here have no headings: those that name one in their title or text are taken")
        phrases = {match for name in every for match in self._named_in_text(name)}
        return found | (self._words.holding(phrases) & untagged)

    def _named_in_text(self, heading: str) -> list[str]:
        """A heading is written as an index is: "Heparin, Low-Molecular-Weight"; a text turns it around."""
        said = [heading, " ".join(reversed(heading.split(", ")))] if ", " in heading else [heading]
        return [one.expression for name in said for one in wordings(literal(name, "title_abstract"), self._words)]


def _joined(join: "np.ufunc", found: Collection[Found]) -> Found:
    known = [one for one in found if one is not None]
    return reduce(join, known) if known else None
