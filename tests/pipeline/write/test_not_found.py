"""What a writer found nothing on: named as that, and nothing that could pass for an answer."""

from dataclasses import replace
from typing import Any

from tests.pipeline.verify.test_verification import Doubting
from tests.pipeline.write.test_drafting import EVIDENCE, QUESTION, ready, said
from tests.presentation.written import terminal_text
from tests.scripted_model import ScriptedModel
from tests.tables import each_row
from tests.world import COLCHICINE, SUPPORTS, TRIAL, WEATHER, FakeSource, context, document, passages, source
from wellsourced.context import Context
from wellsourced.errors import ModelError, ModelUnavailable
from wellsourced.models.reply_parsing import parse_reply
from wellsourced.pipeline.ask import answer_question
from wellsourced.pipeline.write.drafting import write_answer
from wellsourced.pipeline.write.not_found import MAX_PART_WORDS, check_not_found, find_lost_topics
from wellsourced.policy import CheckPolicy, Policy, ReadPolicy
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.prompts.writing import (
    AnswerDraft,
    Draft,
    DraftStatement,
    MergedDraft,
    PlainDraft,
    RecommendationDraft,
    WriteAnswer,
)
from wellsourced.types import Document, Question, Reference, Section, Statement

ASKED = Question(text="Is metformin allowed at an eGFR of 28, and at what dose?")


def test_each_part_is_named_once() -> None:
    assert check_not_found(["dose of metformin.", " Dose of metformin", "", "eGFR of 28"], ASKED)[0] == (
        "Dose of metformin",
        "eGFR of 28",
    )


def test_a_part_that_asks_what_should_be_done_advises_nothing() -> None:
    assert check_not_found(["whether metformin should be stopped"], ASKED)[0] == (
        "whether metformin should be stopped",
    )


@each_row(
    ("part", "reason"),
    [
        ("metformin, of which 500 mg is usual", "with a figure that the question does not have"),
        ("metformin, which should be stopped", "with advice"),
        ("metformin is contraindicated", "with advice"),
        ("word " * (MAX_PART_WORDS + 1), "too long for a name"),
    ],
)
def test_what_would_be_an_answer_without_a_source_is_left_out(part: str, reason: str) -> None:
    named, dropped = check_not_found([part], ASKED)
    assert named == ()
    assert reason in dropped[0].reason


@each_row("form", [Draft, MergedDraft, PlainDraft, RecommendationDraft])
def test_a_reply_of_before_is_still_read(form: type[Draft]) -> None:
    reply = '{"reasoning": "", "statements": [{"text": "x", "quotes": []}], "choice": ""}'
    assert parse_reply(form, reply).not_found == ()


async def test_what_was_not_found_stands_among_the_gaps_and_is_no_statement() -> None:
    reply = Draft(statements=(said(COLCHICINE, lead=True),), not_found=("dose in kidney disease",))
    settings = {"check": CheckPolicy(consistency=False), "read": ReadPolicy(relevance="score")}
    answer = await answer_question(QUESTION, ready({WriteAnswer: reply}, **settings))
    assert [statement.text for statement in answer.statements] == [COLCHICINE]
    assert answer.not_found == ("dose in kidney disease",)
    assert "Gaps\n  Not found in the passages read: dose in kidney disease\n" in terminal_text(answer, TerminalPage())


KIDNEYS = "In kidney disease the dose of colchicine is 0.3 mg daily."
RENAL = document("doi:10.1000/ckd", KIDNEYS, title="Colchicine in kidney disease")
DOSE = "dose in kidney disease"


def answering(*later: DraftStatement | ModelError, **read: Any) -> tuple[Context, ScriptedModel]:
    """A context of two works, of which one passage is shown first; a model that found nothing on the dose there, and
    then says this."""

    def write(prompt: WriteAnswer) -> Draft | ModelError:
        if prompt.evidence[0].passage.text != KIDNEYS:
            return Draft(statements=(said(COLCHICINE, lead=True),), not_found=(DOSE,))
        failed = next((one for one in later if isinstance(one, ModelError)), None)
        return failed or Draft(statements=tuple(one for one in later if not isinstance(one, ModelError)))

    model = ScriptedModel({WriteAnswer: write})
    known = context(source("trials", TRIAL, RENAL), policy=Policy(passages=1))
    settings = {"check": CheckPolicy(consistency=False), "read": ReadPolicy(relevance="score", **read)}
    return replace(known, model=model, has_model=True, support_judge=Doubting("nine"), **settings), model


def on_kidneys(text: str = KIDNEYS) -> DraftStatement:
    return said(text, KIDNEYS, passages(RENAL)[0].key, lead=True)


async def test_a_part_that_nothing_was_found_on_is_searched_for_by_itself_and_written_of_in_one_call() -> None:
    asked, model = answering(on_kidneys())
    answer = await answer_question(QUESTION, asked)
    assert [(one.text, one.lead) for one in answer.statements] == [(COLCHICINE, True), (KIDNEYS, True)]
    assert (answer.not_found, len(model.prompts)) == ((), 2)
    assert f"“{DOSE}”: searched for once more by itself; passages that this added: 1" in answer.notes
    assert {f"{DOSE} colchicine"} <= {term for one in answer.attempts for term in one.search.query.terms}


@each_row("later", [[on_kidneys("The dose is nine mg.")], [], [ModelUnavailable("down")]])
async def test_what_is_not_found_then_either_or_does_not_stand_is_told_as_not_found(
    later: list[DraftStatement | ModelError],
) -> None:
    asked, model = answering(*later)
    answer = await answer_question(QUESTION, asked)
    assert ([one.text for one in answer.statements], answer.not_found) == ([COLCHICINE], (DOSE,))
    assert sum(isinstance(one, WriteAnswer) for one in model.prompts) == 2


TABLETS = "Tablets of 0.5 mg are taken twice daily, for at most three days."
GUIDE_TEXT = f"{COLCHICINE}\n{TABLETS} {WEATHER * 12}"
GUIDE = Document(
    reference=Reference(id="own:guide", title="Gout guide", kind="own"),
    text=GUIDE_TEXT,
    sections=(
        Section(title="Flares › Benefit", start=0, end=len(COLCHICINE)),
        Section(title="Flares › Tablets", start=len(COLCHICINE) + 1, end=len(GUIDE_TEXT)),
    ),
)


@each_row(("names_it", "not_found"), [(True, ()), (False, (DOSE,))])
async def test_a_section_that_the_writer_names_by_its_heading_is_read(
    names_it: bool, not_found: tuple[str, ...]
) -> None:
    def write(prompt: WriteAnswer) -> Draft:
        if (part := prompt.evidence[0].passage).text.startswith(TABLETS):
            return Draft(statements=(said(TABLETS, TABLETS, part.key),))
        title, heading = prompt.contents.split("\n")
        assert (title, heading[8:]) == ("Gout guide", " Flares › Tablets")
        lead = said(COLCHICINE, COLCHICINE, part.key, lead=True)
        return AnswerDraft(statements=(lead,), not_found=(DOSE,), also_read=(heading[:8], "nobody") if names_it else ())

    model = ScriptedModel({WriteAnswer: write})
    found = FakeSource("guides", (GUIDE,), passages(GUIDE)[:1], "own")
    settings = {"check": CheckPolicy(consistency=False), "read": ReadPolicy(relevance="score")}
    asked = replace(context(found), model=model, has_model=True, support_judge=Doubting("nine"), **settings)
    answer = await answer_question(QUESTION, asked)
    assert answer.not_found == not_found
    assert [one.text for one in answer.statements] == [COLCHICINE, TABLETS][: 1 + names_it]
    assert len(model.prompts) == 1 + names_it


async def test_nothing_is_asked_where_the_search_brings_nothing_new_or_is_turned_off() -> None:
    for read, known in (({"search_again": False}, RENAL), ({}, TRIAL)):
        asked, model = answering(on_kidneys(), **read)
        answer = await answer_question(QUESTION, replace(asked, sources=(source("trials", TRIAL, known),)))
        assert (answer.not_found, len(model.prompts)) == ((DOSE,), 1)
        assert any("passages that this added: none" in note for note in answer.notes) is not bool(read)


async def test_it_is_told_where_nothing_at_all_was_found() -> None:
    written = await write_answer(QUESTION, EVIDENCE, ready({WriteAnswer: Draft(not_found=("Colchicine in gout",))}))
    assert (written.statements, written.not_found) == ((), ("Colchicine in gout",))


async def test_what_was_not_found_is_told_where_no_answer_is_given() -> None:
    reply = Draft(not_found=("dose in kidney disease",))
    settings = {"check": CheckPolicy(consistency=False), "read": ReadPolicy(relevance="score")}
    answer = await answer_question(QUESTION, ready({WriteAnswer: reply}, **settings))
    assert (answer.abstained, answer.not_found) == (True, ("dose in kidney disease",))


async def test_the_topic_of_a_statement_that_did_not_stand_is_told_as_lost() -> None:
    wrong = said("Flares were nine days shorter.").model_copy(update={"topic": "Duration"})
    reply = Draft(statements=(said(COLCHICINE, lead=True), wrong))
    settings = {"check": CheckPolicy(consistency=False), "read": ReadPolicy(relevance="score")}
    answer = await answer_question(QUESTION, ready({WriteAnswer: reply}, "nine days", **settings))
    assert [statement.text for statement in answer.statements] == [COLCHICINE]
    assert answer.lost == ("Duration",)
    assert "Left out: Duration (what the draft said on it failed the check)" in " ".join(
        terminal_text(answer, TerminalPage()).split()
    )


def test_a_topic_is_lost_where_no_statement_on_it_is_left_and_says_nothing_itself() -> None:
    kept = (Statement(text="Ice helps.", verdict=SUPPORTS, topic="Care"),)
    assert find_lost_topics(["Care", "Duration"], kept, QUESTION) == ("Duration",)
    assert find_lost_topics(["Care"], kept, QUESTION) == ()
    assert find_lost_topics(["Care", "Give 500 mg", "Avoid it", ""], kept, QUESTION) == ()


def test_what_is_answered_is_not_told_as_lost() -> None:
    kept = (Statement(text="Ice helps against the pain.", verdict=SUPPORTS, topic="Care"),)
    # Another statement on care fell; what is said on it stands. "Pain" is spoken of under another heading.
    assert find_lost_topics(["Care", "care", "Pain"], kept, QUESTION) == ()


def test_what_is_named_as_not_found_is_not_told_again_as_lost() -> None:
    assert find_lost_topics(["Corticosteroid", "Oxygen"], (), QUESTION, ["corticosteroid in COPD"]) == ("Oxygen",)
