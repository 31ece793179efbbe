"""Conditions that values imply, and whose they are."""

from tests.patients.test_lines_to_check import check
from tests.tables import each_row
from wellsourced.medicine.measurements import GESTATION
from wellsourced.patients.implied_conditions import load_limits
from wellsourced.patients.record import read_patient_record
from wellsourced.text.tables import read_rows


@each_row(
    ("record", "condition", "is_implied"),
    [
        ("calcium 7.8 mg/dL", "hypocalcaemia", True),
        ("Ca 1.95 mmol/L", "hypocalcaemia", True),
        ("corrected calcium 8.2 mg/dL, albumin 2.8 g/dL", "hypocalcaemia", True),
        ("calcium 2.9 mmol/L", "hypercalcaemia", True),
        ("Mg 0.55 mmol/L", "hypomagnesaemia", True),
        ("K 5.8", "hyperkalaemia", True),
        ("Na 131 mmol/L", "hyponatraemia", True),
        ("52-year-old man, Hb 12.4 g/dL", "anaemia", True),
        ("52-year-old woman, Hb 12.4 g/dL", "anaemia", False),
        ("Hb 78 g/L", "anaemia", True),
        ("platelets 64,000/mm3", "thrombocytopenia", True),
        ("INR 1.9", "coagulopathy", True),
        ("INR 2.6. Drugs: warfarin 5 mg.", "coagulopathy", False),
        ("ANC 0.9", "immunosuppression", True),
        ("bilirubin 60 µmol/L", "hyperbilirubinaemia", True),
        ("ALT 310 U/L", "raised liver enzymes", True),
        ("glucose 2.8 mmol/L", "hypoglycaemia", True),
        ("A1c 9.1%", "diabetes", True),
        ("LVEF 29%", "heart failure", True),
        ("41-year-old man, QTc 455 ms", "long QT", True),
        ("41-year-old woman, QTc 455 ms", "long QT", False),
        ("HR 44", "bradycardia", True),
        ("BP 84/50", "hypotension", True),
        ("BP 184/112", "hypertension", True),
        ("3-month-old infant, HR 150, BP 84/50", "tachycardia", False),
        ("sats 86% on air", "hypoxaemia", True),
        ("BMI 17", "underweight", True),
        ("28-year-old woman", "women of child-bearing age", True),
        ("28-year-old woman after hysterectomy", "women of child-bearing age", False),
        ("28-year-old man", "women of child-bearing age", False),
        ("G2P1, 32+4 weeks", "pregnancy", True),
        ("eGFR 88", "kidney disease", False),
        ("82-year-old woman, 48 kg, creatinine 1.9 mg/dL", "kidney disease", True),
        ("56-year-old man, 74 kg, creatinine 1.0 mg/dL", "kidney disease", False),
    ],
)
def test_a_value_implies_a_condition_in_us_and_si_units(record: str, condition: str, is_implied: bool) -> None:
    assert (condition in read_patient_record(record).conditions) is is_implied


def test_every_limit_is_in_the_unit_of_its_measure_has_a_source_and_a_condition_that_guidelines_name() -> None:
    names = {name for name, *_ in read_rows("wellsourced.medicine", "conditions.tsv")}
    units = {GESTATION: "weeks", "age": "years"}
    units |= {measure: unit for measure, unit, *_ in read_rows("wellsourced.medicine", "measures.tsv")}
    for row in load_limits():
        assert row.unit == units[row.measure], row.condition
        assert row.source, row.condition
        assert row.bounds, row.condition
        assert row.condition in names


def test_an_estimate_of_the_kidney_is_shown_as_one() -> None:
    read = read_patient_record("82-year-old woman, weight 48 kg, creatinine 1.9 mg/dL.")
    (clearance,) = read.find_figures("creatinine clearance")
    assert clearance.value == 17
    (told,) = [one for one in read.missing if one.startswith("kidney function")]
    assert "estimated" in told
    assert "CKD-EPI 2021" in next(row.words for row in read.rows if row.name == "eGFR")


@each_row(("record", "value"), [("CKD stage 3b", 44), ("stage 4 CKD", 29), ("CKD G5", 14)])
def test_a_stage_without_a_figure_is_its_highest_rate(record: str, value: float) -> None:
    assert [one.value for one in read_patient_record(record).find_figures("eGFR")] == [value]


def test_a_birth_in_the_past_is_no_pregnancy_of_so_many_weeks() -> None:
    assert not read_patient_record("Delivered at 39 weeks of gestation, now breastfeeding.").find_figures(
        "gestational age"
    )


def test_a_limit_in_weeks_of_pregnancy_is_reached_by_a_later_one() -> None:
    text = "NSAIDs should be avoided after 20 weeks of gestation."
    assert check(text, "31-year-old woman, pregnant, 32 weeks.", "ibuprofen?")
    assert not check(text, "31-year-old woman, pregnant, 9 weeks.", "ibuprofen?")
