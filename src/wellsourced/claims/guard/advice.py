"""Advice for and against: "should be given" is as near to "should be avoided" as can be."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from wellsourced.claims.guard.disagreement import Disagreement
from wellsourced.text.sentences import split_sentences
from wellsourced.text.tokens import content_stems

MIN_SHARED_STEMS = 0.6
"""Share of the claim's other words that a clause, or with its sentence's first words, has when it advises the same."""

MAX_SENTENCE_LENGTH = 2_000
"""Characters of a sentence that are read."""

_ACTION = r"(?:given|used|taken|started|offered|prescribed|administered|continued|considered)"
_APPROVAL = r"(?:recommended|indicated|safe|advised|preferred|advisable)"
_ADVICE_FOR = re.compile(
    rf"\b(?:(?:should|must|can) be {_ACTION}|(?:is|are) (?:also |generally )?{_APPROVAL})\b", re.IGNORECASE
)
_ADVICE_AGAINST = re.compile(
    rf"\b(?:(?:should|must|can) (?:not be {_ACTION}|be (?:avoided|withheld|stopped|discontinued))|cannot be {_ACTION}"
    rf"|(?:is|are) (?:contraindicated|unsafe|not (?:\w+ )?{_APPROVAL}))\b",
    re.IGNORECASE,
)
_CLAUSE_ENDS = re.compile(r"[;:]|,?\s\b(?:but|although|though|while|whereas|however|except)\b", re.IGNORECASE)


class Advice(NamedTuple):
    """What a clause advises: for (+1) or against (-1), in which words, of what, and for whom: its last word."""

    sign: int
    words: str
    subject_stems: frozenset[str]
    last_stem: str


def compare_advice(claim: str, evidence: str) -> Iterator[Disagreement]:
    """Advice of the claim that the evidence turns round in the clause that has most of the claim's other words.

    One sentence that advises the same is enough: others may speak of other people.
    """
    said = next(_extract_advice(claim), None)
    if said is None or not said.subject_stems:
        return
    turned: Disagreement | None = None
    for start, end in split_sentences(evidence):
        given = list(_extract_advice(evidence[start : min(end, start + MAX_SENTENCE_LENGTH)]))
        about = frozenset[str]().union(*(one.subject_stems for one in given))
        if not given or len(said.subject_stems & about) < MIN_SHARED_STEMS * len(said.subject_stems):
            continue
        nearest = max(
            given,
            key=lambda one: (
                len(one.subject_stems & said.subject_stems),
                said.last_stem in one.subject_stems,
                one.sign == said.sign,
            ),
        )
        if nearest.sign == said.sign:
            return
        turned = turned or Disagreement("direction", said.words, nearest.words)
    if turned:
        yield turned


def _extract_advice(sentence: str) -> Iterator[Advice]:
    """The advice of each clause."""
    for clause in _CLAUSE_ENDS.split(sentence):
        for sign, pattern in ((-1, _ADVICE_AGAINST), (1, _ADVICE_FOR)):
            if found := pattern.search(clause):
                rest = content_stems(f"{clause[: found.start()]} {clause[found.end() :]}")
                yield Advice(sign, found.group().lower(), frozenset(rest), rest[-1] if rest else "")
                break
