"""Which questions "yes" or "no" would answer, what they are about, and whether a text speaks of that."""

import pytest

from wellsourced.claims.advice_signs import strip_opening
from wellsourced.claims.yes_no_questions import (
    find_asked_subject,
    is_yes_no_question,
    names_other_group,
    speaks_of_subject,
)


@pytest.mark.parametrize(
    "question",
    [
        "Is metformin safe in pregnancy?",
        "In adults with sepsis, should steroids be given?",
        "A 60-year-old man has gout. Is allopurinol contraindicated?",
        "Statins: should they be stopped before surgery?",
        "Is a potassium of 5.5 or higher a reason to stop?",
        "Isn't colchicine enough?",
        "Are steroids recommended",
    ],
)
def test_yes_or_no_would_answer_it(question: str) -> None:
    assert is_yes_no_question(question)


@pytest.mark.parametrize(
    "question",
    [
        "What is asthma?",
        "Should I give apixaban or warfarin?",
        "Can either be given?",
        "Can you tell me the dose of apixaban?",
        "Could you explain angioedema?",
        "Does aspirin help, and how long should it be given?",
        "Should surgery be delayed, and if so, how long?",
        "gout",
        "",
    ],
)
def test_another_answer_is_asked_for(question: str) -> None:
    assert not is_yes_no_question(question)


def test_a_question_of_any_length_is_read_quickly() -> None:
    assert not is_yes_no_question("gout, " * 100_000)
    assert is_yes_no_question("Is it so " + "and so " * 100_000)


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("Should lactulose be given in hepatic encephalopathy?", {"lactul"}),
        ("Do adults with gout need colchicine?", {"colchi"}),
        ("Can I give aspirin to somebody with gout?", {"aspiri"}),
        ("Is it safe to lower systolic blood pressure?", {"systol", "blood", "pressu"}),
        ("Is it safe?", set()),
        ("", set()),
    ],
)
def test_the_subject_is_what_is_asked_of_or_what_it_is_to_get(question: str, subject: set[str]) -> None:
    assert find_asked_subject(strip_opening(question)) == subject


def test_a_text_speaks_of_it_with_more_than_half_of_its_words() -> None:
    claim = "SGLT2 inhibitors be given in heart failure"
    assert speaks_of_subject(claim, "An SGLT2 inhibitor is recommended.")
    assert not speaks_of_subject(claim, "An ACE inhibitor is recommended.")
    assert speaks_of_subject("it safe", "Anything.")


@pytest.mark.parametrize(
    ("question", "text", "other"),
    [
        ("Is PE ruled out when it is unlikely?", "For PE likely: D-dimer is not recommended.", True),
        ("Is PE ruled out when it is unlikely?", "For PE unlikely: D-dimer rules it out.", False),
        ("Is it safe in children?", "In adults it is safe.", True),
        ("Is it safe in children?", "In adults and children it is safe.", False),
        ("Is it safe?", "In adults it is safe.", False),
        ("Is it safe in stable angina?", "In unstable angina it is harmful.", True),
        ("", "", False),
    ],
)
def test_a_word_that_excludes_one_of_the_question_is_of_another_group(question: str, text: str, other: bool) -> None:
    assert names_other_group(question, text) == other
