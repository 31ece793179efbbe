"""Quantities: numbers in every print, bounds in all forms, ranges, places in the text as given, and other units."""

import math
from itertools import permutations

import pytest

from tests.tables import each_row
from wellsourced.medicine.quantities import extract_quantities, find_ranges
from wellsourced.medicine.units import convert, list_substances, measure_dimension


@each_row(
    ("text", "value", "unit"),
    [
        ("12", 12, ""),
        ("1,234 points", 1234, ""),
        ("12\u202f345 patients", 12345, ""),
        ("0·72", 0.72, ""),
        ("6,5 mmol/L", 6.5, "mmol/l"),
        ("0,125 mg", 0.125, "mg"),
        ("150 × 10^9/L", 150, "10⁹/l"),
        ("150 × 10⁹/L", 150, "10⁹/l"),
        ("150 x10(9)/l", 150, "10⁹/l"),
        ("150 x 109/L", 150, "10⁹/l"),
        ("150 10*9/L", 150, "10⁹/l"),
        ("12 K/µL", 12, "10³/µl"),
        ("84,000/mm3", 84000, "/µl"),
        ("250 cells/mm³", 250, "/µl"),
        ("1.2 million people", 1_200_000, ""),
        ("24 million units", 24_000_000, "u"),
        ("10⁴ copies", 10_000, ""),
        ("4.5 × 10^6 copies", 4_500_000, ""),
        ("2³ of 100", 2, ""),
        ("60 mL/min/1.73 m²", 60, "ml/minute/m2"),
        ("38.5 °C", 38.5, "°c"),
        ("480 msec", 480, "ms"),
        ("150 lbs", 150, "lb"),
        ("twenty-five mg", 25, "mg"),
        ("−5 kg", -5, "kg"),
    ],
)
def test_a_number_is_read_in_every_print(text: str, value: float, unit: str) -> None:
    first = extract_quantities(text)[0]
    assert (float(first.value), first.unit) == (value, unit)


@each_row("text", ["(×10⁹/L)", "COX-2", "[x10^9/L]"])
def test_what_is_no_number_is_none(text: str) -> None:
    assert not extract_quantities(text)


@each_row("text", ["5,10 and 20 mg", "[5,10,20]", "5, 10 or 20", "1,25-dihydroxyvitamin D"])
def test_a_comma_of_a_list_is_no_decimal_point(text: str) -> None:
    assert len(extract_quantities(text)) in (2, 3)


AT_LEAST = (
    *(
        "≥ 30 mg",
        ">= 30 mg",
        "&ge;30 mg",
        ">/= 30 mg",
        "at least 30 mg",
        "30 mg or more",
        "30 mg or above",
        "30 mg and over",
    ),
    *("not below 30 mg", "no less than 30 mg", "not less than 30 mg", "minimum of 30 mg", "30 mg or higher"),
    *("greater than or equal to 30 mg", "30 mg or greater", "not under 30 mg", "no lower than 30 mg"),
)
AT_MOST = (
    *("≤ 30 mg", "<= 30 mg", "&lt;or= 30 mg", "at most 30 mg", "30 mg or less", "30 mg or below", "30 mg and under"),
    *(
        "not above 30 mg",
        "no more than 30 mg",
        "not more than 30 mg",
        "maximum of 30 mg",
        "30 mg or lower",
        "up to 30 mg",
    ),
    *("less than or equal to 30 mg", "not exceeding 30 mg", "not over 30 mg", "should not exceed 30 mg"),
    *("no higher than 30 mg", "up to and including 30 mg", "30 mg or fewer"),
)
ABOVE = ("> 30 mg", "more than 30 mg", "over 30 mg", "above 30 mg", "exceeding 30 mg", "&gt; 30 mg", "beyond 30 mg")
BELOW = (
    "< 30 mg",
    "less than 30 mg",
    "under 30 mg",
    "below 30 mg",
    "fewer than 30 mg",
    "lower than 30 mg",
    "&lt;30 mg",
)
BOUNDS = {"≥": AT_LEAST, "≤": AT_MOST, ">": ABOVE, "<": BELOW}


@each_row(("sign", "text"), [(sign, text) for sign, texts in BOUNDS.items() for text in texts])
def test_a_bound_is_read_in_all_forms(sign: str, text: str) -> None:
    (one,) = find_ranges(f"Give {text}.")
    assert (one.first.comparator, one.unit) == (sign, "mg")
    assert [one.has(value) for value in (29, 30, 31)] == [sign in "<≤", sign in "≤≥", sign in ">≥"]


@each_row(
    ("text", "low", "high", "ends"),
    [
        ("between 5 and 10 mg", 5, 10, "both"),
        ("5-10 mg", 5, 10, "both"),
        ("5–10 mg", 5, 10, "both"),
        ("5 to 10 mg", 5, 10, "both"),
        ("5 mg to 10 mg", 5, 10, "both"),
        ("≥30 and <45 mL/min", 30, 45, "low"),
        (">30 to ≤45 mL/min", 30, 45, "high"),
        ("at least 30 but less than 45", 30, 45, "low"),
        ("30-<45", 30, 45, "low"),
        ("30% ≤ FEV1 < 50%", 30, 50, "low"),
        ("age 65 years or older", 65, math.inf, "low"),
        ("over the age of 65", 65, math.inf, ""),
        ("65+", 65, math.inf, "low"),
        ("11.1 mmol/L or below", -math.inf, 11.1, "high"),
        ("7", 7, 7, "both"),
    ],
)
def test_a_range_is_read_with_the_ends_that_belong_to_it(text: str, low: float, high: float, ends: str) -> None:
    (one,) = find_ranges(text)
    assert (one.low, one.high) == (low, high)
    assert (one.has(low) and low > -math.inf, one.has(high) and high < math.inf) == (
        ends in ("low", "both"),
        ends in ("high", "both"),
    )


def test_an_arrow_is_no_bound() -> None:
    assert [one.comparator for one in extract_quantities("creatinine 1.1 -> 2.4 mg/dL")] == ["", ""]


@each_row(
    ("text", "printed"),
    [
        ("Weight  fell by −1·5\u00a0kg.", "−1·5\u00a0kg"),
        ("of\nﬁfteen,\n  12 mg", "12 mg"),
        ("LDL &lt;or= 1,500 mg", "1,500 mg"),
        ("so\u00adme\u200b 3 μg daily", "3 μg"),
    ],
)
def test_a_quantity_is_where_it_is_in_the_text_as_given(text: str, printed: str) -> None:
    assert printed in [text[slice(*one.printed)] for one in extract_quantities(text)]


MASS_IN_VOLUME = ("mg/dl", "g/l", "mg/l", "mcg/ml", "ng/ml", "g/dl")
AMOUNT_IN_VOLUME = ("mmol/l", "µmol/l", "nmol/l", "mol/l")
SAME_KIND = (
    *(("mcg", "mg", "g", "kg", "lb", "oz", "ng"), ("µl", "ml", "dl", "l", "mm3"), ("mm", "cm", "m", "µm")),
    *(("ms", "second", "minute", "hour", "day", "week"), ("month", "year"), ("°c", "°f"), ("mmhg", "kpa")),
    *(("g/dl", "g/l", "mg/l"), ("10⁹/l", "10³/µl", "/µl", "10⁶/l"), ("mcg/kg/minute", "mg/kg/hour"), ("kcal", "kj")),
)
SUBSTANCES = (
    *(
        "glucose",
        "cholesterol",
        "triglycerides",
        "creatinine",
        "uric acid",
        "bilirubin",
        "calcium",
        "urea",
        "phosphate",
    ),
    *("magnesium", "lactate"),
)
PAIRS = [
    *((one, other, "") for units in SAME_KIND for one, other in permutations(units, 2)),
    *(
        (one, other, substance)
        for substance in SUBSTANCES
        for one, other in permutations((*MASS_IN_VOLUME, *AMOUNT_IN_VOLUME), 2)
    ),
    *(("%", "mmol/mol", "HbA1c"), ("mmol/mol", "%", "HbA1c"), ("meq/l", "mg/dl", "magnesium")),
]


def test_every_conversion_comes_back() -> None:
    for one, other, substance in PAIRS:
        for value in (0.5, 7.0, 98.6):
            there = convert(value, one, other, substance)
            assert there is not None, (one, other, substance)
            back = convert(there, other, one, substance)
            assert back == pytest.approx(value), (one, other, substance)


@each_row(
    ("value", "unit", "to", "substance", "result"),
    [
        (70, "mg/dl", "mmol/l", "cholesterol", 1.8),
        (1.8, "mmol/l", "mg/dl", "cholesterol", 69.6),
        (126, "mg/dl", "mmol/l", "glucose", 7.0),
        (11.1, "mmol/l", "mg/dl", "glucose", 200.0),
        (1.0, "mg/dl", "µmol/l", "creatinine", 88.4),
        (6, "mg/dl", "µmol/l", "uric acid", 356.9),
        (150, "mg/dl", "mmol/l", "triglycerides", 1.7),
        (10, "mg/dl", "mmol/l", "calcium", 2.5),
        (2, "mg/dl", "µmol/l", "bilirubin", 34.2),
        (4.5, "mg/dl", "mmol/l", "phosphate", 1.5),
        (60, "mg/dl", "mmol/l", "urea", 10.0),
        (20, "mg/dl", "mmol/l", "urea nitrogen", 7.1),
        (2, "meq/l", "mg/dl", "magnesium", 2.4),
        (7, "%", "mmol/mol", "HbA1c", 53.0),
        (130, "g/l", "g/dl", "", 13.0),
        (101, "°f", "°c", "", 38.3),
        (150, "lb", "kg", "", 68.0),
        (480, "ms", "second", "", 0.5),
        (84000, "/µl", "10⁹/l", "", 84.0),
    ],
)
def test_what_it_is_in_another_unit(value: float, unit: str, to: str, substance: str, result: float) -> None:
    converted = convert(value, unit, to, substance)
    assert converted is not None
    assert round(converted, 1) == result


@each_row(
    ("unit", "to", "substance"),
    [
        ("mg/dl", "mmol/l", ""),
        ("mg", "ml", ""),
        ("mg/kg", "mg", ""),
        ("%", "mmol/mol", ""),
        ("mg/dl", "mmol", "glucose"),
    ],
)
def test_what_no_unit_can_tell_is_not_told(unit: str, to: str, substance: str) -> None:
    assert convert(1, unit, to, substance) is None


@each_row("text", [text for texts in BOUNDS.values() for text in texts])
def test_a_bound_is_the_same_bound_in_another_unit(text: str) -> None:
    (plain,) = find_ranges(text)
    (scaled,) = find_ranges(text.replace("30 mg", "0.03 g"))
    for end, other in ((plain.low, scaled.low), (plain.high, scaled.high)):
        assert convert(other, "g", "mg") == pytest.approx(end)
    assert (plain.excludes_low, plain.excludes_high) == (scaled.excludes_low, scaled.excludes_high)


def test_what_is_measured_is_found_by_its_names() -> None:
    assert list_substances("LDL of 70 mg/dL") == ["cholesterol"]
    assert list_substances("HbA1c of 7 %") == ["HbA1c"]
    assert measure_dimension("mg/dl")[0] == measure_dimension("g/l")[0] == "mass/volume"
