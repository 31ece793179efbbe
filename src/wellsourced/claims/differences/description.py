"""Differences in words, for whoever reads a statement that nobody verified."""

from collections.abc import Sequence

from wellsourced.text.sanitization import short_line
from wellsourced.types import DifferenceKind, WordDifference

MAX_TOLD = 3
"""Differences that are told, what changes the meaning most first."""

MAX_WORDS = 12
"""Words of a difference that are told."""

KINDS_BY_WEIGHT: tuple[DifferenceKind, ...] = (
    "figure", "negation", "direction", "condition", "quantity word", "order", "name", "certainty", "left out", "added",
    "wording",
)  # fmt: skip


def describe_differences(claim: str, sentence: str, differences: Sequence[WordDifference]) -> str:
    """What the sentence says and the claim says instead: “at least two” → “any”; "" where nothing differs."""
    telling = [one for one in differences if one.kind != "wording"]
    if not telling:
        return "differs from its source in wording" if differences else ""
    by_weight = sorted(telling, key=lambda one: KINDS_BY_WEIGHT.index(one.kind))[:MAX_TOLD]
    told = [_describe_difference(claim, sentence, one) for one in sorted(by_weight, key=lambda one: one.claim_start)]
    more = f", and {len(telling) - len(told)} more" if len(telling) > len(told) else ""
    return f"differs from its source: {'; '.join(told)}{more}"


def _describe_difference(claim: str, sentence: str, one: WordDifference) -> str:
    here = short_line(claim[one.claim_start : one.claim_end], MAX_WORDS)
    there = short_line(sentence[one.source_start : one.source_end], MAX_WORDS)
    if one.kind == "order":
        return f"“{here or there}” stands elsewhere"
    if not here:
        return f"leaves out “{there}”"
    return f"“{there}” → “{here}”" if there else f"adds “{here}”"
