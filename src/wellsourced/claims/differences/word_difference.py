"""A difference between the words of a claim and those of its source: of which kind it is, whether the sentences around
explain it, and what only moved.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, pairwise

from wellsourced.claims.differences.term_alignment import (
    AlignedTerms,
    SentenceTerms,
    TermComparison,
    TermStretch,
    read_text_terms,
)
from wellsourced.claims.differences.terms import Term, TermClass, parse_figure
from wellsourced.claims.guard.disagreement import has_contrast, is_population_word
from wellsourced.text.sanitization import short_line
from wellsourced.text.tables import read_rows
from wellsourced.types import DifferenceKind, WordDifference

LIGHT_CLASSES: tuple[TermClass, ...] = ("light word", "approximation")
"""Words that may stand on one side alone without a difference: "patients", "given", "about"."""

IDLE_KEYS = frozenset({"both", "either", "by", "to"})
"""Keys of others that may, and that are marked where something else stands in their place."""

_PRECEDENCE: dict[TermClass, DifferenceKind] = {
    "negation": "negation", "condition": "condition", "quantity word": "quantity word", "figure": "figure",
    "comparator": "figure", "unit": "figure", "direction": "direction", "certainty": "certainty", "name": "name",
}  # fmt: skip
"""The class of a term → the kind of a difference in it, the gravest first."""


def build_difference(
    claim_start: int, claim_end: int, source_start: int, source_end: int, kind: DifferenceKind
) -> WordDifference:
    """A difference from its offsets."""
    return WordDifference(
        claim_start=claim_start, claim_end=claim_end, source_start=source_start, source_end=source_end, kind=kind
    )


def classify_terms(terms: Iterable[Term]) -> DifferenceKind:
    """The gravest thing that differs, of the terms of both sides."""
    terms = list(terms)
    whole = Counter((term.start, term.end) for term in terms)
    # Of "unstable" where the other side says nothing of the kind, the "un-" denies nothing.
    kinds = {term.kind for term in terms if term.kind != "negation" or whole[term.start, term.end] == 1}
    return next((kind for name, kind in _PRECEDENCE.items() if name in kinds), "wording")


def is_restricting(word: str) -> bool:
    """Whether a small word narrows down of whom, of what or of when a sentence speaks: "severe", "elderly"."""
    return word in _load_restricting_words() or has_contrast(word)


@cache
def _load_restricting_words() -> frozenset[str]:
    rows = read_rows("wellsourced.claims.differences", "restricting_words.tsv")
    return frozenset(word for _, words in rows for word in words.split(" | "))


MAX_TOLD = 3
"""Differences that are told, what changes the meaning most first."""

MAX_WORDS = 12
"""Words of a difference that are told."""

KINDS_BY_WEIGHT: tuple[DifferenceKind, ...] = (
    "figure", "negation", "direction", "condition", "quantity word", "order", "name", "certainty", "left out", "added",
    "wording",
)  # fmt: skip


def describe_differences(claim: str, sentence: str, differences: Sequence[WordDifference]) -> str:
    """What the sentence says and the claim says instead: “at least two” → “any”; "" where nothing differs.

    Mere wording is told only where nothing else differs.
    """
    telling = [one for one in differences if one.kind != "wording"]
    if not telling and not differences:
        return ""
    manner = "differs from its source" if telling else "differs from its source in wording"
    telling = telling or list(differences)
    by_weight = sorted(telling, key=lambda one: KINDS_BY_WEIGHT.index(one.kind))[:MAX_TOLD]
    told = [_describe_difference(claim, sentence, one) for one in sorted(by_weight, key=lambda one: one.claim_start)]
    more = f", and {len(telling) - len(told)} more" if len(telling) > len(told) else ""
    return f"{manner}: {'; '.join(told)}{more}"


def _describe_difference(claim: str, sentence: str, one: WordDifference) -> str:
    here = short_line(claim[one.claim_start : one.claim_end], MAX_WORDS)
    there = short_line(sentence[one.source_start : one.source_end], MAX_WORDS)
    if one.kind == "order":
        return f"moves “{here or there}”"
    if not here:
        return f"leaves out “{there}”"
    return f"“{there}” → “{here}”" if there else f"adds “{here}”"


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
        # A figure is the source's only together with the word that says of what it is.
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
    end = start + len(sentence)
    inside = [at for at, one in enumerate(read) if start >= 0 and one.span.end > start and one.span.start < end]
    if not inside:
        return
    yield from (read[at] for at in inside)
    parent = read[inside[0]].parent_keys
    for at, one in enumerate(read):
        is_sibling = bool(parent) and one.parent_keys == parent
        if at not in inside and (is_sibling or inside[0] - REACH <= at <= inside[-1] + REACH):
            yield one


_SHARE = re.compile(r"\s?(?:/|(?:out )?of(?: the| a total of)?)\s?")
_MAX_EXCHANGED = 8
"""Terms that change places with others, at most: of more nobody sees what stands for what."""


class MovedTerms:
    """The terms of an alignment that are unmatched on both sides."""

    def __init__(self, compared: TermComparison) -> None:
        self.claim, self.source, self.pairs = compared.claim, compared.source, compared.pairs
        self._source_text = compared.source_text
        own = {pair.claim_index for pair in self.pairs if pair.same}
        theirs = {pair.source_index for pair in self.pairs if pair.same}
        self._loose_claim = Counter(term.key for at, term in enumerate(self.claim) if at not in own)
        self._loose_source = Counter(term.key for at, term in enumerate(self.source) if at not in theirs)
        self._theirs = theirs
        self._exchanged = self._find_exchanged(own, theirs)

    def is_in_source(self, term: Term) -> bool:
        """Whether an unmatched term of the claim stands elsewhere in the source."""
        return self._loose_source[term.key] > 0

    def is_in_claim(self, term: Term) -> bool:
        """Whether an unmatched term of the source stands elsewhere in the claim."""
        return self._loose_claim[term.key] > 0

    def find_stray_terms(self, stretch: TermStretch, moved: Sequence[Term]) -> list[Term]:
        """What changed places with something else, and figures and negations that moved without the words beside."""
        return [
            term
            for at, term in enumerate(self.claim[stretch.start : stretch.end], start=stretch.start)
            if term in moved and (at in self._exchanged or self._is_stray(at))
        ]

    def is_elsewhere(self, pair: AlignedTerms) -> bool:
        """Whether a figure that is paired with another one is the source's from another place, with its own word.

        Not beside terms that both sides have: there it stands in the place of the other one.
        """
        same = {(one.claim_index, one.source_index) for one in self.pairs if one.same}
        is_in_place = any((pair.claim_index + step, pair.source_index + step) in same for step in (-1, 1))
        return not is_in_place and self.keeps_company(pair.claim_index)

    def keeps_company(self, at: int) -> bool:
        """Whether a figure of the claim moved together with the word beside it, that is of what it is."""
        key = self.claim[at].key
        if not self._loose_source[key]:
            return False
        ours = _list_company(self.claim, at)
        return any(ours & _list_company(self.source, there) for there in self._find_loose(key))

    def _find_loose(self, key: str) -> list[int]:
        return [there for there, term in enumerate(self.source) if term.key == key and there not in self._theirs]

    def _is_stray(self, at: int) -> bool:
        """Whether a negation or a figure moved alone, or a figure moved past another one and left its word behind."""
        kind = self.claim[at].kind
        if kind not in ("negation", "figure"):
            return False
        if kind == "figure" and self._is_share(at):
            return False
        return not self._has_same_neighbour(at) or (kind == "figure" and self._has_passed_figure(at))

    def _has_passed_figure(self, at: int) -> bool:
        """Whether a figure stands behind another one on one side and before it on the other, and not its word."""
        if self.keeps_company(at):
            return False
        places = self._find_loose(self.claim[at].key)
        figures = [pair for pair in self.pairs if pair.same and self.claim[pair.claim_index].kind == "figure"]
        return all(any((pair.claim_index < at) != (pair.source_index < there) for pair in figures) for there in places)

    def find_stray_negations(self, displaced: Sequence[Term]) -> list[Term]:
        """Negations of the source that the claim has at other words: "does not use A but B" as "uses A, not B"."""
        keys, others = [term.key for term in self.claim], [term.key for term in self.source]
        found = []
        for term in displaced:
            at = self.source.index(term)
            behind = others[at + 1 : at + 2]
            moved_along = any(keys[place : place + 2] == [term.key, *behind] for place in range(len(keys)))
            if term.kind == "negation" and not moved_along:
                found.append(term)
        return found

    def _is_share(self, at: int) -> bool:
        """Whether a figure is so many of another one in the source, which stands before it in the claim.

        "Of 120 patients, 40 died" says the same as "40 of 120 patients died".
        """
        key, before = self.claim[at].key, {term.key for term in self.claim[:at]}
        return any(
            part.key == key and whole.key in before and _SHARE.fullmatch(self._source_text[part.end : whole.start])
            for part, whole in pairwise(self.source)
        )

    def _find_exchanged(self, own: set[int], theirs: set[int]) -> set[int]:
        """The claim's indexes of words that stand behind others on one side and before them on the other.

        Words that both sides have in the same order count for nothing here: what only moved past them, such as a
        condition at the beginning, changes nothing.
        """
        free: dict[str, list[int]] = {}
        for there, term in enumerate(self.source):
            if there not in theirs:
                free.setdefault(term.key, []).append(there)
        moved = [
            (at, free[term.key].pop(0))
            for at, term in enumerate(self.claim)
            if at not in own and term.kind not in (*LIGHT_CLASSES, "certainty") and free.get(term.key)
        ]
        return {
            at
            for at, there in moved
            if any((at < other) != (there < elsewhere) for other, elsewhere in moved if other != at)
        }

    def _has_same_neighbour(self, at: int) -> bool:
        """Whether the source has the claim's term somewhere beside the term that stands beside it in the claim."""
        keys, others = [term.key for term in self.claim], [term.key for term in self.source]
        return any(
            keys[at] == key
            and (
                (at and there and keys[at - 1] == others[there - 1])
                or (at + 1 < len(keys) and there + 1 < len(others) and keys[at + 1] == others[there + 1])
            )
            for there, key in enumerate(others)
        )


def _list_company(terms: Sequence[Term], at: int) -> set[tuple[str, str]]:
    """The keys of the first word or name before and behind a term, no other figure between."""
    found = set()
    for side, others in (("behind", terms[at + 1 :]), ("before", terms[:at][::-1])):
        for term in others:
            if term.kind in ("word", "name", "direction"):
                found.add((side, term.key))
            if term.kind in ("word", "name", "direction", "figure"):
                break
    return found


def is_exchange(moved: Sequence[Term], displaced: Sequence[Term]) -> bool:
    """Whether words changed places with others: words of weight on both sides, and not whole clauses."""
    heavy = [any(term.kind not in LIGHT_CLASSES for term in terms) for terms in (moved, displaced)]
    return all(heavy) and len(moved) <= _MAX_EXCHANGED and len(displaced) <= _MAX_EXCHANGED
