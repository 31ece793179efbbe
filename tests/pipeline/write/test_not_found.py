"""What a writer found nothing on: named as that, and nothing that could pass for an answer."""

from tests.pipeline.write.test_drafting import EVIDENCE, QUESTION, ready, said
from tests.presentation.written import terminal_text
from tests.tables import each_row
from tests.world import COLCHICINE, SUPPORTS
from wellsourced.models.reply_parsing import parse_reply
from wellsourced.pipeline.ask import answer_question
from wellsourced.pipeline.write.drafting import write_answer
from wellsourced.pipeline.write.not_found import MAX_PART_WORDS, check_not_found, find_lost_topics
from wellsourced.policy import CheckPolicy, ReadPolicy
from wellsourced.presentation.terminal import TerminalPage
from wellsourced.prompts.writing import Draft, MergedDraft, PlainDraft, RecommendationDraft, WriteAnswer
from wellsourced.types import Question, Statement

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
