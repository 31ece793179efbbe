"""Words that both sides have in other places: what only moved, and what changed places with something else."""

from collections import Counter
from collections.abc import Sequence

from wellsourced.claims.differences.term_alignment import TermComparison, TermStretch
from wellsourced.claims.differences.terms import Term
from wellsourced.claims.differences.word_difference import LIGHT_CLASSES

_MAX_EXCHANGED = 8
"""Terms that change places with others, at most: of more nobody sees what stands for what."""


class MovedTerms:
    """The terms of an alignment that are unmatched on both sides."""

    def __init__(self, compared: TermComparison) -> None:
        self.claim, self.source, self.pairs = compared.claim, compared.source, compared.pairs
        own = {pair.claim_index for pair in self.pairs if pair.same}
        theirs = {pair.source_index for pair in self.pairs if pair.same}
        self._loose_claim = Counter(term.key for at, term in enumerate(self.claim) if at not in own)
        self._loose_source = Counter(term.key for at, term in enumerate(self.source) if at not in theirs)
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
            if term in moved
            and (at in self._exchanged or (term.kind in ("negation", "figure") and not self._has_same_neighbour(at)))
        ]

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
            if at not in own and term.kind not in LIGHT_CLASSES and free.get(term.key)
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


def is_exchange(moved: Sequence[Term], displaced: Sequence[Term]) -> bool:
    """Whether words changed places with others: words of weight on both sides, and not whole clauses."""
    heavy = [any(term.kind not in LIGHT_CLASSES for term in terms) for terms in (moved, displaced)]
    return all(heavy) and len(moved) <= _MAX_EXCHANGED and len(displaced) <= _MAX_EXCHANGED
