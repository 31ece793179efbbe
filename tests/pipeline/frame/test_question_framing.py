"""Framing: what is searched for, what is made of a patient's text, and what of it may leave this machine."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.scripted_model import Script, ScriptedModel
from tests.tables import each_row
from tests.world import TRIAL, context, source
from wellsourced.context import Context
from wellsourced.errors import ModelUnavailable, QuestionError
from wellsourced.models.base import Prompt
from wellsourced.pipeline.frame.question_framing import MAX_PATIENT_CHARS, MAX_QUESTION_CHARS, frame_question
from wellsourced.pipeline.retrieve.search import describe_sources
from wellsourced.pipeline.search_plan import plan_searches
from wellsourced.planners.boolean import BooleanPlanner
from wellsourced.planners.keywords import KeywordPlanner
from wellsourced.planners.rules import OriginalPlanner, RulePlanner
from wellsourced.policy import FramePolicy
from wellsourced.prompts.planning import (
    EnglishQuestion,
    ExtractKeywords,
    InEnglish,
    MakePico,
    PicoReply,
    StandAlone,
    StandaloneQuestion,
    WriteBooleanQuery,
)
from wellsourced.question.understanding import LiteralUnderstanding
from wellsourced.types import Pico, Question, Turn

RECORD = (
    "A 72-year-old woman with atrial fibrillation and chronic kidney disease stage four was seen in the clinic on "
    "Tuesday. She takes bisoprolol in the morning and fell twice last month in her kitchen."
)
MADE = PicoReply(
    population="older women with atrial fibrillation and CKD",
    intervention="apixaban",
    comparison="warfarin",
    outcome="major bleeding",
    question="In older women with atrial fibrillation and CKD, does apixaban cause less bleeding than warfarin?",
)
ALONE = StandaloneQuestion(question="How is gout treated in pregnancy?")
ENGLISH = EnglishQuestion(question="Is colchicine safe?", language="de")
HISTORY = (
    Turn(role="user", text="How is gout treated with colchicine?"),
    Turn(role="assistant", text="Colchicine shortened the gout flare by two days."),
)
ALL: Mapping[type[Prompt[Any]], Script] = {MakePico: MADE, StandAlone: ALONE, InEnglish: ENGLISH}


def with_model(model: ScriptedModel, **given: Any) -> Context:
    """A context with a language model that the user lets see a patient's text."""
    return replace(context(source("trials", TRIAL)), model=model, **{"has_model": True, "sees_patient": True, **given})


def told(replies: Mapping[type[Prompt[Any]], Script] = ALL, *, window: int = 0) -> ScriptedModel:
    return ScriptedModel(replies, window=window)


def kinds(model: ScriptedModel) -> list[str]:
    return [type(prompt).__name__ for prompt in model.prompts]


# --- what is asked of a model, and when ------------------------------------------------------------------------------


async def test_a_plain_english_question_costs_no_call_and_stays_as_it_was() -> None:
    model = told()
    framed = await frame_question(Question(text="  Does colchicine\n help? "), with_model(model))
    assert model.prompts == []
    assert framed.question.text == "Does colchicine help?"
    assert framed.question.asked == ""
    assert framed.notes == ()


async def test_a_patient_makes_a_pico_that_is_searched_for_in_place_of_the_question() -> None:
    model = told()
    framed = await frame_question(Question(text="Which anticoagulant?", patient=RECORD), with_model(model))
    assert kinds(model) == ["MakePico"]
    assert framed.question.text == MADE.question
    assert framed.question.asked == "Which anticoagulant?"
    assert framed.question.pico == Pico(
        population=MADE.population, intervention="apixaban", comparison="warfarin", outcome="major bleeding"
    )
    assert framed.notes == ()


async def test_a_pico_without_a_sentence_is_searched_for_by_its_parts() -> None:
    made = MADE.model_copy(update={"question": "", "outcome": ""})
    framed = await frame_question(Question(text="What now?", patient=RECORD), with_model(told({MakePico: made})))
    assert framed.question.text == f"{MADE.population}: apixaban versus warfarin"


async def test_a_follow_up_is_made_to_stand_alone() -> None:
    model = told()
    framed = await frame_question(Question(text="And in pregnancy?", history=HISTORY), with_model(model))
    assert kinds(model) == ["StandAlone"]
    assert (framed.question.text, framed.question.asked) == (ALONE.question, "And in pregnancy?")


async def test_a_question_in_another_language_is_searched_for_in_english_and_keeps_its_own() -> None:
    model = told()
    framed = await frame_question(Question(text="Ist Colchicin sicher?", language="de"), with_model(model))
    assert kinds(model) == ["InEnglish"]
    assert (framed.question.text, framed.question.language) == ("Is colchicine safe?", "de")


async def test_a_follow_up_in_german_about_a_patient_asks_for_everything_at_once_and_the_pico_wins() -> None:
    model = told()
    asked = Question(text="Und in der Schwangerschaft?", language="de", patient=RECORD, history=HISTORY)
    framed = await frame_question(asked, with_model(model))
    assert sorted(kinds(model)) == ["InEnglish", "MakePico", "StandAlone"]
    # All of one wave: each is shown the question as it was typed.
    assert {prompt.question for prompt in model.prompts} == {"Und in der Schwangerschaft?"}  # type: ignore[attr-defined]
    assert framed.question.text == MADE.question
    assert (framed.question.asked, framed.question.language) == ("Und in der Schwangerschaft?", "de")


@each_row(
    ("failing", "text"),
    [
        ((MakePico,), ALONE.question),
        ((MakePico, StandAlone), "Is colchicine safe: gout?"),
        ((MakePico, StandAlone, InEnglish), "Und in der Schwangerschaft?"),
    ],
)
async def test_what_fails_is_told_and_the_next_best_is_searched_for(failing: tuple[Any, ...], text: str) -> None:
    model = told({**ALL, **dict.fromkeys(failing, ModelUnavailable("no connection"))})
    asked = Question(text="Und in der Schwangerschaft?", language="de", patient=RECORD, history=HISTORY)
    framed = await frame_question(asked, with_model(model))
    assert framed.question.text == text
    said = {
        MakePico: "no PICO question could be built from the question and the patient's text: no connection",
        StandAlone: "the question could not be rewritten to be complete by itself: no connection",
        InEnglish: "the question could not be translated into English: no connection",
    }
    assert [note for note in framed.notes if "no connection" in note] == [said[kind] for kind in failing]


async def test_an_empty_reply_and_one_that_is_no_question_count_as_none() -> None:
    for reply in (StandaloneQuestion(), StandaloneQuestion(question="…"), StandaloneQuestion(question="gout " * 400)):
        framed = await frame_question(
            Question(text="Is gout curable?", history=HISTORY), with_model(told({StandAlone: reply}))
        )
        assert framed.question.text == "Is gout curable?"
        assert framed.notes == ("the question could not be rewritten to be complete by itself: scripted gave none",)


@each_row(
    ("off", "question", "kind"),
    [
        ("pico", Question(text="Which drug?", patient=RECORD), "MakePico"),
        ("standalone", Question(text="And in pregnancy?", history=HISTORY), "StandAlone"),
        ("translate", Question(text="Ist Colchicin sicher?", language="de"), "InEnglish"),
    ],
)
async def test_each_agent_can_be_switched_off(off: str, question: Question, kind: str) -> None:
    on, without = told(), told()
    await frame_question(question, with_model(on))
    await frame_question(question, with_model(without, frame=FramePolicy(**{off: False})))
    assert kind in kinds(on)
    assert kind not in kinds(without)


async def test_without_translation_a_follow_up_stands_alone_in_its_own_language() -> None:
    model = told({StandAlone: StandaloneQuestion(question="Wie wird Gicht in der Schwangerschaft behandelt?")})
    asked = Question(text="Und in der Schwangerschaft?", language="de", history=HISTORY)
    framed = await frame_question(asked, with_model(model, frame=FramePolicy(translate=False)))
    assert [prompt.language for prompt in model.prompts] == ["de"]  # type: ignore[attr-defined]
    assert framed.question.text == "Wie wird Gicht in der Schwangerschaft behandelt?"
    assert framed.notes == ("searched for as written, in German",)


async def test_where_no_pico_is_made_a_question_that_leans_on_the_patient_is_made_to_stand_alone() -> None:
    model = told({StandAlone: StandaloneQuestion(question="What does an eGFR of 24 mean?")})
    context_ = with_model(model, frame=FramePolicy(pico=False))
    framed = await frame_question(Question(text="What does this result mean?", patient="eGFR 24 on Monday"), context_)
    assert [prompt.patient for prompt in model.prompts] == ["eGFR 24 on Monday"]  # type: ignore[attr-defined]
    assert framed.question.text == "What does an eGFR of 24 mean?"


async def test_a_question_that_was_framed_before_is_not_framed_again() -> None:
    model = told()
    once = await frame_question(Question(text="And in pregnancy?", history=HISTORY), with_model(model))
    again = await frame_question(once.question, with_model(model))
    assert again.question == once.question
    assert len(model.prompts) == 1


# --- PICO that is given ----------------------------------------------------------------------------------------------


async def test_a_given_pico_wins_over_the_words_and_that_is_told() -> None:
    model = told()
    pico = Pico(population="adults with gout", intervention="colchicine", outcome="pain")
    framed = await frame_question(Question(text="What to give?", pico=pico, patient=RECORD), with_model(model))
    assert model.prompts == []
    assert framed.question.text == "adults with gout: colchicine: pain"
    assert framed.question.asked == "What to give?"
    assert framed.notes == ("the question was given in words and as PICO; the PICO is searched for",)


async def test_a_pico_alone_is_a_question_and_neither_is_none() -> None:
    framed = await frame_question(
        Question(text="", pico=Pico(intervention="colchicine", comparison="naproxen")), with_model(told())
    )
    assert framed.question.text == "colchicine versus naproxen"
    with pytest.raises(QuestionError, match="The question is empty"):
        await frame_question(Question(text=" ", pico=Pico()), with_model(told()))


# --- without a model -------------------------------------------------------------------------------------------------


async def test_without_a_model_another_language_is_searched_for_as_written_and_that_is_told() -> None:
    framed = await frame_question(
        Question(text="Ist Colchicin sicher?", language="de"), context(source("trials", TRIAL))
    )
    assert framed.question.text == "Ist Colchicin sicher?"
    assert framed.notes == ("searched for as written, in German: translating needs a language model",)


async def test_without_a_model_only_the_questions_own_words_are_searched_for_and_that_is_told() -> None:
    framed = await frame_question(
        Question(text="Which drug for gout?", patient=RECORD), context(source("trials", TRIAL))
    )
    assert framed.question.text == "Which drug for gout?"
    assert framed.question.pico is None
    assert framed.notes == (
        "only the question's own words are searched for, not the patient's text, because no language model is "
        "configured",
    )


@each_row("text", ["And in pregnancy?", "What about children?", "How much of it?", "Is it safe?"])
async def test_without_a_model_a_follow_up_takes_the_words_of_the_question_that_it_leans_on(text: str) -> None:
    framed = await frame_question(Question(text=text, history=HISTORY), context(source("trials", TRIAL)))
    assert framed.question.text == f"{text.rstrip('?')}: gout, treated, colchicine?"
    assert framed.question.asked == text
    assert framed.notes == (
        "read as a follow-up; words of an earlier question were added to the search: gout, treated, colchicine",
    )


@each_row(
    "text",
    [
        "Does aspirin prevent strokes?",
        "Is metformin safe in pregnancy?",
        "And what is the target in rheumatoid arthritis?",
        "What is CURB-65?",
        "Is it safe to take ibuprofen with warfarin?",
        "Does naproxen cause ulcers if it is taken daily?",
    ],
)
async def test_without_a_model_a_question_that_stands_alone_is_left_alone(text: str) -> None:
    framed = await frame_question(Question(text=text, history=HISTORY), context(source("trials", TRIAL)))
    assert (framed.question.text, framed.notes) == (text, ())


async def test_a_follow_up_of_a_follow_up_leans_on_the_question_that_stands_alone() -> None:
    history = (*HISTORY, Turn(role="user", text="And in pregnancy?"), Turn(role="assistant", text="Nothing was found."))
    framed = await frame_question(Question(text="And in children?", history=history), context(source("trials", TRIAL)))
    assert framed.question.text == "And in children: gout, treated, colchicine?"


async def test_a_model_that_fails_leaves_a_follow_up_to_the_rule() -> None:
    model = told({StandAlone: ModelUnavailable("no connection")})
    framed = await frame_question(Question(text="And in pregnancy?", history=HISTORY), with_model(model))
    assert framed.question.text == "And in pregnancy: gout, treated, colchicine?"
    assert len(framed.notes) == 2


# --- a patient's text ------------------------------------------------------------------------------------------------


async def test_a_model_that_may_not_see_the_patient_is_not_shown_a_word_and_the_remedy_is_told() -> None:
    model = told()
    asked = Question(text="And in pregnancy?", patient=RECORD, history=HISTORY)
    framed = await frame_question(asked, with_model(model, sees_patient=False))
    assert kinds(model) == ["StandAlone"]
    assert all("bisoprolol" not in prompt.model_dump_json() for prompt in model.prompts)
    assert framed.question.patient == ""  # so that no later prompt can show it
    assert framed.question.pico is None
    assert framed.notes == (
        "scripted may not see the patient's text (setting patient_to): only the question's own words are searched for",
    )


async def test_a_record_of_200_pages_is_cut_to_the_parts_nearest_to_the_question_and_that_is_told() -> None:
    page = "The patient slept well and had breakfast at eight.\n" * 60
    record = page * 100 + "Her anticoagulant was stopped after a bleeding ulcer.\n" + page * 100
    model = told(window=400)
    framed = await frame_question(
        Question(text="Which anticoagulant after bleeding?", patient=record), with_model(model)
    )
    (prompt,) = model.prompts
    assert isinstance(prompt, MakePico)
    assert "Her anticoagulant was stopped after a bleeding ulcer." in prompt.patient
    assert model.context_left(prompt) >= 0
    shown = sum(len(part) for part in prompt.patient.split("\n…\n"))
    assert len(framed.notes) == 1
    assert f"of {len(record):,} characters of the patient's text" in framed.notes[0]
    assert shown < 3_000
    assert framed.question.patient == record


async def test_a_conversation_longer_than_the_window_loses_its_oldest_turns_and_that_is_told() -> None:
    history = tuple(Turn(role="user", text=f"Question {n} about gout and its many causes?") for n in range(60))
    model = told(window=150)
    framed = await frame_question(Question(text="And in children?", history=history), with_model(model))
    (prompt,) = model.prompts
    assert isinstance(prompt, StandAlone)
    assert prompt.history == history[-len(prompt.history) :]
    assert 0 < len(prompt.history) < 60
    left_out = 60 - len(prompt.history)
    assert framed.notes == (f"scripted did not see the oldest {left_out} of 60 turns: no room for more",)


async def test_too_long_a_question_record_or_conversation_is_refused_in_a_plain_sentence() -> None:
    for question, what in (
        (Question(text="gout " * MAX_QUESTION_CHARS), "The question has"),
        (Question(text="gout", patient="x" * (MAX_PATIENT_CHARS + 1)), "The patient's text has 1,000,001 characters"),
        (Question(text="gout", history=(Turn(role="user", text="x" * 1_000_001),)), "The conversation has"),
    ):
        with pytest.raises(QuestionError, match=what):
            await frame_question(question, with_model(told()))


# --- what leaves this machine ----------------------------------------------------------------------------------------

NAMED = Question(
    text="Is colchicine safe for Mrs Okafor, MRN 4471902?",
    history=(Turn(role="user", text="Mrs Okafor, born 03/04/1951, has gout."),),
    patient="Mrs Okafor has gout and a number, 555-123-4567.",
)


async def test_identifiers_are_masked_before_a_model_or_a_search_sees_them_and_only_their_kinds_are_told() -> None:
    model = told({MakePico: PicoReply(question="Is colchicine safe in gout?"), StandAlone: ALONE})
    framed = await frame_question(NAMED, with_model(model, outbound=True, phi="mask"))
    seen = framed.question.model_dump_json() + "".join(prompt.model_dump_json() for prompt in model.prompts)
    assert not any(word in seen for word in ("Okafor", "4471902", "1951", "555-123"))
    assert framed.notes[0].startswith("masked before anything left this machine: ")
    assert all(kind in framed.notes[0] for kind in ("name", "record", "date", "phone"))
    assert "Okafor" not in "".join(framed.notes)


async def test_identifiers_in_options_are_masked_too_since_every_model_is_shown_them() -> None:
    options = {"A": "Call Mrs Okafor, 555-123-4567.", "B": "Stop colchicine."}
    asked = NAMED.model_copy(update={"options": options, "patient": "", "history": ()})
    framed = await frame_question(asked, with_model(told(), outbound=True))
    assert list(framed.question.options) == ["A", "B"]
    assert framed.question.options["B"] == "Stop colchicine."
    assert not any(word in framed.question.model_dump_json() for word in ("Okafor", "555-123"))


async def test_who_is_named_in_a_record_that_nobody_sees_is_masked_in_the_question_too() -> None:
    asked = Question(text="Is colchicine safe for Okafor?", patient="Mrs Okafor has gout.")
    framed = await frame_question(asked, with_model(told(), outbound=True, sees_patient=False))
    assert framed.question.text == "Is colchicine safe for [NAME]?"


async def test_identifiers_are_refused_where_the_user_wants_that_naming_their_kinds() -> None:
    with pytest.raises(QuestionError, match="may contain personal data") as refused:
        await frame_question(NAMED, with_model(told(), outbound=True, phi="refuse"))
    assert "record" in str(refused.value)
    assert "Okafor" not in str(refused.value)


@each_row("given", [{"outbound": True, "phi": "allow"}, {"outbound": False, "phi": "refuse"}])
async def test_identifiers_stay_where_they_are_allowed_or_nothing_leaves(given: dict[str, Any]) -> None:
    framed = await frame_question(NAMED.model_copy(update={"patient": "", "history": ()}), with_model(told(), **given))
    assert framed.question.text == NAMED.text
    assert framed.notes == ()


async def test_what_a_model_makes_of_a_record_is_not_copied_from_it() -> None:
    copied = PicoReply(
        population="A 72-year-old woman with atrial fibrillation and chronic kidney disease stage four",
        question="In a 72-year-old woman with atrial fibrillation and chronic kidney disease stage four, what to give?",
    )
    framed = await frame_question(Question(text="What to give?", patient=RECORD), with_model(told({MakePico: copied})))
    assert framed.question.pico is not None
    for made in (framed.question.text, framed.question.pico.population):
        assert not copied_ngrams(made, RECORD)
        assert "atrial fibrillation" in made
        assert "kidney" in made


PLANNERS = [
    lambda model: RulePlanner(),
    lambda model: OriginalPlanner(LiteralUnderstanding()),
    lambda model: KeywordPlanner(model, LiteralUnderstanding()),
    lambda model: BooleanPlanner(model, LiteralUnderstanding()),
]


@each_row("planner", PLANNERS)
@each_row("has_model", [True, False])
async def test_no_search_of_any_planner_holds_five_words_in_a_row_of_the_patients_text(
    planner: Any, has_model: bool
) -> None:
    def parroted(prompt: Any) -> Any:
        return PicoReply(population=prompt.patient, question=f"In {prompt.patient}, which anticoagulant?")

    model = told({MakePico: parroted, ExtractKeywords: lambda p: ModelUnavailable(p.question), WriteBooleanQuery: down})
    context_ = replace(with_model(model, has_model=has_model), planner=planner(model))
    framed = await frame_question(Question(text="Which anticoagulant?", patient=RECORD), context_)
    cards, _ = await describe_sources(context_.sources)
    route = await plan_searches(framed.question, cards, context_)
    queries = [search.query for tier in route.tiers for search in tier.searches]
    assert queries
    for query in queries:
        assert not copied_ngrams(" ".join((*query.terms, *query.also)), RECORD)


def down(prompt: Any) -> ModelUnavailable:
    return ModelUnavailable("no connection")


def copied_ngrams(text: str, record: str) -> list[str]:
    """Runs of five words of the text that stand in the record, however they are punctuated."""
    said, its = (re.findall(r"\w+", one.lower()) for one in (text, record))
    runs = {tuple(its[at : at + 5]) for at in range(len(its) - 4)}
    return [" ".join(said[at : at + 5]) for at in range(len(said) - 4) if tuple(said[at : at + 5]) in runs]
