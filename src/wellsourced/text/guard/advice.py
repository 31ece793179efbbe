"""Advice: what is to be given, and what avoided. "Should be given" is as near to "should be avoided" as can be."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from wellsourced.text.guard.kinds import Disagreement
from wellsourced.text.sentences import sentences
from wellsourced.text.tokens import stems

SHARED = 0.6
"""Share of the claim's other words that a clause, or with its sentence's first words, has when it advises the same."""

LONGEST = 2_000
"""Characters of a sentence that are read."""

_DONE = r"(?:given|used|taken|started|offered|prescribed|administered|continued|considered)"
_GOOD = r"(?:recommended|indicated|safe|advised|preferred|advisable)"
_FOR = re.compile(rf"\b(?:(?:should|must|can) be {_DONE}|(?:is|are) (?:also |generally )?{_GOOD})\b", re.IGNORECASE)
_AGAINST = re.compile(
    rf"\b(?:(?:should|must|can) (?:not be {_DONE}|be (?:avoided|withheld|stopped|discontinued))|cannot be {_DONE}"
    rf"|(?:is|are) (?:contraindicated|unsafe|not (?:\w+ )?{_GOOD}))\b",
    re.IGNORECASE,
)
_CLAUSE_ENDS = re.compile(r"[;:]|,?\s\b(?:but|although|though|while|whereas|however|except)\b", re.IGNORECASE)


class Advised(NamedTuple):
    """What a clause advises: for (+1) or against (-1), in which words, of what, and for whom: its last word."""

    sign: int
    words: str
    of: frozenset[str]
    last: str


def misadvised(claim: str, evidence: str) -> Iterator[Disagreement]:
    """Advice of the claim that the evidence turns round in the clause that has most of the claim's other words."""
    said = next(_advised(claim), None)
    if said is None or not said.of:
        return
    for start, end in sentences(evidence):
        given = list(_advised(evidence[start : min(end, start + LONGEST)]))
        about = frozenset[str]().union(*(one.of for one in given))
        if not given or len(said.of & about) < SHARED * len(said.of):
            continue
        nearest = max(given, key=lambda one: (len(one.of & said.of), said.last in one.of, one.sign == said.sign))
        if nearest.sign != said.sign:
            yield Disagreement("direction", said.words, nearest.words)


def _advised(sentence: str) -> Iterator[Advised]:
    """The advice of each clause."""
    for clause in _CLAUSE_ENDS.split(sentence):
        for sign, pattern in ((-1, _AGAINST), (1, _FOR)):
            if found := pattern.search(clause):
                rest = stems(f"{clause[: found.start()]} {clause[found.end() :]}")
                yield Advised(sign, found.group().lower(), frozenset(rest), rest[-1] if rest else "")
                break
