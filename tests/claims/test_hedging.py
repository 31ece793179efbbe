"""Whether a source asserts what a claim says, or only asks, supposes or fails to show it."""

from tests.tables import each_row
from wellsourced.claims.guard.hedging import is_claim_hedged, is_claim_only_hedged


@each_row(
    ("claim", "sentence", "hedged"),
    [
        ("Aspirin prevents cancer.", "We asked whether aspirin prevents cancer.", True),
        ("Aspirin prevents cancer.", "Whether aspirin prevents cancer is unclear.", True),
        ("Aspirin prevents cancer.", "To determine whether aspirin prevents cancer.", True),
        (
            "Treatment of all clots lasts 3 months.",
            "For all clots (whether provoked or unprovoked), the panel suggests treatment for 3 months.",
            False,
        ),
        (
            "Patients with clots, provoked or unprovoked, should be treated.",
            "Patients with clots, whether provoked or unprovoked, should be treated.",
            False,
        ),
        (
            "The stage decides on initial therapy with one or two drugs.",
            "The stage determines whether initial therapy should be with one or two drugs.",
            False,
        ),
        ("It is given to smokers.", "It is given regardless of whether they are smokers.", False),
    ],
)
def test_a_whether_doubts_only_what_somebody_asks(claim: str, sentence: str, hedged: bool) -> None:
    assert is_claim_hedged(claim, sentence) is hedged


def test_the_aim_of_a_study_beside_its_result_is_no_doubt() -> None:
    aim, result = "We asked whether aspirin prevents cancer.", "Aspirin prevents cancer."
    assert is_claim_only_hedged(result, [aim])
    assert not is_claim_only_hedged(result, [aim, result])
    assert not is_claim_only_hedged(result, [])
