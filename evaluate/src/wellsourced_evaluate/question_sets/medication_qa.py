"""MedicationQA (Ben Abacha et al., MEDINFO 2019): questions of consumers about drugs, with answers from trusted pages.

Original: github.com/abachaa/Medication_QA_MedInfo2019, MedInfo2019-QA-Medications.xlsx, sheet DrugQA, columns Question,
Focus (Drug), Question Type, Answer, Section Title, URL: 690 rows, of which the paper counts 674. Some questions stand
there several times with other answers: they are cases of one group. A table with these columns is read too.
"""

from typing import Any

from wellsourced_evaluate.question_sets.base import (
    PublishedSet,
    Row,
    SetDownload,
    name_group,
    read_text,
    require_object,
    require_text,
)
from wellsourced_evaluate.question_sets.containers import sheet_forms
from wellsourced_evaluate.question_sets.omni_rag import LONG_FILES, omni_rag_form

FILE_NAME = "MedInfo2019-QA-Medications.xlsx"
MARKERS = ("Question", "Focus (Drug)", "Question Type", "Answer")


def translate_row(record: Any) -> Row:
    """A row; one without an answer is asked and compared with nothing."""
    fields = require_object(record)
    question = require_text(fields, "Question")
    return {
        "id": f"medication-{fields['_number']:03}",
        "group": name_group("medication_qa", question),
        "question": question,
        "reference": read_text(fields, "Answer"),
    }


MEDICATION_QA = PublishedSet(
    name="medication_qa",
    paper="Ben Abacha et al., MEDINFO 2019",
    address="https://github.com/abachaa/Medication_QA_MedInfo2019",
    access="public",
    licence="none is stated (US National Library of Medicine)",
    scored="ROUGE-L against the answer",
    forms=(
        *sheet_forms(FILE_NAME, translate_row, MARKERS, numbered=True),
        omni_rag_form("medicationqa", long=True),
    ),
    files=((FILE_NAME,), ("MedInfo2019-QA-Medications.csv",), *LONG_FILES),
    downloads=(SetDownload(f"https://github.com/abachaa/Medication_QA_MedInfo2019/raw/master/{FILE_NAME}", FILE_NAME),),
)
