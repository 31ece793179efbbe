"""A question in parts: few, not deep, and only where somebody can say what the parts are."""

from tests.planners.worlds import CARDS, QUESTION, World, asked, kinds_of
from tests.scripted_model import Script, ScriptedModel
from wellsourced.errors import ModelError
from wellsourced.planners.base import Proposal
from wellsourced.planners.prompting import DecompositionPlanner
from wellsourced.planners.rules import RulePlanner
from wellsourced.prompts.planning import Decompose, DecompositionReply
from wellsourced.question.understanding import LiteralUnderstanding
from wellsourced.types import Question

TRIALS = CARDS[1]


async def proposed(
    script: Script, question: Question = QUESTION, parts: int = 4, depth: int = 2
) -> tuple[Proposal, ScriptedModel]:
    model = ScriptedModel({Decompose: script})
    planner = DecompositionPlanner(RulePlanner(LiteralUnderstanding()), model, parts=parts, depth=depth)
    return await planner.plan(question, [TRIALS], World().look), model


def texts(proposal: Proposal) -> list[str]:
    return [text for _, text in asked(proposal.searches)]


def tree(prompt: Decompose) -> DecompositionReply:
    """Every question has two parts, for ever: a, b, aa, ab, ba, …"""
    stem = "" if prompt.question == QUESTION.text else prompt.question
    return DecompositionReply(questions=(f"{stem}a", f"{stem}b"))


async def test_the_whole_question_is_searched_for_first_and_then_its_parts() -> None:
    proposal, model = await proposed(
        [
            DecompositionReply(questions=("one", "two", "three")),
            DecompositionReply(),
            DecompositionReply(),
            DecompositionReply(),
        ]
    )
    assert texts(proposal) == [QUESTION.text, "one", "two", "three"]
    assert proposal.notes == ("also searched for in parts: “one”, “two”, “three”",)
    assert kinds_of(model) == ["Decompose"] * 4


async def test_parts_of_parts_are_not_split_again() -> None:
    proposal, model = await proposed(tree)
    assert texts(proposal) == [QUESTION.text, "aa", "ab", "ba", "bb"]
    assert len(model.prompts) == 3


async def test_there_are_no_more_than_four_parts_of_one_question_and_eight_in_all() -> None:
    def six(prompt: Decompose) -> DecompositionReply:
        stem = "" if prompt.question == QUESTION.text else prompt.question
        return DecompositionReply(questions=tuple(f"{stem}{letter}" for letter in "123456"))

    proposal, _ = await proposed(six)
    assert len(texts(proposal)) == 1 + 8
    assert "of 6 parts, only the first 4 are searched for" in proposal.notes
    assert "the question has more than 8 parts; only the first 8 are searched for" in proposal.notes


async def test_a_part_that_is_the_question_or_another_part_again_is_dropped() -> None:
    repeated = DecompositionReply(questions=(QUESTION.text.upper(), "one", "One ", "two"))
    proposal, _ = await proposed(
        [
            repeated,
            DecompositionReply(questions=("two", "three")),
            DecompositionReply(questions=("one", "Two", "three")),
        ]
    )
    assert texts(proposal) == [QUESTION.text, "two", "three"]


async def test_one_part_alone_is_no_split() -> None:
    proposal, _ = await proposed(DecompositionReply(questions=("gout",)))
    assert (texts(proposal), proposal.notes) == ([QUESTION.text], ())


async def test_a_model_that_fails_leaves_the_question_whole_and_it_is_told() -> None:
    proposal, _ = await proposed(ModelError("down"))
    assert texts(proposal) == [QUESTION.text]
    assert proposal.notes == ("the model did not split the question (down)",)


async def test_without_a_model_the_parts_of_a_comparison_are_searched_for_beside_it() -> None:
    question = Question(text="Compare warfarin with apixaban for atrial fibrillation")
    proposal, _ = await proposed([], question)
    assert texts(proposal) == [
        question.text, "warfarin for atrial fibrillation", "apixaban for atrial fibrillation"
    ]  # fmt: skip
