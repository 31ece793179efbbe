"""Drugs and their classes, as records and guidelines name them."""

from tests.tables import each_row
from wellsourced.medicine.drugs import find_drugs, is_meant


@each_row(
    ("text", "drug", "own_class"),
    [
        ("lisinopril 10 mg", "lisinopril", "ACE inhibitor"),
        ("ACEi or ARNi", "", "ACE inhibitor"),
        ("sacubitril/valsartan 49/51 mg", "sacubitril/valsartan", "ARNI"),
        ("labetalol", "labetalol", "beta-blocker"),
        ("aripiprazole", "aripiprazole", "atypical antipsychotic"),
        ("Non-dihydropyridine calcium channel blockers", "", "non-dihydropyridine calcium channel blocker"),
    ],
)
def test_a_drug_is_told_with_its_narrowest_class(text: str, drug: str, own_class: str) -> None:
    first = find_drugs(text)[0]
    assert (first.drug, first.own_class) == (drug, own_class)


@each_row(
    ("named", "drug", "meant"),
    [
        ("RAS inhibitors", "lisinopril", True),
        ("NSAIDs", "ibuprofen", True),
        ("ibuprofen", "naproxen", False),
        ("DOACs", "apixaban", True),
        ("warfarin", "warfarina", True),
        ("sertraline", "which antidepressant", True),
        ("beta-blockers", "diltiazem", False),
        ("aliskiren", "losartan", False),
    ],
)
def test_a_class_means_its_members_and_a_drug_means_no_sibling(named: str, drug: str, meant: bool) -> None:
    assert is_meant(find_drugs(named)[0], find_drugs(drug)[0]) is meant


def test_a_word_that_only_ends_like_a_drug_is_none() -> None:
    assert find_drugs("In April she was stable, with a control visit in a hospital.") == ()
