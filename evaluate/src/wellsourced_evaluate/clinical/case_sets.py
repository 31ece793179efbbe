"""Every set of cases by its name: what it measures, and how."""

from collections.abc import Mapping

from wellsourced_evaluate.clinical import (
    faulty_drafts,
    guideline_cases,
    patient_cases,
    statement_checks,
    study_cases,
    text_checks,
)
from wellsourced_evaluate.clinical.cases import Measure

CASE_SETS: Mapping[str, Measure] = {
    "facts": guideline_cases.measure_facts,
    "near-misses": guideline_cases.measure_near_misses,
    "questions": guideline_cases.measure_questions,
    "messages": guideline_cases.measure_messages,
    "patients": patient_cases.measure_patients,
    "recommended-first": patient_cases.measure_recommended_first,
    "patient-pages": patient_cases.measure_patient_pages,
    "patient-facts": patient_cases.measure_patient_facts,
    "short-answers": study_cases.measure_short_answers,
    "swapped-names": study_cases.measure_swapped_names,
    "tiers": study_cases.measure_tiers,
    "emergencies": text_checks.measure_emergencies,
    "identifiers": text_checks.measure_identifiers,
    "spelling": text_checks.measure_spelling,
    "vetoes": statement_checks.measure_vetoes,
    "statuses": statement_checks.measure_statuses,
    "marks": statement_checks.measure_marks,
    "altered": statement_checks.measure_altered,
    "drafts": faulty_drafts.measure_drafts,
}


def describe_set(name: str) -> str:
    """What a set measures, in a line."""
    return " ".join((CASE_SETS[name].__doc__ or "").partition("\n\n")[0].split())
