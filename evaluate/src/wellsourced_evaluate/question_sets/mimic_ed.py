"""MIMIC-IV-ED (Johnson et al., PhysioNet), as its benchmark cuts it (Xie et al., Scientific Data 2022): 3 forecasts.

Original: master_dataset.csv, which github.com/nliulab/mimic4ed-benchmark (Benchmark_scripts/extract_master_dataset.py)
makes of the user's own copy of MIMIC-IV-ED: a row for each stay with stay_id, age, gender, chiefcomplaint, triage_*,
outcome_hospitalization, outcome_critical, outcome_ed_revisit_3d (True or False). Credentialed: nobody may have it
without an agreement with PhysioNet, which forbids showing it to services of others. No row of it was seen by whoever
wrote this; only the format is read. The patient's record is the `patient` of the question, and never the question:
it stays on the machine unless the settings say otherwise.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wellsourced_evaluate.question_sets.base import (
    PublishedSet,
    Row,
    SetForm,
    SetRecord,
    read_text,
    require_object,
    require_text,
)
from wellsourced_evaluate.question_sets.containers import read_records
from wellsourced_evaluate.questions.case_rows import BadRow, SkippedRow

TASKS = {
    "outcome_hospitalization": "Will this patient of the emergency department be admitted to hospital?",
    "outcome_critical": "Will this patient die in hospital, or be taken to intensive care within 12 hours?",
    "outcome_ed_revisit_3d": "Will this patient come back to the emergency department within 72 hours?",
}
"""Column → what is asked of each stay."""

LABELS = {"True": "yes", "False": "no", "1": "yes", "0": "no", "1.0": "yes", "0.0": "no"}

FINDINGS = {
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
"""Column → what it is called in the record: what is known at triage, and nothing that came later."""


def translate_stay(record: Any) -> Row:
    """(column of the outcome, row) of a stay."""
    column, said = record
    fields = require_object(said)
    stay, outcome = require_text(fields, "stay_id").removesuffix(".0"), read_text(fields, column)
    if not outcome:
        raise SkippedRow(f"without {column}")
    if outcome not in LABELS:
        raise BadRow(f"its {column} “{outcome}” is neither True nor False")
    findings = [f"{name}: {value}" for key, name in FINDINGS.items() if (value := read_text(fields, key))]
    if not findings:
        raise BadRow("it says nothing of the patient")
    return {
        "id": f"mimic-ed-{stay}-{column.removeprefix('outcome_')}",
        "group": f"mimic-ed-{read_text(fields, 'subject_id') or stay}",
        "question": TASKS[column],
        "patient": ". ".join(findings),
        "answer": LABELS[outcome],
    }


def read_stays(path: Path) -> Iterator[SetRecord]:
    """Each stay once for each outcome."""
    for where, said in read_records(path, "table"):
        if isinstance(said, BadRow):
            yield SetRecord(where, said)
            continue
        for column in TASKS:
            yield SetRecord(f"{where} ({column})", (column, said))


MIMIC_ED = PublishedSet(
    name="mimic_ed",
    paper="Johnson et al., PhysioNet 2021; Xie et al., Scientific Data 2022",
    address="https://physionet.org/content/mimic-iv-ed/, https://github.com/nliulab/mimic4ed-benchmark",
    access="credentialed",
    licence="PhysioNet Credentialed Health Data License: not to be shown to services of others",
    scored="accuracy of yes, no on three forecasts",
    forms=(
        SetForm(
            "release",
            "master_dataset.csv of the benchmark",
            "table",
            translate_stay,
            ("stay_id", *TASKS),
            "",
            read_stays,
        ),
    ),
    files=(("master_dataset.csv",),),
)
