"""ExpertQA (Malaviya et al., NAACL 2024): questions of experts in 32 fields, with answers that they revised.

Original: github.com/chaitanyamalaviya/ExpertQA, data/r2_compiled_*.jsonl (by Git LFS), lines {"question",
"annotator_id", "answers": {model: {"answer_string", "revised_answer_string", "claims", …}}, "metadata":
{"question_type", "field", "specific_field"}} (data_utils/example_utils.py). Asked are those of health and of biology,
as Omni-RAG has them; other fields are counted. The reference is the revised answer without its marks of citation;
eight have none.
"""

import re
from functools import partial
from typing import Any

from wellsourced_evaluate.question_sets.base import (
    PublishedSet,
    Row,
    SetForm,
    name_group,
    read_text,
    require_object,
    require_text,
    translate_lines,
)
from wellsourced_evaluate.question_sets.containers import read_numbered
from wellsourced_evaluate.question_sets.omni_rag import LONG_FILES, omni_rag_form
from wellsourced_evaluate.questions.case_rows import BadRow, SkippedRow

FIELDS = ("healthcare / medicine", "biology")
READ = partial(read_numbered, container="lines")
CITATION_MARK = re.compile(r" ?\[\d+\]")


def strip_marks(text: str) -> str:
    """The answer as its authors compare it: without “[1]”."""
    return CITATION_MARK.sub("", text).strip()


def translate_expertqa_lines(record: Any) -> Row:
    """A line of our tables of data."""
    return {**translate_lines(record), "reference": strip_marks(read_text(require_object(record), "ideal_answer"))}


def translate_question(record: Any) -> Row:
    """An original line: it has no id, and is numbered."""
    fields = require_object(record)
    question, about = require_text(fields, "question"), fields.get("metadata")
    if not isinstance(about, dict):
        raise BadRow("it has no metadata")
    field = require_text(about, "field")
    if field.casefold() not in FIELDS:
        raise SkippedRow(f"of the field {field}")
    answers = fields.get("answers")
    if not isinstance(answers, dict) or not all(isinstance(one, dict) for one in answers.values()):
        raise BadRow("it has no answers by the names of their models")
    revised = [strip_marks(read_text(one, "revised_answer_string")) for one in answers.values()]
    return {
        "id": f"expertqa-r2-{fields['_number']:04}",
        "group": name_group("expertqa", question),
        "question": question,
        "reference": [one for one in revised if one],
    }


EXPERTQA = PublishedSet(
    name="expertqa",
    paper="Malaviya et al., NAACL 2024",
    address="https://github.com/chaitanyamalaviya/ExpertQA (Git LFS)",
    access="public",
    licence="MIT",
    scored="ROUGE-L against the revised answer",
    forms=(
        SetForm("lines", "expertqa.jsonl", "lines", translate_expertqa_lines, ("id", "question", "ideal_answer")),
        SetForm(
            "release",
            "data/r2_compiled_*.jsonl",
            "lines",
            translate_question,
            ("question", "answers", "metadata"),
            "",
            READ,
        ),
        omni_rag_form("expertqa", long=True),
    ),
    files=(("r2_compiled*.jsonl",), ("data/r2_compiled*.jsonl",), *LONG_FILES),
)
