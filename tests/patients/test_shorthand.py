"""Conditions as busy clinicians jot them down, and what is none."""

from tests.tables import each_row
from wellsourced.patients.circumstances import find_circumstances
from wellsourced.patients.record import read_patient_record


@each_row(
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
        ("Day 1 aSAH, coiled", "intracranial haemorrhage"),
        ("R face/arm weakness, NIHSS 11", "stroke"),
        ("BAL grew M. avium x2", "mycobacterial lung disease"),
        ("DXA T -3.4 hip", "osteoporosis"),
        ("81M with gout", "gout"),
        ("33F, LMP 9 weeks ago, two positive home tests this week", "pregnancy"),
        ("59F, HFrEF, NYHA III", "NYHA III or IV"),
    ],
)
def test_a_condition_in_shorthand_is_known(record: str, condition: str) -> None:
    assert condition in read_patient_record(record).conditions


@each_row(
    ("record", "condition"),
    [
        ("SpO2 97% RA, chest clear", "rheumatoid arthritis"),
        ("ECG: ST depression V4-6", "depression"),
        ("33F. P1: pre-eclampsia at 35/40", "pregnancy"),
        ("Loading 'seizure cover' was not given", "seizures"),
        ("82M, hearing aids", "HIV"),
    ],
)
def test_what_only_looks_like_a_condition_is_none(record: str, condition: str) -> None:
    assert condition not in read_patient_record(record).conditions


def test_what_a_brother_has_counts_where_the_family_does() -> None:
    record = read_patient_record("61M, T2DM. Brother operated for medullary thyroid ca (MEN2).")
    family = "Contraindicated in personal or family history of medullary thyroid carcinoma or MEN2."
    assert "thyroid cancer" not in record.conditions
    assert [one.about for one in find_circumstances(family, record)[0]] == ["thyroid cancer"]
    assert find_circumstances("Contraindicated in medullary thyroid carcinoma.", record)[0] == []


@each_row(
    ("record", "measure", "value"),
    [
        ("Wt 70 kg", "weight", 70.0),
        ("wt 84", "weight", 84.0),
        ("82-year-old woman, 48 kg, creatinine 1.9", "weight", 48.0),
        ("INR 1.0, creat 82 umol/L", "creatinine", 0.93),
        ("plt 152, K 4.4", "platelets", 152.0),
        ("plt 152, K 4.4", "potassium", 4.4),
        ("CrCl 27, QTc 418", "QTc", 418.0),
    ],
)
def test_a_figure_in_shorthand_is_read(record: str, measure: str, value: float) -> None:
    assert [one.value for one in read_patient_record(record).find_figures(measure)] == [value]


def test_a_loss_of_weight_is_no_weight() -> None:
    assert read_patient_record("Weight loss 8 kg, wt loss 12").find_figures("weight") == []


def test_what_stands_in_the_record_is_not_said_to_be_missing() -> None:
    missing = read_patient_record("69M, Wt 70 kg, creat 82 umol/L, K 4.1, NKDA. Meds nil.").missing
    assert not [one for one in missing if "not in the record" in one or one.startswith("current drugs")]
