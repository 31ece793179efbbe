import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.samples import a_tenth_as_long
from tests.tables import each_row
from tests.text import minimal_pairs
from wellsourced.claims.guard import find_disagreements
from wellsourced.medicine.quantities import extract_named_numbers, extract_quantities

TRIAL = (
    "Aspirin 81 mg/day significantly reduced the risk of stroke (5% vs 8%, p<0.05) "
    "but did not reduce mortality in 1,000 patients treated for 12 weeks."
)


def kinds(claim: str, evidence: str) -> set[str]:
    return {disagreement.kind for disagreement in find_disagreements(claim, evidence)}


@each_row(
    "claim",
    [
        TRIAL,
        "Aspirin reduced the risk of stroke.",
        "The risk of stroke was lower with aspirin.",
        "Aspirin did not reduce mortality in 1000 patients.",
        "Mortality was not lower with aspirin.",
        "Aspirin 81 mg per day for twelve weeks reduced strokes, p < .05.",
        "Stroke: 5 % vs 8.0 %",
        "Aspirin lowered the stroke risk but failed to reduce mortality.",
    ],
)
def test_a_harmless_paraphrase_is_not_refused(claim: str) -> None:
    assert find_disagreements(claim, TRIAL) == []


@each_row(
    ("claim", "kind"),
    [
        ("Aspirin 75 mg/day reduced stroke.", "dose"),
        ("Aspirin 81 mcg/day reduced stroke.", "dose"),
        ("Aspirin 81 mg/kg reduced stroke.", "dose"),
        ("Stroke fell, p > 0.05.", "comparator"),
        ("Aspirin increased the risk of stroke.", "direction"),
        ("Aspirin did not reduce the risk of stroke.", "negation"),
        ("Aspirin did reduce mortality in 1,000 patients.", "negation"),
        ("Patients were treated for 12 months.", "time"),
    ],
)
def test_a_changed_fact_is_caught(claim: str, kind: str) -> None:
    assert kind in kinds(claim, TRIAL)


def test_the_words_of_both_sides_are_told() -> None:
    (found,) = find_disagreements("Aspirin increased the risk of stroke.", TRIAL)
    assert found == ("direction", "increased", "reduced")


@each_row(
    ("claim", "evidence"),
    [
        ("COX-2 inhibitors are safe.", "COX-1 inhibitors are safe."),
        ("It was a phase II trial.", "It was a phase III trial."),
        ("Metformin is the first-line drug.", "Metformin is the second-line drug."),
        ("Treat type 1 diabetes.", "Treat type 2 diabetes."),
    ],
)
def test_a_number_inside_a_name_counts(claim: str, evidence: str) -> None:
    assert "number" in kinds(claim, evidence)


@each_row(
    ("claim", "evidence"),
    [
        ("Hyperkalemia was seen after surgery.", "Hypokalemia was seen after surgery."),
        ("Beta-blockers are contraindicated in asthma patients.", "Beta-blockers are recommended in asthma patients."),
        ("Tumour cells were up-regulated by the drug.", "Tumour cells were downregulated by the drug."),
        ("The drug is given before meals daily.", "The drug is given after meals daily."),
        ("Vaccination is unsafe in pregnancy.", "Vaccination is safe in pregnancy."),
        ("Significant difference was found between groups.", "No significant difference was found between groups."),
    ],
)
def test_opposites_disagree(claim: str, evidence: str) -> None:
    assert kinds(claim, evidence) & {"direction", "negation"}


@each_row(
    ("claim", "evidence"),
    [
        ("Aspirin reduced stroke.", "Aspirin increased bleeding and reduced stroke."),
        ("The drug did not increase bleeding.", "The drug did not raise bleeding, but it increased nausea."),
        ("It works with or without food.", "It works with or without food in most patients."),
        ("Pain was not uncommon in women.", "Pain was common in women."),
        ("Systolic pressure decreased by 5 mmHg.", "The change in systolic pressure was −5 mmHg."),
        ("Patients aged 65 years were included.", "Patients aged 65 were included."),
    ],
)
def test_a_change_in_something_else_is_not_held_against_the_claim(claim: str, evidence: str) -> None:
    assert find_disagreements(claim, evidence) == []


def test_numbers_that_changed_places_are_caught() -> None:
    evidence = "Stroke occurred in 5% of patients given aspirin and in 8% of patients given placebo."
    claim = "Stroke occurred in 8% of patients given aspirin and in 5% of patients given placebo."
    assert kinds(claim, evidence) == {"number"}


def test_one_quantity_has_many_spellings() -> None:
    for one, other in [("1,000", "1000"), ("5 %", "5%"), (".05", "0.05"), ("twelve", "12"), ("2 µg", "2 mcg"),
                       ("3 mg/kg/day", "3 mg per kg per day"), ("1.0", "1"), ("twenty-five", "25"),
                       ("5-mg", "5 milligrams"), ("6-week", "6 weeks"), ("−3", "-3"), ("10·5", "10.5")]:  # fmt: skip
        assert extract_quantities(one)[0][:2] == extract_quantities(other)[0][:2]


def test_the_numbers_of_a_range_share_its_unit() -> None:
    assert [quantity.unit for quantity in extract_quantities("2–4 mg or 5, 10 and 20 g")] == ["mg", "mg", "g", "g", "g"]


def test_a_dash_after_a_letter_is_no_minus_and_a_name_no_quantity() -> None:
    assert extract_quantities("COX-2, CYP3A4 and vitamin B12 in the 1990s") == ()
    assert {named.name for named in extract_named_numbers("COX-2, CYP3A4")} == {"cox#", "cyp#a#"}


PIECES = [
    "aspirin",
    "stroke",
    "not",
    "no",
    "without",
    "reduced",
    "increased",
    "mg",
    "12",
    "0.5",
    "<",
    "hypo",
    ",",
    "unsafe",
]


@given(st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join))
def test_a_text_never_disagrees_with_itself_and_what_follows_it(text: str) -> None:
    assert find_disagreements(text, text) == []
    assert find_disagreements(text, f"{text}. Gout is painful.") == []


@given(st.text(), st.text())
def test_any_two_texts_can_be_compared(claim: str, evidence: str) -> None:
    for found in find_disagreements(claim, evidence):
        assert found.claim


@a_tenth_as_long
@each_row(
    "hostile",
    [
        "not " * 5_000,
        "a1" * 20_000 + "_",
        "1 " * 500,
        "1" * 50_000,
        "increased " * 10_000,
        "1 " * 20_000,
        "5 vs 6 " * 5_000,
    ],
)
def test_hostile_text_does_not_hang(hostile: str, step: int) -> None:
    hostile = hostile[: len(hostile) // step]
    started = time.process_time()
    find_disagreements(hostile, hostile + "x")
    assert time.process_time() - started < 10


needs_corpus = pytest.mark.skipif(
    not minimal_pairs.CORPUS.exists(), reason="the development data (../shared/data) are not on this machine"
)


@needs_corpus
@pytest.mark.parametrize("count", [20, pytest.param(100, marks=pytest.mark.nightly)])
@each_row("change", minimal_pairs.HARMFUL)
def test_of_real_sentences_with_one_fact_changed_19_in_20_are_caught(change: str, count: int) -> None:
    pairs = minimal_pairs.pairs(change, count)
    missed = [pair.claim for pair in pairs if not find_disagreements(pair.claim, pair.evidence)]
    assert len(pairs) == count
    assert len(missed) <= count / 20, missed


@needs_corpus
@pytest.mark.parametrize("count", [20, pytest.param(100, marks=pytest.mark.nightly)])
@each_row("change", minimal_pairs.HARMLESS)
def test_of_real_sentences_written_otherwise_1_in_20_is_refused_at_most(change: str, count: int) -> None:
    pairs = minimal_pairs.pairs(change, count)
    refused = [pair.claim for pair in pairs if find_disagreements(pair.claim, pair.evidence)]
    assert len(pairs) == count
    assert len(refused) <= count / 20, refused
