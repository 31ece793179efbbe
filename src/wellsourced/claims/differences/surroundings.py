"""What the sentences around a claim's source sentence say: words that a claim takes from them are not invented."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from wellsourced.claims.differences.figures import parse_figure
from wellsourced.claims.differences.source_sentence import SentenceTerms, read_text_terms
from wellsourced.claims.differences.term_alignment import TermComparison
from wellsourced.claims.differences.terms import Term, TermClass
from wellsourced.claims.differences.word_difference import LIGHT_CLASSES, is_restricting
from wellsourced.claims.guard.contrast_words import is_population_word

REACH = 2
"""Sentences before and behind that are near; so are the line above a list or table, and its other items."""

_UNTIED: tuple[TermClass, ...] = ("negation", "condition", "certainty", "quantity word", "direction")
"""Classes of words that may be said of anything: that the next sentence has one too tells nothing."""

_FIGURES: tuple[TermClass, ...] = ("figure", "unit", "comparator")
_MAX_SUMMANDS = 12
"""Figures of a sentence of which sums are tried."""


class Surroundings:
    """The terms of a sentence, of those near it and of the text that they stand in."""

    def __init__(self, compared: TermComparison, context: str) -> None:
        self.claim, self.text, self.source = compared.claim, compared.claim_text, compared.source
        read = read_text_terms(context).sentences if context else ()
        near = list(_list_near(compared.source_text, context, read))
        own = frozenset(term.key for term in compared.source)
        self._near = [own, *(one.keys for one in near), *(one.parent_keys for one in near[:1])]
        self._all = [own, *(one.keys for one in read)]
        said = {term.key for term in compared.claim}
        self._has_other_name = any(term.kind == "name" and term.key not in said for term in compared.source)

    def have(self, terms: Sequence[Term]) -> bool:
        """Whether they say what some terms of the claim say that its own sentence lacks.

        Plain words may stand anywhere in the text; names, and words such as "severe", have to stand near, figures
        together with the words beside them. A name tells nothing where the claim lacks one that its sentence has: it
        may be the name of the next row.
        """
        heavy = [term for term in terms if term.kind not in LIGHT_CLASSES]
        if not heavy or any(term.kind in _UNTIED for term in heavy):
            return False
        if self._has_other_name and any(term.kind == "name" and term.key not in self._near[0] for term in heavy):
            return False
        figures = [term for term in heavy if term.kind in _FIGURES]
        return all(self._has_word(term) for term in heavy if term not in figures) and (
            not figures or self._has_figures(terms, figures)
        )

    def _has_word(self, term: Term) -> bool:
        is_telling = term.kind == "name" or is_restricting(self.text[term.start : term.end].lower())
        return any(term.key in keys for keys in (self._near if is_telling else self._all))

    def _has_figures(self, terms: Sequence[Term], figures: Sequence[Term]) -> bool:
        """Whether the figures stand near together with a word beside them, count people, or are a sum."""
        keys = {term.key for term in figures}
        first, last = self.claim.index(terms[0]), self.claim.index(terms[-1])
        around = (*self.claim[max(0, first - 1) : first], *terms, *self.claim[last + 1 : last + 2])
        beside = {term.key for term in around if term.kind not in (*_FIGURES, *LIGHT_CLASSES)}
        if any(keys <= part and beside & part for part in self._near):
            return True
        counts_people = len(figures) == 1 and any(map(self._names_people, around))
        return counts_people and (self._is_sum(figures[0]) or any({*keys, "patient"} <= part for part in self._all))

    def _names_people(self, term: Term) -> bool:
        return term.key == "patient" or is_population_word(self.text[term.start : term.end].lower())

    def _is_sum(self, term: Term) -> bool:
        """Whether a figure is the sum of two or three of the sentence."""
        others = [number for other in self.source if other.kind == "figure" for number in parse_figure(other.key)][
            :_MAX_SUMMANDS
        ]
        wanted = parse_figure(term.key)
        return len(wanted) == 1 and any(
            sum(some) == wanted[0] for count in (2, 3) for some in combinations(others, count)
        )


def _list_near(sentence: str, context: str, read: Sequence[SentenceTerms]) -> Iterator[SentenceTerms]:
    """The sentences of the context that stand near one, its own first; so do items of the same list."""
    start = context.find(sentence) if sentence else -1
    inside = [
        at
        for at, one in enumerate(read)
        if start >= 0 and one.span.end > start and one.span.start < start + len(sentence)
    ]
    if not inside:
        return
    yield from (read[at] for at in inside)
    parent = read[inside[0]].parent_keys
    for at, one in enumerate(read):
        is_sibling = bool(parent) and one.parent_keys == parent
        if at not in inside and (is_sibling or inside[0] - REACH <= at <= inside[-1] + REACH):
            yield one
