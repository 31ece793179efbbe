"""Questions that a whole chapter answers, and words in a form in which they are known again."""

from tests.tables import each_row
from wellsourced.medicine.word_forms import write_out_abbreviations
from wellsourced.question.question_types import find_chapter, is_broad_question
from wellsourced.question.word_rarity import list_telling_words, word_beginnings

PILLARS = "Pharmacotherapy › Medical Therapy for HFrEF"


@each_row(
    ("question", "is_broad"),
    [
        ("What is first-line drug therapy for heart failure with reduced ejection fraction?", True),
        ("How is gout flare treated?", True),
        ("Which drugs should every patient with HFrEF be on?", True),
        ("Which drug is given to a patient with HFrEF?", False),
        ("What dose of colchicine is used to treat gout?", False),
        ("Should gout be treated with colchicine?", False),
        ("At what pressure should treatment be started?", False),
        ("What is gout?", False),
    ],
)
def test_a_question_is_broad_when_it_asks_for_all_of_a_treatment(question: str, is_broad: bool) -> None:
    assert is_broad_question(question) is is_broad


def test_the_chapter_is_the_outermost_that_names_all_that_is_asked_about() -> None:
    asked = ["What is first-line drug therapy for heart failure with reduced ejection fraction?"]
    assert find_chapter(f"{PILLARS} › Pillar 2: Beta-Blockers", "Heart Failure Guideline", asked) == PILLARS
    assert find_chapter("Diagnosis › Echocardiography", "Heart Failure Guideline", asked) == ""
    everybody = ["Which drugs should every patient with HFrEF be on?"]
    assert find_chapter(f"{PILLARS} › Pillar 2: Beta-Blockers", "Heart Failure Guideline", everybody) == PILLARS


@each_row("chapter", ["Flare Management in Gout", "Urate-Lowering Therapy in Gout"])
def test_a_chapter_on_management_is_on_treatment(chapter: str) -> None:
    assert find_chapter(f"{chapter} › Dosing", "Gout Guideline", ["How is gout managed?"]) == chapter


def test_words_are_known_again_in_another_form() -> None:
    assert write_out_abbreviations("DKA in COPD") == "diabetic ketoacidosis in chronic obstructive pulmonary disease"
    assert word_beginnings("referred to a nephrologist") <= word_beginnings("Nephrology referral criteria")


def test_of_wordings_that_say_nothing_of_the_subject_none_counts() -> None:
    wordings = ("A subarachnoid haemorrhage with vasospasm. What are the steps?", "What are the steps?")
    assert list_telling_words(wordings) == [word_beginnings(wordings[0])]
