"""A difference between the words of a claim and those of its source, and of which kind it is."""

from collections import Counter
from collections.abc import Iterable
from typing import Literal, NamedTuple

from wellsourced.claims.differences.terms import Term, TermClass

DifferenceKind = Literal[
    "figure",
    "negation",
    "direction",
    "condition",
    "quantity word",
    "certainty",
    "name",
    "order",
    "added",
    "left out",
    "wording",
]

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


class WordDifference(NamedTuple):
    """Words of the claim, and the words of the source's sentence in the place of which they stand.

    Offsets into the two texts, half-open. A side may be empty (start == end): then it is the place at which the words
    of the other side are missing.

    figure         a number, a unit, a bound ("<" for "≥"), how often
    negation       "not", "no", "without", "un-" on one side only
    direction      "increased" for "reduced", "before" for "after"
    condition      "if", "unless", "except", "only" on one side only, or others
    quantity word  "any" for "most", "all" for "some"
    certainty      "is" for "may", "recommended" for "considered", "causes" for "is associated with"
    name           another drug, procedure, gene, or other people
    order          words that both have and that changed places with others
    added          words of the claim to which nothing corresponds
    left out       words of the sentence that the claim lacks although it has those around them
    wording        other words for which none of these is known
    """

    claim_start: int
    claim_end: int
    source_start: int
    source_end: int
    kind: DifferenceKind


def classify_terms(terms: Iterable[Term]) -> DifferenceKind:
    """The gravest thing that differs, of the terms of both sides."""
    terms = list(terms)
    whole = Counter((term.start, term.end) for term in terms)
    # Of "unstable" where the other side says nothing of the kind, the "un-" denies nothing.
    kinds = {term.kind for term in terms if term.kind != "negation" or whole[term.start, term.end] == 1}
    return next((kind for name, kind in _PRECEDENCE.items() if name in kinds), "wording")
