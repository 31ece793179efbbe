"""MedQA (Jin et al., Applied Sciences 2021): questions of medical board exams, each with one right option.

Original: github.com/jind11/MedQA, data_clean/questions/{US,Mainland,Taiwan}/{train,dev,test}.jsonl with five options
(Taiwan: four), US/4_options/phrases_no_exclude_*.jsonl and Mainland/4_options/*.jsonl with four: lines {"question",
"answer", "options": {"A": …}, "meta_info", "answer_idx"}. They have no ids; cases are numbered from 0 by their lines,
as MIRAGE numbers the US test. The questions of the mainland and of Taiwan are in Chinese.
"""

from functools import partial
from typing import Any

from wellsourced_evaluate.question_sets.base import (
    PublishedSet,
    Row,
    SetForm,
    name_group,
    require_label,
    require_object,
    require_text,
    translate_lines,
)
from wellsourced_evaluate.question_sets.containers import read_numbered
from wellsourced_evaluate.question_sets.mirage import mirage_form
from wellsourced_evaluate.questions.case_rows import BadRow

US_FOUR = "4_options/phrases_no_exclude_test.jsonl"


def translate_choice_lines(record: Any) -> Row:
    """A line of MedQA, MedMCQA or MMLU as our tables of data have it: one letter of the options is right."""
    fields = require_object(record)
    options = fields.get("options")
    if not isinstance(options, dict):
        raise BadRow("it has no options")
    return {**translate_lines(record), "options": options, "answer": require_label(fields, "answer", tuple(options))}


def translate_question(record: Any, set_name: str) -> Row:
    """An original line; `_number` is its place in the file."""
    fields = require_object(record)
    question, options = require_text(fields, "question"), fields.get("options")
    if not isinstance(options, dict):
        raise BadRow("it has no options")
    return {
        "id": f"{set_name}-{fields['_number']:04}",
        "group": name_group(set_name, question),
        "question": question,
        "options": options,
        "answer": require_label(fields, "answer_idx", tuple(options)),
    }


def _original_form(set_name: str, about: str) -> SetForm:
    read = partial(read_numbered, container="lines")
    translate = partial(translate_question, set_name=set_name)
    return SetForm("release", about, "lines", translate, ("question", "options", "answer_idx"), "", read)


def _describe_set(
    name: str, about: str, forms: tuple[SetForm, ...], files: tuple[tuple[str, ...], ...]
) -> PublishedSet:
    return PublishedSet(
        name=name,
        paper="Jin et al., Applied Sciences 2021",
        address="https://github.com/jind11/MedQA (its data are on Google Drive)",
        access="public",
        licence="MIT",
        scored=f"accuracy of the letter{about}",
        forms=forms,
        files=files,
    )


MEDQA = _describe_set(
    "medqa",
    "",
    (
        SetForm("lines", "medqa.jsonl", "lines", translate_choice_lines, ("id", "question", "answer")),
        _original_form("medqa", "questions/US/*.jsonl, with four or five options"),
        mirage_form("medqa"),
    ),
    ((f"questions/US/{US_FOUR}",), (f"US/{US_FOUR}",), (f"data_clean/questions/US/{US_FOUR}",)),
)
MEDQA_MAINLAND = _describe_set(
    "medqa_mainland",
    "; in Chinese",
    (_original_form("medqa_mainland", "questions/Mainland/*.jsonl, with four or five options"),),
    (("questions/Mainland/test.jsonl",), ("Mainland/test.jsonl",), ("data_clean/questions/Mainland/test.jsonl",)),
)
MEDQA_TAIWAN = _describe_set(
    "medqa_taiwan",
    "; in Chinese",
    (_original_form("medqa_taiwan", "questions/Taiwan/*.jsonl"),),
    (("questions/Taiwan/test.jsonl",), ("Taiwan/test.jsonl",), ("data_clean/questions/Taiwan/test.jsonl",)),
)
