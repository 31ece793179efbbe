"""What a question asks for (a treatment, a cause, a number), and whether a sentence offers that sort of thing.

Words and no model: similarity finds what is about the same things; this tells a sentence that treats a disease from
one that merely names it.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple


class QuestionType(NamedTuple):
    """One thing that may be asked for: how a question asks for it, and how a sentence offers it."""

    name: str
    question_pattern: re.Pattern[str]
    answer_pattern: re.Pattern[str]


def _build_type(name: str, asked: str, offered: str) -> QuestionType:
    return QuestionType(
        name, re.compile(rf"\b(?:{asked})", re.IGNORECASE), re.compile(rf"\b(?:{offered})", re.IGNORECASE)
    )


QUESTION_TYPES = (
    _build_type(
        "treatment",
        r"treat|therap|manag|drug|medicat|medicine|antibiotic|first[- ]line|prescri|remed|get rid of|cure"
        r"|dos(?:e|age|ing)|options?\b|what (?:can|should) (?:i|we|one) (?:do|take)|indicated",
        r"treat|therap|first[- ]line|initiat|preferred|prescri|\d+ ?m?g\b|dos(?:e|age)|surgery|medicat|antibiotic|drug"
        r"|recommended (?:for|as|over)",
    ),
    _build_type(
        "diagnosis",
        r"diagnos|test|detect|screen|work-?up|criteri|workup|recogni|confirm",
        r"diagnos|test|criteri|imaging|biopsy|\w*scan|detect|confirm|screen|examin|measure",
    ),
    _build_type(
        "cause",
        r"caus|etiolog|aetiolog|why\b|mutat|genes?\b|responsible|lead to|due to|underl|inherit|mechanism",
        r"caus|due to|result(?:s|ing)? (?:from|in)|mutat|lead(?:s|ing)? to|gene\b|genes\b|inherit|trigger|mediat|induc",
    ),
    _build_type(
        "signs",
        r"symptom|signs?\b|present(?:ation|s with)|manifest|look like|feel|features|characteri[sz]",
        r"symptom|signs?\b|include|characteri[sz]|present with|manifest|pain|fever|features",
    ),
    _build_type(
        "outlook",
        r"prognos|outlook|surviv|mortality|life expectancy|how long|recover",
        r"prognos|outlook|surviv|mortality|life expectancy|years|recover|outcome",
    ),
    _build_type(
        "harm",
        r"side effects?|adverse|safe|harm|risks? of|complication|toxic|contraindicat|interact|danger|pregnan",
        r"side effects?|adverse|safe|harm|risk|complication|toxic|contraindicat|interact|avoid|caution|pregnan",
    ),
    _build_type(
        "frequency",
        r"how (?:common|many|often|frequent)|prevalence|incidence|frequen|percentage|proportion|rate of",
        r"\d+(?:\.\d+)? ?%|prevalence|incidence|common|rare|\d+ (?:in|per|of|out of) |affects?|estimated",
    ),
    _build_type(
        "target", r"target|goal|threshold|cut-?off|normal (?:range|level)", r"target|goal|threshold|cut-?off|normal"
    ),
    _build_type("prevention", r"prevent|avoid|reduce the risk|vaccin|prophyla", r"prevent|avoid|reduc|vaccin|prophyla"),
    _build_type(
        "meaning",
        r"what (?:is|are|does|was|\(?is \(?are\)?\)?)\b(?!.*\b(?:treat|therap|caus|symptom|risk|outlook|test))"
        r"|define|mean",
        r"(?:is|are) (?:an?|the|characteri|defined|caused|any|one of|when|used)\b|refers to|known as|called",
    ),
)


def detect_question_types(question: str) -> tuple[QuestionType, ...]:
    """What the question asks for; () when no word of it says so."""
    return tuple(need for need in QUESTION_TYPES if need.question_pattern.search(question))


def has_answer_of_type(wanted: Sequence[QuestionType], sentence: str) -> bool:
    """Whether a sentence offers any of what is wanted; everything does when nothing in particular is."""
    return not wanted or any(need.answer_pattern.search(sentence) for need in wanted)
