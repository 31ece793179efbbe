"""Figures that questions ask for and give."""

from tests.tables import each_row
from wellsourced.question.requested_quantity import (
    detect_requested_quantities,
    has_asked_figure,
    holds_for,
    question_values,
)


@each_row(
    ("question", "names", "answer", "other"),
    [
        ("What dose of alteplase?", ["dose"], "0.9 mg/kg", "alteplase is given early"),
        ("How long should it be taken?", ["duration"], "for 5-7 days", "for some time"),
        ("How often is potassium checked?", ["interval"], "every 6 months", "when it is needed"),
        ("What is the target A1C?", ["threshold"], "< 7 %", "an individual goal"),
    ],
)
def test_the_sort_of_figure_that_is_asked_for(question: str, names: list[str], answer: str, other: str) -> None:
    wanted = detect_requested_quantities(question)
    assert [one.name for one in wanted] == names
    assert has_asked_figure(wanted, answer)
    assert not has_asked_figure(wanted, other)


def test_no_figure_is_asked_for_where_no_word_says_so() -> None:
    assert detect_requested_quantities("Which drug is preferred in gout?") == ()


@each_row(
    ("question", "values"),
    [
        ("Warfarin bleed with an INR of 5?", [5.0]),
        ("eGFR 41 and K 4.5", [41.0, 4.5]),
        ("CURB-65 in type 2 diabetes, 2023 edition", []),
        ("four-factor or 4-factor PCC on the 2nd day", []),
    ],
)
def test_values_are_numbers_that_are_no_names(question: str, values: list[float]) -> None:
    assert question_values(question) == values


@each_row(
    ("condition", "holds"),
    [
        ("INR 4–6", True),
        ("INR > 6", False),
        ("INR >= 5", True),
        ("NEWS2 Score 5 or more", True),
        ("40 to < 60 kg", False),
        ("any INR", None),
    ],
)
def test_a_range_holds_for_a_value_or_not(condition: str, holds: bool | None) -> None:
    assert holds_for([5.0], condition) is holds


def test_a_range_that_ends_before_it_begins_is_none() -> None:
    assert holds_for([5.0], "from 9 to 3") is None
