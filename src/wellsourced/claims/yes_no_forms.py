"""How questions of yes or no are put, in whole sentences and as they are jotted down: "Start the insulin?"

Told are the clause that asks, the claim in it, and the story before it: "Ulcer clipped and dry. Carry on the aspirin?"
`yes_no_forms.tsv` has the words.
"""

import re
from functools import cache
from typing import NamedTuple

from wellsourced.text.tables import read_alternatives
from wellsourced.text.tokens import content_stems

MAX_QUESTION_LENGTH = 1_000
"""Characters of a question that are read."""

MAX_JOTTED_WORDS = 14
"""Words of a clause without a verb that may be a question: "Narcan first in the delivery room?" """

_AUXILIARY = r"(?:is|are|was|were|do|does|did|can|could|may|might|must|should|shall|will|would|has|have|had)"
_CLAUSE_END = re.compile(r"(?<=[?!])\s+|(?<=[^\W_][^\W_][.:;])\s+|(?<=[^\W_][.:;])\s+(?=[A-Z])|\s+[-–—]+\s+")
_COMMA = re.compile(r",\s+", re.IGNORECASE)
_INVERSION = re.compile(rf"^(?P<joined>(?:and|so|then|but)\s+)?{_AUXILIARY}(?:n['’]t)?\s+(?!not? )", re.IGNORECASE)
_ASKS_OF_SOMEBODY = re.compile(
    rf"\b{_AUXILIARY}(?:n['’]t)?\s+(?=(?:i|we|you|they|he|she|it|this|that|the|his|her|their|these|those)\b)",
    re.IGNORECASE,
)
_WHETHER = re.compile(
    r"\b(?:wonder(?:s|ing)?|asks?|asking|know|unsure|sure|tell)\b[^,.]{0,30}\b(?:if|whether)\s+", re.IGNORECASE
)
_OTHERWISE = re.compile(
    r",?\s+or\s+(?:(?:is|was|would|does|do|should|must|can|need|has|have|shall|will)\s+)?(?:(?:i|we|you|he|she|they|it|that|this)\s+)?"
    r"(?:(?:have|has|need|better)\s+(?:to\s+)?)?(?:be\s+)?(?:just\s+)?(?:not|wait|hold|stop|settle|leave|delay|wrong|skip|avoid|too\s+\w+|contraindicated|"
    r"unsafe|harmful|defer|withhold)\b[^?.]*",
    re.IGNORECASE,
)

_AND = re.compile(r"\b(?:and|or)\s*$", re.IGNORECASE)
_ASKS_FOR_WORDS = re.compile(r"\b(?:what|which|how|why|whom|whose|where|who|when)\b[^,]*$", re.IGNORECASE)


class AskedClaim(NamedTuple):
    """What a question of yes or no puts.

    text    the claim, without the words that ask: "carry on the aspirin"
    clause  the clause that asks, as it is written
    story   what stands before it: of whom or of what it is asked
    """

    text: str
    clause: str
    story: str = ""


@cache
def _load_forms() -> dict[str, re.Pattern[str]]:
    words = {kind: found for (kind,), found in read_alternatives("wellsourced.claims", "yes_no_forms.tsv").items()}
    no_amount = rf"(?!\s+(?:and|or|of|{words['amount']})\b)"
    forms = {
        "opening": rf"^(?:(?:so|and|then|is it|is there|would it be|it|there)\s+)?(?:{words['opening']})\b\s*(?=\S*\w)",
        "verb": rf"^(?:(?:so|and|then|just|still)\s+)?(?=(?:{words['verb']})\b{no_amount})",
        "judged": rf"\b(?:{words['judged']})\b(?=\W*$|\s+(?:{words['joining']})\b)",
        "aside": rf"(?<=\w\s)(?:{words['aside']})\b",
        "amount": rf"\b(?:{words['amount']})\b",
    }
    return {kind: re.compile(expression, re.IGNORECASE) for kind, expression in forms.items()}


def find_asked_claim(question: str) -> AskedClaim | None:
    """The claim of the last clause that can be answered by yes or no; None where none can.

    Of what somebody asks it is read as far as the question mark; without one, to the end.
    """
    text = drop_alternative(" ".join(question[:MAX_QUESTION_LENGTH].split()))
    starts = [0, *(found.end() for found in _CLAUSE_END.finditer(text))]
    clauses = [(start, text[start:end]) for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    marked = [(start, one) for start, one in clauses if "?" in one]
    for start, clause in reversed(marked or clauses):
        if found := _read_clause(clause.strip(" -–—"), is_marked=bool(marked)):
            place, claim = found
            before = clause[:place]
            if _ASKS_FOR_WORDS.search(before) or (_AND.search(before) and _load_forms()["amount"].search(before)):
                return None
            return AskedClaim(claim.strip(" ?.!"), clause, text[: start + place].strip())
    return None


def _read_clause(clause: str, *, is_marked: bool) -> tuple[int, str] | None:
    """Where the question begins in a clause, and its claim; None where it is no question of yes or no."""
    forms = _load_forms()
    asked = clause.partition("?")[0]
    places = [0, *(found.end() for found in _COMMA.finditer(asked))]
    for place in places:
        part = asked[place:]
        if found := _INVERSION.match(part):
            return place + len(found["joined"] or ""), part[found.end() :]
        if found := forms["opening"].match(part):
            return place, part[found.end() :]
    for opening in (_WHETHER, _ASKS_OF_SOMEBODY):
        if found := opening.search(asked):
            return found.start(), asked[found.end() :]
    if not is_marked or _ASKS_FOR_WORDS.search(asked):
        return None
    for place in places:
        if found := forms["verb"].match(asked[place:]):
            return place, asked[place + found.end() :]
    last = asked[places[-1] :]
    if len(last.split()) > MAX_JOTTED_WORDS or not content_stems(last):
        return None
    if forms["judged"].search(last) or (forms["aside"].search(last) and not forms["amount"].search(last)):
        return places[-1], last
    return None


def drop_alternative(question: str) -> str:
    """A question without the end that only says the contrary: "or is that wrong", "or must it settle first"."""
    return _OTHERWISE.sub("", question)
