"""A question is also asked in the wording that sources use."""

import pytest

from wellsourced.text.needs import needs, offers
from wellsourced.text.wordings import wordings


@pytest.mark.parametrize(
    ("asked", "also"),
    [
        ("How is HFrEF treated?", "How is heart failure with reduced ejection fraction treated?"),
        ("How is Heart failure with reduced ejection fraction treated?", "How is HFrEF treated?"),
        ("Do PPIs cause fractures?", "Do proton pump inhibitors cause fractures?"),
        ("Can DMD be cured?", "Can Duchenne muscular dystrophy be cured?"),
    ],
)
def test_abbreviations_are_written_out_and_terms_abbreviated(asked: str, also: str) -> None:
    assert wordings(asked) == (asked, also)


@pytest.mark.parametrize("asked", ["How is gout treated?", "Is it all in the mind?", "ms or mi", "What does PT mean?"])
def test_a_question_without_either_is_asked_once(asked: str) -> None:
    assert wordings(asked) == (asked,)


@pytest.mark.parametrize(
    ("asked", "need"),
    [
        ("What is first-line drug therapy for gout?", "treatment"),
        ("How to diagnose Abetalipoproteinemia?", "diagnosis"),
        ("Which genes are mutated in Lynch syndrome?", "cause"),
        ("What are the symptoms of gout?", "signs"),
        ("How common is gout?", "frequency"),
        ("What is gout?", "meaning"),
    ],
)
def test_a_question_says_what_it_needs(asked: str, need: str) -> None:
    assert need in {one.name for one in needs(asked)}


def test_a_sentence_that_names_a_disease_does_not_yet_treat_it() -> None:
    wanted = needs("How is gout treated?")
    assert offers(wanted, "Colchicine is recommended for gout flares.")
    assert not offers(wanted, "Gout is an ancient disease of kings.")
