"""A claim about other people than those the evidence speaks of is noticed, wherever in it they stand."""

from tests.tables import each_row
from wellsourced.claims.guard import find_disagreements

ADULTS = "We studied adults with gout. Colchicine shortened the flare by two days compared with placebo."
SAID = "Colchicine shortened the flare by two days compared with placebo in"


@each_row(
    ("claim", "evidence"),
    [
        (f"{SAID} children.", ADULTS),
        (f"{SAID} infants.", ADULTS),
        (f"{SAID} adults.", ADULTS.replace("adults", "children aged 6 to 12 years")),
        (f"{SAID} women.", ADULTS.replace("adults", "men")),
    ],
)
def test_another_age_or_sex_is_another_population(claim: str, evidence: str) -> None:
    assert "population" in [one.kind for one in find_disagreements(claim, evidence)]


@each_row(
    ("claim", "evidence"),
    [
        (f"{SAID} adults.", ADULTS),
        (f"{SAID} older adults.", ADULTS),
        (f"{SAID} women.", ADULTS),
        (f"{SAID} women.", ADULTS.replace("adults", "men and women")),
        (f"{SAID} children.", ADULTS.replace("adults", "children and adults")),
        ("Colchicine shortened the flare by two days.", ADULTS),
    ],
)
def test_the_same_people_or_more_of_them_are_no_other_population(claim: str, evidence: str) -> None:
    assert "population" not in [one.kind for one in find_disagreements(claim, evidence)]
