"""What guidelines say against a drug for one patient, and what they do not."""

import pytest

from tests.tables import each_row
from tests.world import document
from wellsourced.errors import Misquote
from wellsourced.medicine.drugs import find_drugs
from wellsourced.recommend.patient_record import read_patient_record
from wellsourced.recommend.patient_warnings import PatientDrugs, find_warnings
from wellsourced.types import PatientWarning

MRA = (
    "Mineralocorticoid receptor antagonists:\n"
    "- Prerequisites: eGFR > 30 mL/min AND serum potassium < 5.0 mEq/L.\n"
    "- Contraindications: Severe renal impairment (eGFR < 30), potassium > 5.0 mEq/L."
)


def warn(text: str, record: str, asked: str) -> list[PatientWarning]:
    read = read_patient_record(record, asked)
    drugs = PatientDrugs(find_drugs(asked), read.current_drugs)
    return find_warnings([document("doi:10.1/one", text, title="A guideline")], read, drugs)


@each_row(
    ("text", "record", "asked", "warned"),
    [
        (MRA, "eGFR 25, K 4.4", "spironolactone?", True),
        (MRA, "eGFR 84, K 5.3", "spironolactone?", True),
        (MRA, "eGFR 84, K 4.3", "spironolactone?", False),
        (MRA, "eGFR 25, K 5.3", "bisoprolol?", False),
        ("ACE inhibitors are contraindicated in pregnancy.", "31-year-old, pregnant.", "lisinopril?", True),
        ("ACE inhibitors are contraindicated in pregnancy.", "31-year-old, not pregnant.", "lisinopril?", False),
        ("Avoid beta-blockers in severe asthma.", "Mild asthma.", "metoprolol?", False),
        ("Avoid metoprolol in asthma.", "Asthma.", "metoprolol?", True),
        ("Metoprolol is given to avoid angina.", "Angina.", "metoprolol?", False),
        ("Avoid beta-blockers in severe asthma.", "Severe asthma.", "metoprolol?", True),
        ("Avoid beta-blockers in severe bronchospasm.", "Brittle asthma, 2 ITU tubes.", "metoprolol?", True),
        ("Do not combine azathioprine with allopurinol.", "Drugs: azathioprine 125 mg.", "allopurinol?", True),
        ("Do not combine azathioprine with allopurinol.", "Drugs: aspirin 81 mg.", "allopurinol?", False),
        ("Delay insulin until K+ > 3.5 mmol/L.", "K 2.9 mmol/L", "insulin?", True),
        ("Delay insulin until K+ > 3.5 mmol/L.", "K 4.2 mmol/L", "insulin?", False),
        ("Citalopram is limited to 20 mg/day in patients over 60.", "79-year-old man, eGFR 80.", "citalopram?", False),
        ("Statins are recommended unless contraindicated in liver disease.", "Cirrhosis.", "statin?", False),
    ],
)
def test_a_warning_stands_where_drug_and_record_are_meant(text: str, record: str, asked: str, warned: bool) -> None:
    assert bool(warn(text, record, asked)) is warned


def test_two_of_three_are_needed_where_the_line_says_so() -> None:
    text = "Apixaban: reduce to 2.5 mg if at least two of: age ≥ 80 years, body weight ≤ 60 kg, creatinine ≥ 1.5 mg/dL."
    only_age = warn(text, "84-year-old woman, weight 74 kg, creatinine 1.2.", "apixaban dose?")
    assert only_age == []


def test_a_warning_carries_the_words_of_the_record_and_of_the_guideline_where_they_stand() -> None:
    (warning, *_) = warn(MRA, "K 5.3 mmol/L and eGFR 84", "spironolactone?")
    assert warning.severity == "contraindicated"
    assert warning.is_asked
    assert "K 5.3 mmol/L" in warning.record
    last = warning.citations[-1]
    assert last.quote in MRA
    with pytest.raises(Misquote):
        PatientWarning(**{**warning.model_dump(), "citations": [{**last.model_dump(), "quote": "x" * len(last.quote)}]})


def test_a_drug_that_is_taken_comes_after_the_one_that_is_asked_for() -> None:
    text = "Metformin is contraindicated if eGFR < 30 mL/min.\n\nAcamprosate is contraindicated if eGFR < 30 mL/min."
    found = warn(text, "eGFR 24. Drugs: metformin 500 mg bd.", "acamprosate?")
    assert [(one.drugs, one.is_asked) for one in found] == [(("acamprosate",), True), (("metformin",), False)]


STEMI = (
    "Relative contraindications to fibrinolytic therapy:\n"
    "- Active peptic ulcer\n\n"
    "Absolute contraindications to fibrinolytic therapy:\n"
    "- Known intracranial neoplasm (primary or metastatic)"
)


def severities(text: str, record: str, asked: str) -> list[str]:
    return [one.severity for one in warn(text, record, asked)]


def test_a_relative_contraindication_is_a_caution() -> None:
    assert severities(STEMI, "63M, active peptic ulcer.", "alteplase?") == ["caution"]


def test_a_cancer_elsewhere_is_none_in_the_skull() -> None:
    assert severities(STEMI, "74F, cervical cancer 1998.", "alteplase?") == []
    assert severities(STEMI, "74F, metastatic brain cancer.", "alteplase?") == ["contraindicated"]


def test_what_alone_forbids_in_brackets_forbids_no_other_drug() -> None:
    text = "Interactions of urate-lowering therapy (azathioprine with allopurinol: absolute contraindication)."
    (found,) = warn(text, "Drugs: azathioprine 125 mg.", "Which urate-lowering therapy: allopurinol?")
    assert found.drugs == ("allopurinol",)


def titled(title: str, text: str, record: str, asked: str, said: str = "") -> list[PatientWarning]:
    """The warnings of a guideline with a title, of what is asked and of what the answer alone says."""
    read = read_patient_record(record, asked)
    named = find_drugs(asked)
    drugs = PatientDrugs((*named, *find_drugs(said)), read.current_drugs, tuple(named))
    return find_warnings([document("doi:10.1/one", text, title=title)], read, drugs)


def test_what_is_said_of_patients_with_another_disease_is_not_said_of_this_one() -> None:
    text = "Metoprolol should not be given to patients with STEMI who have asthma."
    assert titled("Management of STEMI", text, "STEMI, asthma.", "metoprolol?")
    assert not titled("Management of STEMI", text, "Atrial fibrillation, asthma.", "metoprolol?")


def test_a_member_of_a_class_that_the_answer_alone_names_is_not_asked_for() -> None:
    text = "Labetalol: avoid in asthma."
    assert [one.is_asked for one in titled("Pressure", text, "Asthma.", "A beta-blocker?")] == [True]
    assert [one.is_asked for one in titled("Pressure", text, "Asthma.", "Diltiazem?", "beta-blockers")] == [False]


def test_the_guideline_on_the_patients_disease_warns_first() -> None:
    record = read_patient_record("52F, day 1 aSAH, old seizures.")
    asked = tuple(find_drugs("phenytoin"))
    documents = [
        document("doi:10.1/tbi", "Phenytoin should be avoided in seizures.", title="Traumatic Brain Injury"),
        document("doi:10.1/sah", "Avoid phenytoin in seizures.", title="Subarachnoid Hemorrhage"),
    ]
    first, *_ = find_warnings(documents, record, PatientDrugs(asked, (), asked), frozenset({"doi:10.1/tbi"}))
    assert first.passage.reference.id == "doi:10.1/sah"


def test_a_drug_that_must_be_avoided_in_the_guidelines_own_disease_is_warned_of_by_its_name() -> None:
    text = "Routine antiseizure medication is not recommended in all aSAH patients.\n\nPhenytoin must be avoided."
    first, *_ = titled("Aneurysmal Subarachnoid Hemorrhage", text, "52F, aSAH.", "phenytoin?")
    assert first.citations[-1].quote == "Phenytoin must be avoided."
