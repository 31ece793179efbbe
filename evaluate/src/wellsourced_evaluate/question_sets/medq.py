"""MedQ of BriefContext (Zhang et al., npj Digital Medicine 2025): clinical questions worded as PICO, and answers.

Original: github.com/ebmlab/BriefContext, medq/medq-30.xlsx, with the columns ID, Question, Answer (as its notebook
0_0_format_data.ipynb reads them). Its name says 30, the paper 48. A table with these columns is read too.
"""

from typing import Any

from wellsourced_evaluate.question_sets.base import (
    PublishedSet,
    Row,
    SetDownload,
    SetForm,
    name_group,
    read_text,
    require_object,
    require_text,
    translate_lines,
)
from wellsourced_evaluate.question_sets.containers import sheet_forms

FILE_NAME = "medq-30.xlsx"
MARKERS = ("ID", "Question", "Answer")
NAMES = r".*medq.*"


def translate_medq_lines(record: Any) -> Row:
    """A line of our tables of data."""
    return {**translate_lines(record), "reference": read_text(require_object(record), "ideal_answer")}


def translate_row(record: Any) -> Row:
    """A row of the sheet; a whole number may be stored as 1.0."""
    fields = require_object(record)
    question = require_text(fields, "Question")
    return {
        "id": f"medq-{require_text(fields, 'ID').removesuffix('.0')}",
        "group": name_group("briefcontext_medq", question),
        "question": question,
        "reference": require_text(fields, "Answer"),
    }


MEDQ = PublishedSet(
    name="briefcontext_medq",
    paper="Zhang et al., npj Digital Medicine 2025 (BriefContext)",
    address="https://github.com/ebmlab/BriefContext",
    access="public",
    licence="MIT",
    scored="ROUGE-L against the answer",
    forms=(
        SetForm("lines", "briefcontext_medq.jsonl", "lines", translate_medq_lines, ("id", "question", "ideal_answer")),
        *sheet_forms(FILE_NAME, translate_row, MARKERS, NAMES),
    ),
    files=((FILE_NAME,), (f"medq/{FILE_NAME}",), ("medq*.csv",)),
    downloads=(
        SetDownload(
            "https://raw.githubusercontent.com/ebmlab/BriefContext/ebc53f71f6d3095e8c6bbb4e24d19f362b1bff83/medq/"
            + FILE_NAME,
            FILE_NAME,
        ),
    ),
)
