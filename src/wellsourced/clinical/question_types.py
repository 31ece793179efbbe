"""What a question asks for (a treatment, a cause, a number), and whether a sentence offers that sort of thing.

Words and no model: similarity finds what is about the same things; this tells a sentence that treats a disease from
one that merely names it.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.text.tables import read_alternatives


class QuestionType(NamedTuple):
    """One thing that may be asked for: how a question asks for it, and how a sentence offers it."""

    name: str
    question_pattern: re.Pattern[str]
    answer_pattern: re.Pattern[str]


def _load_types() -> tuple[QuestionType, ...]:
    patterns = {
        key: re.compile(rf"\b(?:{words})", re.IGNORECASE)
        for key, words in read_alternatives("wellsourced.clinical", "question_types.tsv").items()
    }
    names = dict.fromkeys(name for name, _ in patterns)
    return tuple(QuestionType(name, patterns[name, "asked"], patterns[name, "offered"]) for name in names)


QUESTION_TYPES = _load_types()


def detect_question_types(question: str) -> tuple[QuestionType, ...]:
    """What the question asks for; () when no word of it says so."""
    return tuple(need for need in QUESTION_TYPES if need.question_pattern.search(question))


def has_answer_of_type(wanted: Sequence[QuestionType], sentence: str) -> bool:
    """Whether a sentence offers any of what is wanted; everything does when nothing in particular is."""
    return not wanted or any(need.answer_pattern.search(sentence) for need in wanted)
