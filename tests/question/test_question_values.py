"""Figures of a question, and the rows and branches that are for them."""

from tests.tables import each_row
from wellsourced.question.requested_quantity import find_given_figures, find_stated_ranges, fit_figures


@each_row(
    ("question", "condition", "under", "suits"),
    [
        ("DKA, pH 7.1, K came back 3.1", "K+ < 3.5 mmol/L (hypokalemia)?", "", True),
        ("DKA, pH 7.1, K came back 3.1", "K+ > 5.0 mmol/L?", "", False),
        ("DKA, pH 7.1, K came back 3.1", "Dose reduction when glucose < 250 mg/dL", "", None),
        ("FIB-4 1.6 at 72", "1.3–2.67", "FIB-4 score", True),
        ("FIB-4 1.6 at 72", "> 2.67", "FIB-4 score", False),
        ("INR 4.6, not bleeding", "4.0–6.0", "INR", True),
        ("74 kg man with a STEMI", "70–79 kg", "Weight", True),
        ("74 kg man with a STEMI", "60–69 kg", "Weight", False),
        ("FEV1 42% predicted", "GOLD 3; 30% ≤ FEV1 < 50%", "", True),
        ("CURB-65 is 3", "3: admit", "CURB-65", True),
        ("78 year old woman", "≥ 75 years", "", True),
        ("how is gout treated?", "K+ < 3.5 mmol/L", "", None),
    ],
)
def test_a_figure_is_held_against_ranges_of_the_same_thing_alone(
    question: str, condition: str, under: str, suits: bool | None
) -> None:
    assert fit_figures(question, condition, under).suits is suits


def test_a_range_of_two_ends_is_told_from_one_that_is_open() -> None:
    assert fit_figures("INR 4.8", "4.0-6.0", "INR").is_closed
    assert not fit_figures("INR 4.8", "INR >= 2.0").is_closed


def test_a_figure_does_not_take_the_name_of_the_one_before_it() -> None:
    assert [one.names for one in find_given_figures("FIB-4 1.6 at 72")] == [{"fib"}, frozenset()]


def test_bounds_that_are_left_out_lie_outside() -> None:
    assert not find_stated_ranges("INR < 2")[0].has(2.0)
    assert find_stated_ranges("INR ≤ 2")[0].has(2.0)
