"""The guard: what no likeness sees. A claim with "increased" for "reduced" is as close to its source as a claim can be.

It says where claim and evidence disagree on a fact; where it finds nothing to compare it is silent, and others judge.
Five readings, each over the whole of both texts: quantities (`numbers`), the groups that they belong to (`arms`),
what is advised (`advice`), negations and directions with the words around them (`turns`), and, where the claim repeats
a sentence but for some words, what stands in the place of what (`copies`, `slots`, `roles`).
"""

import re
from collections.abc import Iterable, Iterator

from wellsourced.text.guard.advice import misadvised
from wellsourced.text.guard.arms import misattached
from wellsourced.text.guard.copies import copied
from wellsourced.text.guard.kinds import QUANTITIES, REVERSED, Disagreement, Kind
from wellsourced.text.guard.numbers import misstated
from wellsourced.text.guard.people import others
from wellsourced.text.guard.roles import is_converse, swapped
from wellsourced.text.guard.slots import exchanged
from wellsourced.text.guard.turns import turned

_PARTS = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+|[^\s\w]")

__all__ = ["QUANTITIES", "REVERSED", "Disagreement", "Kind", "disagreements"]


def disagreements(claim: str, evidence: str) -> list[Disagreement]:
    """The facts of the claim that the evidence states otherwise, or (numbers) does not state at all."""
    if claim.split() == evidence.split():
        return []
    found = [*misstated(claim, evidence), *turned(claim, evidence)]
    found += [*misattached(claim, evidence), *misadvised(claim, evidence), *others(claim, evidence)]
    for copy in copied(claim, evidence):
        if is_converse(copy):
            found = [one for one in found if one.kind != "direction"]
        else:
            found += [*exchanged(copy), *swapped(copy)]
    return list(_each_once(found))


def _each_once(found: Iterable[Disagreement]) -> Iterator[Disagreement]:
    """Of a quantity that several readings found, the first: "75" is no other disagreement than "75 mg"."""
    told = ""
    for one in dict.fromkeys(found):
        if one.kind in QUANTITIES:
            words = f" {' '.join(_PARTS.findall(one.claim))} "
            if words in told:
                continue
            told += f"{words}|"
        yield one
