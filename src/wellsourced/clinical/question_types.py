"""What a question asks for (a treatment, a cause, a number), and whether a sentence offers that sort of thing.

Words and no model: similarity finds what is about the same things; this tells a sentence that treats a disease from
one that merely names it.
"""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from wellsourced.late import compile_late
from wellsourced.text.tables import read_alternatives


class QuestionType(NamedTuple):
    """One thing that may be asked for: how a question asks for it, and how a sentence offers it."""

    name: str
    question_pattern: re.Pattern[str]
    answer_pattern: re.Pattern[str]


def _load_types() -> tuple[QuestionType, ...]:
    patterns = {
        key: compile_late(rf"\b(?:{words})", re.IGNORECASE)
        for key, words in read_alternatives("wellsourced.clinical", "question_types.tsv").items()
    }
    names = dict.fromkeys(name for name, _ in patterns)
    return tuple(QuestionType(name, patterns[name, "asked"], patterns[name, "offered"]) for name in names)


QUESTION_TYPES = _load_types()


def _load_things() -> tuple[QuestionType, ...]:
    patterns = read_alternatives("wellsourced.clinical", "asked_things.tsv")
    # Capitals tell a name where it is given, and nothing where it is asked for.
    return tuple(
        QuestionType(
            name, compile_late(patterns[name, "asked"], re.IGNORECASE), compile_late(patterns[name, "offered"])
        )
        for name in dict.fromkeys(name for name, _ in patterns)
    )


ASKED_THINGS = _load_things()
"""Sorts of things that are asked to be named: a disease, a molecule, a place, a year …"""


def detect_question_types(question: str) -> tuple[QuestionType, ...]:
    """What the question asks for; () when no word of it says so."""
    return tuple(need for need in QUESTION_TYPES if need.question_pattern.search(question))


def has_answer_of_type(wanted: Sequence[QuestionType], sentence: str) -> bool:
    """Whether a sentence offers any of what is wanted; everything does when nothing in particular is."""
    return not wanted or any(need.answer_pattern.search(sentence) for need in wanted)


NAMED_SORTS = frozenset(
    {"disease", "molecule", "gene", "drug", "chromosome", "place", "organism", "number", "year", "company", "brand"}
)
"""Of these, what is told by its name or its figure, and not by what is said of it."""


def list_asked_things(question: str, among: Collection[str] = ()) -> list[QuestionType]:
    """The sorts of things that a question asks to be named.

    among   names of sorts; (): any
    """
    return [
        thing
        for thing in ASKED_THINGS
        if (not among or thing.name in among) and thing.question_pattern.search(question) is not None
    ]


def names_thing(thing: QuestionType, question: str, text: str) -> bool:
    """Whether a text has a sign of a sort of thing that the question lacks."""
    asked = question.casefold()
    return any(found.group().casefold() not in asked for found in thing.answer_pattern.finditer(text))


def names_another_thing(question: str, text: str, said: str) -> bool:
    """Whether a text has a sign of a sort of thing asked for that neither the question nor what was said has."""
    return any(names_thing(thing, f"{question}\n{said}", text) for thing in list_asked_things(question))


def share_of_things_named(question: str, text: str) -> float:
    """The share of the sorts of things asked for of which the text has a sign that the question lacks; 1 for none."""
    named = [names_thing(thing, question, text) for thing in list_asked_things(question)]
    return sum(named) / len(named) if named else 1.0
