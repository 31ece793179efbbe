"""Two sentences oppose each other only where each reports a result that the other denies."""

from tests.tables import each_row
from wellsourced.claims.results.agreement import are_opposite_results, may_be_of_same_people, reports_result

FOR = "Amiodarone significantly reduced mortality compared with placebo."


@each_row(
    "against",
    [
        "Amiodarone did not reduce mortality compared with placebo.",
        "Amiodarone significantly increased mortality compared with placebo (p = 0.01).",
        "Mortality did not differ significantly between amiodarone and placebo.",
    ],
)
def test_opposite_results_of_one_drug_are_seen_from_either_side(against: str) -> None:
    assert are_opposite_results(FOR, against)
    assert are_opposite_results(against, FOR)


@each_row(
    "other",
    [
        "Amiodarone reduced mortality by 20 % compared with placebo.",
        "Amiodarone did not reduce stroke compared with placebo.",
        "Dronedarone did not reduce mortality compared with placebo.",
        "Amiodarone did not reduce mortality compared with dronedarone.",
        "Amiodarone might not reduce mortality compared with placebo.",
        "It is unclear whether amiodarone increased mortality compared with placebo.",
    ],
)
def test_another_drug_outcome_or_comparison_and_what_is_left_open_oppose_nothing(other: str) -> None:
    assert not are_opposite_results(FOR, other)


def test_what_a_drug_is_used_for_is_no_result() -> None:
    assert reports_result(FOR)
    assert not reports_result("Statins are drugs used to lower cholesterol.")
    assert not reports_result("Metformin is an oral drug for diabetes.")


def test_people_with_other_diseases_are_others() -> None:
    assert may_be_of_same_people("in adults with hepatitis", "in hepatitis and cirrhosis")
    assert may_be_of_same_people("in adults", "in hepatitis")
    assert not may_be_of_same_people("in hepatitis", "in pancreatitis")
