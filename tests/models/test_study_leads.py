"""Which one or two sentences of studies lead a short answer, and what they are weighed by."""

import pytest

from tests.world import document, passages
from wellsourced.models.study_leads import (
    StudyLeadModel,
    choose_study_leads,
    describe_leads,
    load_study_lead_model,
    promote_leads,
    rank_study_leads,
)
from wellsourced.models.unit_choice import QuoteCandidate
from wellsourced.text.quotable_spans import find_quotable_spans

QUESTION = "Which kinase does fenebrutinib inhibit?"
UNNAMED = "Fenebrutinib does inhibit joint damage in rodents over many weeks."
NAMED = "Fenebrutinib does inhibit Bruton tyrosine kinase in human blood."
AGAIN = "In blood, Bruton tyrosine kinase is what fenebrutinib can inhibit."


def candidates(*texts: str, scores: tuple[float, ...] = ()) -> list[QuoteCandidate]:
    """The sentences of abstracts of their own, best first."""
    made = []
    for place, text in enumerate(texts):
        found = document(f"d{place}", text)
        reference = found.reference.model_copy(update={"kind": "research"})
        (passage,) = passages(found.model_copy(update={"reference": reference}))
        score = scores[place] if scores else 0.8 - place / 100
        made += [QuoteCandidate(unit, passage, score) for unit in find_quotable_spans(passage)]
    return made


def only(**weights: float) -> StudyLeadModel:
    """A model that weighs these features and nothing else."""
    return StudyLeadModel(weights={name.replace("_", " "): (0.0, 1.0, weight) for name, weight in weights.items()})


def led(question: str, studies: list[QuoteCandidate], most: int, model: StudyLeadModel | None = None) -> list[str]:
    return [one.unit.text for one in choose_study_leads(question, studies, most, model)]


def test_what_several_studies_say_may_lead_before_the_best_sentence():
    studies = candidates(UNNAMED, NAMED, AGAIN)
    assert led(QUESTION, studies, 1, only(score=1)) == [UNNAMED]
    assert led(QUESTION, studies, 1, only(score=1, phrases=1)) == [NAMED]
    assert led(QUESTION, studies, 1) != [UNNAMED]


def test_two_lead_only_where_two_may_and_they_do_not_say_the_same():
    studies = candidates(UNNAMED, NAMED, AGAIN)
    assert led(QUESTION, studies, 2, only(score=1, pair=5)) == [UNNAMED, NAMED]
    assert led(QUESTION, studies, 1, only(score=1, pair=5)) == [UNNAMED]
    assert led(QUESTION, candidates(NAMED, AGAIN), 2, only(score=1, pair=5)) == [NAMED]


def test_two_of_one_abstract_lead_in_its_order():
    first, second = "Fenebrutinib was given to rodents for weeks.", "Bruton tyrosine kinase was blocked in all."
    studies = candidates(f"{first} {second}")
    best_last = [studies[1], studies[0]._replace(score=0.1)]
    assert led(QUESTION, best_last, 2, only(pair=5)) == [first, second]


def test_nothing_leads_where_nothing_is_found_or_nothing_may():
    assert choose_study_leads(QUESTION, [], 2) == ()
    assert choose_study_leads(QUESTION, candidates(NAMED), 0) == ()


def test_an_abbreviation_that_nothing_explains_is_counted_and_one_in_brackets_is_not():
    bare, explained = candidates(
        "Fenebrutinib does inhibit BTK in blood.", "Fenebrutinib does inhibit Bruton tyrosine kinase (BTK) in blood."
    )
    described = {lead.text: features for lead, features in describe_leads(QUESTION, [bare, explained], 1)}
    assert described[bare.unit.text]["unexplained abbreviations"] > 0
    assert described[explained.unit.text]["unexplained abbreviations"] == 0


def test_every_feature_that_is_weighed_is_known():
    ((_, features),) = describe_leads(QUESTION, candidates(NAMED), 1)
    assert load_study_lead_model().weights.keys() == features.keys()
    with pytest.raises(KeyError):
        only(colour=1).score(features)


def test_what_is_far_from_all_that_was_fitted_on_counts_no_more_than_four_spreads():
    assert only(length=1).score({"length": 100.0}) == 4.0


def test_what_leads_is_put_before_all_others_and_stands_as_the_best_did():
    studies = candidates(UNNAMED, NAMED, AGAIN)
    ordered = promote_leads(studies, [studies[2]])
    assert [one.unit.text for one in ordered] == [AGAIN, UNNAMED, NAMED]
    assert ordered[0].score == studies[0].score


def test_each_sentence_is_ranked_as_if_it_led_alone():
    studies = candidates(UNNAMED, NAMED, AGAIN)
    assert rank_study_leads(QUESTION, studies, only(score=1)) == studies
    assert rank_study_leads(QUESTION, studies, only(phrases=1))[-1] is studies[0]
