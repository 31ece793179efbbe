"""What a record's problems are searched for as: names of a table, the pressing first, and none that is over."""

from tests.tables import each_row
from wellsourced.recommend.patient_question import find_problems
from wellsourced.recommend.patient_record import read_patient_record
from wellsourced.text.tables import read_rows


def problems(record: str) -> list[str]:
    return [one.words for one in find_problems(record, read_patient_record(record))]


@each_row(
    ("record", "named"),
    [
        ("70F with cirrhosis, haematemesis.", ["acute variceal hemorrhage in cirrhosis"]),
        ("70F with haematemesis on naproxen.", ["upper gastrointestinal bleeding"]),
        ("60M, type 2 diabetes, HFrEF.", ["type 2 diabetes", "heart failure with reduced ejection fraction"]),
        ("60M, HFrEF and T2DM.", ["heart failure with reduced ejection fraction", "type 2 diabetes"]),
        (
            "55M, DKA, potassium 2.9 mmol/L.",
            ["diabetic ketoacidosis before insulin at a serum potassium of 2.9 mmol/L"],
        ),
        ("55M, DKA, potassium 4.9 mmol/L.", ["diabetic ketoacidosis"]),
        ("81M on warfarin, intracerebral haemorrhage on CT.", ["intracerebral haemorrhage on warfarin"]),
        ("48F, pyelonephritis with septic shock.", ["septic shock", "complicated urinary tract infection"]),
        (
            "31F, G2P1, 34 weeks pregnant, proteinuria, BP 168/112.",
            ["severe hypertension in pregnancy with preeclampsia"],
        ),
        ("70M, eGFR 38.", ["chronic kidney disease"]),
        ("44M with psoriasis.", []),
    ],
)
def test_problems_are_named_by_the_table_with_the_pressing_first(record: str, named: list[str]) -> None:
    assert problems(record) == named


@each_row(
    "record",
    [
        "60M, no haematemesis, no pneumonia.",
        "60M, previous pulmonary embolism.",
        "60M, pneumonia 3 years ago.",
        "60M. Mother had a subarachnoid haemorrhage.",
    ],
)
def test_what_is_denied_over_or_somebody_elses_is_no_acute_problem(record: str) -> None:
    assert not [one for one in find_problems(record, read_patient_record(record)) if one.pressure == "acute"]


def test_an_age_written_with_old_does_not_make_a_problem_one_of_the_past() -> None:
    assert problems("4-year-old with septic shock") == ["septic shock"]


def test_every_condition_of_the_table_is_one_that_records_are_read_for() -> None:
    rows = read_rows("wellsourced.recommend", "searched_problems.tsv")
    named = {name for row in rows for column in (2, 3) for name in row[column].split("|") if name}
    assert {name for name in named if not name.startswith("taking ")} <= {
        name for name, *_ in read_rows("wellsourced.medicine", "conditions.tsv")
    }
    assert {len(row) for row in rows} == {5}
    assert {row[0] for row in rows} == {"acute", "chronic", "minor"}
