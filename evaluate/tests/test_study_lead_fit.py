"""How benchmarks/fit_study_leads.py weighs short answers, on cases whose best answer is known."""

import numpy as np

from benchmarks.fit_study_leads import (
    Gains,
    LeadCase,
    build_case,
    choose_by_folds,
    describe_choices,
    fit_weights,
    share_listed,
)
from tests.world import document, passages
from wellsourced.models.unit_choice import QuoteCandidate
from wellsourced.text.quotable_spans import find_quotable_spans


def make_case(group: int) -> LeadCase:
    """Of three answers the one with the highest second feature is right; the first feature is chance."""
    chance = np.random.default_rng(group)
    values = np.column_stack([chance.random(3), np.array([0.0, 1.0, 0.5])])
    return LeadCase(str(group), ("chance", "right"), values, np.array([0.1, 0.9, 0.3]), np.array([0, 1, 0]), (0.1, 0))


CASES = [make_case(group) for group in range(40)]


def test_what_tells_the_best_answer_gets_the_weight():
    weights = {name: weight for name, (_, _, weight) in fit_weights(CASES, Gains(1.0)).weights.items()}
    assert weights["right"] > 5 * abs(weights["chance"])


def test_by_folds_the_best_answer_is_chosen_and_counted():
    chosen = choose_by_folds(CASES, Gains(1.0))
    assert chosen == [1] * len(CASES)
    assert describe_choices(CASES, chosen)[1:] == [
        "ROUGE-L F1 0.900, as answered 0.100, at best 0.900",
        "factoid answers contained 1.000, as answered 0.000, at best 1.000",
    ]


def test_an_answer_that_names_the_items_of_a_list_is_chosen_where_one_is_asked_for():
    none = np.array([])
    listing = [one._replace(rouge=np.array([0.2, 0.1, 0.2]), named=none, listed=np.array([0, 1, 0.5])) for one in CASES]
    chosen = choose_by_folds([*listing, *CASES[:1]], Gains(listed=2.0))
    assert chosen == [1] * len(chosen)
    told = describe_choices([*listing, *CASES[:1]], chosen)
    assert told[-1] == "share of a list's items named 1.000, at best 1.000"


def test_the_share_of_a_list_counts_each_item_once_however_it_is_written():
    row = {"answer": [["casirivimab"], ["imdevimab", "REGN10987"]]}
    assert share_listed(row, "REGN10987 (imdevimab) was given.") == 0.5
    assert share_listed(row, "Casirivimab and imdevimab were given.") == 1


def test_every_answer_that_might_lead_is_compared_with_those_of_the_experts():
    made = document("a", "Milvexian inhibits factor XIa. It was given to many patients in a trial.")
    (passage,) = passages(made)
    studies = [QuoteCandidate(unit, passage, 0.8) for unit in find_quotable_spans(passage)]
    row = {
        "question": "What does milvexian inhibit?", "group": "g", "type": "factoid",
        "ideal_answer": ["Milvexian inhibits factor XIa."], "answer": [["factor XIa"]],
    }  # fmt: skip
    case = build_case(row, "It was given to many patients in a trial.", studies)
    assert case.rouge.max() == 1
    assert case.named.max() == 1
    assert case.usual[1] == 0
    assert case.values.shape == (len(case.rouge), len(case.names))
