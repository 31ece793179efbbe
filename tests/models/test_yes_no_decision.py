"""Which unit says yes or no, and how it leads."""

import pytest

from tests.tables import each_row
from tests.world import document, passages
from wellsourced.claims.question_profile import read_question
from wellsourced.models.advice_choice import load_advice_model
from wellsourced.models.study_leads import rank_study_leads
from wellsourced.models.unit_choice import QuoteCandidate, choose_sections
from wellsourced.models.yes_no_decision import (
    UnitDecision,
    YesNoModel,
    decide_yes_no,
    describe_units,
    load_yes_no_model,
    map_yes_no_options,
    may_be_decided,
    promote_deciding,
)
from wellsourced.text.quotable_spans import find_quotable_spans
from wellsourced.types import Document, Question, SourceKind

LACTULOSE = "Should lactulose be given in hepatic encephalopathy?"


def candidates(text: str, score: float = 0.8, id: str = "a", kind: SourceKind = "guideline") -> list[QuoteCandidate]:
    made: Document = document(id, text)
    reference = made.reference.model_copy(update={"kind": kind})
    (passage,) = passages(made.model_copy(update={"reference": reference}))
    return [QuoteCandidate(unit, passage, score - 0.01 * n) for n, unit in enumerate(find_quotable_spans(passage))]


def decide(question: str, *choices: QuoteCandidate) -> UnitDecision | None:
    asked = Question(text=question)
    return decide_yes_no(asked, choices, read_question(asked).terms)


def test_a_guideline_says_yes_by_the_unit_that_advises() -> None:
    units = candidates("Lactulose is recommended in hepatic encephalopathy. Its taste in hepatic illness is sweet.")
    decided = decide(LACTULOSE, *units)
    assert decided is not None
    assert (decided.label, decided.choice.unit.text) == (
        "yes",
        "Lactulose is recommended in hepatic encephalopathy.",
    )
    assert decided.probability == load_advice_model().precision


def test_a_guideline_says_no_by_advice_against() -> None:
    decided = decide(
        "Should protein be restricted in hepatic encephalopathy?",
        *candidates("Do NOT restrict protein in hepatic encephalopathy."),
    )
    assert decided is not None
    assert decided.label == "no"


def test_under_a_condition_that_is_not_asked_it_depends() -> None:
    decided = decide(
        LACTULOSE, *candidates("Lactulose is recommended in hepatic encephalopathy unless there is obstruction.")
    )
    assert decided is not None
    assert (decided.label, decided.probability) == ("depends", 0.0)


@each_row(
    "text",
    [
        "Rifaximin is recommended in hepatic encephalopathy.",
        "Hepatic encephalopathy is a change of the mind, and lactulose is a sugar.",
        "Lactulose is recommended in hepatic encephalopathy. Lactulose is not recommended in hepatic encephalopathy.",
    ],
)
def test_nothing_is_said_where_no_unit_says_it_surely(text: str) -> None:
    assert decide(LACTULOSE, *candidates(text)) is None


def test_without_units_nothing_is_said() -> None:
    assert decide(LACTULOSE) is None


def model(threshold: float, weight: float) -> YesNoModel:
    units = candidates("Colchicine reduced pain in gout.", kind="research")
    names = describe_units("Does colchicine reduce pain in gout?", units)
    weights = {name: (0.0, 1.0, weight if name == "first: no effect" else 0.0) for name in names}
    return YesNoModel(weights=weights, intercept=1.5, threshold=threshold)


def test_studies_say_it_from_the_threshold_on_and_by_a_sentence_that_says_so_itself() -> None:
    question = "Does colchicine reduce pain in gout?"
    yes = candidates("Colchicine reduced pain in gout.", kind="research")
    no = candidates("Colchicine did not reduce pain in gout.", kind="research")
    said = decide_yes_no(Question(text=question), yes, model=model(0.8, -4.0))
    assert said is not None
    assert said.label == "yes"
    assert said.probability == pytest.approx(0.8176, abs=1e-4)
    denied = decide_yes_no(Question(text=question), no, model=model(0.8, -4.0))
    assert denied is not None
    assert denied.label == "no"
    assert decide_yes_no(Question(text=question), yes, model=model(0.9, -4.0)) is None
    assert decide_yes_no(Question(text=question), no, model=model(0.8, 0.0)) is None


def test_of_studies_that_say_the_same_the_one_decides_that_would_lead_best() -> None:
    question = "Does colchicine reduce pain in gout?"
    texts = (
        "Of 43 (in all) men of whom few had been ill, those on colchicine had in gout significantly reduced pain.",
        "Colchicine did reduce pain in gout.",
        "Colchicine reduced pain in gout.",
    )
    units = [unit for n, text in enumerate(texts) for unit in candidates(text, 0.80 - n / 100, str(n), "research")]
    decided = decide_yes_no(Question(text=question), units, model=model(0.8, -4.0))
    ranked = rank_study_leads(question, units)
    assert decided is not None
    assert decided.choice is ranked[0]
    assert ranked[0] is not units[0]


def test_the_shipped_weights_know_every_feature() -> None:
    units = candidates("Colchicine reduced pain in gout.", kind="research")
    described = describe_units("Does colchicine reduce pain in gout?", units)
    assert described.keys() == load_yes_no_model().weights.keys()
    assert 0 < load_yes_no_model().predict_yes(described) < 1


@each_row(
    ("question", "may"),
    [
        (Question(text=LACTULOSE), True),
        (Question(text="What is lactulose?"), False),
        (Question(text=LACTULOSE, patient="A man of 60 with cirrhosis."), False),
        (Question(text="Can I take ibuprofen with my blood pressure pills?"), False),
        (Question(text=LACTULOSE, options={"A": "yes", "B": "no", "C": "maybe"}), True),
        (Question(text=LACTULOSE, options={"A": "lactulose", "B": "none"}), False),
    ],
)
def test_which_questions_are_decided(question: Question, may: bool) -> None:
    assert may_be_decided(question) == may


def test_options_of_yes_and_no_are_known_whatever_their_keys() -> None:
    assert map_yes_no_options({"A": "Yes.", "B": "no"}) == {"yes": "A", "no": "B"}
    assert map_yes_no_options({"A": "yes", "B": "perhaps"}) == {}


def test_the_deciding_unit_leads_alone_and_stands_nowhere_else() -> None:
    units = candidates("Give oxygen to all. Give lactulose to some of them. Check sodium daily in everyone.")
    (joined,) = choose_sections(units, 8)
    assert len(joined.parts) == 3
    first, rest = promote_deciding([joined], units[1])
    assert first is units[1]
    assert "lactulose" not in rest.unit.text
    assert [one.own_text for one in rest.parts] == [units[0].unit.own_text, units[2].unit.own_text]
    assert promote_deciding(units[1:2], units[1]) == units[1:2]
