"""Which questions "yes" or "no" would answer, what they are about, and whether a text speaks of that."""

from tests.tables import each_row
from wellsourced.claims.advice_signs import strip_opening
from wellsourced.claims.yes_no_questions import (
    find_asked_claim,
    find_asked_subject,
    is_yes_no_question,
    mentions_subject,
    names_other_group,
)


@each_row(
    "question",
    [
        "Is metformin safe in pregnancy?",
        "In adults with sepsis, should steroids be given?",
        "A 60-year-old man has gout. Is allopurinol contraindicated?",
        "Statins: should they be stopped before surgery?",
        "Is a potassium of 5.5 or higher a reason to stop?",
        "Isn't colchicine enough?",
        "Are steroids recommended",
        "K came back 3.1. Start the insulin?",
        "Fatty liver with ALT of 70 - OK to give atorvastatin?",
        "Any role for dopamine in kidney injury?",
        "Narcan first in the delivery room?",
        "Necrosis but no sign of infection. Antibiotics just in case?",
        "Already on Ozempic - worth adding sitagliptin?",
        "If the eGFR drops to 17 on dapagliflozin can they stay on it?",
        "Can I start his allopurinol now or is that wrong?",
        "can it be started now or must it settle first",
        "Macrobid ok for a woman with flank pain? she's allergic to all else",
        "well for a year, wants off the inhaled steroid. ok?",
    ],
)
def test_yes_or_no_would_answer_it(question: str) -> None:
    assert is_yes_no_question(question)


@each_row(
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
        "Brain bleed on enoxaparin - how many mg of protamine do I give?",
        "After how long do we review, and is it different for the yearly drip?",
        "Starting dose?",
        "Nicardipine: start and max infusion?",
        "Dose of dex, and does it have to go in first?",
    ],
)
def test_another_answer_is_asked_for(question: str) -> None:
    assert not is_yes_no_question(question)


def test_a_question_of_any_length_is_read_quickly() -> None:
    assert not is_yes_no_question("gout, " * 100_000)
    assert is_yes_no_question("Is it so " + "and so " * 100_000)


@each_row(
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
    assert mentions_subject(claim, "An SGLT2 inhibitor is recommended.")
    assert not mentions_subject(claim, "An ACE inhibitor is recommended.")
    assert mentions_subject("it safe", "Anything.")


@each_row(
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


@each_row(
    ("question", "story", "claim"),
    [
        ("Ulcer clipped and dry. Carry on the aspirin?", "Ulcer clipped and dry.", "Carry on the aspirin"),
        ("In gout, should colchicine be given?", "In gout,", "colchicine be given"),
        ("pH 7.1. Worth adding it?", "pH 7.1.", "adding it"),
    ],
)
def test_the_claim_is_told_from_the_story(question: str, story: str, claim: str) -> None:
    found = find_asked_claim(question)
    assert found is not None
    assert (found.story, found.text) == (story, claim)
