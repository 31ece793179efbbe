"""The guard: find where a claim and its evidence state a fact differently (a quantity, a negation, a direction, a role,
a population, a drug). There is a module for each comparison; `find_disagreements` runs them all. Where there is nothing
to compare it finds nothing, and it never decides whether evidence supports a claim."""

import re
from collections.abc import Iterable, Iterator

from wellsourced.claims.guard.advice import compare_advice
from wellsourced.claims.guard.alignment import align_sentences
from wellsourced.claims.guard.comparisons import detect_role_swaps, is_converse
from wellsourced.claims.guard.disagreement import QUANTITY_KINDS, REVERSAL_KINDS, Disagreement, FactKind
from wellsourced.claims.guard.groups import compare_group_numbers, compare_populations
from wellsourced.claims.guard.numbers import compare_quantities
from wellsourced.claims.guard.polarity import compare_polarity
from wellsourced.claims.guard.substitutions import detect_changed_facts

_NUMBER_OR_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+|[^\s\w]")

__all__ = ["QUANTITY_KINDS", "REVERSAL_KINDS", "Disagreement", "FactKind", "find_disagreements"]


def find_disagreements(claim: str, evidence: str) -> list[Disagreement]:
    """The facts of the claim that the evidence states otherwise, or (numbers) does not state at all."""
    if claim.split() == evidence.split():
        return []
    comparisons = (compare_quantities, compare_polarity, compare_group_numbers, compare_advice, compare_populations)
    found = [one for compare in comparisons for one in compare(claim, evidence)]
    for copy in align_sentences(claim, evidence):
        if is_converse(copy):
            found = [one for one in found if one.kind != "direction"]
        else:
            found += [*detect_changed_facts(copy), *detect_role_swaps(copy)]
    return list(_deduplicate_quantities(found))


def _deduplicate_quantities(found: Iterable[Disagreement]) -> Iterator[Disagreement]:
    """Of a quantity that several readings found, the first: "75" is no other disagreement than "75 mg"."""
    told = ""
    for one in dict.fromkeys(found):
        if one.kind in QUANTITY_KINDS:
            words = f" {' '.join(_NUMBER_OR_WORD.findall(one.claim))} "
            if words in told:
                continue
            told += f"{words}|"
        yield one
