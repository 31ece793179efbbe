"""A number belongs to a group: in another one's place it is another fact, although every word of it is in the text."""

from tests.tables import each_row
from wellsourced.claims.guard import find_disagreements

TWO = "Mortality was 12.5% with placebo and 10.1% with aspirin."
IN_TURN = "Mortality was 12% and 18% with aspirin and clopidogrel, respectively."
IN_BRACKETS = "Mortality was lower with aspirin (12%) than with placebo (18%)."


@each_row(
    ("claim", "evidence", "is_another"),
    [
        ("Mortality was 12.5% with aspirin.", TWO, True),
        ("Mortality was 10.1% with aspirin.", TWO, False),
        ("Mortality was 10.1% in the aspirin group and 12.5% in the placebo group.", TWO, False),
        ("Mortality was 18% with aspirin and 12% with clopidogrel.", IN_TURN, True),
        ("Mortality was 12% with aspirin and 18% with clopidogrel.", IN_TURN, False),
        ("Mortality was 18% in patients given aspirin.", IN_BRACKETS, True),
        ("Mortality was 12% in patients given aspirin.", IN_BRACKETS, False),
        ("Pain fell in 60% of patients given ibuprofen.", "Pain fell in 60% of those who took it.", False),
    ],
)
def test_a_number_of_another_group_is_another_number(claim: str, evidence: str, is_another: bool) -> None:
    assert any(one.kind == "number" for one in find_disagreements(claim, evidence)) == is_another
