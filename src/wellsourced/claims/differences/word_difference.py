"""A difference between the words of a claim and those of its source, and of which kind it is."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from wellsourced.claims.differences.terms import Term, TermClass
from wellsourced.claims.guard.contrast_words import has_contrast
from wellsourced.text.sanitization import short_line
from wellsourced.text.tables import read_rows
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


def is_restricting(word: str) -> bool:
    """Whether a small word narrows down of whom, of what or of when a sentence speaks: "severe", "elderly"."""
    return word in _load_restricting_words() or has_contrast(word)


@cache
def _load_restricting_words() -> frozenset[str]:
    rows = read_rows("wellsourced.claims.differences", "restricting_words.tsv")
    return frozenset(word for _, words in rows for word in words.split(" | "))


# --- in words ----------------------------------------------------------------------------------------------------

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
        return f"“{here or there}” stands elsewhere"
    if not here:
        return f"leaves out “{there}”"
    return f"“{there}” → “{here}”" if there else f"adds “{here}”"
