"""Words of advice in a sentence, for and against: `advice_signs.tsv`."""

import re
from functools import cache

from wellsourced.text.tables import read_alternatives

MAX_TEXT_LENGTH = 1_000
"""Characters of a question, and of a sentence, that are read."""

_NEGATION_REACH = 6
"""Words before a word of advice in which a negation turns it round."""

_NEGATION = re.compile(r"\b(?:not|no|no longer|never|nor|cannot|without|neither)\b|n['’]t\b", re.IGNORECASE)
_NEGATION_BEHIND = re.compile(r"\W{0,3}(?:against|not)\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[;:,]|\s\b(?:but|although|while|whereas|however|except|unless)\b", re.IGNORECASE)
_OPENING = re.compile(
    r"^.*?\b(?:is|are|was|were|do|does|did|can|could|may|might|must|should|shall|will|would|has|have|had)\s+",
    re.IGNORECASE,
)


@cache
def _load_advice() -> tuple[re.Pattern[str], ...]:
    """Expressions of graded words ("recommended", "contraindicated"), and of plain ones ("give", "stop")."""
    lists = read_alternatives("wellsourced.claims", "advice_signs.tsv")
    return tuple(
        re.compile(rf"(?<![\w-])(?:(?P<against>{lists[tier, 'against']})|{lists[tier, 'for']})\b", re.IGNORECASE)
        for tier in ("graded", "plain")
    )


def list_advice_signs(text: str) -> list[int]:
    """+1 for each word of advice for something, -1 for each against it; graded ones if there are any, else plain."""
    plain = text.replace("*", "").replace("_", " ")
    for pattern in _load_advice():
        if signs := [sign for clause in split_clauses(plain) for sign in list_clause_signs(clause, pattern)]:
            return signs
    return []


def split_clauses(sentence: str) -> list[str]:
    """A sentence's clauses, as far as commas and words that contrast tell them."""
    return _CLAUSE_END.split(sentence)


def list_clause_signs(clause: str, pattern: re.Pattern[str]) -> list[int]:
    """+1 or -1 for each word that a pattern finds in a clause, its group "against" being the words against it."""
    signs = []
    for found in pattern.finditer(clause):
        before = " ".join(clause[: found.start()].split()[-_NEGATION_REACH:])
        is_turned = bool(_NEGATION.search(before) or _NEGATION_BEHIND.match(clause, found.end()))
        signs.append(-1 if (found["against"] is not None) != is_turned else 1)
    return signs
