"""Figures of records and limits of guidelines."""

from tests.tables import each_row
from wellsourced.medicine.measurements import find_figures, find_limits, find_named_limits


@each_row(
    ("record", "measure", "values"),
    [
        ("K 5.3 mmol/L (not haemolysed, 5.2 last week)", "potassium", [5.3]),
        ("Creatinina 0,6 mg/dl", "creatinine", [0.6]),
        ("creatinine 177 µmol/L", "creatinine", [2.0]),
        ("platelets today 84,000/mm3", "platelets", [84.0]),
        ("Creatinine 0.8 mg/dL at baseline, 1.9 today", "creatinine", [1.9]),
        ("Triage: weight 74 kg. Ward scale, standing: 58 kg", "weight", [74.0, 58.0]),
        ("BP 92/50", "systolic blood pressure", [92.0]),
        ("Vitamin K 10 mg", "potassium", []),
        ("creatinine clearance 28 mL/min", "creatinine clearance", [28.0]),
        ("creatinine clearance 28 mL/min", "creatinine", []),
        ("creatinine and potassium 5.6", "creatinine", []),
        ("potassium chloride 8 mEq daily", "potassium", []),
        ("creatinine 1.1 -> 2.4 mg/dL", "creatinine", [2.4]),
        ("calcium 7.8 mg/dL", "calcium", [7.8]),
        ("Ca 1.95 mmol/L", "calcium", [7.82]),
        ("calcium carbonate 5 g", "calcium", []),
        ("ionised calcium 0.98 mmol/L", "calcium", []),
        ("Hb 78 g/L", "haemoglobin", [7.8]),
        ("HbA1c 9.1%", "haemoglobin", []),
        ("HbA1c 84 mmol/mol", "HbA1c", [9.84]),
        ("glucose 18.2 mmol/L", "glucose", [327.89]),
        ("magnesium 2 g IV", "magnesium", []),
        ("ANC 450/mm3", "neutrophils", [0.45]),
        ("BP 192/118", "diastolic blood pressure", [118.0]),
        ("sats 88% on air", "oxygen saturation", [88.0]),
        ("weight 150 lb", "weight", [68.04]),
    ],
)
def test_figures_are_read_in_their_unit(record: str, measure: str, values: list[float]) -> None:
    assert [one.value for one in find_figures(record) if one.measure == measure] == values


@each_row(
    ("text", "measure", "value", "reached"),
    [
        ("Avoid if eGFR < 30 mL/min", "eGFR", 29, True),
        ("Avoid if eGFR < 30 mL/min", "eGFR", 30, False),
        ("potassium > 5.0 mEq/L", "potassium", 5.0, False),
        ("(CrCl <= 30 mL/min)", "creatinine clearance", 30, True),
        ("if CrCl 15–50 mL/min", "creatinine clearance", 51, False),
        ("Platelet count < 100,000/mm³", "platelets", 84, True),
        ("20 mg/day in patients over 60", "age", 60, False),
        ("Age ≥ 80 years", "age", 80, True),
        ("patients aged 75 and older", "age", 75, True),
        ("Hb < 70 g/L", "haemoglobin", 7.2, False),
        ("Avoid NSAIDs after 20 weeks of gestation", "gestational age", 31, True),
    ],
)
def test_a_limit_is_reached_where_the_text_says_so(text: str, measure: str, value: float, reached: bool) -> None:
    (limit,) = [one for one in find_limits(text) if one.measure == measure]
    assert limit.has(value) is reached


@each_row(
    ("text", "measure", "values", "other"),
    [
        ("GDMT for HFrEF", "LVEF", (20, 40), 41),
        ("heart failure with mildly reduced ejection fraction", "LVEF", (41, 49), 40),
        ("Heart failure with preserved EF", "LVEF", (50, 65), 49),
        ("CKD stage 3b, albuminuria", "eGFR", (30, 44), 45),
        ("stage 4 CKD", "eGFR", (15, 29), 30),
        ("CKD G5", "eGFR", (3, 14), 15),
    ],
)
def test_a_class_is_a_limit(text: str, measure: str, values: tuple[float, float], other: float) -> None:
    (limit,) = find_named_limits(text)
    assert limit.measure == measure
    assert [limit.has(one) for one in (*values, other)] == [True, True, False]


@each_row("text", ["Advanced CKD (G4-G5)", "CKD stage 3 or worse", "CKD stages 3 to 5", "reduced dose of EF drugs"])
def test_several_classes_are_no_limit(text: str) -> None:
    assert find_named_limits(text) == []


def test_a_dose_is_no_age() -> None:
    assert find_limits("Give patients over 20 mg") == []


@each_row("record", ["Creatinine 1.9 mg/dL.", "Creatinine 1.9 mg/dL, stable", "Creatinine 168 µmol/L."])
def test_a_full_stop_is_no_part_of_a_unit(record: str) -> None:
    assert [one.value for one in find_figures(record)] == [1.9]
