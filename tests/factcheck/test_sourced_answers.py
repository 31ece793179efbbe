"""A model that is asked with its sources: what it says is kept as it said it, with marks that lead to its addresses."""

import pytest

from tests.scripted_model import Script, ScriptedModel
from tests.tables import each_row
from wellsourced.errors import ModelUnavailable, QuestionError, UnparsableReply
from wellsourced.factcheck.load.decomposition import decompose_text
from wellsourced.factcheck.sourced_answers import NO_ADDRESS, NOTHING_SAID, SourcedAnswer, ask_with_sources
from wellsourced.prompts.probing import AskWithSources, SourcedAnswerReply, SourcedStatement
from wellsourced.types import Document, Reference

QUESTION = "Does colchicine prevent gout flares?"
A, B = "https://example.org/a", "https://example.org/b"
FLARE, NAUSEA = "Colchicine prevents gout flares in adults.", "Nausea is seen in 13% of patients on colchicine."


def reply(*statements: tuple[str, tuple[str, ...]], refusal: str = "") -> SourcedAnswerReply:
    said = tuple(SourcedStatement(text=text, addresses=addresses) for text, addresses in statements)
    return SourcedAnswerReply(statements=said, refusal=refusal)


GOOD = reply((FLARE, (B,)), (NAUSEA, (A, B)))
BARE = reply((FLARE, ()), (NAUSEA, (" ",)))
EMPTY = reply()


async def asked(script: Script, question: str = QUESTION) -> tuple[SourcedAnswer, list[AskWithSources]]:
    model = ScriptedModel({AskWithSources: script})
    answer = await ask_with_sources(question, model)
    return answer, [prompt for prompt in model.prompts if isinstance(prompt, AskWithSources)]


async def test_each_statement_bears_the_marks_of_its_addresses() -> None:
    answer, prompts = await asked([GOOD], f"  {QUESTION}\n")
    assert (answer.notes, len(prompts)) == ((), 1)
    assert (answer.origin.question, answer.origin.system) == (QUESTION, "scripted")
    text = decompose_text(Document(reference=Reference(id="x"), text=answer.text))
    urls = {one.key: one.url for one in text.sources}
    assert [(claim.text, sorted(urls[key] for key in claim.cites)) for claim in text.claims] == [
        (FLARE, [B]), (NAUSEA, [A, B]),
    ]  # fmt: skip


@each_row(
    ("first", "lack"),
    [
        (EMPTY, NOTHING_SAID),
        (BARE, NO_ADDRESS),
        (reply((FLARE, ()), refusal="I am no doctor."), NO_ADDRESS),
        (UnparsableReply("{", "no JSON"), NOTHING_SAID),
    ],
)
async def test_who_says_nothing_or_names_no_source_is_asked_exactly_once_more(
    first: SourcedAnswerReply | UnparsableReply, lack: str
) -> None:
    answer, prompts = await asked([first, GOOD])
    assert [prompt.lack for prompt in prompts] == ["", lack]
    assert FLARE in answer.text and answer.notes == ("the model was asked twice",)
    # Asked a third time, the model would refuse to improvise.
    again, _ = await asked([first, first])
    assert "the model was asked twice" in again.notes


async def test_an_answer_that_names_no_source_twice_is_kept_and_told() -> None:
    answer, _ = await asked([BARE, EMPTY])
    assert FLARE in answer.text and "References" not in answer.text
    assert answer.notes[-1] == "the model named no source"


async def test_who_says_nothing_twice_has_given_no_response() -> None:
    answer, _ = await asked([EMPTY, EMPTY])
    assert (answer.text, answer.notes[-1]) == ("", "the model gave no answer")


async def test_a_refusal_is_kept_and_told_and_not_asked_again() -> None:
    answer, prompts = await asked([reply(refusal="I give no medical advice.")])
    assert (answer.text, len(prompts)) == ("I give no medical advice.", 1)
    assert answer.notes == ("the model refused to answer: I give no medical advice.",)


async def test_addresses_that_stand_in_the_words_alone_are_found_too() -> None:
    words = f"{FLARE.rstrip('.')} ({A})."
    answer, _ = await asked([reply((words, ())), reply((words, ()))])
    text = decompose_text(Document(reference=Reference(id="x"), text=answer.text))
    assert [one.url for one in text.sources] == [A]


async def test_no_question_and_a_model_that_is_down_are_errors() -> None:
    with pytest.raises(QuestionError, match="The question is empty"):
        await asked([], "  \n")
    with pytest.raises(ModelUnavailable):
        await asked([ModelUnavailable("down")])
