"""What a message asks: without pleasantries, in ordinary letters, with what its answer may hang on."""

from tests.pipeline.frame.test_question_framing import told, with_model
from tests.tables import each_row
from wellsourced.pipeline.frame.question_framing import frame_question
from wellsourced.question.plain_question import find_plain_question, fold_capitals
from wellsourced.types import Question

ASKED = "How is colchicine dosed for an acute gout attack?"


@each_row(
    "message",
    [
        f"Hello, I hope that you can help me. {ASKED} Thank you very much!",
        f"Dear Dr Smith,\nI hope you are well.\n{ASKED}\nKind regards,\nAnna Berg",
        f"Hi doc, sorry to bother you. Quick question: {ASKED} Best, Anna",
        f"Could you please tell me: {ASKED} Asking for a friend",
        f"I work in a bakery and I get up early. {ASKED}",
        f"The patient is a 34-year-old teacher. {ASKED}",
        ASKED.upper(),
    ],
)
def test_what_is_said_around_a_question_is_no_part_of_it(message: str) -> None:
    assert find_plain_question(message) == ASKED


@each_row(
    "told_before",
    ["She is pregnant.", "I have asthma.", "He is 82.", "She takes methotrexate.", "I take blood thinners.",
     "My kidneys are bad.", "My husband has polycythemia vera.", "We have a leishmaniasis here."],
)  # fmt: skip
def test_what_advice_may_turn_on_stays(told_before: str) -> None:
    assert find_plain_question(f"{told_before} {ASKED}") == f"{told_before} {ASKED}"
    assert find_plain_question(f"{ASKED} {told_before} Thanks!") == f"{told_before} {ASKED}"


def test_a_question_that_leans_on_what_was_told_keeps_it() -> None:
    for message in ("My patient never had one of those. Should I start her on a beta-blocker?", "My foot is red. Why?"):
        assert find_plain_question(message) == message


def test_plain_questions_and_questions_in_pieces_stay() -> None:
    for message in (
        "EF 30, on atenolol for years. Can I leave that? and when to look again",
        "Doctor says it's flu on top of pneumonia. What strength of Tamiflu, and for how many days?",
        "COPD vs ACOS?",
        "Thank you!",
    ):
        assert find_plain_question(message) == message


def test_abbreviations_stay_in_folded_capitals() -> None:
    folded = fold_capitals("PATIENT WITH HFREF, PH 7.1 ON NSAIDS: WHO SHOULD GIVE 80 MG OF IT IN CKD?")
    assert folded == "Patient with HFrEF, pH 7.1 on NSAIDs: who should give 80 mg of it in CKD?"


def test_if_asks_whether_it_is_true() -> None:
    assert find_plain_question("I was wondering if colchicine helps in gout. Thanks") == (
        "Is it true that colchicine helps in gout?"
    )


async def test_the_words_as_they_were_typed_are_kept() -> None:
    typed = f"Hi, {ASKED} Thanks, Anna"
    framed = await frame_question(Question(text=typed), with_model(told()))
    assert (framed.question.text, framed.question.asked) == (ASKED, typed)


async def test_options_of_an_exam_tell_a_case_of_which_every_word_counts() -> None:
    typed = f"He works as a teacher. {ASKED}"
    framed = await frame_question(Question(text=typed, options={"A": "0.6 mg", "B": "6 mg"}), with_model(told()))
    assert (framed.question.text, framed.question.asked) == (typed, "")
