"""Minimal pairs: what is made wrong is wrong in one thing, what is written otherwise says the same, the guard knows."""

import pytest

from wellsourced.citations.quote_alignment import align_quote
from wellsourced.claims.guard import find_disagreements
from wellsourced.errors import SourceRefused
from wellsourced_evaluate.builders.minimal_pairs import CLASSES, HARMFUL, HARMLESS, MinimalPair, make_minimal_pairs

DRUGS = ["metformin", "simvastatin", "omeprazole", "morphine", "warfarin", "sertraline", "amlodipine", "losartan"]


def trial(drug: str, number: int) -> str:
    """An abstract of our own, unlike the next by its drug and its numbers."""
    share = 10 + number
    return (
        f"However, the benefit of {drug} {5 * number} mg daily in heart failure (HF) is unclear. "
        f"We compared the outcomes of {drug} in {200 + number} children aged at least {number} years who were treated "
        f"for {number + 3} weeks before surgery. "
        f"Mortality was significantly lower in the {drug} group than in the placebo group "
        f"({share}.5% vs {share + 9}.5%, hazard ratio 0.{50 + number}, 95% CI 0.4{number} to 0.7{number}, "
        f"p=0.00{number}). In all patients, the pain increased after {drug}. "
        f"{drug.title()} was not associated with an increase in bleeding, and serum creatinine was 80 g/L higher."
    )


TEXTS = [trial(drug, number) for number, drug in enumerate(DRUGS, start=1)]


def of(change: str) -> list[MinimalPair]:
    return list(make_minimal_pairs(TEXTS, change, 12))


@pytest.mark.parametrize("change", CLASSES)
def test_each_class_finds_something_to_change_in_ordinary_abstracts(change: str) -> None:
    pairs = of(change)
    assert len(pairs) >= 5
    assert all(pair.claim != pair.original and pair.original in pair.text for pair in pairs)
    assert {(pair.change, pair.harmful) for pair in pairs} == {(change, change in HARMFUL)}


@pytest.mark.parametrize("change", HARMFUL)
def test_every_alteration_is_caught_as_a_quote(change: str) -> None:
    assert [pair.claim for pair in of(change) if align_quote(pair.claim, pair.text)] == []


# Which technical term stands for which other is nothing that the guard knows: a judge has to.
@pytest.mark.parametrize("change", [one for one in HARMFUL if one != "term"])
def test_19_of_20_alterations_are_caught_as_a_claim(change: str) -> None:
    pairs = of(change)
    missed = [pair.claim for pair in pairs if not find_disagreements(pair.claim, pair.text)]
    assert 20 * len(missed) <= len(pairs), missed


@pytest.mark.parametrize("change", HARMLESS)
def test_what_says_the_same_is_not_refused(change: str) -> None:
    refused = [(pair.claim, found) for pair in of(change) if (found := find_disagreements(pair.claim, pair.text))]
    assert refused == []


@pytest.mark.parametrize("change", ["white space", "unicode"])
def test_a_quote_may_differ_in_its_typography(change: str) -> None:
    assert [pair.claim for pair in of(change) if not align_quote(pair.claim, pair.text)] == []


def test_the_seed_decides_what_is_made() -> None:
    assert list(make_minimal_pairs(TEXTS, "number", 12)) == of("number")
    assert list(make_minimal_pairs(TEXTS, "number", 12, seed=8)) != of("number")


def test_no_more_pairs_are_made_than_asked_for_and_few_from_one_text() -> None:
    assert len(list(make_minimal_pairs(TEXTS, "negation", 3))) == 3
    assert len(list(make_minimal_pairs(TEXTS[:1], "negation", 12))) <= 2


def test_a_class_that_there_is_not_is_named() -> None:
    with pytest.raises(SourceRefused, match=r"“colour”.*negation"):
        list(make_minimal_pairs(TEXTS, "colour", 1))
