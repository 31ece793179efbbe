"""What is to be given is not what is to be avoided, in the clause that is about the same."""

from tests.tables import each_row
from wellsourced.claims.guard import find_disagreements
from wellsourced.claims.guard.hedging import compare_advice

BOTH = "Aspirin is safe in adults, but it is contraindicated in pregnancy."


@each_row(
    ("claim", "evidence", "is_opposite"),
    [
        ("Beta-blockers should be given in acute asthma.", "Beta-blockers should be avoided in acute asthma.", True),
        ("Aspirin is safe in pregnancy.", BOTH, True),
        ("Statins are recommended in pregnancy.", "Statins are not routinely recommended in pregnancy.", True),
        ("Aspirin is safe in adults.", BOTH, False),
        ("Aspirin is contraindicated in pregnancy.", BOTH, False),
        ("Statins are not recommended in pregnancy.", "Statins should be avoided in pregnancy.", False),
        ("Colchicine should be used for gout flares.", "Colchicine is recommended for gout flares.", False),
    ],
)
def test_advice_that_is_turned_round_is_the_opposite(claim: str, evidence: str, is_opposite: bool) -> None:
    found = {one.kind for one in find_disagreements(claim, evidence)}
    assert bool(found & {"direction", "negation"}) == is_opposite


def test_one_sentence_that_advises_the_same_is_enough() -> None:
    claim, against = "Warfarin is recommended in pregnancy.", "Warfarin is not recommended in early pregnancy."
    assert list(compare_advice(claim, against))
    assert not list(compare_advice(claim, f"{against} Warfarin is recommended in late pregnancy."))
