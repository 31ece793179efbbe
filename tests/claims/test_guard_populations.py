"""Ages of a claim with which its evidence has nothing in common."""

from tests.tables import each_row
from wellsourced.claims.guard.disagreement import compare_populations


@each_row(
    ("claim", "evidence", "differs"),
    [
        ("It helps children aged 5 to 10 years.", "It helps adults aged 40 to 60 years.", True),
        ("It helps adults aged 40 to 60 years.", "It helps children aged 5 to 10 years.", True),
        ("It helps adults aged 40 to 60 years.", "It helps adults aged 50 to 80 years.", False),
        ("It helps adults aged 40 to 60 years.", "It helps adults.", False),
    ],
)
def test_ages_that_do_not_overlap_are_other_people(claim: str, evidence: str, differs: bool) -> None:
    assert bool([one for one in compare_populations(claim, evidence) if one.kind == "population"]) is differs
