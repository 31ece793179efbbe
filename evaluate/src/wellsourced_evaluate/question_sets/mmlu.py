"""MMLU (Hendrycks et al., ICLR 2021), its six subjects of medicine: multiple choice with four options.

Original: github.com/hendrycks/test, data.tar with data/{dev,val,test}/SUBJECT_{dev,val,test}.csv: rows of question,
four options and the right letter, without a header and without ids. Cases are numbered from 0 by their rows, as MIRAGE
numbers them.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wellsourced.errors import UnreadableFile
from wellsourced_evaluate.question_sets.base import PublishedSet, Row, SetForm, SetRecord, name_group
from wellsourced_evaluate.question_sets.containers import read_table_cells, suggest_delimiter
from wellsourced_evaluate.question_sets.medqa import translate_choice_lines
from wellsourced_evaluate.question_sets.mirage import mirage_form
from wellsourced_evaluate.questions.case_rows import BadRow

SUBJECTS = (
    *("anatomy", "clinical_knowledge", "college_biology"),
    *("college_medicine", "medical_genetics", "professional_medicine"),
)
"""As MIRAGE and Med-PaLM have them."""

LETTERS = ("A", "B", "C", "D")
FILE_NAME = rf"({'|'.join(SUBJECTS)})_(dev|val|test)\.csv(\.gz)?"


def translate_row(record: Any) -> Row:
    """(subject, number, cells) of a row."""
    subject, number, cells = record
    if len(cells) != len(LETTERS) + 2:
        raise BadRow(
            f"it has {len(cells)} cells, and not question, four options and a letter{suggest_delimiter(cells)}"
        )
    question, *options, answer = (cell.strip() for cell in cells)
    if not question:
        raise BadRow("its question is empty")
    if answer not in LETTERS:
        raise BadRow(f"its last cell “{answer[:40]}” is none of A, B, C, D")
    return {
        "id": f"mmlu-{subject}-{number:03}",
        "group": name_group("mmlu_med", question),
        "question": question,
        "options": dict(zip(LETTERS, options, strict=True)),
        "answer": answer,
    }


def read_subject(path: Path) -> Iterator[SetRecord]:
    """The rows of a subject, which the name of the file says."""
    named = re.fullmatch(FILE_NAME, path.name)
    if not named:
        known = ", ".join(SUBJECTS)
        raise UnreadableFile(
            path, f"its name says none of the subjects {known}", "Call it as MMLU does: anatomy_test.csv."
        )
    for number, (line, cells) in enumerate(read_table_cells(path)):
        yield SetRecord(f"line {line}", (named[1], number, cells))


def _files_in(folder: str) -> tuple[str, ...]:
    return tuple(f"{folder}{subject}_test.csv" for subject in SUBJECTS)


MMLU_MED = PublishedSet(
    name="mmlu_med",
    paper="Hendrycks et al., ICLR 2021",
    address="https://github.com/hendrycks/test",
    access="public",
    licence="MIT",
    scored="accuracy of the letter",
    forms=(
        SetForm("lines", "mmlu_med.jsonl", "lines", translate_choice_lines, ("id", "question", "answer")),
        SetForm("release", "SUBJECT_test.csv of six subjects", "table", translate_row, (), FILE_NAME, read_subject),
        mirage_form("mmlu"),
    ),
    files=(_files_in(""), _files_in("test/"), _files_in("data/test/")),
)
