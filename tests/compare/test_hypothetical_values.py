"""What a claim supposes of somebody needs no source; what it says of a drug does."""

from tests.tables import each_row
from wellsourced.compare.quantities import is_supposed
from wellsourced.medicine.quantities import extract_quantities


def supposed(claim: str) -> list[str]:
    return [one.words for one in extract_quantities(claim) if is_supposed(one, claim)]


@each_row(
    ("claim", "words"),
    [
        ("Being 82 does not speak against it.", ["82"]),
        ("For a 3 kg baby that makes 30 mL.", ["3 kg"]),
        ("For your sixteen-year-old the reliever is formoterol.", ["sixteen-year-old"]),
        ("At 25 mL/min the dose is halved.", []),
        ("The dose is halved below 40 mL/min.", []),
        ("Give 400 mg for 9 months.", []),
        ("The trial followed 82 people for 3 kg of weight loss.", []),
        ("It was given for a 3 year period.", []),
    ],
)
def test_ages_and_weights_may_be_supposed(claim: str, words: list[str]) -> None:
    assert supposed(claim) == words
