"""What the sources hold for a question, and what of it an answer is written from."""

from dataclasses import replace

from tests.scripted_model import Script, ScriptedModel
from tests.tables import each_row
from tests.world import COLCHICINE, TRIAL, WEATHER, context, document, source
from wellsourced.context import Context
from wellsourced.errors import ModelUnavailable
from wellsourced.pipeline.ask import answer_question
from wellsourced.policy import CheckPolicy, Policy, ReadPolicy
from wellsourced.prompts.writing import Draft, DraftQuote, DraftStatement, WriteAnswer
from wellsourced.types import Answer, Question

QUESTION = Question(text="Does colchicine help in gout?")
BESIDE = document("pubmed:8", "Pheasants lay a dozen eggs in a year.")
TRIALS = source("trials", TRIAL, BESIDE)


def saying(words: str) -> Draft:
    """A draft that quotes these words from wherever they stand."""
    quotes = (DraftQuote(passage_id="", quote=words),)
    return Draft(statements=(DraftStatement(text=words, quotes=quotes, lead=True),))


def reading_all(script: Script, *, policy: Policy | None = None) -> Context:
    usual = context(TRIALS, policy=policy)
    read = ReadPolicy(relevance="none", cards=False)
    model = ScriptedModel({WriteAnswer: script})
    return replace(usual, model=model, has_model=True, read=read, check=CheckPolicy(consistency=False))


def shown(given: Context) -> list[str]:
    """The texts that the writer was shown."""
    assert isinstance(given.model, ScriptedModel)
    return [item.passage.text for prompt in given.model.prompts for item in prompt.evidence]  # type: ignore[attr-defined]


async def test_where_nobody_judges_a_model_writes_from_all_that_was_found() -> None:
    given = reading_all(saying(COLCHICINE))
    answer = await answer_question(QUESTION, given)
    assert set(shown(given)) == {TRIAL.text, BESIDE.text}
    assert [statement.text for statement in answer.statements] == [COLCHICINE]
    assert [(one.text, one.reason) for one in answer.dropped] == [(BESIDE.text, "read, but no statement cites it")]
    assert [item.judged.label for item in answer.evidence if item.judged] == ["unjudged"]


async def test_a_model_that_says_that_what_was_found_does_not_answer_ends_in_no_answer() -> None:
    answer = await answer_question(QUESTION, reading_all(Draft()))
    assert (answer.abstained, answer.statements) == (True, ())


@each_row("script", [ModelUnavailable("no connection"), saying("Pigs fly.")])
async def test_where_the_model_gives_nothing_that_stands_the_sections_are_shown(script: Script) -> None:
    answer: Answer = await answer_question(QUESTION, reading_all(script))
    assert answer.head == "in your sources"
    assert [statement.text for statement in answer.statements] == [COLCHICINE]
    assert "scripted" in answer.notes[0]


async def test_of_each_search_its_best_are_read_however_many_they_are_together() -> None:
    works = [document(f"pubmed:{n}", f"{COLCHICINE} Study {n} counted {n} people. {WEATHER}") for n in range(1, 7)]
    policy = Policy(candidates=4, per_query=3, passages=20, per_document=20)
    usual = context(source("one", *works[:5]), source("two", works[5]), policy=policy)
    answer = await answer_question(QUESTION, usual)
    assert [attempt.found for attempt in answer.attempts] == [4, 1]
    assert {item.passage.reference.id for item in answer.evidence} == {"pubmed:1", "pubmed:2", "pubmed:3", "pubmed:6"}
