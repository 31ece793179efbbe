"""Whether what would be shown answers: the features that tell, and the model that weighs them."""

from tests.tables import each_row
from tests.world import document, passages
from wellsourced.claims.question_profile import read_question
from wellsourced.models.answerability import describe_answer, find_wanted_sorts, load_answerability_model
from wellsourced.models.unit_choice import QuoteCandidate
from wellsourced.text.quotable_spans import find_quotable_spans
from wellsourced.types import Question


def describe(question: str, text: str, section: str = "Care › Drains") -> dict[str, float]:
    """The features of a guideline's section that would be shown for a question."""
    made = document("a", text)
    (passage,) = passages(
        made.model_copy(update={"reference": made.reference.model_copy(update={"kind": "guideline"})})
    )
    placed = passage.model_copy(update={"section": section})
    chosen = [QuoteCandidate(unit, placed, 0.8, likeness=0.6, relevance=0.6) for unit in find_quotable_spans(placed)]
    asked = Question(text=question)
    return describe_answer(asked, read_question(asked), chosen, chosen)


@each_row(
    ("question", "sorts"),
    [
        ("How many days do we leave the drain?", ["time"]),
        ("how big is the first dose of clopidogrel", ["amount"]),
        ("what K level means stop?", ["level"]),
        ("What percent chance of death do I quote?", ["share"]),
        ("Which inhaler?", []),
        ("What interval until the next scan?", ["time"]),
        ("How does RBM24 control QT interval?", []),
        ("What is the target after a stroke?", ["level"]),
        ("Cereblon is known as the target of which drug?", []),
    ],
)
def test_what_sort_of_figure_is_asked_for_in_the_words_of_the_ward(question: str, sorts: list[str]) -> None:
    assert [sort.name for sort in find_wanted_sorts(question)] == sorts


def test_a_figure_of_something_else_that_is_done_is_not_of_what_is_asked() -> None:
    text = "The drain is placed within 2 hours. The drain is removed after 5 days without bleeding."
    asked = "How many days before the drain is removed?"
    assert describe(asked, text)["spot lacks action"] == 0.0
    assert describe(asked, "The drain is placed within 2 hours of the bleed.")["spot lacks action"] == 1.0


def test_a_figure_that_follows_another_drug_is_not_of_the_one_that_is_asked_about() -> None:
    text = "Start hydroxychloroquine in mild disease; else methotrexate 15 mg by mouth."
    assert describe("What dose of methotrexate?", text)["spot of other drug"] == 0.0
    assert describe("What dose of hydroxychloroquine?", text)["spot of other drug"] == 1.0


def test_what_is_asked_about_and_stands_nowhere_is_told_by_how_strange_it_is() -> None:
    text = "Pain in the chest: the HEART score below 4 is low risk."
    strange = describe("EDACS for chest pain: below what number is it low?", text)
    plain = describe("HEART for chest pain: below what number is it low?", text)
    assert (strange["unread strange"], plain["unread strange"]) == (1.0, 0.0)
    assert describe("Who qualifies for a Watchman?", text)["unread proper"] == 1.0


def test_kidneys_that_do_not_clear_a_drug_have_to_be_spoken_of() -> None:
    asked = "flu pneumonia, creat clearance 18. oseltamivir dose?"
    assert describe(asked, "Oseltamivir is given as 75 mg twice daily for 5 days.")["missing kidneys"] == 1.0
    assert describe(asked, "Oseltamivir is given as 30 mg daily with a CrCl below 30.")["missing kidneys"] == 0.0


def test_the_model_weighs_features_that_there_are() -> None:
    model = load_answerability_model()
    features = describe("How many days?", "The drain is removed after 5 days.")
    assert model.answers.weights.keys() <= features.keys()
    assert model.belongs.weights.keys() <= features.keys()
    assert 0 < model.sure < 1


def test_what_answers_is_told_from_what_only_stands_near() -> None:
    model = load_answerability_model().answers
    text = "The external ventricular drain is removed after 5 days without bleeding."
    right = describe("How many days until the ventricular drain is removed?", text)
    near = describe("How many days until the ventricular drain is removed?", "A ventricular drain is placed early.")
    assert model.probability(right) > model.probability(near)
