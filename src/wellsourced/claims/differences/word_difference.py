"""A difference between the words of a claim and those of its source, and of which kind it is."""

from collections import Counter
from collections.abc import Iterable

from wellsourced.claims.differences.terms import Term, TermClass
from wellsourced.types import DifferenceKind, WordDifference

LIGHT_CLASSES: tuple[TermClass, ...] = ("light word", "approximation")
"""Words that may stand on one side alone without a difference: "patients", "given", "about"."""

IDLE_KEYS = frozenset({"both", "either", "by", "to"})
"""Keys of others that may, and that are marked where something else stands in their place."""

_PRECEDENCE: dict[TermClass, DifferenceKind] = {
    "negation": "negation",
    "condition": "condition",
    "quantity word": "quantity word",
    "figure": "figure",
    "comparator": "figure",
    "unit": "figure",
    "direction": "direction",
    "certainty": "certainty",
    "name": "name",
}
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
