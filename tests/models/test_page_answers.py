"""Answers from pages for patients."""

from wellsourced.claims.question_profile import read_question
from wellsourced.models.page_answers import PageStatement, choose_page_excerpts
from wellsourced.models.unit_choice import QuoteCandidate
from wellsourced.text.quotable_spans import find_quotable_spans
from wellsourced.types import Passage, Question, Reference

STATINS = (
    "Statins are relatively safe for most people. But they are not recommended for pregnant patients. They can also "
    "cause serious muscle problems. Some statins also interact adversely with other drugs. You may have fewer side "
    "effects with one statin drug than another."
)


def candidates(title: str, text: str, score: float = 1.0) -> list[QuoteCandidate]:
    """Every sentence of a page, as good as any other."""
    passage = Passage(
        reference=Reference(id=f"page:{title}", title=title, kind="consumer"), text=text, start=0, end=len(text)
    )
    return [QuoteCandidate(unit, passage, score) for unit in find_quotable_spans(passage)]


def answer(question: str, *pages: list[QuoteCandidate]) -> list[PageStatement]:
    return choose_page_excerpts(read_question(Question(text=question)), [one for page in pages for one in page])


def test_nothing_is_left_out_between_sentences_of_a_short_page_and_none_points_at_what_is_not_shown() -> None:
    said = answer("What are the side effects of statins?", candidates("Statins", STATINS))
    texts = [one.choice.unit.text for one in said]
    assert "serious muscle problems" in " ".join(texts)
    assert [one.leads for one in said] == [True, *[False] * (len(said) - 1)]
    assert not any(text.startswith(("They", "But")) for text in texts)


def test_a_page_that_only_mentions_what_is_asked_answers_nothing() -> None:
    sickle = "All children with SCD should go to a doctor right away when a child has a fever."
    assert (
        answer("My child has a fever, when should I call the doctor?", candidates("Sickle Cell Disease", sickle)) == []
    )


def test_the_page_whose_title_is_asked_about_is_before_one_as_like_the_question() -> None:
    own = candidates(
        "Kidney Disease", "People with kidney disease should eat less salt. Eat the right amount of protein."
    )
    other = candidates("Amyloidosis and Kidney Disease", "People with kidney disease should eat less salt and protein.")
    said = answer("What can I eat if I have kidney disease?", other, own)
    assert said[0].choice.passage.reference.title == "Kidney Disease"


def test_without_pills_is_not_answered_by_pills() -> None:
    text = (
        "Medicines lower blood pressure in most people who take them. "
        "Losing weight and eating less salt lower blood pressure too."
    )
    said = answer("How can I lower my blood pressure without pills?", candidates("Blood Pressure", text))
    assert said[0].choice.unit.text.startswith("Losing weight")
