"""What does not stand is written anew at most once, and has to stand without any model's word."""

from dataclasses import replace

from tests.pipeline.verify.test_verification import Doubting
from tests.scripted_model import Script, ScriptedModel
from tests.tables import each_row
from tests.world import COLCHICINE, TRIAL, WEATHER, context, passages, source
from wellsourced.context import Context
from wellsourced.errors import ModelUnavailable
from wellsourced.pipeline.quote_placement import UNCHECKED
from wellsourced.pipeline.verify.repair import TOO_FAR, JudgedStatement, RepairResult, repair_statements
from wellsourced.policy import CheckPolicy
from wellsourced.prompts.verification import (
    CheckConsistency,
    ClaimVerdict,
    ConsistencyReply,
    Repair,
    RepairedStatement,
    RepairReply,
)
from wellsourced.prompts.writing import DraftQuote
from wellsourced.types import Citation, Question, Statement, TableCell, Verdict, short_key

QUESTION = Question(text="Does colchicine help in gout?")
(PASSAGE,) = passages(TRIAL)
CITATION = Citation(passage_id=PASSAGE.id, quote=COLCHICINE, start=0, end=len(COLCHICINE))
WRONG = Statement(
    text="Colchicine shortened the gout flare by ten days compared with placebo.",
    citations=(CITATION,),
    verdict=UNCHECKED,
    topic="Gout",
    cell=TableCell(row="Colchicine", column="effect", words="ten days"),
)
FAULT = JudgedStatement(WRONG, Verdict(label="contradicts", score=1.0, reason="the number differs"), CITATION)
RIGHT = "Colchicine shortened the gout flare by 2 days compared with placebo."


def drafted(*texts: str, quote: str = COLCHICINE, fault: Statement = WRONG) -> RepairReply:
    """Each text in the place of the statement that failed."""
    quotes = (DraftQuote(passage_id=PASSAGE.key, quote=quote),)
    key = short_key(fault.text)
    return RepairReply(statements=tuple(RepairedStatement(text=text, quotes=quotes, fault=key) for text in texts))


def asked(script: Script, *doubted: str, repairs: bool = True) -> Context:
    usual = context(source("trials", TRIAL))
    model = ScriptedModel({Repair: script})
    return replace(
        usual, model=model, has_model=True, support_judge=Doubting(*doubted), check=CheckPolicy(repair=repairs)
    )


async def repaired(script: Script, *doubted: str) -> RepairResult:
    return await repair_statements(QUESTION, [FAULT], {PASSAGE.id: PASSAGE}, asked(script, *doubted))


async def test_a_statement_written_anew_has_citations_and_the_place_of_the_one_it_stands_for() -> None:
    made = await repaired(drafted(RIGHT))
    statement = made.replacements[WRONG.text]
    assert (statement.text, statement.topic, statement.citations) == (RIGHT, "Gout", (CITATION,))
    assert statement.cell == TableCell(row="Colchicine", column="effect", words="")
    [given] = drafted(RIGHT).statements
    again = await repaired(RepairReply(statements=(given.model_copy(update={"cell": "2 days"}),)))
    cell = again.replacements[WRONG.text].cell
    assert cell == TableCell(row="Colchicine", column="effect", words="2 days")
    assert made.dropped == ()


async def test_a_model_is_told_in_words_that_a_judge_of_likeness_found_it_too_far() -> None:
    unlike = FAULT._replace(verdict=Verdict(label="silent", score=0.1, reason="meaning 0.59, turned 0.50"))
    given = asked(drafted(RIGHT))
    await repair_statements(QUESTION, [unlike], {PASSAGE.id: PASSAGE}, given)
    assert isinstance(given.model, ScriptedModel)
    [prompt] = [one for one in given.model.prompts if isinstance(one, Repair)]
    assert [one.reason for one in prompt.faults] == [TOO_FAR]


@each_row(
    ("text", "reason"),
    [
        ("Colchicine shortened the gout flare by nine days compared with placebo.", "“nine days” is neither"),
        ("Colchicine did not shorten the gout flare compared with placebo.", "differs"),
        ("Colchicine helped.", "it says hardly anything any more"),
    ],
)
async def test_what_is_written_anew_and_differs_in_a_fact_or_says_nothing_does_not_stand(
    text: str, reason: str
) -> None:
    made = await repaired(drafted(text))
    assert made.replacements == {}
    assert reason in made.dropped[0].reason


async def test_what_the_local_judge_doubts_or_no_quote_supports_does_not_stand() -> None:
    assert (await repaired(drafted(RIGHT), RIGHT)).replacements == {}
    made = await repaired(drafted(RIGHT, quote="Colchicine shortened every flare."))
    assert [one.reason for one in made.dropped] == ["a quote appears in no passage that was read"]


@each_row(
    ("word", "label", "text"),
    [
        ("No", "supports", f"No: {RIGHT}"),
        ("Maybe", "supports", f"Maybe: {RIGHT}"),
        ("No", "silent", None),
        ("No", "", RIGHT),
    ],
)
async def test_an_answer_that_the_second_check_supports_stays(word: str, label: str, text: str | None) -> None:
    new = f"{word}: {RIGHT}"
    said = ClaimVerdict.model_validate(
        {"key": short_key(new), "label": label or "supports", "passage_id": PASSAGE.key, "quote": COLCHICINE}
    )
    usual = asked(drafted(new))
    checks = {Repair: drafted(new), CheckConsistency: ConsistencyReply(items=(said,) if label else ())}
    made = await repair_statements(
        QUESTION, [FAULT], {PASSAGE.id: PASSAGE}, replace(usual, model=ScriptedModel(checks))
    )
    assert [one.text for one in made.replacements.values()] == ([text] if text else [])


async def test_what_is_written_anew_is_shown_with_the_words_that_decided_for_it() -> None:
    said = ClaimVerdict(key=short_key(RIGHT), label="supports", passage_id=PASSAGE.key, quote=COLCHICINE)
    checks = {Repair: drafted(RIGHT, quote=WEATHER), CheckConsistency: ConsistencyReply(items=(said,))}
    ready = replace(asked([]), model=ScriptedModel(checks))
    made = await repair_statements(QUESTION, [FAULT], {PASSAGE.id: PASSAGE}, ready)
    assert [one.quote for one in made.replacements[WRONG.text].citations] == [WEATHER, COLCHICINE]


async def test_the_same_statement_again_is_no_repair_nor_one_that_names_no_statement_that_failed() -> None:
    assert (await repaired(drafted(WRONG.text))).replacements == {}
    other = WRONG.model_copy(update={"text": "The weather was mild."})
    assert (await repaired(drafted(RIGHT, RIGHT[:-1], fault=other))).replacements == {}


async def test_as_many_statements_as_failed_take_their_places_in_order_where_no_key_is_named() -> None:
    reply = drafted(RIGHT)
    bare = RepairReply(statements=(reply.statements[0].model_copy(update={"fault": ""}),))
    assert (await repaired(bare)).replacements[WRONG.text].text == RIGHT


async def test_all_faults_are_written_anew_in_one_call_and_two_attempts_at_one_leave_the_first() -> None:
    other = FAULT._replace(statement=WRONG.model_copy(update={"text": "Weather was wild in the study region."}))
    weather = "The weather in the study region was mild for most of the year."
    mild = drafted(weather, quote=weather, fault=other.statement)
    reply = RepairReply(statements=(*mild.statements, *drafted(RIGHT, f"{RIGHT[:-1]} taken.").statements))
    ready = asked([reply])
    made = await repair_statements(QUESTION, [FAULT, other], {PASSAGE.id: PASSAGE}, ready)
    assert {old: new.text for old, new in made.replacements.items()} == {
        WRONG.text: RIGHT,
        other.statement.text: weather,
    }
    assert made.notes[-1] == "2 statements were rewritten to follow their sources"


async def test_a_model_that_is_down_repairs_nothing_and_that_is_told() -> None:
    made = await repaired(ModelUnavailable("no connection"))
    assert (made.replacements, made.notes) == (
        {},
        ("statements that failed their check could not be rewritten: no connection",),
    )


async def test_nothing_is_asked_where_repair_is_off_or_nobody_could_check_it() -> None:
    off = asked([], repairs=False)
    german = QUESTION.model_copy(update={"language": "de"})
    assert await repair_statements(QUESTION, [FAULT], {PASSAGE.id: PASSAGE}, off) == RepairResult({})
    assert await repair_statements(german, [FAULT], {PASSAGE.id: PASSAGE}, asked([])) == RepairResult({})
