"""Lines of documents to check for one patient: what the record has of what they warn of, and what is none."""

import pytest

from tests.tables import each_row
from tests.world import document
from wellsourced.errors import Misquote
from wellsourced.medicine.drugs import find_drugs
from wellsourced.patients.lines_to_check import MAX_LINES, PatientDrugs, find_cautions, find_lines_to_check
from wellsourced.patients.record import read_patient_record
from wellsourced.recommendation import find_asked_drugs
from wellsourced.types import LineToCheck

MRA = (
    "Mineralocorticoid receptor antagonists:\n"
    "- Prerequisites: eGFR > 30 mL/min AND serum potassium < 5.0 mEq/L.\n"
    "- Contraindications: Severe renal impairment (eGFR < 30), potassium > 5.0 mEq/L."
)


def check(text: str, record: str, asked: str, *, said: str = "", title: str = "A guideline") -> tuple[LineToCheck, ...]:
    """The lines of a document with this text, for who asks about what is asked, takes what the record says."""
    read = read_patient_record(record)
    drugs = PatientDrugs(find_asked_drugs(asked), read.current_drugs, find_drugs(said))
    return find_lines_to_check([document("doi:10.1/one", text, title=title)], read, drugs, asked)


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
        ("Citalopram is limited to 20 mg/day in patients over 60.", "79-year-old man, eGFR 80.", "citalopram?", True),
        ("Statins are recommended unless contraindicated in liver disease.", "Cirrhosis.", "statin?", False),
    ],
)
def test_a_line_is_one_to_check_where_it_warns_of_a_drug_and_names_what_the_record_has(
    text: str, record: str, asked: str, warned: bool
) -> None:
    assert bool(check(text, record, asked)) is warned


def test_two_of_three_are_needed_where_the_line_says_so() -> None:
    text = "Apixaban: reduce to 2.5 mg if at least two of: age ≥ 80 years, body weight ≤ 60 kg, creatinine ≥ 1.5 mg/dL."
    assert check(text, "84-year-old woman, weight 74 kg, creatinine 1.2.", "apixaban dose?") == ()
    assert check(text, "84-year-old woman, weight 54 kg, creatinine 1.2.", "apixaban dose?")


def test_a_line_carries_the_words_of_the_record_and_its_own_where_they_are() -> None:
    (line, *_) = check(MRA, "K 5.3 mmol/L and eGFR 84", "spironolactone?")
    assert "K 5.3 mmol/L" in line.record
    last = line.citations[-1]
    assert last.quote in MRA
    assert MRA[last.start : last.end] == last.quote
    with pytest.raises(Misquote):
        LineToCheck(**{**line.model_dump(), "citations": [{**last.model_dump(), "quote": "x" * len(last.quote)}]})


def test_no_words_of_the_record_are_written() -> None:
    (line, *_) = check(MRA, "K 5.3 mmol/L and eGFR 84", "spironolactone?")
    assert "5.3 mmol" not in line.model_dump_json()
    assert line.about == ("potassium",)


def test_what_is_asked_for_comes_before_what_is_taken() -> None:
    text = "Metformin is contraindicated if eGFR < 30 mL/min.\n\nAcamprosate is contraindicated if eGFR < 30 mL/min."
    found = check(text, "eGFR 24. Drugs: metformin 500 mg bd.", "acamprosate?")
    assert [one.drugs for one in found] == [("Acamprosate",), ("Metformin",)]


def test_no_more_than_eight_lines_are_shown() -> None:
    drugs = ("naproxen", "ibuprofen", "diclofenac", "colchicine", "allopurinol", "metformin", "ramipril",
             "amlodipine", "spironolactone", "apixaban")  # fmt: skip
    text = "\n\n".join(f"{drug.capitalize()} is contraindicated if eGFR < 30 mL/min." for drug in drugs)
    assert len(check(text, f"eGFR 24. Drugs: {', '.join(drugs)}.", "What next?")) == MAX_LINES


def test_a_cancer_that_the_record_denies_and_a_limit_that_it_lacks_are_no_match() -> None:
    assert check("Avoid naltrexone in cancer or eGFR < 30 mL/min.", "61M, no cancer.", "naltrexone?") == ()


@each_row(
    ("text", "record", "asked"),
    [
        ("Statins are contraindicated in pregnancy.", "58M. Sister currently 20/40 pregnant.", "statin?"),
        ("Avoid metoprolol in asthma.", "60F. FHx: mother severe asthma.", "metoprolol?"),
        ("Avoid warfarin after stroke.", "33F. Mum HTN + stroke at 60.", "warfarin?"),
        ("Avoid methotrexate in hepatitis.", "58M, hepatitis A as a child - cleared.", "methotrexate?"),
        ("Topiramate is contraindicated with kidney stones.", "49M, never had kidney stones.", "topiramate?"),
        ("DOACs are contraindicated in pregnancy.", "34F, three miscarriages at 11-16/40.", "DOAC?"),
        ("Avoid naltrexone in cancer.", "76F, myeloma screen neg.", "naltrexone?"),
        ("Avoid statins, except in those with a strong family history of premature ASCVD.", "58M, NSTEMI.", "statin?"),
        ("Do not add fibrate therapy to statin therapy to reduce CVD events.", "58M, NSTEMI.", "Which statin?"),
        ("Never omit insulin in ketoacidosis.", "DKA", "insulin?"),
        ("XOIs are preferred in CKD, because uricosurics have reduced efficacy.", "eGFR 36", "allopurinol?"),
        ("Allopurinol: maximum 800 mg/day regardless of kidney disease.", "eGFR 36", "allopurinol?"),
    ],
)
def test_what_is_a_relatives_past_denied_or_no_limit_is_nothing_to_check(text: str, record: str, asked: str) -> None:
    assert check(text, record, asked) == ()


@each_row(
    ("text", "record", "asked", "drug"),
    [
        ("Avoid glyburide at eGFR < 30.", "eGFR 25", "How do I change his glucose-lowering treatment?", "glyburide"),
        ("Contraindicated in pregnancy: ACE inhibitors.", "pregnant", "Which antihypertensive?", "ACE inhibitors"),
        ("Contraindicated in pregnancy: ACE inhibitors.", "pregnant", "How do I lower her BP?", "ACE inhibitors"),
        ("Sulfonamide allergy: avoid silver sulfadiazine.", "Allergies: Septrin (rash).", "silver sulfadiazine?",
         "silver sulfadiazine"),
    ],
)  # fmt: skip
def test_of_a_class_that_is_asked_for_its_members_count(text: str, record: str, asked: str, drug: str) -> None:
    assert drug in [name for one in check(text, record, asked) for name in one.drugs]


BONE = "Creatinine clearance < 30-35 mL/min -- bisphosphonates are contraindicated; consider denosumab."


@each_row(
    ("text", "record", "asked"),
    [
        (BONE, "72-year-old woman, CrCl 24 mL/min.", "denosumab?"),
        ("Avoid NSAIDs in CKD; use colchicine instead.", "eGFR 25", "colchicine?"),
        ("In CKD treat with colchicine (avoid NSAIDs).", "eGFR 25", "colchicine?"),
        ("LMWH is the preferred anticoagulant in pregnancy; DOACs are contraindicated.", "31F, pregnant.", "LMWH?"),
        ("Give an ARB to patients who are intolerant of ACE inhibitors and have heart failure.", "HFrEF", "ramipril?"),
        ("Avoid SSRIs with anticoagulants in older adults.", "79-year-old man. Drugs: aspirin.", "sertraline?"),
        ("Metformin raised lactate (HR 1.3) in CKD: avoid.", "eGFR 25", "metformin?"),
    ],
)
def test_what_a_line_recommends_or_reports_is_no_warning_of_it(text: str, record: str, asked: str) -> None:
    assert check(text, record, asked) == ()


def test_a_drug_that_is_taken_speaks_against_the_one_that_is_asked_for() -> None:
    text = "Naltrexone should not be used by individuals who use opioids."
    (line,) = check(text, "50-year-old man. Drugs: oxycodone 10 mg.", "naltrexone?")
    assert "oxycodone" in line.record


def test_what_is_said_of_others_than_the_patient_is_left_out() -> None:
    text = "Right ventricular infarction:\n- Avoid nitrates in hypotension."
    assert check(text, "NSTEMI, BP 84/50", "nitroglycerin?") == ()
    assert check(text, "RV infarction, BP 84/50", "nitroglycerin?")


def test_what_a_line_forbids_as_such_counts_in_a_document_on_the_patients_disease() -> None:
    text = "Meperidine should be avoided."
    assert check(text, "gallstone pancreatitis", "pethidine?", title="Acute pancreatitis")
    assert not check(text, "gallstone pancreatitis", "pethidine?", title="Sickle cell disease")


def test_what_a_document_says_of_its_own_limitations_is_nothing_to_check() -> None:
    text = "Limitations of this guideline:\n- Colchicine dose adjustment in CKD is not addressed."
    assert check(text, "eGFR 25", "colchicine?") == ()


def test_a_family_history_counts_where_a_line_asks_for_one() -> None:
    text = "GLP-1 RAs: contraindicated in personal or family history of medullary thyroid carcinoma."
    (line,) = check(text, "59M. FHx: brother medullary ca.", "Which glucose-lowering drug?")
    assert line.about == ("thyroid cancer",)
    assert not check(text.replace("personal or family history of ", ""), "59M. FHx: brother medullary ca.", "GLP-1?")


def test_the_same_rule_is_shown_twice_at_most() -> None:
    text = "\n\n".join(f"Colchicine is contraindicated if eGFR < {limit} mL/min." for limit in (30, 31, 32, 33))
    assert len(check(text, "eGFR 24", "colchicine?")) == 2


@each_row(
    ("question", "text", "warned"),
    [
        ("Tirzepatide in MEN2, ok?", "GLP-1 agonists and tirzepatide are contraindicated in MEN2.", True),
        ("Tirzepatide in MEN2, ok?", "Metformin is contraindicated in MEN2.", False),
        ("CrCl 28: zoledronate ok?", "CrCl < 35 mL/min: bisphosphonates are contraindicated.", True),
        ("CrCl 68: zoledronate ok?", "CrCl < 35 mL/min: bisphosphonates are contraindicated.", False),
        ("Dose of zoledronate?", "CrCl < 35 mL/min: bisphosphonates are contraindicated.", False),
        ("Simvastatin with gemfibrozil?", "Do not combine gemfibrozil with any statin.", True),
        ("Penicillin allergy, which drug?", "Penicillin allergy: avoid amoxicillin.", False),
        ("What helps in asthma?", "Avoid beta-blockers in asthma.", False),
    ],
)
def test_a_line_speaks_against_a_drug_that_a_question_names_for_something_else_in_it(
    question: str, text: str, warned: bool
) -> None:
    found = find_cautions([document("doi:10.1/one", text, title="A guideline")], question)
    assert bool(found) is warned


def test_what_a_document_is_about_says_nothing_particular_against_a_drug() -> None:
    text = "Inhaled corticosteroids alone are contraindicated in COPD."
    asked = "Budesonide for COPD?"
    assert find_cautions([document("doi:10.1/one", text, title="A guideline")], asked)
    assert not find_cautions([document("doi:10.1/one", text, title="Management of COPD")], asked)


def test_two_lines_at_most_speak_against_a_drug_and_none_says_the_same_again() -> None:
    text = "\n".join(
        f"- Avoid metoprolol in {one}." for one in ("asthma", "severe asthma", "bradycardia", "heart block")
    )
    asked = "Metoprolol with asthma, bradycardia and heart block?"
    assert len(find_cautions([document("doi:10.1/one", text)], asked)) == 2
