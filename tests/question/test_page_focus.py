"""How far the title of a page is what a question is about."""

from wellsourced.question.question_types import find_other_names, rate_focus, share_title

FEVER = ["My child has a fever, when should I call the doctor?"]


def test_the_page_on_what_is_asked_is_before_those_that_mention_it() -> None:
    assert (
        rate_focus(FEVER, ["Fever"]) > rate_focus(FEVER, ["Typhoid Fever"]) > rate_focus(FEVER, ["Sickle Cell Disease"])
    )
    assert share_title(FEVER, ["Sickle Cell Disease"]) == 0
    kidney = ["What can I eat if I have kidney disease?"]
    assert rate_focus(kidney, ["Kidney Disease"]) > rate_focus(kidney, ["Amyloidosis and Kidney Disease"])


def test_a_subject_is_known_by_what_its_page_says_it_is_also_called() -> None:
    text = "Hypoglycemia, also called low blood glucose or low blood sugar, occurs when blood glucose drops."
    names = find_other_names("Hypoglycemia", [text, "Hypoglycemia means low blood glucose."])
    assert names == ["low blood glucose", "low blood sugar", "low blood glucose"]
    assert rate_focus(["My blood sugar is low"], ["Hypoglycemia", *names]) > 0.9
    assert rate_focus(["My blood sugar is low"], ["Hypoglycemia"]) == 0
