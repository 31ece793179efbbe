"""A recommendation for one patient: what is asked, what is searched for, and what does not fit."""

from dataclasses import replace
from typing import Any

from tests.presentation.written import terminal_text
from tests.scripted_model import ScriptedModel
from tests.tables import each_row
from tests.world import SUPPORTS, context, document, source
from wellsourced.context import Context
from wellsourced.events import AnswerCompleted, Event
from wellsourced.medicine.drugs import find_drugs
from wellsourced.policy import CheckPolicy, ReadPolicy
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.prompts.planning import MakePico, PicoReply
from wellsourced.prompts.writing import DraftQuote, DraftStatement, Recommend, RecommendationDraft
from wellsourced.recommend.patient_reading import find_purposes
from wellsourced.recommend.patient_record import read_patient_record
from wellsourced.recommend.patient_warnings import PatientDrugs, find_warnings
from wellsourced.recommend.recommendation import NO_PATIENT_NOTE, find_limited, recommend
from wellsourced.types import Pico, Question, Statement

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


LIMIT = "Colchicine is contraindicated if eGFR < 30 mL/min."
LIMITED = document("doi:10.1000/kidney", f"{SAID} {LIMIT}", kind="guideline", title="Gout in kidney disease")
KIDNEY = "81-year-old man with gout. eGFR 24, K 4.4. Drugs: amlodipine. No allergies. Weight 70 kg."


def with_guideline(**given: Any) -> Context:
    return replace(context(source("guidelines", LIMITED, kind="guideline"), relevant=(SAID,)), **given)


async def test_what_speaks_against_a_drug_for_the_patient_stands_before_it_and_no_strength_is_given() -> None:
    given = await recommend(Question(text="Is colchicine recommended?", patient=KIDNEY), with_guideline())
    assert given.recommendation is not None
    (warning,) = given.recommendation.warnings
    assert (warning.severity, warning.citations[-1].quote) == ("contraindicated", LIMIT)
    assert "eGFR 24" in warning.record
    assert given.recommendation.strength == "not reported"
    shown = terminal_text(given, TerminalPage(width=80))
    assert shown.index("Before you act") < shown.index("In short")


async def test_a_limit_that_the_record_does_not_reach_is_no_warning() -> None:
    healthy = KIDNEY.replace("eGFR 24", "eGFR 88")
    given = await recommend(Question(text="Is colchicine recommended?", patient=healthy), with_guideline())
    assert given.recommendation is not None
    assert given.recommendation.warnings == ()
    assert given.recommendation.strength == "Class I"


async def test_only_names_of_conditions_and_drugs_are_searched_for_on_this_machine() -> None:
    context_ = with_guideline()
    await recommend(Question(text="Is colchicine recommended?", patient=KIDNEY), context_)
    (held,) = context_.sources
    terms = {term for query in held.queries for term in query.terms}  # type: ignore[attr-defined]
    assert "contraindicated in kidney disease" in terms
    assert not any("81" in term or "eGFR 24" in term for term in terms)


async def test_a_model_is_told_of_the_warnings_and_cannot_displace_them() -> None:
    model = writer()
    known = {"model": model, "has_model": True, "sees_patient": True, "read": ReadPolicy(relevance="judge")}
    context_ = with_guideline(**known, check=CheckPolicy(consistency=False, repair=False))
    given = await recommend(Question(text="Is colchicine recommended?", patient=KIDNEY), context_)
    (asked,) = [prompt for prompt in model.prompts if isinstance(prompt, Recommend)]
    assert LIMIT in asked.warnings
    assert given.recommendation is not None
    assert given.recommendation.warnings[0].citations[-1].quote == LIMIT


async def test_a_model_that_may_not_see_the_patient_is_not_told_of_warnings_that_quote_the_record() -> None:
    model = writer()
    known = {"model": model, "has_model": True, "sees_patient": False, "read": ReadPolicy(relevance="judge")}
    context_ = with_guideline(**known, check=CheckPolicy(consistency=False, repair=False))
    given = await recommend(Question(text="Is colchicine recommended?", patient=KIDNEY), context_)
    assert all(not getattr(prompt, "warnings", ()) for prompt in model.prompts)
    assert given.recommendation is not None
    assert given.recommendation.warnings


@each_row(
    ("question", "asked"),
    [
        ("How should I lower his blood pressure?", ["antihypertensive"]),
        ("What for rate control?", ["AV nodal blocker"]),
        ("What is her blood pressure target?", []),
    ],
)
def test_what_a_question_wants_is_asked_for_as_a_class_of_drugs(question: str, asked: list[str]) -> None:
    assert [one.own_class for one in find_purposes(question)] == asked


def test_a_drug_that_came_before_or_may_not_be_given_does_not_limit_what_is_recommended() -> None:
    (warning,) = find_warnings(
        [document("doi:10.1/one", "Alteplase is contraindicated in pregnancy.")],
        read_patient_record("31F, pregnant."),
        PatientDrugs(tuple(find_drugs("alteplase")), ()),
    )
    texts = (
        "Rescue PCI is reasonable after alteplase.",
        "Primary PCI for who has contraindications to alteplase.",
        "Give alteplase within 3 hours.",
    )
    statements = [Statement(text=text, verdict=SUPPORTS) for text in texts]
    assert [one.text for one in find_limited(statements, (warning,))] == [texts[2]]
