"""The guard: what no likeness sees. A claim with "increased" for "reduced" is as close to its source as a claim can be.

It says where claim and evidence disagree on a fact; where it finds nothing to compare it is silent, and others judge.
Five readings, each over the whole of both texts: quantities (`numbers`), the groups that they belong to (`arms`),
what is advised (`advice`), negations and directions with the words around them (`turns`), and, where the claim repeats
a sentence but for some words, what stands in the place of what (`copies`, `slots`, `roles`).
"""

import re
from collections.abc import Iterable, Iterator

from wellsourced.text.guard.advice import compare_advice
from wellsourced.text.guard.arms import compare_group_numbers
from wellsourced.text.guard.copies import align_sentences
from wellsourced.text.guard.kinds import QUANTITY_KINDS, REVERSAL_KINDS, Disagreement, FactKind
from wellsourced.text.guard.numbers import compare_quantities
from wellsourced.text.guard.people import compare_populations
from wellsourced.text.guard.roles import detect_role_swaps, is_converse
from wellsourced.text.guard.slots import detect_changed_facts
from wellsourced.text.guard.turns import compare_polarity

_NUMBER_OR_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+|[^\s\w]")

__all__ = ["QUANTITY_KINDS", "REVERSAL_KINDS", "Disagreement", "FactKind", "find_disagreements"]


def find_disagreements(claim: str, evidence: str) -> list[Disagreement]:
    """The facts of the claim that the evidence states otherwise, or (numbers) does not state at all."""
    if claim.split() == evidence.split():
        return []
    found = [*compare_quantities(claim, evidence), *compare_polarity(claim, evidence)]
    found += [
        *compare_group_numbers(claim, evidence),
        *compare_advice(claim, evidence),
        *compare_populations(claim, evidence),
    ]
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
