"""How the sentences of a guideline may be read as a "yes" or "no" to what is asked, and what speaks for each reading.

A reading is one sentence, or one clause where a sentence advises both ways. Nothing is refused here: of each the tests
that it fails are told, and a model weighs them (`models/advice_choice.py`).
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from wellsourced.claims.advice_signs import MAX_TEXT_LENGTH, list_clause_signs, load_sign_tiers, split_clauses
from wellsourced.claims.asked_advice import AskedAdvice
from wellsourced.claims.guideline_advice import find_failed_tests, is_conditional, split_advice
from wellsourced.text.tokens import content_stems

_CONDITION = re.compile(
    r"\b(?:unless|except (?:if|when|where|in)|if not|provided (?:that )?(?:it is )?not)\b[^.;:,)]*", re.IGNORECASE
)
_STOPPING_HARMS = re.compile(
    r"\b(?:discontinuation|withdrawal|stopping|withholding|omission|interruption|cessation)\b[^.;:]*"
    r"\b(?:leads? to|(?:is|are|was|been) associated with|increase[sd]?|worsens?|causes?|results? in"
    r"|precipitates?|triggers?)\b",
    re.IGNORECASE,
)
_NAMED_NOT = re.compile(r",\s+not (?:an? |the )?(\w+)\b")
_UNNEEDED = re.compile(
    r"\b(?:no|not|without)\b[^.;,]{0,40}?\b(?:required|needed|necessary|needs?|requires?|prerequisite|mandatory)\b",
    re.IGNORECASE,
)
_GRADE = re.compile(r"\((?:class|COR|LOE|level|strong|weak|conditional|recommendation|grade)\b[^)]*\)", re.IGNORECASE)
_RECOMMENDS_NOT = re.compile(
    r"\b(?:recommends?|suggests?|recommended|suggested|advises?)\b(?=[^.;]{0,40}\bthat\b[^.;]*\bnot\W+(?:be|receive|use|take)\b)",
    re.IGNORECASE,
)
_LESSER = re.compile(r"\b(?:rather than|instead of|in place of|over|as opposed to)\b[^.;:,)]*", re.IGNORECASE)


class AdviceReading(NamedTuple):
    """A sentence or clause as an answer.

    sign            +1: it says yes, -1: no
    tier            by which sort of words: one of SIGN_TIERS; "lead-in": the line above says it
    words           what is read
    failed          the tests that it fails, by name
    is_conditional  whether it holds under a condition that the question does not name, or is only to be considered
    is_clause       whether the rest of its sentence advises the other way
    """

    sign: int
    tier: str
    words: str
    failed: frozenset[str]
    is_conditional: bool
    is_clause: bool = False


def list_readings(asked: AskedAdvice, text: str, above: str = "") -> Iterator[AdviceReading]:
    """Each sentence of a text that says yes or no to something.

    above   the titles and lines under which the text stands; the last one may itself advise ("Not recommended:")
    """
    kept, last_line = above[-MAX_TEXT_LENGTH:], above[-MAX_TEXT_LENGTH:].rpartition("\n")[2]
    heading = find_sign(last_line)
    for sentence in split_advice(text[: 10 * MAX_TEXT_LENGTH]):
        told = sentence if asked.asks_need else _UNNEEDED.sub(" ", sentence)
        is_denied = _denies_name(asked.claim, sentence)
        found = [(sentence, ("factual", -1), False)] if is_denied else list(_read_sentence(told))
        for words, (tier, sign), is_clause in found:
            if heading[1] and heading[0] != "factual" and tier in ("factual", "none"):
                tier, sign = "lead-in", heading[1] * (sign if tier == "factual" and sign < 0 else 1)
            if sign:
                reading = _build_reading(asked, tier, sign, words, kept)
                yield reading._replace(
                    is_conditional=is_conditional(asked.question, sentence, asked.is_permission), is_clause=is_clause
                )


def _build_reading(asked: AskedAdvice, tier: str, sign: int, words: str, above: str) -> AdviceReading:
    failed = find_failed_tests(asked.question, asked.claim, words, above, sign)
    return AdviceReading(
        asked.sign * sign, tier, words, failed, is_conditional(asked.question, words, asked.is_permission)
    )


def _denies_name(claim: str, sentence: str) -> bool:
    """Whether it says that something is not what it is asked to be: "a stroke, not TIA"."""
    named = content_stems(" ".join(_NAMED_NOT.findall(sentence)))
    return bool(named) and bool(set(named[:1]) & set(content_stems(claim)[-1:]))


def _read_sentence(sentence: str) -> Iterator[tuple[str, tuple[str, int], bool]]:
    """The sentence with its sign; where its clauses differ, each that has one."""
    tier, sign = find_sign(sentence)
    if sign or tier == "none":
        yield sentence, (tier, sign), False
        return
    for clause in split_clauses(sentence):
        own = find_sign(clause)
        if own[1]:
            yield clause, own, True


def find_sign(text: str) -> tuple[str, int]:
    """Which way a text points, and by which sort of words; ("mixed", 0) where it points both ways, ("none", 0)."""
    whole = _RECOMMENDS_NOT.sub("does not recommend", text.replace("*", "").replace("_", " "))
    if _STOPPING_HARMS.search(whole):
        return "plain", 1
    plain = _GRADE.sub("", whole)
    plain = plain if any(one.search(plain) for one in list(load_sign_tiers().values())[:2]) else whole
    plain = _LESSER.sub("", _CONDITION.sub("", plain)).strip() or plain
    for tier, pattern in load_sign_tiers().items():
        signs = {sign for clause in split_clauses(plain) for sign in list_clause_signs(clause, pattern)}
        if signs:
            return (tier, signs.pop()) if len(signs) == 1 else ("mixed", 0)
    return "none", 0
