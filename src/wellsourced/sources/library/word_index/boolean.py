"""Which documents of a library a Boolean query means, as sets.

A part that cannot be held against any record (a language, a day of entry, a filter of another database) asks for
nothing: it narrows nothing, adds nothing, and leaves nothing out.
"""

from collections.abc import Callable, Collection, Mapping
from functools import reduce
from typing import TypeAlias

import numpy as np

from wellsourced.query_language.query_tree import (
    And,
    DateRange,
    Everything,
    MeshHeading,
    Near,
    Node,
    Not,
    Or,
    Qualifier,
    QueryTerm,
)
from wellsourced.sources.library.word_index.entries import fold_words, possible_identities
from wellsourced.sources.library.word_index.reader import Mask, WordIndexReader
from wellsourced.sources.library.word_index.term_expansion import expand_near, expand_term, has_words, literal_term
from wellsourced.text.dates import EVER, DayRange, day_range

NON_WORD_FIELDS = ("id", "language")
"""Fields that are no columns of words."""

DocumentSet: TypeAlias = Mask | None
"""A set of documents; None for a part that asks for nothing."""

NoteHandler = Callable[[str], None]


class BooleanMatcher:
    """Finds the documents that queries mean.

    meant   heading, or type of publication, as it is written in the query → itself and all that stands below it
    note    is told, once a query, what its writer should know
    """

    def __init__(self, words: WordIndexReader, meant: Mapping[str, Collection[str]], note: NoteHandler) -> None:
        self._words, self._expansions, self._note = words, meant, note
        self._all_documents = words.documents.live

    def find_documents(self, node: Node) -> Mask:
        """The documents that are meant; all of them by a query that asks for nothing. Raises SourceRefused."""
        found = self._find_node(node, True)
        return self._all_documents if found is None else found & self._all_documents

    def _find_node(self, node: Node, guess: bool) -> DocumentSet:
        """`guess`: a document without headings may be taken for one of a heading that it names."""
        match node:
            case And(parts):
                return _combine_sets(np.logical_and, [self._find_node(part, guess) for part in parts])
            case Or(parts):
                return self._find_any(parts, guess)
            case Not():
                return self._find_difference(node, guess)
            case QueryTerm():
                return self._find_any((node,), guess)
            case Near():
                return self._find_near(node, guess)
            case MeshHeading():
                return self._find_by_heading(node, guess)
            case Qualifier():
                return self._words.find_by_qualifier(fold_words(node.name))
            case DateRange():
                return self._find_by_dates(node)
            case Everything():
                return None

    def _find_any(self, parts: Collection[Node], guess: bool) -> DocumentSet:
        # Words go to the index together: a strategy asks for hundreds of them.
        plain = [part for part in parts if isinstance(part, QueryTerm) and part.field not in NON_WORD_FIELDS]
        found = [
            self._find_special(part, guess)
            for part in parts
            if not isinstance(part, QueryTerm) or part.field in NON_WORD_FIELDS
        ]
        # A term without a letter or a digit asks for nothing.
        if asked := [term for term in plain if has_words(term)]:
            found.append(self._words.find_matching({match for term in asked for match in self._term_expressions(term)}))
        return _combine_sets(np.logical_or, found)

    def _find_special(self, node: Node, guess: bool) -> DocumentSet:
        if not isinstance(node, QueryTerm):
            return self._find_node(node, guess)
        if node.field == "id":
            return self._words.find_by_identities(possible_identities(node.words))
        self._note("no document here says its language, so that none is left out for it")
        return None

    def _term_expressions(self, term: QueryTerm) -> list[str]:
        every = self._expansions.get(term.words, (term.words,)) if term.field == "type" else (term.words,)
        return [one.expression for said in every for one in expand_term(term._replace(words=said), self._words)]

    def _find_difference(self, node: Not, guess: bool) -> DocumentSet:
        # What is left out is not left out on a guess.
        kept, left_out = self._find_node(node.kept, guess), self._find_node(node.left_out, not guess)
        # What asks for nothing leaves nothing out.
        if left_out is None:
            return kept
        return (self._all_documents if kept is None else kept) & ~left_out

    def _find_near(self, node: Near, guess: bool) -> DocumentSet:
        matches = expand_near(node, self._words)
        if matches is None:
            self._note("terms that are more than words cannot be near each other here: all of them are asked for")
            return self._find_node(And(node.parts, node.at), guess)
        return self._words.find_matching(matches)

    def _find_by_dates(self, node: DateRange) -> DocumentSet:
        if node.field == "entered":
            self._note("no document here says when it came into its database, so that none is left out for it")
            return None
        first, last = (day_range(end.replace("/", "-")) for end in (node.first, node.last))
        # A document without a date is found by no period: that it may be one of those meant has to be told.
        undated = int(np.count_nonzero(self._all_documents & (self._words.documents.latest == 0)))
        if undated:
            self._note(f"{undated:,} documents here say no date, and are of no period")
        return self._words.find_in_period(
            DayRange(first.earliest if node.first else EVER.earliest, last.latest if node.last else EVER.latest)
        )

    def _find_by_heading(self, node: MeshHeading, guess: bool) -> Mask:
        every = self._expansions.get(node.name, (node.name,)) if node.explode else (node.name,)
        found = self._words.find_by_headings(
            {fold_words(name) for name in every}, [fold_words(one) for one in node.qualifiers]
        )
        if node.major:
            self._note("records here do not say which headings are the main ones: a heading counts wherever it stands")
        untagged = self._all_documents & ~self._words.documents.tagged
        # Only where it adds documents: a guess that left some out could not be noticed.
        if not guess or not untagged.any():
            return found
        count = np.count_nonzero(untagged)
        self._note(f"{count:,} documents here have no headings: those that name one in their title or text are taken")
        phrases = {match for name in every for match in self._heading_expressions(name)}
        return found | (self._words.find_matching(phrases) & untagged)

    def _heading_expressions(self, heading: str) -> list[str]:
        """A heading is written as an index is: "Heparin, Low-Molecular-Weight"; a text turns it around."""
        said = [heading, " ".join(reversed(heading.split(", ")))] if ", " in heading else [heading]
        return [
            one.expression for name in said for one in expand_term(literal_term(name, "title_abstract"), self._words)
        ]


def _combine_sets(join: "np.ufunc", found: Collection[DocumentSet]) -> DocumentSet:
    known = [one for one in found if one is not None]
    return reduce(join, known) if known else None
