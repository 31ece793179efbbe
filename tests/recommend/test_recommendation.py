"""A recommendation for one patient: what is asked, what is searched for, and what does not fit."""

from dataclasses import replace
from typing import Any

from tests.world import context, document, source
from wellsourced.context import Context
from wellsourced.events import AnswerCompleted, Event
from wellsourced.models.scripted_model import ScriptedModel
from wellsourced.policy import CheckPolicy, ReadPolicy
from wellsourced.prompts.framing import MakePico, PicoReply
from wellsourced.prompts.writing import DraftQuote, DraftStatement, Recommend, RecommendationDraft
from wellsourced.recommend.recommendation import NO_PATIENT_NOTE, recommend
from wellsourced.types import Pico, Question

SAID = "Colchicine is recommended for gout flares (Class I, LOE A)."
GUIDELINE = document("doi:10.1000/gout", f"{SAID} Adults aged 18 to 65 years were enrolled.", title="Gout 2021")
OLD = "81-year-old man with gout, seen on the ward with a red and swollen toe."


def without_model(**given: Any) -> Context:
    return replace(context(source("trials", GUIDELINE), relevant=(SAID,)), **given)


def with_model(model: ScriptedModel, **given: Any) -> Context:
    known = {
        "model": model,
        "has_model": True,
        "sees_patient": True,
        "read": ReadPolicy(relevance="judge"),
        "check": CheckPolicy(consistency=False, repair=False),
    }
    return without_model(**{**known, **given})


def writer(limits: tuple[str, ...] = (), strength: str = "not reported") -> ScriptedModel:
    def written(prompt: Recommend) -> RecommendationDraft:
        quoted = DraftQuote(passage_id=prompt.evidence[0].passage.id, quote=SAID)
        drafted = DraftStatement(text=SAID, quotes=(quoted,), topic="Recommendation", lead=True)
        return RecommendationDraft(statements=(drafted,), limits=limits, strength=strength)

    made = PicoReply(population="older men with gout", intervention="colchicine", question="Colchicine in older men?")
    return ScriptedModel({MakePico: made, Recommend: written})


async def test_without_a_model_strength_certainty_and_fit_are_read_from_the_sources_by_rule() -> None:
    given = await recommend(Question(text="Is colchicine recommended?", patient=OLD), without_model())
    assert given.recommendation is not None
    assert (given.recommendation.strength, given.recommendation.certainty) == ("Class I", "LOE A")
    assert given.recommendation.fit == (
        "The patient is 81 years old, and Gout 2021 says: “Adults aged 18 to 65 years were enrolled”.",
    )


async def test_with_a_model_its_limits_stand_beside_those_that_rules_find() -> None:
    model = writer(limits=("He takes other drugs.",))
    given = await recommend(Question(text="Is colchicine recommended?", patient=OLD), with_model(model))
    assert given.recommendation is not None
    assert given.recommendation.fit[0].startswith("The patient is 81 years old")
    assert given.recommendation.fit[-1] == "He takes other drugs."
    assert given.recommendation.strength == "Class I"
    (asked,) = [prompt for prompt in model.prompts if isinstance(prompt, Recommend)]
    assert asked.patient == OLD
    assert asked.pico == Pico(population="older men with gout", intervention="colchicine")


async def test_a_model_that_may_not_see_the_patient_recommends_without_and_the_rules_still_compare() -> None:
    model = writer()
    context_ = with_model(model, sees_patient=False)
    given = await recommend(Question(text="Is colchicine recommended?", patient=OLD), context_)
    assert all("swollen toe" not in getattr(prompt, "patient", "") for prompt in model.prompts)
    assert given.recommendation is not None
    assert given.recommendation.fit[0].startswith("The patient is 81 years old")
    assert any("patient_to" in note for note in given.notes)


async def test_the_patients_text_stands_in_no_query() -> None:
    context_ = with_model(writer())
    await recommend(Question(text="Is colchicine recommended?", patient=OLD), context_)
    (held,) = context_.sources
    assert [query.terms for query in held.queries] == [("Colchicine in older men?",)]  # type: ignore[attr-defined]


async def test_an_answer_that_abstains_recommends_nothing() -> None:
    given = await recommend(Question(text="Is colchicine recommended?", patient=OLD), context(source("t", GUIDELINE)))
    assert given.abstained
    assert given.recommendation is None


async def test_without_a_patient_that_is_told_and_the_answer_stands() -> None:
    given = await recommend(Question(text="Is colchicine recommended?"), without_model())
    assert given.tldr == SAID
    assert NO_PATIENT_NOTE in given.notes


async def test_the_answer_is_told_once_and_whole() -> None:
    heard: list[Event] = []
    given = await recommend(Question(text="Is colchicine recommended?", patient=OLD), without_model(), heard.append)
    assert [event.answer for event in heard if isinstance(event, AnswerCompleted)] == [given]
