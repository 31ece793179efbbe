"""A question in parts: few, not deep, and only where somebody can say what the parts are."""

from collections.abc import Sequence

from tests.planners.worlds import QUESTION, kinds_of
from tests.scripted_model import Script, ScriptedModel
from wellsourced.errors import ModelError
from wellsourced.prompts.planning import Decompose, DecompositionReply
from wellsourced.question.question_parts import QuestionDecomposition, split_question


async def split(script: Script, text: str = QUESTION.text) -> tuple[QuestionDecomposition, ScriptedModel]:
    model = ScriptedModel({Decompose: script})

    async def request_parts(part: str) -> Sequence[str]:
        return (await model.complete(Decompose(question=part, parts=4))).questions

    return await split_question(text, request_parts, 4, 2), model


def tree(prompt: Decompose) -> DecompositionReply:
    """Every question has two parts, for ever: a, b, aa, ab, ba, …"""
    stem = "" if prompt.question == QUESTION.text else prompt.question
    return DecompositionReply(questions=(f"{stem}a", f"{stem}b"))


async def test_a_question_is_searched_for_in_its_parts_too() -> None:
    found, model = await split(
        [
            DecompositionReply(questions=("one", "two", "three")),
            DecompositionReply(),
            DecompositionReply(),
            DecompositionReply(),
        ]
    )
    assert [*found.parts] == ["one", "two", "three"]
    assert found.notes == ("also searched for in parts: “one”, “two”, “three”",)
    assert kinds_of(model) == ["Decompose"] * 4


async def test_parts_of_parts_are_not_split_again() -> None:
    found, model = await split(tree)
    assert [*found.parts] == ["aa", "ab", "ba", "bb"]
    assert len(model.prompts) == 3


async def test_there_are_no_more_than_four_parts_of_one_question_and_eight_in_all() -> None:
    def six(prompt: Decompose) -> DecompositionReply:
        stem = "" if prompt.question == QUESTION.text else prompt.question
        return DecompositionReply(questions=tuple(f"{stem}{letter}" for letter in "123456"))

    found, _ = await split(six)
    assert len(found.parts) == 8
    assert "of 6 parts, only the first 4 are searched for" in found.notes
    assert "the question has more than 8 parts; only the first 8 are searched for" in found.notes


async def test_a_part_that_is_the_question_or_another_part_again_is_dropped() -> None:
    repeated = DecompositionReply(questions=(QUESTION.text.upper(), "one", "One ", "two"))
    found, _ = await split(
        [
            repeated,
            DecompositionReply(questions=("two", "three")),
            DecompositionReply(questions=("one", "Two", "three")),
        ]
    )
    assert [*found.parts] == ["two", "three"]


async def test_one_part_alone_is_no_split() -> None:
    found, _ = await split(DecompositionReply(questions=("gout",)))
    assert found == QuestionDecomposition()


async def test_a_model_that_fails_leaves_the_question_whole_and_it_is_told() -> None:
    found, _ = await split(ModelError("down"))
    assert found.parts == ()
    assert found.notes == ("the model did not split the question (down)",)


async def test_without_a_model_the_parts_of_a_comparison_are_searched_for_beside_it() -> None:
    found, _ = await split([], "Compare warfarin with apixaban for atrial fibrillation")
    assert [*found.parts] == ["warfarin for atrial fibrillation", "apixaban for atrial fibrillation"]
