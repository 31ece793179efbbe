"""Questions that yes or no would answer: how they are put, what they ask about, whether a text speaks of that, and
which way it points.
"""

import re
from functools import cache

from wellsourced.claims.advice_signs import MAX_TEXT_LENGTH, strip_opening
from wellsourced.claims.guard.negation import compare_polarity
from wellsourced.claims.results.agreement import result_features
from wellsourced.lazy import lazy_regex
from wellsourced.text.tables import read_alternatives
from wellsourced.text.tokens import stem_coverage

_AUXILIARY = r"(?:is|are|was|were|do|does|did|can|could|may|might|must|should|shall|will|would|has|have|had)"
_ALTERNATIVES = lazy_regex(
    r"\bor\b(?!\s+(?:not|more|less|older|above|over|under|below|higher|lower|greater|later|after|before|equal)\b)|\beither\b",
    re.IGNORECASE,
)


_OBJECT_VERB = (
    r"needs?|gets?|gives?|given|receives?|uses?|used|takes?|starts?|stops?|adds?|try|require|offer|order|prescribe|skip|"
    r"continue|hold|switch|combine|check|measure|repeat|perform|do|have|benefit from|rely on|screen for|treat|"
    r"role (?:for|of)|place for|point in"
)
_OTHER_END = (
    r"in|for|to|of|with|without|when|if|after|before|at|on|from|as|during|by|because|while|until|who|whose|that|than|"
    r"be|been|being|is|are|enough|alone|safe|ok|okay|fine|still|also|ever|routinely|always|usually|"
    r"recommended|indicated|contraindicated|preferred|necessary|appropriate|required|useful|effective|better|needed|"
    r"reduces?|improves?|prevents?|helps?|causes?|increases?|lowers?|rules? out|exclude|mean|count|work"
)
_PART = lazy_regex(rf"\b(?:(?P<verb>{_OBJECT_VERB})|{_OTHER_END})\b|[,;:()]", re.IGNORECASE)

MAX_WORDS = 300
"""Words of a question, and of a text, that are read."""

_WORD = lazy_regex(r"[a-z]+")

_ANSWER_WORD = lazy_regex(r"\s*(?P<word>yes|no|maybe)\s*[:,.;–—-]\s*(?=\S)", re.IGNORECASE)
"""The “Yes:”, “No:” or “Maybe:” with which a statement may begin: it answers the question, and says nothing of the
sources."""

# How questions of yes or no are put, in whole sentences and as they are jotted down: `yes_no_forms.tsv`.

_CLAUSE_END = re.compile(r"(?<=[?!])\s+|(?<=[^\W_][^\W_][.:;])\s+|(?<=[^\W_][.:;])\s+(?=[A-Z])|\s+[-–—]+\s+")
_COMMA = re.compile(r",\s+", re.IGNORECASE)


def _list_words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower())[:MAX_WORDS])


def answer_word(text: str) -> str:
    """ "yes", "no" or "maybe" where the text begins with that and goes on; else ""."""
    found = _ANSWER_WORD.match(text)
    return found["word"].lower() if found else ""


def strip_answer_word(text: str) -> str:
    """What the text says besides its yes, no or maybe, as a sentence of its own."""
    rest = text[found.end() :] if (found := _ANSWER_WORD.match(text)) else text
    # “pH” and “mRNA” have a capital within, and keep their first letter.
    if rest is text or not rest[0].islower() or any(letter.isupper() for letter in rest.split()[0]):
        return rest
    return rest[0].upper() + rest[1:]


ANSWER_WORDS = ("no effect", "effect", "uncertainty", "contrast", "aim")
"""Sorts of words of a sentence that are told apart, besides "sameness"."""

MAX_COUNT = 3
"""Words of a sort that are counted in one sentence."""

_SMALL_P = re.compile(r"\bp\s?[<=≤]\s?0?\.0[0-4]\d*", re.IGNORECASE)
_LARGE_P = re.compile(r"\bp\s?[=>≥]\s?0?\.(?:0[5-9]|[1-9])|\b[np]\.?s\.?(?=[,;)])", re.IGNORECASE)


@cache
def _load_words() -> dict[str, re.Pattern[str]]:
    lists = read_alternatives("wellsourced.claims", "yes_no_words.tsv")
    return {kind: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for (kind,), words in lists.items()}


def _count_words(kind: str, text: str) -> float:
    return float(min(MAX_COUNT, sum(1 for _ in _load_words()[kind].finditer(text))))


def describe_answer(question: str, sentence: str) -> dict[str, float]:
    """How a sentence relates to what is asked, as numbers from -3 to 3; its first 1,000 characters are read."""
    claim, read = strip_opening(question), sentence[:MAX_TEXT_LENGTH]
    asks_for_sameness = _load_words()["sameness"].search(claim) is not None
    results = result_features(claim, read)
    return {
        **{kind: _count_words(kind, read) for kind in ANSWER_WORDS},
        "sameness": _count_words("sameness", read) * (-1 if asks_for_sameness else 1),
        "disagreements": float(min(2, sum(1 for _ in compare_polarity(claim, read)))),
        "result supports": results["supports"],
        "result refutes": results["refutes"],
        "p is small": float(bool(_SMALL_P.search(read))),
        "p is large": float(bool(_LARGE_P.search(read))),
        "coverage": stem_coverage(claim, read),
    }
