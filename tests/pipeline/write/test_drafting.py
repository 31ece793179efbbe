"""A draft cites words that are really there, or it is no draft."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.pipeline.verify.test_verification import Doubting
from tests.scripted_model import ScriptedModel
from tests.tables import each_row
from tests.world import COLCHICINE, GUIDELINE, TRIAL, context, passages, source
from wellsourced.context import Context
from wellsourced.errors import BudgetSpent, ModelUnavailable, UnparsableReply, UnsupportedPrompt
from wellsourced.models.base import Prompt
from wellsourced.pipeline.write.drafting import WrittenDraft, pick_option, write_answer, write_from_memory
from wellsourced.policy import Policy, WritePolicy
from wellsourced.prompts.evidence import PassageNote
from wellsourced.prompts.writing import (
    AnswerAlone,
    Draft,
    DraftQuote,
    DraftStatement,
    ExplainPlainly,
    MemoryDraft,
    MemoryStatement,
    MergedDraft,
    MergeNotes,
    NotedPart,
    PlainDraft,
    Recommend,
    RecommendationDraft,
    Synthesise,
    WriteAnswer,
)
from wellsourced.types import Evidence, Pico, Question, QuoteCounts

QUESTION = Question(text="Does colchicine help in gout?")
CHOICE = QUESTION.model_copy(update={"options": {"A": "Yes", "B": "No", "C": "Maybe"}})
(PASSAGE,), (ADVICE,) = passages(TRIAL), passages(GUIDELINE)
EVIDENCE = (Evidence(passage=PASSAGE, relevance=0.9), Evidence(passage=ADVICE, relevance=0.8))
SAID = "Flares were two days shorter."


def said(text: str = SAID, quote: str = COLCHICINE, at: str = PASSAGE.key, lead: bool = False) -> DraftStatement:
    return DraftStatement(text=text, quotes=(DraftQuote(passage_id=at, quote=quote),), lead=lead)


def ready(script: Mapping[type[Prompt[Any]], Any], *doubted: str, window: int = 0, **settings: Any) -> Context:
    """A context with a language model that replies this, and the extractive one to fall back on."""
    usual = context(source("trials", TRIAL))
    model = ScriptedModel(script, window=window)
    return replace(usual, model=model, has_model=True, support_judge=Doubting(*doubted), **settings)


async def drafted(
    *statements: DraftStatement, question: Question = QUESTION, choice: str = "", **settings: Any
) -> WrittenDraft:
    draft = Draft(statements=statements, choice=choice)
    return await write_answer(question, EVIDENCE, ready({WriteAnswer: draft}, **settings))


def texts(written: WrittenDraft) -> list[str]:
    return [statement.text for statement in written.statements]


def reasons(written: WrittenDraft) -> list[str]:
    return [one.reason for one in written.dropped]


@each_row(
    "name", [PASSAGE.key, PASSAGE.key.upper(), f"[{PASSAGE.key}]", f"id: {PASSAGE.key}", PASSAGE.id, f" {PASSAGE.id}. "]
)
async def test_a_passage_is_found_by_its_key_or_its_id_however_it_is_spelled(name: str) -> None:
    written = await drafted(said(at=name))
    assert [one.passage_id for one in written.statements[0].citations] == [PASSAGE.id]


async def test_a_passage_that_was_not_read_cannot_be_cited() -> None:
    elsewhere = "Colchicine cured every flare of gout."
    written = await drafted(said(at="pubmed:99#0-10", quote=elsewhere), said("Uncited.", at="aaaaaa", quote=elsewhere))
    assert (written.statements, reasons(written)) == ((), ["it cites a passage that was not read"] * 2)


async def test_real_words_under_a_wrong_name_are_cited_where_they_stand() -> None:
    written = await drafted(said(at="pubmed:99#0-10"))
    assert [one.passage_id for one in written.statements[0].citations] == [PASSAGE.id]
    assert (written.drafted_count, written.quotes) == (1, QuoteCounts(misattributed=1))


async def test_a_quote_that_stands_nowhere_is_left_out_and_its_statement_with_it_if_it_has_no_other() -> None:
    two = DraftStatement(
        text=SAID, quotes=(*said().quotes, DraftQuote(passage_id=ADVICE.key, quote="Colchicine cures gout."))
    )
    written = await drafted(
        two, said("Gout was cured.", quote="Colchicine cures gout."), DraftStatement(text="So.", quotes=())
    )
    assert texts(written) == [SAID]
    assert [one.quote for one in written.statements[0].citations] == [COLCHICINE]
    assert reasons(written) == ["a quote appears in no passage that was read", "it cites nothing"]
    assert written.notes == ("2 quotes appear in no passage that was read, and were left out",)


async def test_a_quote_with_an_ellipsis_becomes_a_citation_for_each_part() -> None:
    written = await drafted(said(quote="colchicine shortened the gout flare … compared with placebo,"))
    assert written.statements == ()
    written = await drafted(said(quote="The weather in the study … was mild for most of the year"))
    assert [one.quote for one in written.statements[0].citations] == [
        "The weather in the study",
        "was mild for most of the year",
    ]
    for citation in written.statements[0].citations:
        assert TRIAL.text[citation.start : citation.end] == citation.quote


async def test_no_more_is_said_and_no_more_leads_than_the_policy_allows() -> None:
    written = await drafted(
        *(said(f"Claim {word}.", lead=True) for word in ("one", "two", "three")), policy=Policy(statements=2, leads=1)
    )
    assert [(one.text, one.lead) for one in written.statements] == [("Claim one.", True), ("Claim two.", False)]
    assert reasons(written) == ["over the limit of 2 statements in an answer"]


@each_row(
    ("reply", "key"),
    [
        ("B", "B"),
        ("b", "B"),
        ("B)", "B"),
        ("(b).", "B"),
        ("Option B", "B"),
        ("B: No", "B"),
        ("Maybe", "C"),
        ("D", ""),
        ("A or B", ""),
    ],
)
def test_a_choice_is_a_key_of_the_question_or_none(reply: str, key: str) -> None:
    assert pick_option(reply, CHOICE) == key


async def test_a_choice_that_is_none_of_the_options_is_told_as_unparsed() -> None:
    written = await drafted(said(), question=CHOICE, choice="E")
    assert (written.choice, written.notes) == ("", ("unparsed: the model chose no option (“E”)",))
    assert (await drafted(said(), question=CHOICE, choice="b.")).choice == "B"


async def test_the_style_chooses_the_prompt_and_the_language_is_the_questions() -> None:
    german = QUESTION.model_copy(update={"language": "de", "patient": "a man of 60", "pico": Pico(population="men")})
    for chosen, prompt, reply in (
        ({"style": "answer"}, WriteAnswer, Draft),
        ({"style": "synthesis"}, Synthesise, Draft),
        ({"style": "recommendation"}, Recommend, RecommendationDraft),
        ({"reader": "patient"}, ExplainPlainly, PlainDraft),
    ):
        asked = ready({prompt: reply(statements=(said(),))}, write=WritePolicy.model_validate(chosen))
        assert texts(await write_answer(german, EVIDENCE, asked)) == [SAID]
        (shown,) = asked.model.prompts  # type: ignore[attr-defined]
        assert (type(shown), shown.language) == (prompt, "de")


@each_row(("allowed", "shown"), [(True, "a man of 60"), (False, "")])
async def test_a_patients_text_is_shown_only_to_a_model_that_may_see_it(allowed: bool, shown: str) -> None:
    asked = ready(
        {Recommend: RecommendationDraft(statements=(said(),))},
        write=WritePolicy(style="recommendation"),
        sees_patient=allowed,
    )
    await write_answer(QUESTION.model_copy(update={"patient": "a man of 60"}), EVIDENCE, asked)
    assert asked.model.prompts[0].patient == shown  # type: ignore[attr-defined]


async def test_a_strength_is_that_of_the_source_or_not_reported() -> None:
    reply = RecommendationDraft(
        statements=(said(),), strength="Recommended", certainty="Class I", limits=("He is older.",)
    )
    written = await write_answer(
        QUESTION, EVIDENCE, ready({Recommend: reply}, write=WritePolicy(style="recommendation"))
    )
    assert written.recommendation is not None
    told = written.recommendation
    assert (told.strength, told.certainty, told.fit) == ("Recommended", "not reported", ("He is older.",))


async def test_what_a_strength_is_of_may_be_said_in_any_words() -> None:
    (evidence,) = EVIDENCE[:1]
    text = f"{evidence.passage.text} Colchicine is recommended (Class I)."
    passage = evidence.passage.model_copy(update={"text": text, "end": evidence.passage.start + len(text)})
    reply = RecommendationDraft(
        statements=(said(),), strength="Class I (colchicine over NSAIDs)", certainty="IIa for it"
    )
    asked = ready({Recommend: reply}, write=WritePolicy(style="recommendation"))
    told = (await write_answer(QUESTION, [evidence.model_copy(update={"passage": passage})], asked)).recommendation
    assert told is not None
    assert (told.strength, told.certainty) == ("Class I", "not reported")


@each_row("strength", ["is", "low", "strong", "\u202e"])
async def test_a_strength_that_the_source_turns_round_or_that_says_nothing_is_not_reported(strength: str) -> None:
    (evidence,) = EVIDENCE[:1]
    text = f"{evidence.passage.text} The certainty is very low. No strong recommendation is made."
    passage = evidence.passage.model_copy(update={"text": text, "end": evidence.passage.start + len(text)})
    reply = RecommendationDraft(statements=(said(),), strength=strength, certainty=strength)
    asked = ready({Recommend: reply}, write=WritePolicy(style="recommendation"))
    told = (await write_answer(QUESTION, [evidence.model_copy(update={"passage": passage})], asked)).recommendation
    assert told is not None
    assert (told.strength, told.certainty) == ("not reported", "not reported")


async def test_a_limit_with_a_number_that_nobody_gave_is_left_out_and_counted() -> None:
    about = QUESTION.model_copy(update={"patient": "a man of 60"})
    limits = ("He is 60 years old.", "Give him 500 mg.", "He\u202e is\n older.", " ")
    reply = RecommendationDraft(statements=(said(),), limits=limits)
    written = await write_answer(about, EVIDENCE, ready({Recommend: reply}, write=WritePolicy(style="recommendation")))
    assert written.recommendation is not None
    assert written.recommendation.fit == ("He is 60 years old.", "He is older.")
    assert [one.text for one in written.dropped] == ["Give him 500 mg."]


async def test_notes_of_parts_are_merged_and_how_disagreement_was_settled_is_kept() -> None:
    part = NotedPart(
        part="1 of 2", unread=False, notes=(PassageNote(passage_id=PASSAGE.key, finding="shorter", quote=COLCHICINE),)
    )
    asked = ready({MergeNotes: MergedDraft(statements=(said(),), conflict="The trial is larger.")})
    written = await write_answer(QUESTION, EVIDENCE, asked, [part])
    assert (texts(written), written.resolution) == ([SAID], "The trial is larger.")
    assert asked.model.prompts[0].question_again == QUESTION.text  # type: ignore[attr-defined]


async def test_evidence_beyond_the_window_is_left_out_from_the_end_and_named() -> None:
    asked = ready({WriteAnswer: Draft(statements=(said(),))})
    await write_answer(QUESTION, EVIDENCE[:1], asked)
    window = len(asked.model.prompts[0].model_dump_json().split())  # type: ignore[attr-defined]
    written = await write_answer(QUESTION, EVIDENCE, ready({WriteAnswer: Draft(statements=(said(),))}, window=window))
    assert texts(written) == [SAID]
    assert [(one.what, one.id, one.reason) for one in written.dropped] == [
        ("passage", ADVICE.id, "it does not fit the context window of scripted")
    ]
    assert written.notes == (f"not shown to scripted, for lack of room: {ADVICE.id}",)


@each_row(
    "error",
    [
        ModelUnavailable("no connection"),
        UnparsableReply("{", "no JSON"),
        BudgetSpent("calls", 4, 3),
        UnsupportedPrompt("no"),
    ],
)
async def test_what_a_model_fails_with_is_raised(error: Exception) -> None:
    with pytest.raises(type(error)):
        await write_answer(QUESTION, EVIDENCE, ready({WriteAnswer: error}))


async def test_nothing_is_written_from_nothing() -> None:
    assert await write_answer(QUESTION, (), ready({})) == WrittenDraft()


async def test_what_a_model_says_from_memory_is_marked_on_every_statement() -> None:
    asked = ready({AnswerAlone: MemoryDraft(statements=("It does.", "", "It does."), choice="a", reasoning="Known.")})
    written = await write_from_memory(CHOICE, asked)
    (statement,) = written.statements
    assert (statement.citations, statement.verdict.label) == ((), "unjudged")
    assert statement.verdict.reason == "from the model's own knowledge; no source was read"
    assert (written.choice, written.reasoning) == ("A", "Known.")


async def test_who_recommends_is_shown_the_question_as_it_was_typed() -> None:
    typed = QUESTION.model_copy(update={"asked": "Colchicine for him?"})
    model = ready({Recommend: RecommendationDraft(statements=(said(),))}, write=WritePolicy(style="recommendation"))
    await write_answer(typed, EVIDENCE, model)
    assert isinstance(model.model, ScriptedModel)
    assert [one.asked for one in model.model.prompts if isinstance(one, Recommend)] == ["Colchicine for him?"]


async def test_an_answer_from_memory_leads_and_has_topics_as_any_other() -> None:
    drafted = tuple(MemoryStatement(text=f"Claim {n}.", topic="Care", lead=True) for n in range(1, 5))
    memory = ready({AnswerAlone: MemoryDraft(statements=drafted)}, policy=Policy(leads=2))
    written = await write_from_memory(QUESTION, memory)
    assert [(one.text, one.topic, one.lead) for one in written.statements] == [
        ("Claim 1.", "Care", True),
        ("Claim 2.", "Care", True),
        ("Claim 3.", "Care", False),
        ("Claim 4.", "Care", False),
    ]
