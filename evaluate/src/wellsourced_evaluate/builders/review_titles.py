"""The question that the title of a review asks: as it stands in the title, or why there is none that stands alone."""

import re
from typing import NamedTuple

from wellsourced.late import compile_late

MIN_WORDS = 5
"""Of a question: what is shorter names too little of what it is about."""

MIN_WORDS_ALONE = 8
"""Of a question behind a colon: what is shorter rests on what stands before the colon."""

_TAG = compile_late(r"</?(?:sup|sub|i|b|u|em|strong)>", re.IGNORECASE)
_SPACE_BEFORE_STOP = compile_late(r"\s+(?=[?,;])")

_AUXILIARY = (
    r"(?:is|are|was|were|do|does|did|can|could|may|might|must|should|shall|will|would|has|have|had)(?:n['’]t| not)?"
)
_ASKING = (
    rf"(?:{_AUXILIARY}|what|which|who|whom|whose|when|where|why|how|"
    r"(?:in|for|at|by|to|on|with|under|from|after|of) (?:what|which|whom|how))"
)
_OPENS_QUESTION = compile_late(rf"(?:and |but |so,? )?{_ASKING}\b", re.IGNORECASE)
_CLAUSE_END = compile_late(r"(?:[:;.!?]|\s[-–—]|—|,(?= (?:is|are|do|does|can|should|what|which|how|when)\b))\s+")
_CHOICE = compile_late(r"\b(?:or|versus|vs\.?)\b(?=.*\b(?:for|in|to|after|during|with|among)\b)", re.IGNORECASE)

_SPEAKS_OF_ANOTHER = compile_late(
    r"\b(?:it|its|they|them|their|he|she|this|these|that bridge|those|there yet|so far|the same|such)\b", re.IGNORECASE
)
"""Words whose meaning stands before a colon."""

_RHETORICAL = compile_late(
    r"\b(?:what(?:['’]s| is| are) (?:new|next|known|(?:the )?(?:current |latest |available )?(?:evidence"
    r"|state of the art"
    r"|status|literature|science|news))(?: so far| to date| say| tell us)?\s*\?"
    r"|where (?:are|do|did) we\b|are we (?:there|ready|missing|asking|doing)|what do we (?:really |already "
    r"|actually )?know"
    r"|what (?:have|did) we learn|what does (?:the |current )?(?:evidence|literature|science|research"
    r"|data) (?:say|tell|show)"
    r"|myths? or|fact or fiction|friends? or foes?|hype or|fad or|(?:ready )?for prime ?time|time (?:to"
    r"|for) (?:a )?(?:change|act"
    r"|re)|quo vadis|much ado|more than meets|(?:a )?missing link|old wine|new kid|chicken or|one size fits all"
    r"|game[- ]changer"
    r"|double[- ]edged|does (?:it|size) matter|what lies|so what|what now|how (?:far|long) have we"
    r"|do we (?:really )?need"
    r"|a (?:new|novel|promising|potential|forgotten|useful) \w+(?: \w+)?\s*\?)",
    re.IGNORECASE,
)
"""Questions that ask for a survey, or for nothing."""

_ON_METHODS = compile_late(
    r"\b(?:systematic reviews?|meta-?analys[ei]s|scoping reviews?|literature|reporting (?:quality|guideline)"
    r"|PRISMA|CONSORT"
    r"|publication bias|risk of bias|authors?|journals?|citations?|research (?:agenda|priorit\w+|gaps?)"
    r"|randomi[sz]ed trials"
    r"|protocols?|outcome reporting|methodolog\w+)\b",
    re.IGNORECASE,
)
"""Reviews of reviews: what they ask is of research, and not of people and their care."""

PROTOCOL = compile_late(
    r"\b(?:study |review )?protocols?\b(?: (?:for|of)\b|[.:]?\s*$)|\b(?:a|an|the) protocol\b", re.IGNORECASE
)
"""A title of a review that is still to be done."""


class TitleQuestion(NamedTuple):
    """What a title asks; `reason` says why nothing, and then `text` is ""."""

    text: str
    reason: str = ""


def read_title_question(title: str) -> TitleQuestion:
    """The first question of a title that stands alone; else why there is none."""
    plain = " ".join(_SPACE_BEFORE_STOP.sub("", _TAG.sub("", title)).split()).strip('[]. "“”‘')
    before, mark, behind = plain.partition("?")
    if not mark:
        return TitleQuestion("", "its title asks nothing")
    if PROTOCOL.search(behind or before):
        return TitleQuestion("", "it is a protocol: nothing was found yet")
    asked = _cut_question(f"{before.strip()}?")
    if _RHETORICAL.search(asked):
        return TitleQuestion("", "its title asks for a survey, or to no purpose")
    if _ON_METHODS.search(asked):
        return TitleQuestion("", "its title asks about research itself")
    if not _is_asking(asked):
        return TitleQuestion("", "its title has a question mark and is no question")
    if len(asked.split()) < MIN_WORDS:
        return TitleQuestion("", "its question is too short to stand alone")
    if _SPEAKS_OF_ANOTHER.search(_last_clause(asked)) and _last_clause(asked) == asked:
        return TitleQuestion("", "its question does not stand alone")
    return TitleQuestion(asked[0].upper() + asked[1:])


def _cut_question(text: str) -> str:
    """The clause that asks, where it says enough; else all that stands before the question mark."""
    clause = _last_clause(text)
    is_alone = len(clause.split()) >= MIN_WORDS_ALONE and not _SPEAKS_OF_ANOTHER.search(clause)
    return clause if is_alone and _OPENS_QUESTION.match(clause) else text


def _last_clause(text: str) -> str:
    ends = list(_CLAUSE_END.finditer(text))
    return text[ends[-1].end() :] if ends else text


def _is_asking(text: str) -> bool:
    """Whether a clause of it begins as questions do, or offers a choice: "Nifedipine or amlodipine for angina?"."""
    clauses = [text, _last_clause(text)]
    return any(_OPENS_QUESTION.match(clause) for clause in clauses) or bool(_CHOICE.search(_last_clause(text)))
