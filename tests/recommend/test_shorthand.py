"""Conditions as busy clinicians jot them down, and what is none."""

import pytest

from wellsourced.clinical.drugs import find_drugs
from wellsourced.recommend.patient_record import read_patient_record
from wellsourced.recommend.warning_rules import find_circumstances, lacks_companion_drug


@pytest.mark.parametrize(
    ("record", "condition"),
    [
        ("PMH: hypertensive basal ganglia haemorrhage 2018", "intracranial haemorrhage"),
        ("Old SDH, drained", "stroke"),
        ("Monitor: Mobitz II 2:1 at times", "heart block"),
        ("Angio-oedema of tongue on Altace 2019", "angioedema"),
        ("Lip swelling on ramipril, face swollen last year", "angioedema"),
        ("Known CCF, LVSD", "heart failure"),
        ("MTC, RET-positive", "thyroid cancer"),
        ("Roux-en-Y 2019", "bariatric surgery"),
    ],
)
def test_a_condition_in_shorthand_is_known(record: str, condition: str) -> None:
    assert condition in read_patient_record(record).conditions


@pytest.mark.parametrize(
    ("record", "condition"),
    [("SpO2 97% RA, chest clear", "rheumatoid arthritis"), ("ECG: ST depression V4-6", "depression")],
)
def test_room_air_and_a_tracing_are_no_disease(record: str, condition: str) -> None:
    assert condition not in read_patient_record(record).conditions


def test_what_a_brother_has_counts_where_the_family_does() -> None:
    record = read_patient_record("61M, T2DM. Brother operated for medullary thyroid ca (MEN2).")
    family = "Contraindicated in personal or family history of medullary thyroid carcinoma or MEN2."
    assert "thyroid cancer" not in record.conditions
    assert [one.about for one in find_circumstances(family, record)[0]] == ["thyroid cancer"]
    assert find_circumstances("Contraindicated in medullary thyroid carcinoma.", record)[0] == []


def test_what_once_came_of_a_drug_is_no_drug_given_with_another() -> None:
    drugs = find_drugs("sacubitril/valsartan")
    assert not lacks_companion_drug("ARNi: not with a history of angioedema with ACEi", drugs)
    assert lacks_companion_drug("Do not combine an ARB with an ACEi", find_drugs("losartan"))
