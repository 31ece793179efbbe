"""How a claim is copied from its passage, and what was changed inside a copy."""

import pytest

from wellsourced_evaluate.training.entailment.copied_runs import find_runs, measure_copying, words_of
from wellsourced_evaluate.training.entailment.written_pairs import is_restated, measure

PASSAGE = (
    "Mortality at 30 days was 12% in the surgical group and 22% in the medical group. "
    "Patients over 70 years stayed in hospital for a median of nine days."
)


def test_a_sentence_copied_whole_is_one_run() -> None:
    found = measure_copying("Patients over 70 years stayed in hospital for a median of nine days.", PASSAGE)
    assert (found["copied"], found["runs"], found["new_words"], found["exchanged"]) == (1, 1, 0, 0)


@pytest.mark.parametrize(
    ("claim", "change"),
    [
        ("Patients over 70 years remained in hospital for a median of nine days.", "exchanged"),
        ("Patients over 70 years often stayed in hospital for a median of nine days.", "put_in"),
        ("Patients over 70 years stayed for a median of nine days.", "left_out"),
    ],
)
def test_a_change_inside_a_copy_is_found(claim: str, change: str) -> None:
    found = measure_copying(claim, PASSAGE)
    assert {name for name in ("exchanged", "put_in", "left_out") if found[name]} == {change}


def test_a_figure_of_another_row_jumps_back() -> None:
    found = measure_copying("22% in the medical group, and 12% in the surgical group.", PASSAGE)
    assert found["back"] == 1
    assert found["new_words"] == 0


def test_a_claim_of_two_sentences_jumps() -> None:
    claim = "12% in the surgical group, and patients over 70 years stayed in hospital."
    assert measure_copying(claim, PASSAGE)["jumps"] == 1


def test_other_words_are_no_copy() -> None:
    found = measure_copying("Elderly people remained longer.", PASSAGE)
    assert (found["copied"], found["new_words"]) == (0, 1)


def test_the_longest_run_is_taken() -> None:
    sentences = [words_of("in the group"), words_of("in the medical group of old men")]
    assert [run.length for run in find_runs(words_of("in the medical group"), sentences)] == [4]


def test_rows_of_features_are_alike() -> None:
    one, other = measure("Mortality was 22% in the surgical group.", PASSAGE), measure("Nothing.", "")
    assert list(one) == list(other)
    assert one["question all"] >= 1


@pytest.mark.parametrize(
    ("claim", "restated"),
    [
        ("In the surgical group mortality at 30 days was 12%, and 22% in the medical group.", True),
        ("Mortality at 30 days was 22% in the surgical group and 12% in the medical group.", False),
        ("The hospital has a garden.", False),
    ],
)
def test_only_what_a_sentence_says_is_restated(claim: str, restated: bool) -> None:
    assert is_restated(measure(claim, PASSAGE)) is restated
