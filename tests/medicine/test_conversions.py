"""Values in other units, by the factors of textbooks: every pair of units, both ways, with bounds, ranges and rounding.

A row is what is measured, as a text says it, two units, what a value in the second is multiplied by to be one in the
first, and values in the second, as texts give them.
"""

from itertools import product
from typing import NamedTuple

import pytest

from tests.tables import each_row
from wellsourced.compare.quantities import list_underived_quantities
from wellsourced.medicine.quantities import extract_quantities
from wellsourced.medicine.units import convert, list_substances


class Row(NamedTuple):
    measured: str
    unit: str
    other: str
    factor: float
    values: tuple[float, ...]


ROWS = [
    Row("Fasting glucose", "mg/dL", "mmol/L", 18.016, (3.9, 5.6, 7.0, 7.8, 10.0, 11.1, 13.9, 16.7)),
    Row("LDL cholesterol", "mg/dL", "mmol/L", 38.67, (1.4, 1.8, 2.6, 3.0, 4.9)),
    Row("HDL cholesterol", "mg/dL", "mmol/L", 38.67, (1.0, 1.3, 1.6)),
    Row("LDL-C", "mg/dL", "mmol/L", 38.67, (1.4, 1.8, 2.6)),
    Row("Non-HDL cholesterol", "mg/dL", "mmol/L", 38.67, (2.2, 2.6, 3.4)),
    Row("Total cholesterol", "mg/dL", "mmol/L", 38.67, (4.0, 5.2, 8.0)),
    Row("Triglycerides", "mg/dL", "mmol/L", 88.57, (1.7, 2.3, 5.6, 11.3)),
    Row("Serum calcium", "mg/dL", "mmol/L", 4.008, (2.1, 2.62, 3.0, 3.5)),
    Row("Ionised calcium", "mEq/L", "mmol/L", 2, (0.9, 1.12, 1.3)),
    Row("Creatinine", "µmol/L", "mg/dL", 88.4, (1.2, 1.5, 2.0, 3.4)),
    Row("UACR", "mg/g", "mg/mmol", 8.84, (3.4, 25, 60, 220)),
    Row("Urea", "mg/dL", "mmol/L", 6.006, (7.0, 10, 21.4)),
    Row("BUN", "mg/dL", "mmol/L", 2.8, (7.1, 10.7, 35.7)),
    Row("Bilirubin", "µmol/L", "mg/dL", 17.1, (1.2, 2.0, 3.0, 12)),
    Row("Uric acid", "µmol/L", "mg/dL", 59.48, (5.0, 6.0, 6.8, 9)),
    Row("Magnesium", "mg/dL", "mmol/L", 2.43, (0.5, 0.7, 1.1)),
    Row("Magnesium", "mEq/L", "mmol/L", 2, (0.5, 0.7, 1.1)),
    Row("Phosphate", "mg/dL", "mmol/L", 3.097, (0.32, 0.8, 1.5, 1.78)),
    Row("Serum iron", "µg/dL", "µmol/L", 5.585, (10, 14.3, 30)),
    Row("Haemoglobin", "g/L", "g/dL", 10, (7, 8.5, 10, 13)),
    Row("Haemoglobin", "g/dL", "mmol/L", 1.611, (4.3, 6.2, 8.1)),
    Row("Vitamin D", "nmol/L", "ng/mL", 2.496, (12, 20, 30, 100)),
    Row("Vitamin D", "IU", "mcg", 40, (10, 20, 100)),
    Row("Vitamin B12", "pmol/L", "pg/mL", 0.738, (200, 300, 400)),
    Row("Folate", "nmol/L", "ng/mL", 2.266, (3, 4, 20)),
    Row("Lactate", "mg/dL", "mmol/L", 9.01, (2, 4, 10)),
    Row("Ketones", "mg/dL", "mmol/L", 10.41, (0.6, 1.5, 3.0)),
    Row("Beta-hydroxybutyrate", "mg/dL", "mmol/L", 10.41, (0.6, 3.0)),
    Row("Potassium", "mEq/L", "mmol/L", 1, (3.5, 5.5, 6.5)),
    Row("Sodium", "mEq/L", "mmol/L", 1, (120, 135)),
    Row("Bicarbonate", "mEq/L", "mmol/L", 1, (15, 18)),
    Row("Cortisol", "nmol/L", "µg/dL", 27.59, (3, 5, 18)),
    Row("Free T4", "pmol/L", "ng/dL", 12.87, (0.8, 1.8)),
    Row("Testosterone", "nmol/L", "ng/dL", 0.0347, (200, 300)),
    Row("Ammonia", "µmol/L", "µg/dL", 0.587, (50, 100, 200)),
    Row("Digoxin", "nmol/L", "ng/mL", 1.281, (0.5, 0.9, 2)),
    Row("Paracetamol", "µmol/L", "mg/L", 6.61, (100, 150)),
    Row("Phenytoin", "µmol/L", "mg/L", 3.96, (10, 20)),
    Row("Homocysteine", "µmol/L", "mg/L", 7.397, (2, 10)),
    Row("Insulin", "pmol/L", "µIU/mL", 6.0, (5, 25)),
    Row("ALT", "U/L", "µkat/L", 60, (0.5, 1.5, 5)),
    Row("Ferritin", "ng/mL", "µg/L", 1, (15, 30, 100)),
    Row("CRP", "mg/L", "mg/dL", 10, (0.5, 5, 10)),
    Row("Albumin", "g/L", "g/dL", 10, (2.5, 3.5)),
    Row("The dose", "mcg", "mg", 1000, (0.4, 2.5, 5)),
    Row("The dose", "ng", "mcg", 1000, (0.5, 2)),
    Row("Troponin", "pg/mL", "ng/L", 1, (14, 52)),
    Row("The dose", "pg", "ng", 1000, (0.5, 2)),
    Row("The dose", "mg", "g", 1000, (0.5, 1.5, 4)),
    Row("The dose", "mcg/kg/h", "mcg/kg/min", 60, (0.1, 0.5, 2)),
    Row("PaO2", "mmHg", "kPa", 7.5006, (6.0, 8.0, 10)),
    Row("The pressure", "mmHg", "cmH2O", 0.7356, (12, 20, 30)),
    Row("The weight", "lb", "kg", 2.2046, (40, 50, 70, 120)),
    Row("The height", "inches", "cm", 0.3937, (150, 170)),
    Row("The circumference", "cm", "inches", 2.54, (35, 40)),
    Row("The platelet count", "/µL", "× 10⁹/L", 1000, (20, 50, 150)),
    Row("The neutrophil count", "/mm³", "× 10⁹/L", 1000, (0.5, 1.0, 1.5)),
    Row("Treatment", "days", "weeks", 7, (2, 4, 6)),
    Row("The interval", "hours", "days", 24, (2, 3)),
]
BOUNDS = [("<", "<"), ("below ", "under "), ("≥", "at least "), (">", "above "), ("≤", "no more than "), ("", "")]
WRONG = (0.5, 0.8, 0.93, 1.08, 1.3, 2.0)


def spell(value: float) -> str:
    """A value as texts round it: "0.58", "7.0", "11.1", "126"."""
    digits = 0 if value >= 100 else 1 if value >= 1 else 2 if value >= 0.1 else 3
    return f"{value:.{digits}f}"


def say(row: Row, value: float, unit: str, bound: str = "") -> str:
    return f"{row.measured} was {bound}{spell(value)} {unit} in these patients."


def underived(claim: str, source: str) -> list[str]:
    return [one.words for one in list_underived_quantities(claim, [source], [source])]


def cases() -> list[tuple[str, str]]:
    found = []
    for row in ROWS:
        for value, (bound, same) in product(row.values, BOUNDS):
            texts = [say(row, value, row.other, bound), say(row, value * row.factor, row.unit, same)]
            found += [(texts[0], texts[1]), (texts[1], texts[0])]
    return found


@each_row("row", ROWS)
def test_a_value_in_the_other_unit_is_what_textbooks_say(row: Row) -> None:
    for value in row.values:
        (said,) = (one for one in extract_quantities(say(row, value, row.other)) if one.unit)
        (other,) = (one for one in extract_quantities(say(row, value, row.unit)) if one.unit)
        substance = next(iter(list_substances(row.measured)), "")
        assert convert(value, said.unit, other.unit, substance) == pytest.approx(value * row.factor, rel=0.005)
        assert convert(value * row.factor, other.unit, said.unit, substance) == pytest.approx(value, rel=0.005)


@each_row(
    "percent, mmol",
    [(5.7, 39), (6.0, 42), (6.5, 48), (7.0, 53), (7.5, 58), (8.0, 64), (9.0, 75), (10.0, 86), (12.0, 108)],
)
def test_hba1c_of_ngsp_is_that_of_ifcc(percent: float, mmol: int) -> None:
    assert round(10.93 * percent - 23.5) == mmol
    pair = f"HbA1c {{}}{percent}% at baseline.", f"HbA1c {{}}{mmol} mmol/mol at baseline."
    for claim, source in (pair, pair[::-1]):
        for bound in ("", "<", "≥ "):
            assert underived(claim.format(bound), source.format(bound)) == []
    assert underived(f"HbA1c {mmol + 4} mmol/mol.", pair[0].format("")) == [f"{mmol + 4} mmol/mol"]


@each_row("celsius, fahrenheit", [(35, 95), (36.5, 97.7), (38, 100.4), (38.3, 101), (39, 102.2), (40, 104)])
def test_a_temperature_is_the_same_in_fahrenheit(celsius: float, fahrenheit: float) -> None:
    pair = f"Fever above {celsius} °C counts.", f"Fever above {fahrenheit} °F counts."
    assert underived(*pair) == underived(*pair[::-1]) == []
    assert underived(f"Fever above {celsius + 1.5} °C counts.", pair[1]) != []


@each_row(
    "claim, source",
    [
        ("LDL 1.4-1.8 mmol/L", "an LDL of 55 to 70 mg/dL"),
        ("glucose between 7.8 and 10 mmol/L", "glucose 140-180 mg/dL"),
        ("eGFR aside, calcium of 2.1–2.6 mmol/L", "calcium 8.4-10.4 mg/dL"),
        ("uric acid below 360 µmol/L", "serum urate < 6 mg/dL"),
        ("a urate target below 6 mg/dL (360 µmol/L)", "serum urate < 6 mg/dL"),
        ("triglycerides ≥ 5.7 mmol/L", "TG of at least 500 mg/dL"),
        ("creatinine above 130 µmol/L", "creatinine > 1.5 mg/dL"),
        ("LDL 70 mg/dL and triglycerides 150 mg/dL", "LDL 1.8 mmol/L, triglycerides 1.7 mmol/L"),
        ("vitamin D 20 mcg a day", "800 IU of vitamin D daily"),
        ("platelets below 50,000/µL", "a platelet count < 50 × 10⁹/L"),
    ],
)
def test_ranges_and_round_numbers_are_what_texts_make_of_them(claim: str, source: str) -> None:
    assert underived(claim, source) == []


@each_row(
    "claim, source",
    [
        ("LDL above 1.8 mmol/L", "LDL below 70 mg/dL"),
        ("LDL below 1.8 mmol/L", "LDL of 70 mg/dL was the mean"),
        ("LDL below 2.6 mmol/L", "LDL below 70 mg/dL"),
        ("triglycerides of 1.8 mmol/L", "triglycerides of 70 mg/dL"),
        ("urea of 3.3 mmol/L", "BUN 20 mg/dL"),
        ("LDL 1.7 mmol/L, triglycerides 1.8 mmol/L", "LDL 70 mg/dL and triglycerides 150 mg/dL"),
        ("glucose 126 mmol/L", "glucose 126 mg/dL"),
        ("magnesium of 2 mEq/L", "magnesium of 2 mmol/L"),
        ("a dose of 5 mg", "a dose of 5 mcg"),
        ("haemoglobin below 7 g/L", "haemoglobin below 7 g/dL"),
    ],
)
def test_another_value_bound_or_substance_is_seen(claim: str, source: str) -> None:
    assert underived(claim, source) != []


def test_every_pair_is_the_same_both_ways_with_bounds() -> None:
    assert [(claim, source) for claim, source in cases() if underived(claim, source)] == []


def test_every_pair_with_another_value_is_seen() -> None:
    missed = []
    for row in ROWS:
        for value, wrong in product(row.values, WRONG):
            source = say(row, value, row.other)
            claim = say(row, value * row.factor * wrong, row.unit)
            said, right = float(spell(value * row.factor * wrong)), float(spell(value)) * row.factor
            if abs(said - right) > 0.065 * said and not underived(claim, source):
                missed.append((claim, source))
    assert missed == []
