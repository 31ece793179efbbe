"""Facts: what can be known of a statement and its source without a model: numbers, negation, direction, doses."""

import re
from collections.abc import Sequence

from wellsourced.text.context import in_context
from wellsourced.text.doses import FAULT, misdosed
from wellsourced.text.guard import Disagreement, disagreements
from wellsourced.text.tokens import coverage
from wellsourced.types import Passage, Statement, Verdict

REVERSED = frozenset({"negation", "direction"})
"""Kinds of disagreement in which the source says the opposite; in all others it only does not say so."""

READ_IN_ENGLISH = REVERSED | {"comparator", "unit"}

_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d{1,2}(?!\d))")


_DOUBT = re.compile(
    r"\b(?:no|little|insufficient|not enough|lack of|absence of) (?:[\w-]+ ){0,3}?"
    r"(?:evidence|proof|data|indication|sign|reason)(?: [\w-]+){0,2}? (?:that|of|for|to)\b"
    r"|\b(?:whether|hypothesi[sz]ed that|(?:believed|thought|assumed|speculated|claimed) (?:that|to))\b",
    re.IGNORECASE,
)
"""What may stand before words that nobody has found to be true."""

_DENIES = re.compile(
    r"\b(?:no|not|never|without|lack\w*|insufficient|unclear|unknown|uncertain|may|might)\b", re.IGNORECASE
)


def objection(
    statement: Statement, sentences: Sequence[str], passages: Sequence[Passage], language: str
) -> Verdict | None:
    """What speaks against the statement, whoever supports it; None: nothing that can be seen.

    In another language than English only the numbers are compared: the words are those of the source's language.
    """
    claim, evidence = statement.text, " … ".join(sentences)
    if language != "en":
        numbers = [one for one in disagreements(_DECIMAL_COMMA.sub(".", claim), evidence) if _foreign(one)]
        return _told(numbers[0]) if numbers else None
    if misdosed(claim, sentences, " ".join(in_context(passage) for passage in passages)):
        return Verdict(label="silent", score=0.0, reason=FAULT)
    if any(_doubted(claim, sentence) for sentence in sentences):
        return Verdict(label="silent", score=0.0, reason="the source only says what is thought, asked or not shown")
    found = disagreements(claim, evidence)
    worst = [one for one in found if one.kind in REVERSED] or found
    return _told(worst[0]) if worst else None


def _doubted(claim: str, sentence: str) -> bool:
    """Whether what the claim asserts stands in the sentence behind "there is no evidence that" and the like."""
    found = _DOUBT.search(sentence)
    if found is None or _DOUBT.search(claim) or _DENIES.search(claim):
        return False
    return coverage(claim, sentence[found.end() :]) > coverage(claim, sentence[: found.start()])


def _foreign(one: Disagreement) -> bool:
    return one.kind not in READ_IN_ENGLISH and any(letter.isdigit() for letter in one.claim)


def _told(one: Disagreement) -> Verdict:
    there = f"“{one.evidence}”" if one.evidence else "nothing"
    label = "contradicts" if one.kind in REVERSED else "silent"
    reason = f"the {one.kind} differs: “{one.claim}” in the claim, {there} in the text"
    return Verdict.model_validate({"label": label, "score": 0.0, "reason": reason})
