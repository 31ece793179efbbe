"""Ways in which clinicians ask, and what guidelines say for it."""

from tests.tables import each_row
from wellsourced.question.expansions import expand_asking_phrases
from wellsourced.types import Question


@each_row(
    ("asked", "understood"),
    [
        ("Which patients can't have disulfiram?", "contraindications to disulfiram?"),
        ("who shouldnt be given romosozumab", "contraindications to romosozumab"),
        ("Benralizumab schedule?", "Benralizumab dose and frequency?"),
        ("How much protamine for a bleed?", "dose of protamine for a bleed?"),
        ("Who gets a statin at 40?", "indications for a statin at 40?"),
        ("How long should she stay on the SSRI?", "duration of the SSRI?"),
        ("In severe CAP, how quickly do antibiotics go in?", "In severe CAP, within what time do antibiotics go in?"),
    ],
)
def test_a_question_is_put_in_the_words_of_guidelines(asked: str, understood: str) -> None:
    expansions = tuple(expand_asking_phrases(asked))
    assert Question(text=asked, expansions=expansions).expanded_text == understood


@each_row(
    "asked",
    [
        "What is the target blood pressure in diabetes?",
        "How much does smoking matter?",
        "Which statins are high-intensity?",
    ],
)
def test_what_is_asked_in_plain_words_stays_as_it_is(asked: str) -> None:
    assert not list(expand_asking_phrases(asked))


def test_phrases_do_not_overlap() -> None:
    asked = "Who should be given how much, and who can't have it?"
    found = [one.said for one in expand_asking_phrases(asked)]
    assert found == ["Who should be given", "who can't have"]
