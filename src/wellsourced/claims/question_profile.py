"""What a question asks for, as its words tell, and how much of it a unit of a guideline or its place takes up."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from wellsourced.claims.asked_terms import AskedTerm, asks_of_alternatives, find_asked_terms
from wellsourced.claims.decomposition import list_asked_parts
from wellsourced.clinical.asked_quantities import AskedQuantity, detect_asked_quantities, find_values, holds_for
from wellsourced.clinical.question_types import QuestionType, detect_question_types
from wellsourced.clinical.word_forms import list_telling_words, word_beginnings
from wellsourced.text.quotable_spans import QuotableSpan
from wellsourced.text.section_paths import last_heading
from wellsourced.text.tokens import stem_coverage
from wellsourced.types import Passage, Question

NAMING_KINDS = frozenset({"name", "analyte"})
"""Kinds of terms that a figure is of."""

_DEFINING = re.compile(
    r"\bdefin(?:e[ds]?|ition)\b|^\W*what (?:is|are) (?:an? )?[\w-]+(?: [\w-]+){0,2}\?", re.IGNORECASE
)

_ASKS_WHAT_TO_DO = re.compile(
    r"\b(?:should|when (?:do|can|to|is|are)|do (?:i|we|you)|can (?:i|we|you)|need\w*|what to do|indicated)\b",
    re.IGNORECASE,
)

_ARROW = re.compile(r"\s-+>\s")
"""What stands between a condition and what is done under it, in one step of an algorithm."""


class QuestionProfile(NamedTuple):
    """What a question asks for, as its words tell.

    wordings        the question, in each way in which it may be put
    asks_parts      whether it asks one thing after the other
    words           the telling words of each of them
    values          the numbers that it gives, of a patient say
    alternatives    the names that it compares
    """

    wordings: tuple[str, ...]
    words: tuple[frozenset[str], ...]
    types: tuple[QuestionType, ...]
    quantities: tuple[AskedQuantity, ...]
    terms: tuple[AskedTerm, ...]
    values: tuple[float, ...] = ()
    alternatives: tuple[AskedTerm, ...] = ()
    is_definition: bool = False
    asks_parts: bool = False

    @property
    def names(self) -> tuple[AskedTerm, ...]:
        """The drugs, substances and the like that it names."""
        return tuple(term for term in self.terms if term.kind in NAMING_KINDS)

    @property
    def asks_against(self) -> bool:
        """Whether it asks who must not have something."""
        return any(need.name == "contraindication" for need in self.types)


def asks_for_definition(question: str) -> bool:
    """Whether it is asked what something is."""
    return _DEFINING.search(question) is not None


def read_question(question: Question) -> QuestionProfile:
    """What is asked for; what it asks in parts is put in each of them, too."""
    parts = list_asked_parts(question.text)
    wordings = (*question.wordings, *parts)
    said = "\n".join(dict.fromkeys((question.text, question.expanded_text)))
    types, quantities = detect_question_types(said), detect_asked_quantities(question.text)
    terms = find_asked_terms(question)
    names = tuple(term for term in terms if term.kind == "name")
    alternatives = names if len(names) > 1 and asks_of_alternatives(question.text) else ()
    values = tuple(find_values(question.text))
    words = tuple(list_telling_words(wordings))
    is_definition = asks_for_definition(question.text)
    return QuestionProfile(
        wordings, words, types, quantities, terms, values, alternatives, is_definition, asks_parts=bool(parts)
    )


def asks_what_to_do(asked: QuestionProfile) -> bool:
    """Whether advice is asked for: "When should …", "Can I …"."""
    return _ASKS_WHAT_TO_DO.search(asked.wordings[0]) is not None


def holds_for_values(asked: QuestionProfile, unit: QuotableSpan, passage: Passage) -> bool | None:
    """Whether a unit holds for a value that the question gives; None where it says of no range."""
    return holds_for(asked.values, find_condition(unit, passage))


def find_condition(unit: QuotableSpan, passage: Passage) -> str:
    """What says for which values a unit holds: the heading, the first cell of a row, what stands before a colon."""
    heading = last_heading(passage.section)
    if unit.layout == "step":
        steps = unit.text.split(" → ")
        taken = [step for step, then in pairwise(steps) if not then.lower().startswith("no")]
        return " ; ".join((heading, *taken, _ARROW.split(steps[-1])[0] if _ARROW.search(steps[-1]) else ""))
    own = unit.own_text.partition(":")[0] if unit.layout in {"row", "item"} else ""
    return f"{heading} ; {own}"


def question_coverage(asked: Sequence[frozenset[str]], unit: QuotableSpan, passage: Passage) -> float:
    """The share of the question's telling words that the unit has or the headings above it; abbreviations count.

    What the unit or its own heading says counts twice as much as what the chapter around it is called.
    """
    near = word_beginnings(f"{last_heading(passage.section)} {unit.own_text}")
    around = near | word_beginnings(f"{passage.reference.title} {passage.section}")
    return max(((2 * len(words & near) + len(words & around)) / (3 * len(words)) for words in asked), default=1.0)


def subject_coverage(asked: Sequence[str], passage: Passage) -> float:
    """The share of the question's content words that the guideline's title and chapter name: is this its subject?"""
    titles = f"{passage.reference.title} {passage.section.partition(' › ')[0]}"
    return max(stem_coverage(question, titles) for question in asked)
