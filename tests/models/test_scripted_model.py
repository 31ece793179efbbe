"""The model of the tests: what it was told, and nothing else."""

import pytest

from tests.scripted_model import ScriptedModel
from wellsourced.errors import ModelError, UnsupportedPrompt
from wellsourced.prompts.planning import Decompose, DecompositionReply

ASKED = Decompose(question="What causes gout?", parts=2)


async def test_of_replies_in_a_sequence_each_is_given_once_and_then_it_refuses_to_improvise() -> None:
    model = ScriptedModel({Decompose: [DecompositionReply(questions=("a",)), DecompositionReply(questions=("b",))]})
    assert [(await model.complete(ASKED)).questions for _ in range(2)] == [("a",), ("b",)]
    with pytest.raises(UnsupportedPrompt, match="told 2 replies to Decompose"):
        await model.complete(ASKED)


async def test_a_function_replies_to_what_the_prompt_says() -> None:
    model = ScriptedModel({Decompose: lambda prompt: DecompositionReply(questions=(prompt.question.upper(),))})
    assert (await model.complete(ASKED)).questions == ("WHAT CAUSES GOUT?",)


async def test_an_error_among_the_replies_is_raised() -> None:
    model = ScriptedModel({Decompose: [ModelError("down"), DecompositionReply()]})
    with pytest.raises(ModelError, match="down"):
        await model.complete(ASKED)
    assert await model.complete(ASKED) == DecompositionReply()
    assert model.prompts == [ASKED, ASKED]


async def test_one_reply_is_given_again_and_again() -> None:
    model = ScriptedModel({Decompose: DecompositionReply(questions=("a",))})
    assert [(await model.complete(ASKED)).questions for _ in range(3)] == [("a",)] * 3
