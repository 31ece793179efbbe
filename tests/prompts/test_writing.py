"""What every prompt that has an answer written says, so that what was mended in one is not forgotten in another."""

import re
from typing import Any

from tests.tables import each_row
from wellsourced.models.base import Prompt
from wellsourced.prompts.planning import TermsReply
from wellsourced.prompts.verification import Repair
from wellsourced.prompts.writing import (
    AnswerAlone,
    ExplainPlainly,
    MemoryDraft,
    MergeNotes,
    Recommend,
    Synthesise,
    WriteAnswer,
)

FROM_SOURCES = (WriteAnswer, Synthesise, MergeNotes, Recommend, ExplainPlainly)


def said_by(kind: type[Prompt[Any]]) -> str:
    return " ".join(kind.instruction().split())


@each_row("kind", FROM_SOURCES)
def test_what_is_missing_is_named_apart_and_never_in_a_statement(kind: type[Prompt[Any]]) -> None:
    assert "never speaks of" in said_by(kind)
    assert "`not_found`" in said_by(kind)


@each_row("kind", [*FROM_SOURCES, AnswerAlone])
def test_yes_and_no_are_for_a_question_that_one_word_answers(kind: type[Prompt[Any]]) -> None:
    assert "If the whole question can be answered with one yes or no" in said_by(kind).replace("if the", "If the")
    assert "parts have different answers" in said_by(kind)


@each_row("kind", [*FROM_SOURCES, AnswerAlone, Repair])
def test_maybe_is_an_answer_where_the_question_is_left_open(kind: type[Prompt[Any]]) -> None:
    assert re.search(r"“Maybe:” (?:if|where) [^.]*truly leaves? it open", said_by(kind))


@each_row("kind", [WriteAnswer, MergeNotes, Recommend])
def test_a_recommendation_keeps_its_strength(kind: type[Prompt[Any]]) -> None:
    assert "“may be considered” is not “is recommended”" in said_by(kind)


def test_a_synthesis_may_join_studies_where_it_compares_them() -> None:
    assert "so may a statement that says in what studies differ or agree" in said_by(Synthesise)
    assert "every other statement is of one study" in said_by(Synthesise)


def test_a_bare_text_is_a_statement_from_memory_and_a_term_of_an_order() -> None:
    draft = MemoryDraft.model_validate({"statements": ["Ice helps.", {"text": "Rest.", "topic": "Care", "lead": True}]})
    assert [(one.text, one.topic, one.lead) for one in draft.statements] == [
        ("Ice helps.", "", False),
        ("Rest.", "Care", True),
    ]
    assert [one.term for one in TermsReply.model_validate({"terms": ["apixaban"]}).terms] == ["apixaban"]
