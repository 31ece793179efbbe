"""Which sentence of guidelines decides, and how likely."""

import pytest

from tests.models.test_yes_no_decision import candidates
from tests.tables import each_row
from wellsourced.claims.question_profile import read_question
from wellsourced.models.advice_choice import (
    AdviceModel,
    DecidingReading,
    choose_advice,
    list_deciding_readings,
    load_advice_model,
)
from wellsourced.text.ranking import share_probability
from wellsourced.types import Question


def read(question: str, text: str) -> list[DecidingReading]:
    asked = Question(text=question)
    return list_deciding_readings(asked, candidates(text), read_question(asked).terms)


def test_readings_and_that_none_decides_share_one_probability() -> None:
    assert share_probability([]) == []
    assert share_probability([0.0]) == [0.5]
    assert share_probability([0.0, 0.0]) == pytest.approx([1 / 3, 1 / 3])
    assert share_probability([800.0, -800.0]) == pytest.approx([1.0, 0.0])


def test_the_shipped_weights_know_every_feature() -> None:
    (found,) = read("Should colchicine be given in gout?", "Colchicine is recommended in gout.")
    assert load_advice_model().weights.keys() <= found.features.keys()
    assert 0 < load_advice_model().precision < 1


@each_row(
    ("question", "text"),
    [
        ("Should colchicine be given in gout?", "Allopurinol is recommended in gout."),
        ("Should colchicine be given in pregnancy?", "Colchicine is recommended in gout."),
        ("Is metformin recommended in type 1 diabetes?", "Metformin is recommended in type 2 diabetes."),
        ("Should insulin be given at a potassium of 3.1?", "Potassium > 5.0: give insulin."),
        ("Should colchicine be given in gout?", "Colchicine reduces gout."),
        ("Can ramipril and losartan be given together?", "Losartan and ramipril are recommended."),
    ],
)
def test_what_speaks_of_something_else_decides_nothing(question: str, text: str) -> None:
    assert read(question, text) == []


def test_a_drug_that_is_named_only_to_be_set_off_does_not_count() -> None:
    text = "Denosumab:\n\n- Can be used on dialysis (unlike bisphosphonates)"
    assert [one.reading.sign for one in read("Can denosumab be given on dialysis?", text)] == [1]


def weigh(name: str) -> AdviceModel:
    return AdviceModel(weights={name: (0.0, 1.0, 3.0)}, intercept=0.0, threshold=0.7)


def test_what_is_graded_leads_before_what_a_trial_found() -> None:
    text = "Steroids have no role in head injury. Steroids are not recommended in head injury."
    chosen = choose_advice(read("Should steroids be given in head injury?", text), weigh("all own"))
    assert chosen is not None
    assert (chosen.sign, chosen.best.reading.tier, chosen.is_contradicted) == (-1, "graded", False)
    assert chosen.probability > 0.9


def test_where_another_says_the_contrary_of_as_much_neither_is_said() -> None:
    text = "Colchicine is recommended in gout. Colchicine is not recommended in gout."
    chosen = choose_advice(read("Should colchicine be given in gout?", text), weigh("all own"))
    assert chosen is not None
    assert chosen.is_contradicted
    assert choose_advice([], weigh("all own")) is None


def test_a_branch_into_which_a_value_falls_decides_before_what_says_nothing_of_it() -> None:
    text = "If potassium is < 3.5: delay insulin. Give insulin with dextrose for a high potassium."
    found = read("Potassium 3.1. Should insulin be given?", text)
    assert [(one.reading.sign, one.features["holds"]) for one in found] == [(-1, 1.0), (1, 0.0)]
    chosen = choose_advice(found, weigh("holds"))
    assert chosen is not None
    assert chosen.sign == -1
    assert chosen.probability == pytest.approx(share_probability([3.0])[0])
