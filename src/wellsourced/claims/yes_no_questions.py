"""Questions that yes or no would answer: which they are, what they ask about, and whether a text speaks of that."""

import re

from wellsourced.claims.guard.contrast_words import is_exclusive
from wellsourced.claims.yes_no_forms import MAX_QUESTION_LENGTH, drop_alternative, find_asked_claim
from wellsourced.clinical.drugs import find_drugs, list_class_expressions
from wellsourced.clinical.word_forms import word_beginnings
from wellsourced.late import compile_late

_AUXILIARY = r"(?:is|are|was|were|do|does|did|can|could|may|might|must|should|shall|will|would|has|have|had)"
_ASKS_FOR_WORDS = compile_late(
    r"(?:^|[.?!:;,–—-]\s+|\b(?:and|or|in|at|for|by|to|after|before|from|above|below|under|within|until|over"
    r"|if so,?)\s+)(?:what|which|how|when|why|who|whom|whose|where)\b",
    re.IGNORECASE,
)
_ASKS_SOMEBODY = compile_late(
    rf"\b{_AUXILIARY}\s+(?:you|anyone|anybody|someone|somebody|we|i)\s+(?:please\s+|also\s+)?"
    r"(?:tell|explain|describe|list|give me|help|know (?:what|which|how|why|if|of)|advise me|recommend|suggest|provide"
    r"|summari[sz]e|name)",
    re.IGNORECASE,
)
_ALTERNATIVES = compile_late(
    r"\bor\b(?!\s+(?:not|more|less|older|above|over|under|below|higher|lower|greater|later|after|before|equal)\b)|\beither\b",
    re.IGNORECASE,
)

MIN_SUBJECT_SHARE = 0.5
"""A text speaks of the subject if it has more than this share of its words: ACE inhibitors are no SGLT2 inhibitors."""

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
_PART = compile_late(rf"\b(?:(?P<verb>{_OBJECT_VERB})|{_OTHER_END})\b|[,;:()]", re.IGNORECASE)

MAX_WORDS = 300
"""Words of a question, and of a text, that are read."""

_WORD = compile_late(r"[a-z]+")

_ANSWER_WORD = compile_late(r"\s*(?P<word>yes|no|maybe)\s*[:,.;–—-]\s*(?=\S)", re.IGNORECASE)
"""The “Yes:”, “No:” or “Maybe:” with which a statement may begin: it answers the question, and says nothing of the
sources."""


def is_yes_no_question(question: str) -> bool:
    """Whether "yes" or "no" would answer it: it makes a claim, names no alternatives and asks for nothing else."""
    text = drop_alternative(" ".join(question[:MAX_QUESTION_LENGTH].split()))
    if _ASKS_FOR_WORDS.search(text) or _ASKS_SOMEBODY.search(text) or _ALTERNATIVES.search(text):
        return False
    return find_asked_claim(question) is not None


def find_asked_subject(claim: str) -> frozenset[str]:
    """How the words of a claim's subject begin, or of what the subject is to get: "adults with gout need colchicine".

    frozenset() where it has none that tells, as in "it safe".
    """
    asked = claim[:MAX_QUESTION_LENGTH]
    marks = list(_PART.finditer(asked))
    starts = [0, *(mark.end() for mark in marks)]
    ends = [*(mark.start() for mark in marks), len(asked)]
    parts = [word_beginnings(asked[start:end]) for start, end in zip(starts, ends, strict=True)]
    objects = [part for part, mark in zip(parts[1:], marks, strict=True) if mark["verb"]]
    return next((part for part in (parts[0], *objects, *parts) if part), frozenset())


def speaks_of_subject(claim: str, text: str) -> bool:
    """Whether a text has the words of what a claim is about; true where that tells nothing."""
    subject = find_asked_subject(claim)
    return not subject or len(subject & word_beginnings(text)) > MIN_SUBJECT_SHARE * len(subject)


def speaks_of_subject_class(claim: str, text: str) -> bool:
    """Whether a text speaks of a class of drugs to which a drug belongs that a claim is about."""
    subject = find_asked_subject(claim)
    asked = [one.words for one in find_drugs(claim) if subject & word_beginnings(one.words)]
    return any(re.search(words, text, re.IGNORECASE) for drug in asked for words in list_class_expressions(drug))


def names_other_group(question: str, text: str) -> bool:
    """Whether a word of the question is lacking in the text, which has one that excludes it: "unlikely", "likely"."""
    asked, said = _list_words(question), _list_words(text)
    return any(is_exclusive(one, other) for one in asked - said for other in said - asked)


def _list_words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower())[:MAX_WORDS])


def answer_word(text: str) -> str:
    """ "yes", "no" or "maybe" where the text begins with that and goes on; else ""."""
    found = _ANSWER_WORD.match(text)
    return found["word"].lower() if found else ""


def strip_answer_word(text: str) -> str:
    """What the text says besides its yes, no or maybe, as a sentence of its own."""
    rest = text[found.end() :] if (found := _ANSWER_WORD.match(text)) else text
    return rest if rest is text or not rest[0].islower() or _is_spelled_so(rest) else rest[0].upper() + rest[1:]


def _is_spelled_so(text: str) -> bool:
    """Whether the first word has a capital within: “pH”, “mRNA”."""
    return any(letter.isupper() for letter in text.split()[0])
