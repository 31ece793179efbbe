"""Figures of records and limits of guidelines."""

import pytest

from wellsourced.clinical.measurements import find_figures, find_limits


@pytest.mark.parametrize(
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
    ],
)
def test_figures_are_read_in_their_unit(record: str, measure: str, values: list[float]) -> None:
    assert [one.value for one in find_figures(record) if one.measure == measure] == values


@pytest.mark.parametrize(
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
    ],
)
def test_a_limit_is_reached_where_the_text_says_so(text: str, measure: str, value: float, reached: bool) -> None:
    (limit,) = [one for one in find_limits(text) if one.measure == measure]
    assert limit.is_reached(value) is reached


def test_a_dose_is_no_age() -> None:
    assert find_limits("Give patients over 20 mg") == []
