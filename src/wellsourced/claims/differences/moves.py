"""Words that both sides have in other places: what only moved, and what changed places with something else."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from wellsourced.claims.differences.term_alignment import AlignedTerms, TermComparison, TermStretch
from wellsourced.claims.differences.terms import Term
from wellsourced.claims.differences.word_difference import LIGHT_CLASSES

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
        places = [there for there, term in enumerate(self.source) if term.key == key and there not in self._theirs]
        return any(ours & _list_company(self.source, there) for there in places)

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
        if self.keeps_company(at) or self._is_share(at):
            return False
        places = [
            there
            for there, term in enumerate(self.source)
            if term.key == self.claim[at].key and there not in self._theirs
        ]
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
