"""A follow-up without a model: a question that leans on an earlier one is searched for with that one's words."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.tokens import content_stems, tokenize
from wellsourced.types import Question, Turn
from wellsourced.understanding.base import Understanding


def _word_set(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


MAX_EARLIER_WORDS = 8
"""Words of the earlier question that are taken, at most: the most important ones."""

_FOLLOW_UP_OPENING = re.compile(
    r"(?:and|but|or|so|also|then|what about|how about|what if|what else|same|instead|why not|if so|since when)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\b(?:it|its|itself|they|them|their|theirs|he|him|his|she|her|hers)\b", re.IGNORECASE)
_DEMONSTRATIVE = re.compile(
    r"(?:^|\b(?:of|for|about|with|on|by|to|from|in|is|are|was|were|does|do|did|can|could|should|would|will|than|after"
    r"|before|without|why)\s)(?:this|that|these|those|such|the (?:same|former|latter|others?))\b",
    re.IGNORECASE,
)
_IMPERSONAL_IT = re.compile(
    r"\bit\s+(?:(?:is|be|was|still|always|ever|really|medically)\s+)*(?:safe|possible|ok|okay|normal|necessary|dangerous"
    r"|important|true|common|better|best|worth|recommended|useful|harmful|wise|advisable|required|known|likely|rare"
    r"|unsafe|bad|good|risky|appropriate|reasonable|rain|mean|take)\s+(?:(?:for|in)\s+(?:\w+\s+){1,4})?(?:to|that|if)\b",
    re.IGNORECASE,
)
"""An "it" that stands for nothing said before: "Is it safe to …"."""

_GENERAL_WORDS = _word_set(
    """adult adults adverse age aged alternative alternatives answer benefit benefits best better breastfeeding case
    cases cause causes child children common contraindicated contraindications cost daily danger dangerous days dosage
    dose doses doses duration effect effective effects elderly evidence example examples explain exactly far fast
    first first-line food foods frequency frequently good happen happens harmful help high home hours how infants know
    last lactation less line list long low main many maximum mean means men mild minimum months much need normal often
    old older option options people person please pregnancy pregnant prevent prevented prevention prognosis quickly
    rate reason reasons recommend recommended result results risk risks safe safely safety say second severe severity
    side sign signs sooner source sources stop studies study symptom symptoms take taken taking tell test tests thing
    things time times treat treated treatment treatments trial trials try type types use used using usual usually weeks
    women work works worse year years young younger yes no not ok okay sure really thanks thank"""
)
"""Words that many questions share: alone they do not say what is asked about."""


class ResolvedFollowUp(NamedTuple):
    """A follow-up with the words of the question that it leans on, and which words these are."""

    text: str
    added_words: tuple[str, ...]


async def resolve_follow_up(question: Question, understanding: Understanding) -> ResolvedFollowUp | None:
    """The question with what it leans on; None when it stands alone or nothing before it has words of its own."""
    earlier = _find_earlier_question(question.history)
    if not earlier or not is_follow_up(question.text):
        return None
    own = set(content_stems(question.text))
    keywords = await understanding.extract_keywords(Question(text=earlier), MAX_EARLIER_WORDS)
    added = tuple(word for word in keywords if not own.issuperset(content_stems(word)))
    if not added:
        return None
    return ResolvedFollowUp(f"{question.text.rstrip(' ?.!')}: {', '.join(added)}?", added)


def is_follow_up(text: str) -> bool:
    """Whether a question can only be understood after another: it opens as one does, points back, or names nothing."""
    pointing = _PRONOUN.search(_IMPERSONAL_IT.sub(" ", text))
    points_back = pointing is not None and not _topic_words(text[: pointing.start()])
    opens_or_points = _FOLLOW_UP_OPENING.match(text) or _DEMONSTRATIVE.search(text)
    return points_back or bool(opens_or_points) or not _topic_words(text)


def _topic_words(text: str) -> list[str]:
    return [word for word in tokenize(text) if not (word in STOP_WORDS or word in _GENERAL_WORDS or word.isdigit())]


def _find_earlier_question(history: Sequence[Turn]) -> str:
    """The last question that stands alone; of follow-ups only, the last; "" when nobody asked anything."""
    asked = [turn.text for turn in reversed(history) if turn.role == "user"]
    return next((text for text in asked if not is_follow_up(text)), asked[0] if asked else "")
