"""Ages and sexes of a claim with which nothing that its evidence speaks of has anything in common."""

import re
from collections.abc import Iterator

from wellsourced.claims.guard.disagreement import Disagreement
from wellsourced.medicine.measurements import extract_age_ranges

MAX_EVIDENCE_LENGTH = 20_000
"""Characters of evidence that are read: a bound for hostile texts."""

_WOMEN = re.compile(r"\b(?:women|woman|girls?|females?|mothers?)\b", re.IGNORECASE)
_MEN = re.compile(r"\b(?:men|man|boys?|males?|fathers?)\b", re.IGNORECASE)


def compare_populations(claim: str, evidence: str) -> Iterator[Disagreement]:
    """Ages, or a sex, of the claim with which nothing that the evidence speaks of has anything in common.

    Where the evidence names no age, or no sex, nothing is said of it.
    """
    read = evidence[:MAX_EVIDENCE_LENGTH]
    asked = extract_age_ranges(claim)
    told = extract_age_ranges(read) if asked else []
    if told and not any(one.overlaps(other) for one in asked for other in told):
        yield Disagreement("population", asked[0].words, told[0].words)
    for own, other in ((_WOMEN, _MEN), (_MEN, _WOMEN)):
        said = own.search(claim)
        if said and not other.search(claim) and not own.search(read) and (found := other.search(read)):
            yield Disagreement("population", said.group(), found.group())
