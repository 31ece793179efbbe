"""What is searched for when somebody asks for one patient: the question's words, with the names of the problems.

    tell the patient from the question → read the record → name the problems → put both together

All of it is done without a language model, and only where nothing is searched or asked over a network: the names of a
patient's problems are not among what a question may carry out of this machine.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.claims.asked_terms import find_asked_terms
from wellsourced.clinical.ages import extract_age
from wellsourced.clinical.drugs import find_prescribed_drugs
from wellsourced.clinical.warned_conditions import find_conditions
from wellsourced.context import Context
from wellsourced.recommend.record_problems import Problem
from wellsourced.text.languages import detect_language
from wellsourced.text.tables import read_word_lists
from wellsourced.text.tokens import content_stems, tokenize
from wellsourced.types import Question

MAX_PROBLEMS = 3
"""Problems that a question is searched for with when it has no content words of its own."""

MAX_PROBLEMS_BESIDE = 2
"""Problems that are added to a question that has."""

MAX_ACUTE = 1
"""Acute problems that a question is searched for with: the most pressing."""

_TOLD_AND_ASKED = re.compile(
    r"^(?P<told>.{12,}?)(?::|[.;!]|\s[-–—])\s+(?P<asked>(?:(?!: )[^.;!]){3,200}?\?*)\s*$", re.DOTALL
)
_ACT = re.compile(r"\b(?:add\w*|start\w*|begin|giv\w+|missing|drugs?|medic\w+|switch|stop)\b", re.IGNORECASE)
"""Says what is to be done; "next step" and "what now" do not."""


class SearchedQuestion(NamedTuple):
    """A question as it is searched for, and the names of the problems that were put into it.

    has_own_words   whether the question says by itself what it is about
    is_kept_apart   whether the record is not searched with, for what else is asked
    """

    question: Question
    added: tuple[str, ...] = ()
    has_own_words: bool = True
    is_kept_apart: bool = False


def split_patient(question: Question) -> Question:
    """The question with the patient apart that it tells of itself: "58-year-old with gout: what should I add?".

    Whoever is told of has an age; a question with a patient of its own, or an earlier one, stays.
    """
    if question.patient or question.pico or question.history or question.asked:
        return question
    match = _TOLD_AND_ASKED.match(question.text)
    if match is None or not _tells_of_patient(match["told"]):
        whole = question.text if _tells_of_patient(question.text) else ""
        return question.model_copy(update={"patient": whole})
    asked = match["asked"].strip()
    return question.model_copy(
        update={"text": asked[:1].upper() + asked[1:], "asked": question.text, "patient": match["told"]}
    )


def _tells_of_patient(text: str) -> bool:
    return extract_age(text) is not None


def may_search_record(question: Question, context: Context) -> bool:
    """Whether names of problems may be searched for: nothing leaves this machine, and no model words the question."""
    is_plain = not (question.pico or question.history or question.given)
    return is_plain and not (context.has_model or context.outbound) and detect_language(question.text) in ("en", "")


def add_problems(question: Question, problems: Sequence[Problem]) -> SearchedQuestion:
    """The question with the problems that it leans on; one that names a disease itself stays as it is."""
    if not has_own_words(question.text):
        chosen = _choose_problems(problems, MAX_PROBLEMS)
        text = _word_whole(question.text, chosen) if chosen else question.text
        return SearchedQuestion(_put_text(question, text), chosen, has_own_words=False)
    if find_conditions(question.text):
        return SearchedQuestion(question)
    most = 1 if find_prescribed_drugs(question.text) or find_asked_terms(question) else MAX_PROBLEMS_BESIDE
    known = {*tokenize(question.text)}
    chosen = tuple(one for one in _choose_problems(problems, most) if not known.issuperset(tokenize(one)))
    if not chosen:
        return SearchedQuestion(question)
    stem = question.text.rstrip(" ?.!")
    return SearchedQuestion(_put_text(question, f"{stem} in {_join(chosen)}?"), chosen)


def says_its_subject(question: Question) -> bool:
    """Whether a question, or what came before it, says what it is about."""
    before = question.pico or question.history or question.given
    return bool(before) or detect_language(question.text) not in ("en", "") or has_own_words(question.text)


def has_own_words(text: str) -> bool:
    """Whether a question says what it is about: "what now?" and "which drug should I add?" do not."""
    return bool(set(content_stems(text)) - _EMPTY_STEMS)


def _choose_problems(problems: Sequence[Problem], most: int) -> tuple[str, ...]:
    """The acute ones alone where there are any; minor ones where there is nothing else."""
    for pressure in ("acute", "chronic", "minor"):
        if chosen := [one.words for one in problems if one.pressure == pressure]:
            return tuple(chosen[: MAX_ACUTE if pressure == "acute" else most])
    return ()


def _word_whole(text: str, chosen: Sequence[str]) -> str:
    """The question for whoever has these problems; one that names no act asks for the treatment."""
    if _ACT.search(text):
        return f"{text.rstrip(' ?.!')} in {_join(chosen)}?"
    return f"What treatment is recommended in {_join(chosen)}?"


def _join(words: Sequence[str]) -> str:
    return " and ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])} and {words[-1]}"


def _put_text(question: Question, text: str) -> Question:
    if text == question.text:
        return question
    return question.model_copy(update={"text": text, "asked": question.asked or question.text})


_EMPTY_STEMS = frozenset(
    stem
    for word in read_word_lists("wellsourced.recommend", "empty_question_words.tsv")["empty"]
    for stem in content_stems(word)
)
