"""How the sentences of a guideline may be read as a "yes" or "no" to what is asked, and what speaks for each reading.

A reading is one sentence, or one clause where a sentence advises both ways. Nothing is refused here: of each the tests
that it fails are told, and a model weighs them (`models/advice_choice.py`).
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from wellsourced.claims.advice_signs import MAX_TEXT_LENGTH, list_clause_signs, split_clauses, strip_opening
from wellsourced.claims.guideline_advice import find_failed_tests, is_conditional, split_advice
from wellsourced.claims.yes_no_forms import AskedClaim, find_asked_claim
from wellsourced.clinical.drugs import find_prescribed_drugs
from wellsourced.clinical.word_forms import word_beginnings
from wellsourced.text.tables import read_alternatives

TIERS = ("graded", "plain", "factual")
"""Sorts of words that say yes or no, the clearer ones first; "lead-in": the line above says it."""

MIN_CLAIM_WORDS = 2
"""Telling words of a claim from which it says by itself what is asked; "carry on?" is of what stands before it."""

_CONDITION = re.compile(
    r"\b(?:unless|except (?:if|when|where|in)|if not|provided (?:that )?(?:it is )?not)\b[^.;:,)]*", re.IGNORECASE
)
_CIRCUMSTANCE = re.compile(
    r"\b(?:if|when|while|until|till|because|since|after|before|who|whose|that|which|despite|although|given|as)\b", re.IGNORECASE
)
_AROUND = re.compile(
    r"\b(?:if|when|while|until|till|because|since|after|before|who|whose|that|which|despite|although|given|as|in|on|at|for|to"
    r"|through|during|with|without|around|of|over|by|from|under|just|first|now|once|against|between|above|below)\b|[,;:(]",
    re.IGNORECASE,
)
_ACTING = re.compile(
    r"\b(?:starts?|started|begin|begun|give[ns]?|gets?|add(?:ed|ing)?|use[sd]?|using|keep|keeps|carry|carries|going|go|takes?|taking|taken|put|run"
    r"|continue[ds]?|recommended|indicated|contraindicated|advised|safe|ok|okay|alright|all right|worth|need|needs|needed|role|place|help|helps"
    r"|first|still|also|ever|routinely|routine|stop|stopped|hold|leave|avoid(?:ed)?|allowed|permitted|fine|straight|ahead|stays?|treat(?:ed)?|treating|have|has|had|do|does|be|been|done|it|everyone|everybody|all|patients?|people|adults?|mothers?|wom[ae]n|m[ae]n|somebody|someone|any|more|another|my|his|her|their|our)\b",
    re.IGNORECASE,
)
_PERMISSION = re.compile(
    r"\b(?:can|could|may|might|ok|okay|alright|all right|fine|allowed|permitted|safe|any (?:role|place|point)|role|an option|possible|acceptable)\b",
    re.IGNORECASE,
)
_NEED = re.compile(r"\b(?:need\w*|requir\w*|necess\w*|essential|must|mandatory|have to|has to|reduc\w*|adjust\w*|chang\w*)\b", re.IGNORECASE)
_UNNEEDED = re.compile(
    r"\b(?:no|not|without)\b[^.;,]{0,40}?\b(?:required|needed|necessary|needs?|requires?|prerequisite|mandatory)\b", re.IGNORECASE
)
_GRADE = re.compile(r"\((?:class|COR|LOE|level|strong|weak|conditional|recommendation|grade)\b[^)]*\)", re.IGNORECASE)
_LESSER = re.compile(r"\b(?:rather than|instead of|in place of|over|as opposed to)\b[^.;:,)]*", re.IGNORECASE)


class AdviceReading(NamedTuple):
    """A sentence or clause as an answer.

    sign            +1: it says yes, -1: no
    tier            by which sort of words: one of TIERS, or "lead-in"
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


class AskedAdvice(NamedTuple):
    """What is asked of a guideline.

    question   as it was put
    claim      what is asked, with as much of the story as it takes to say of what
    core       what of it is to be done, or asked of, without its circumstances: "start his allopurinol"
    sign       -1 where "yes" means that something is not done: "Can it be left off?"
    is_permission  whether it is asked if something may be done: what may be considered, may be
    """

    question: str
    claim: str
    core: str
    sign: int
    is_permission: bool = False


def read_asked_advice(question: str) -> AskedAdvice:
    """What a question asks of a guideline; of one that is none of yes or no, all of it."""
    claim = find_asked_claim(question) or AskedClaim(strip_opening(question), question)
    core = _find_core(claim.text)
    if not word_beginnings(core):
        drugs = " ".join(dict.fromkeys(one.words for one in find_prescribed_drugs(claim.story)))
        core = drugs or claim.text
    whole = claim.text if len(word_beginnings(claim.text)) >= MIN_CLAIM_WORDS else f"{core} {claim.text}"
    if not word_beginnings(whole):
        whole = core = question
    return AskedAdvice(question, whole, core, _find_asked_sign(claim.text), bool(_PERMISSION.search(claim.clause)))


def _find_core(claim: str) -> str:
    """What stands before the first circumstance that has something telling before it."""
    ends = [*(mark.start() for mark in _AROUND.finditer(claim)), len(claim)]
    parts = (" ".join(_ACTING.sub(" ", claim[:end]).split()) for end in ends)
    return next((one for one in parts if word_beginnings(one)), "")


def _find_asked_sign(claim: str) -> int:
    """To stop is the contrary of doing, and so is what is wrong to do; it may be wrong to stop."""
    asked = _CIRCUMSTANCE.split(claim, maxsplit=1)[0]
    sign = 1
    for tier in ("graded", "plain"):
        sign *= -1 if -1 in list_clause_signs(asked, _load_signs()[tier]) else 1
    return sign


@cache
def _load_signs() -> dict[str, re.Pattern[str]]:
    lists = read_alternatives("wellsourced.claims", "advice_signs.tsv")
    words = {
        "graded": (lists["graded", "for"], lists["graded", "against"]),
        "plain": tuple(f"{lists['further', way]}|{lists['plain', way]}" for way in ("for", "against")),
        "factual": (lists["factual", "for"], lists["factual", "against"]),
    }
    return {
        tier: re.compile(rf"(?<![\w-])(?:(?P<against>{words[tier][1]})|{words[tier][0]})\b", re.IGNORECASE)
        for tier in TIERS
    }


def list_readings(asked: AskedAdvice, text: str, above: str = "") -> Iterator[AdviceReading]:
    """Each sentence of a text that says yes or no to something.

    above   the titles and lines under which the text stands; the last one may itself advise ("Not recommended:")
    """
    kept, last_line = above[-MAX_TEXT_LENGTH:], above[-MAX_TEXT_LENGTH:].rpartition("\n")[2]
    heading = find_sign(last_line)
    asks_need = _NEED.search(asked.claim) is not None
    for sentence in split_advice(text[: 10 * MAX_TEXT_LENGTH]):
        for words, (tier, sign), is_clause in _read_sentence(sentence if asks_need else _UNNEEDED.sub(" ", sentence)):
            if heading[1] and heading[0] != "factual" and tier in ("factual", "none"):
                tier, sign = "lead-in", heading[1] * (sign if tier == "factual" and sign < 0 else 1)
            if sign:
                yield AdviceReading(
                    asked.sign * sign,
                    tier,
                    words,
                    find_failed_tests(asked.question, asked.claim, words, kept, sign),
                    is_conditional(asked.question, sentence, asked.is_permission),
                    is_clause,
                )


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
    whole = text.replace("*", "").replace("_", " ")
    plain = _GRADE.sub("", whole)
    plain = plain if any(one.search(plain) for one in list(_load_signs().values())[:2]) else whole
    plain = _LESSER.sub("", _CONDITION.sub("", plain)).strip() or plain
    for tier, pattern in _load_signs().items():
        signs = {sign for clause in split_clauses(plain) for sign in list_clause_signs(clause, pattern)}
        if signs:
            return (tier, signs.pop()) if len(signs) == 1 else ("mixed", 0)
    return "none", 0
