"""K-QA (Manes et al., BioNLP 2024): questions of patients, with what physicians say that an answer must have.

Original: github.com/Itaymanes/K-QA, dataset/questions_w_answers.jsonl, 201 lines {"Question", "Must_have",
"Nice_to_have", "Free_form_answer", "Sources", "ICD_10_diag"}; dataset/questions.jsonl, 1,212 further questions without
answers, {"Question", "ICD_10_diag", "entity_text", …}: these are asked and counted. What is nice to have may not be
contradicted.
"""

from functools import partial
from typing import Any

from wellsourced_evaluate.question_sets.base import (
    PublishedSet,
    Row,
    SetDownload,
    SetForm,
    name_group,
    read_text,
    read_texts,
    require_object,
    require_text,
    translate_lines,
)
from wellsourced_evaluate.question_sets.containers import read_numbered
from wellsourced_evaluate.questions.case_rows import BadRow

READ = partial(read_numbered, container="lines")
URL = "https://raw.githubusercontent.com/Itaymanes/K-QA/main/dataset/"


def translate_kqa_lines(record: Any) -> Row:
    """A line of our tables of data."""
    fields = require_object(record)
    if not fields.get("must_have"):
        raise BadRow("it has no must_have")
    return {
        **translate_lines(record),
        "must_have": fields["must_have"],
        "nice_to_have": fields.get("nice_to_have"),
        "reference": read_text(fields, "ideal_answer"),
    }


def translate_answered(record: Any) -> Row:
    """An original line with its statements; one of which nothing must be said is compared with its answer alone."""
    fields = require_object(record)
    statements = read_texts(fields, "Must_have")
    if "Must_have" not in fields or not (statements or read_text(fields, "Free_form_answer")):
        raise BadRow("it has no Must_have")
    return {
        **translate_question(record),
        "must_have": statements,
        "nice_to_have": read_texts(fields, "Nice_to_have"),
        "reference": read_text(fields, "Free_form_answer"),
    }


def translate_question(record: Any) -> Row:
    """An original line: it has no id, so its question is one."""
    question = require_text(require_object(record), "Question")
    id = name_group("kqa", question)
    return {"id": id, "group": id, "question": question}


def translate_unanswered(record: Any) -> Row:
    """A line without answers: some questions stand there several times, and are numbered; they are of one group."""
    row = translate_question(record)
    return {**row, "id": f"kqa-q-{record['_number']:04}"}


KQA = PublishedSet(
    name="kqa",
    paper="Manes et al., BioNLP 2024",
    address="https://github.com/Itaymanes/K-QA",
    access="public",
    licence="MIT",
    scored="what must be said (facts_said); ROUGE-L against the physicians' answer",
    forms=(
        SetForm("lines", "kqa.jsonl", "lines", translate_kqa_lines, ("id", "question")),
        SetForm("release", "dataset/questions_w_answers.jsonl", "lines", translate_answered, ("Question", "Must_have")),
        SetForm(
            "unanswered",
            "dataset/questions.jsonl",
            "lines",
            translate_unanswered,
            ("Question", "ICD_10_diag"),
            "",
            READ,
        ),
    ),
    files=(("questions_w_answers.jsonl",), ("dataset/questions_w_answers.jsonl",)),
    downloads=(SetDownload(URL + "questions_w_answers.jsonl", "questions_w_answers.jsonl"),),
)
