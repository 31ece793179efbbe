"""Readers of published sets of multiple choice: MedMCQA, MMLU, DDXPlus and MIMIC-IV-ED."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from wellsourced.errors import UnreadableFile
from wellsourced_evaluate.question_sets.containers import (
    SetRecord,
    add_to_records,
    read_records,
    read_table_cells,
    suggest_delimiter,
)
from wellsourced_evaluate.question_sets.field_map import (
    Record,
    Row,
    name_group,
    read_text,
    require_label,
    require_object,
    require_text,
)
from wellsourced_evaluate.question_sets.json_members import iter_members
from wellsourced_evaluate.questions.case_rows import BadRow, SkippedRow


def read_medmcqa(path: Path) -> Iterator[SetRecord]:
    """The lines of a file, with the number of its first option. Raises UnreadableFile where that cannot be told.

    An answer key that is read one off looks like any other.
    """
    values = {one.value.get("cop") for one in read_records(path, "lines") if isinstance(one.value, dict)}
    numbers = {value for value in values if isinstance(value, int) and value != -1}
    if {0, 4} <= numbers:
        reason = "some of its cop count the options from 0, and some from 1"
        raise UnreadableFile(path, reason, "Take each file as it is published.")
    if numbers and numbers.isdisjoint((0, 4)):
        reason = "its cop are all between 1 and 3, so that it cannot be told whether the first option is 0 or 1"
        raise UnreadableFile(path, reason, "Take a larger part of the file: one with an option 0 or 4.")
    records = read_records(path, "lines")
    return add_to_records(records, _first=0 if 0 in numbers else 1, _has_answers=bool(numbers))


def translate_medmcqa(record: Any) -> Row:
    """An original line. Some options are published empty, and are options all the same."""
    fields = require_object(record)
    number, first = fields.get("cop"), fields["_first"]
    if number in (None, -1) and not fields["_has_answers"]:
        raise SkippedRow("without a published answer")
    question = require_text(fields, "question")
    if isinstance(number, bool) or not isinstance(number, int):
        raise BadRow("it has no cop" if number is None else f"its cop “{number}” is no whole number")
    if not first <= number <= first + 3:
        raise BadRow(f"its cop {number} is none of {first} to {first + 3}")
    id, names = f"medmcqa-{require_text(fields, 'id')}", ("opa", "opb", "opc", "opd")
    if missing := next((name for name in names if name not in fields), ""):
        raise BadRow(f"it has no {missing}")
    options = {letter: read_text(fields, name) for letter, name in zip("ABCD", names, strict=True)}
    group = name_group("medmcqa", question)
    return {"id": id, "group": group, "question": question, "options": options, "answer": "ABCD"[number - first]}


MMLU_SUBJECTS = (
    *("anatomy", "clinical_knowledge", "college_biology"),
    *("college_medicine", "medical_genetics", "professional_medicine"),
)


def read_mmlu(path: Path) -> Iterator[SetRecord]:
    """(subject, number, cells) of the rows of a file, whose name says the subject."""
    named = re.fullmatch(rf"({'|'.join(MMLU_SUBJECTS)})_(dev|val|test)\.csv(\.gz)?", path.name)
    if not named:
        reason = f"its name says none of the subjects {', '.join(MMLU_SUBJECTS)}"
        raise UnreadableFile(path, reason, "Call it as MMLU does: anatomy_test.csv.")
    for number, (line, cells) in enumerate(read_table_cells(path)):
        yield SetRecord(f"line {line}", (named[1], number, cells))


def translate_mmlu(record: Any) -> Row:
    """A row: question, four options, the right letter."""
    subject, number, cells = record
    if len(cells) != 6:
        wanted = f"question, four options and a letter{suggest_delimiter(cells)}"
        raise BadRow(f"it has {len(cells)} cells, and not {wanted}")
    question, *options, answer = (cell.strip() for cell in cells)
    if not question:
        raise BadRow("its question is empty")
    if answer not in tuple("ABCD"):
        raise BadRow(f"its last cell “{answer[:40]}” is none of A, B, C, D")
    id, group = f"mmlu-{subject}-{number:03}", name_group("mmlu_med", question)
    options_by_letter = dict(zip("ABCD", options, strict=True))
    return {"id": id, "group": group, "question": question, "options": options_by_letter, "answer": answer}


DDXPLUS_EVIDENCES, DDXPLUS_CONDITIONS = "release_evidences.json", "release_conditions.json"
SEXES = {"F": "female", "M": "male"}


def read_ddxplus(path: Path) -> Iterator[SetRecord]:
    """(number, row, evidences, options) of the patients, with what the files beside them say."""
    evidences, conditions = (_read_beside(path, name) for name in (DDXPLUS_EVIDENCES, DDXPLUS_CONDITIONS))
    options = {str(number): name for number, name in enumerate(sorted(conditions), 1)}
    for number, (where, value) in enumerate(read_records(path, "table")):
        yield SetRecord(where, value if isinstance(value, BadRow) else (number, value, evidences, options))


def _read_beside(path: Path, name: str) -> dict[str, Any]:
    beside = path.with_name(name)
    if not beside.is_file():
        raise UnreadableFile(path, f"{name}, which says what its codes mean, is not beside it", "Put it there.")
    return {key: value for key, value in iter_members(beside) if isinstance(value, dict)}


def translate_ddxplus(record: Any) -> Row:
    """Asked is what a doctor was told; the differential diagnosis is not shown."""
    number, value, evidences, options = record
    fields = require_object(value)
    pathology = require_text(fields, "PATHOLOGY")
    if pathology not in options.values():
        raise BadRow(f"its PATHOLOGY “{pathology}” is none of {DDXPLUS_CONDITIONS}")
    sex, age = require_label(fields, "SEX", tuple(SEXES)), require_text(fields, "AGE")
    if not age.isdecimal():
        raise BadRow(f"its AGE “{age}” is no number")
    first = _describe_evidence(require_text(fields, "INITIAL_EVIDENCE"), evidences)
    answers = [_describe_evidence(code, evidences) for code in _read_codes(fields)]
    text = "; ".join(dict.fromkeys(answers))
    return {
        "id": f"ddxplus-{number:06}",
        "question": f"A patient, {age} years old, {SEXES[sex]}, comes with this: {first}. Asked further: {text}. "
        "Which condition does this patient have?",
        "options": options,
        "answer": next(key for key, name in options.items() if name == pathology),
    }


def _read_codes(fields: Record) -> list[str]:
    """EVIDENCES, which is written as Python writes a list of texts; nothing else is taken."""
    try:
        codes = ast.literal_eval(require_text(fields, "EVIDENCES"))
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise BadRow("its EVIDENCES are no list") from error
    if not isinstance(codes, list) or not all(isinstance(code, str) for code in codes):
        raise BadRow("its EVIDENCES are no list of codes")
    return codes


def _describe_evidence(code: str, evidences: Mapping[str, Any]) -> str:
    """A question and the patient's answer: "Does the pain radiate? Nowhere"."""
    name, _, value = code.partition("_@_")
    evidence = evidences.get(name)
    if not isinstance(evidence, dict):
        raise BadRow(f"the evidence {name} is none of {DDXPLUS_EVIDENCES}")
    question, meanings = require_text(evidence, "question_en"), evidence.get("value_meaning")
    meaning = meanings.get(value) if isinstance(meanings, dict) else None
    return f"{question} {(read_text(meaning, 'en') if isinstance(meaning, dict) else value) or 'Yes'}"


MIMIC_TASKS = {
    "outcome_hospitalization": "Will this patient of the emergency department be admitted to hospital?",
    "outcome_critical": "Will this patient die in hospital, or be taken to intensive care within 12 hours?",
    "outcome_ed_revisit_3d": "Will this patient come back to the emergency department within 72 hours?",
}
"""Column → what is asked of each stay."""

MIMIC_LABELS = {"True": "yes", "False": "no", "1": "yes", "0": "no", "1.0": "yes", "0.0": "no"}

MIMIC_FINDINGS = {
    "age": "Age",
    "gender": "Sex",
    "chiefcomplaint": "Chief complaint",
    "triage_acuity": "Acuity at triage (1 to 5)",
    "triage_temperature": "Temperature",
    "triage_heartrate": "Heart rate",
    "triage_resprate": "Breaths per minute",
    "triage_o2sat": "Oxygen saturation",
    "triage_sbp": "Systolic pressure",
    "triage_dbp": "Diastolic pressure",
    "triage_pain": "Pain (0 to 10)",
}
"""Column → its name in the record: what is known at triage, and nothing that came later."""


def read_mimic_ed(path: Path) -> Iterator[SetRecord]:
    """(column of the outcome, row): each stay once for each outcome."""
    for where, value in read_records(path, "table"):
        if isinstance(value, BadRow):
            yield SetRecord(where, value)
            continue
        for column in MIMIC_TASKS:
            yield SetRecord(f"{where} ({column})", (column, value))


def translate_mimic_ed(record: Any) -> Row:
    """The record of the patient is the `patient` of the question, which stays on the machine, and no part of it."""
    column, value = record
    fields = require_object(value)
    stay, outcome = require_text(fields, "stay_id").removesuffix(".0"), read_text(fields, column)
    if not outcome:
        raise SkippedRow(f"without {column}")
    if outcome not in MIMIC_LABELS:
        raise BadRow(f"its {column} “{outcome}” is neither True nor False")
    findings = [f"{name}: {text}" for key, name in MIMIC_FINDINGS.items() if (text := read_text(fields, key))]
    if not findings:
        raise BadRow("it says nothing of the patient")
    return {
        "id": f"mimic-ed-{stay}-{column.removeprefix('outcome_')}",
        "group": f"mimic-ed-{read_text(fields, 'subject_id') or stay}",
        "question": MIMIC_TASKS[column],
        "patient": ". ".join(findings),
        "answer": MIMIC_LABELS[outcome],
    }
