"""DDXPlus (Fansi Tchango et al., NeurIPS 2022): simulated patients, and which of 49 conditions they have.

Original: DDXPlus Dataset (English) on figshare (read by github.com/mila-iqia/ddxplus,
code/convert_DDXPlus_to_texts.py): release_*_patients.csv (from a ZIP; inside it the file may have no ending) with
AGE, DIFFERENTIAL_DIAGNOSIS, SEX, PATHOLOGY, EVIDENCES, INITIAL_EVIDENCE, where EVIDENCES is a list of "E_53" and
"E_54_@_V_161"; release_evidences.json {code: {"question_en", "data_type", "value_meaning": {value: {"en"}}, …}};
release_conditions.json {name: {…}}. The two have to lie beside the patients. Asked is what a doctor was told; the
differential diagnosis is not shown. Omni-RAG has the options within the question, and one more, “cannot decide”.
"""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from wellsourced.errors import UnreadableFile
from wellsourced_evaluate.question_sets.base import (
    PublishedSet,
    Row,
    SetForm,
    SetRecord,
    read_text,
    require_label,
    require_object,
    require_text,
)
from wellsourced_evaluate.question_sets.containers import read_records
from wellsourced_evaluate.question_sets.json_documents import iter_members
from wellsourced_evaluate.question_sets.omni_rag import SHORT_FILES, omni_rag_form
from wellsourced_evaluate.questions.case_rows import BadRow

EVIDENCES, CONDITIONS = "release_evidences.json", "release_conditions.json"
SEXES = {"F": "female", "M": "male"}
YES_NO = {"B": "Yes"}


def translate_patient(record: Any) -> Row:
    """(number, row, evidences, options) of a patient."""
    number, said, evidences, options = record
    fields = require_object(said)
    pathology = require_text(fields, "PATHOLOGY")
    if pathology not in options.values():
        raise BadRow(f"its PATHOLOGY “{pathology}” is none of {CONDITIONS}")
    sex, age = require_label(fields, "SEX", tuple(SEXES)), require_text(fields, "AGE")
    if not age.isdecimal():
        raise BadRow(f"its AGE “{age}” is no number")
    first = _describe_evidence(require_text(fields, "INITIAL_EVIDENCE"), evidences)
    told = [_describe_evidence(one, evidences) for one in _read_codes(fields)]
    text = "; ".join(dict.fromkeys(told))
    return {
        "id": f"ddxplus-{number:06}",
        "question": f"A patient, {age} years old, {SEXES[sex]}, comes with this: {first}. Asked further: {text}. "
        "Which condition does this patient have?",
        "options": options,
        "answer": next(key for key, name in options.items() if name == pathology),
    }


def _read_codes(fields: Mapping[str, Any]) -> list[str]:
    """EVIDENCES, which is written as Python writes a list of texts; nothing else is taken."""
    try:
        codes = ast.literal_eval(require_text(fields, "EVIDENCES"))
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise BadRow("its EVIDENCES are no list") from error
    if not isinstance(codes, list) or not all(isinstance(one, str) for one in codes):
        raise BadRow("its EVIDENCES are no list of codes")
    return codes


def _describe_evidence(code: str, evidences: Mapping[str, Any]) -> str:
    """What was asked, and what the patient said: "Does the pain radiate? Nowhere"."""
    name, _, value = code.partition("_@_")
    evidence = evidences.get(name)
    if not isinstance(evidence, dict):
        raise BadRow(f"the evidence {name} is none of {EVIDENCES}")
    question, meanings = require_text(evidence, "question_en"), evidence.get("value_meaning")
    meaning = meanings.get(value) if isinstance(meanings, dict) else None
    said = read_text(meaning, "en") if isinstance(meaning, dict) else value
    return f"{question} {said or YES_NO.get(str(evidence.get('data_type')), 'Yes')}"


def read_patients(path: Path) -> Iterator[SetRecord]:
    """The patients, with what the files beside them say."""
    evidences, conditions = (_read_beside(path, name) for name in (EVIDENCES, CONDITIONS))
    options = {str(number): name for number, name in enumerate(sorted(conditions), 1)}
    for number, (where, said) in enumerate(read_records(path, "table")):
        yield SetRecord(where, said if isinstance(said, BadRow) else (number, said, evidences, options))


def _read_beside(path: Path, name: str) -> dict[str, Any]:
    beside = path.with_name(name)
    if not beside.is_file():
        raise UnreadableFile(path, f"{name}, which says what its codes mean, is not beside it", "Put it there.")
    return {key: value for key, value in iter_members(beside) if isinstance(value, dict)}


DDXPLUS = PublishedSet(
    name="ddxplus",
    paper="Fansi Tchango et al., NeurIPS 2022",
    address="https://figshare.com/articles/dataset/DDXPlus_Dataset_English_/22687585",
    access="public",
    licence="CC BY 4.0",
    scored="accuracy of the condition, of 49",
    forms=(
        SetForm(
            "release",
            f"release_*_patients.csv with {EVIDENCES} and {CONDITIONS} beside it",
            "table",
            translate_patient,
            ("AGE", "SEX", "PATHOLOGY", "EVIDENCES", "INITIAL_EVIDENCE"),
            "",
            read_patients,
        ),
        omni_rag_form("ddxplus", long=False),
    ),
    files=(("release_test_patients.csv",), ("release_test_patients",), *SHORT_FILES),
)
