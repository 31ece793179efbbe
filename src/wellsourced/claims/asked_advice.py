"""What a question of yes or no asks of a guideline: its claim, what is to be done, and which way "yes" points."""

import re
from functools import cache
from typing import NamedTuple

from wellsourced.claims.advice_signs import list_clause_signs, load_sign_tiers, strip_opening
from wellsourced.claims.yes_no_forms import AskedClaim, find_asked_claim
from wellsourced.clinical.drugs import find_prescribed_drugs
from wellsourced.clinical.word_forms import word_beginnings
from wellsourced.text.tables import read_alternatives

MIN_CLAIM_WORDS = 2
"""Telling words of a claim from which it says by itself what is asked; "carry on?" is of what stands before it."""


class AskedAdvice(NamedTuple):
    """What is asked of a guideline.

    question       as it was put
    claim          what is asked, with as much of the story as it takes to say of what
    core           what of it is to be done, or asked of, without its circumstances: "start his allopurinol"
    sign           -1 where "yes" means that something is not done: "Can it be left off?"
    is_permission  whether it is asked if something may be done: what may be considered, may be
    asks_need      whether it is asked if something has to be done: only then does "not required" say no
    asks_advice    whether it is asked what to do, and not what is: only the latter is affirmed by a fact
    """

    question: str
    claim: str
    core: str
    sign: int
    is_permission: bool = False
    asks_need: bool = False
    asks_advice: bool = False


@cache
def _load_words() -> dict[str, re.Pattern[str]]:
    lists = {kind: words for (kind,), words in read_alternatives("wellsourced.claims", "asked_advice.tsv").items()}
    lists["around"] = f"{lists['circumstance']}|{lists['around']}"
    found = {kind: rf"\b(?:{words})\b" for kind, words in lists.items()}
    found["around"] += r"|[,;:(]"
    return {kind: re.compile(expression, re.IGNORECASE) for kind, expression in found.items()}


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
    words = _load_words()
    return AskedAdvice(
        question,
        whole,
        core,
        _find_asked_sign(claim.text),
        is_permission=words["permission"].search(claim.clause) is not None,
        asks_need=words["need"].search(whole) is not None,
        asks_advice=words["advice"].search(claim.clause) is not None,
    )


def _find_core(claim: str) -> str:
    """What stands before the first circumstance that has something telling before it, without words of acting."""
    words = _load_words()
    ends = [*(mark.start() for mark in words["around"].finditer(claim)), len(claim)]
    parts = (" ".join(words["acting"].sub(" ", claim[:end]).split()) for end in ends)
    return next((one for one in parts if word_beginnings(one)), "")


def _find_asked_sign(claim: str) -> int:
    """To stop is the contrary of doing, and so is what is wrong to do; it may be wrong to stop.

    What somebody "hasn't stopped" is a circumstance.
    """
    asked = _load_words()["circumstance"].split(claim, maxsplit=1)[0]
    tiers = load_sign_tiers()
    sign = 1
    for tier in ("graded", "plain"):
        sign *= -1 if -1 in list_clause_signs(asked, tiers[tier]) else 1
    return sign
