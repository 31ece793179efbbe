"""The kinds of facts that the guard compares, and a disagreement on one of them."""

from typing import Literal, NamedTuple

FactKind = Literal[
    "number",
    "unit",
    "percentage",
    "dose",
    "interval",
    "p-value",
    "time",
    "comparator",
    "negation",
    "direction",
    "role",
    "population",
    "drug",
    "condition",
    "strength",
]

QUANTITY_KINDS: frozenset[FactKind] = frozenset(
    {"number", "unit", "percentage", "dose", "interval", "p-value", "time", "comparator"}
)
"""Kinds that are told by numbers and their units."""

REVERSAL_KINDS: frozenset[FactKind] = frozenset({"negation", "direction", "role"})
"""Kinds in which the text says the opposite; in all others it only does not say so."""


class Disagreement(NamedTuple):
    """A fact that the claim changes: the words on each side; `evidence` is "" where it has nothing of the kind.

    number, unit, percentage, dose, interval, p-value, comparator   a quantity, and of what
    time         how long, when or how often
    negation     denied on one side
    direction    the opposite of a word, such as "increased" for "reduced"
    role         two that change places: what was better than what
    population   others than those who were studied
    drug         another drug, gene, germ or procedure in the same place
    condition    another disease, or the same of another organ
    strength     "causes" for "is associated with", "all" for "some"
    """

    kind: FactKind
    claim: str
    evidence: str

    def describe(self, claim: str, evidence: str) -> str:
        """The disagreement in words, in which the two sides are called so."""
        there = f"“{self.evidence}”" if self.evidence else "nothing"
        return f"the {self.kind} differs: “{self.claim}” in the {claim}, {there} in the {evidence}"
