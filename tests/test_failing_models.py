"""A model that fails at one kind of prompt, and is well at all others: an answer is given all the same, and says so."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

import pytest

from benchmarks.simulated_engine import SimulatedEngine
from tests.samples import a_tenth
from tests.tables import each_row
from tests.world import COLCHICINE, GUIDELINE, NAUSEA, TRIAL, context, passages
from wellsourced import config
from wellsourced.budget import current_cost_tracker
from wellsourced.config.context import build_planner
from wellsourced.config.registry import PlannerParts
from wellsourced.context import Context
from wellsourced.errors import (
    BudgetSpent,
    ModelError,
    ModelRefused,
    ModelUnavailable,
    PromptTooLong,
    UnparsableReply,
    UnsupportedPrompt,
)
from wellsourced.models.base import Prompt, R
from wellsourced.models.language_model import LanguageModel
from wellsourced.orders.explanation import explain
from wellsourced.pipeline.ask import answer_question
from wellsourced.prompts.instructions import list_prompts
from wellsourced.prompts.planning import PlanScore, ScorePlan
from wellsourced.prompts.verification import CheckConsistency, ClaimVerdict, ConsistencyReply
from wellsourced.question.understanding import LiteralUnderstanding
from wellsourced.sources.base import SourceInfo
from wellsourced.sources.fake import FakeSource
from wellsourced.types import Answer, Document, Question, SourceKind, Turn

PRESETS = [one.name for one in config.list_presets() if not one.command]

BY_RULE = {"ExtractKeywords", "Decompose", "WriteBooleanQuery", "WritePseudoDocument", "PlanSources"}
"""Prompts that are asked of any model: one that cannot serve their kind is none, and rules do what it would have."""

FAILURES: tuple[ModelError, ...] = (
    ModelUnavailable("the model is down"),
    ModelRefused("the model refuses"),
    UnparsableReply("{", "the model talks nonsense"),
    PromptTooLong(9, 8),
    UnsupportedPrompt("the model knows no such prompt"),
    BudgetSpent("calls", 3, 3),
)

PLAIN = Question(text="Does colchicine shorten gout flares?")
NOTHING_FOUND = Question(text="Does aspirin or ibuprofen prevent migraine? Does sleep prevent migraine?")
WITH_OPTIONS = PLAIN.model_copy(update={"options": {"A": "It does.", "B": "It does not."}})
ABOUT_A_PATIENT = PLAIN.model_copy(update={"patient": "A man of 54 has had a gout flare in his knee since Monday."})
FOLLOWING = Question(text="Und wie lange dauert das?", language="de", history=(Turn(role="user", text=PLAIN.text),))
NAMING = PLAIN.model_copy(update={"given": (TRIAL.reference.id, GUIDELINE.reference.id)})

CHECKING = {"VerifyStatements", "SplitStatements", "CleanUp"}
PROBING = {
    *("AskWithSources", "GenerateQuestion", "VaryQuestion"),
    "WritePicoQuestion",
}


class Way(NamedTuple):
    """How a question is asked.

    certain   the model is certain that it can answer without sources
    doubts    the model finds no statement supported, so that each is written anew, and no plan good
    mapped    what was read is read in parts
    """

    preset: str
    question: Question
    certain: bool = False
    doubts: bool = False
    mapped: bool = False

    def __str__(self) -> str:
        """A name for the report of a test."""
        switched = [name for name in ("certain", "doubts", "mapped") if getattr(self, name)]
        return "-".join((self.preset, self.question.text[:16], *switched))


WAYS = (
    *(Way(preset, PLAIN) for preset in PRESETS),
    *(Way(preset, ABOUT_A_PATIENT) for preset in ("lins-ebm", "clinfo")),
    Way("default", WITH_OPTIONS),
    Way("default", FOLLOWING),
    Way("oracle", NAMING),
    Way("lins", NOTHING_FOUND),
    Way("lins", NOTHING_FOUND, certain=True),
    Way("default", PLAIN, doubts=True),
    Way("omni-reflexion", PLAIN, doubts=True),
    Way("omni-serts", PLAIN, doubts=True),
    Way("briefcontext", PLAIN, mapped=True),
    Way("briefcontext", WITH_OPTIONS, mapped=True),
)


class FailingAt:
    """A model that is well but for one kind of prompt, and remembers what it was asked."""

    name = "failing"

    def __init__(self, failing: str = "", error: ModelError | None = None, way: Way | None = None) -> None:
        self.failing, self.error = failing, error
        self.doubts = bool(way and way.doubts)
        self.asked: list[str] = []
        engine = SimulatedEngine(0.0, certain=bool(way and way.certain), paraphrase=True)
        self.well = LanguageModel(engine, tracker=current_cost_tracker)

    async def complete(self, prompt: Prompt[R]) -> R:
        """The simulated model's reply, or the error."""
        self.asked.append(type(prompt).__name__)
        if type(prompt).__name__ == self.failing and self.error:
            raise self.error
        if self.doubts and isinstance(prompt, CheckConsistency):
            return cast(
                R, ConsistencyReply(items=tuple(ClaimVerdict(key=one.key, label="silent") for one in prompt.claims))
            )
        if self.doubts and isinstance(prompt, ScorePlan):
            return cast(R, PlanScore(score=1))
        return await self.well.complete(prompt)

    def context_left(self, prompt: Prompt[Any]) -> int:
        """The simulated model's."""
        return self.well.context_left(prompt)


class Searchable(FakeSource):
    """A source that takes Boolean expressions too."""

    async def describe(self) -> SourceInfo:
        """How much it was told, and what it takes."""
        return (await super().describe())._replace(asks=("text", "boolean"))


def searchable(name: str, one: Document, kind: SourceKind) -> Searchable:
    return Searchable(name, [one], passages(one), kind)


def asked_as(way: Way, model: FailingAt) -> Context:
    """The small world, asked as a preset asks."""
    settings = config.load({"preset": way.preset, "model": "ollama:unasked"})
    sources = (searchable("trials", TRIAL, "research"), searchable("guidelines", GUIDELINE, "guideline"))
    world = context(*sources, relevant=(COLCHICINE, NAUSEA, GUIDELINE.text))
    mapped = settings.condense.model_copy(update={"mode": "always"})
    return replace(
        world,
        model=model,
        has_model=True,
        sees_patient=True,
        planner=build_planner(settings, PlannerParts(model, LiteralUnderstanding())),
        policy=settings.policy,
        frame=settings.frame,
        read=settings.read,
        condense=mapped if way.mapped else settings.condense,
        write=settings.write,
        check=settings.check,
    )


async def kinds_asked(way: Way) -> Sequence[str]:
    """The kinds of prompt that a model is asked on this way when it is well."""
    model = FailingAt(way=way)
    await answer_question(way.question, asked_as(way, model))
    return sorted(set(model.asked))


def told(given: Answer) -> str:
    """Everything that an answer says of how it came about."""
    reasons = (*(gap.reason for gap in given.gaps), *(one.reason for one in given.dropped))
    return "\n".join((*given.notes, *reasons, given.reason))


def is_silent(way: Way, kind: str, error: ModelError) -> bool:
    """Whether nothing has to be told: rules did it, or the model that is certain needs no parts of the question."""
    return (kind in BY_RULE and isinstance(error, UnsupportedPrompt)) or (kind == "Decompose" and way.certain)


FAILING = [(way, error) for way in WAYS for error in FAILURES]


@each_row(("way", "error"), FAILING[::7])
async def test_a_model_that_fails_at_one_step_costs_no_answer_and_is_told(way: Way, error: ModelError) -> None:
    await fail_at_each_step(way, error)


@pytest.mark.nightly
@each_row(("way", "error"), FAILING)
async def test_no_failure_on_any_way_costs_an_answer(way: Way, error: ModelError) -> None:
    await fail_at_each_step(way, error)


async def fail_at_each_step(way: Way, error: ModelError) -> None:
    for kind in await kinds_asked(way):
        given = await answer_question(way.question, asked_as(way, FailingAt(kind, error, way)))
        assert given == Answer.model_validate_json(given.model_dump_json())
        assert given.statements or given.reason, kind
        assert is_silent(way, kind, error) or str(error).rstrip(".") in told(given), kind


@each_row("error", FAILURES)
async def test_an_order_whose_terms_no_model_names_is_explained_by_rule(error: ModelError) -> None:
    way = Way("lins-moe", PLAIN)
    explained = await explain("Give colchicine for the gout flare.", asked_as(way, FailingAt("ExtractTerms", error)))
    assert str(error).rstrip(".") in " ".join(explained.notes)


async def test_every_prompt_of_the_package_is_asked_on_one_of_these_ways() -> None:
    asked = {kind for way in WAYS for kind in await kinds_asked(way)}
    # Terms are named on the way of an explanation, digests and expected questions are written for a library; somebody
    # else's text, and questions to probe with, are no way of a question. Places are compared where a draft differs from
    # its source (tests/pipeline/verify/test_open_slots.py); what this model writes never does.
    elsewhere = {
        "ExplainTerms",
        "ExtractTerms",
        "WriteDigest",
        "WriteExpectedQuestions",
        "ComparePlaces",
        *CHECKING,
        *PROBING,
    }
    assert set(list_prompts()) - asked == elsewhere


# --- stopped, twice at once, and again -------------------------------------------------------------------------------


async def stopped_after(steps: int, asked: Callable[[], Awaitable[object]]) -> bool:
    """Whether it was done before it could be stopped; no task of it may be left when it has stopped."""
    task = asyncio.ensure_future(asked())
    for _ in range(steps):
        await asyncio.sleep(0)
    done = task.done()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert asyncio.all_tasks() == {asyncio.current_task()}, steps
    return done


@a_tenth
@each_row("way", [WAYS[0], Way("lins", NOTHING_FOUND), Way("briefcontext", PLAIN, mapped=True)])
async def test_a_question_that_is_stopped_at_any_moment_leaves_nothing_behind(way: Way, step: int) -> None:
    model = FailingAt(way=way)
    steps = 0
    while not await stopped_after(steps, lambda: answer_question(way.question, asked_as(way, model))):
        steps += step
    assert steps
    assert (await answer_question(way.question, asked_as(way, model))).spent.calls


@a_tenth
async def test_an_explanation_that_is_stopped_at_any_moment_leaves_nothing_behind(step: int) -> None:
    way = Way("lins-moe", PLAIN)
    order = "Give colchicine for the gout flare."
    steps = 0
    while not await stopped_after(steps, lambda: explain(order, asked_as(way, FailingAt()), asked=PLAIN.text)):
        steps += step
    assert steps


def untimed(given: Answer) -> str:
    """The answer without what hangs on the clock: which calls had ended when another began is a matter of time too."""
    spent = given.spent.model_copy(update={"depth": 0})
    return given.model_copy(update={"timings": {}, "spent": spent}).model_dump_json()


@each_row("way", WAYS)
async def test_the_same_question_has_the_same_answer_also_beside_another(way: Way) -> None:
    context_ = asked_as(way, FailingAt(way=way))
    alone = await answer_question(way.question, asked_as(way, FailingAt(way=way)))
    first, other, again = await asyncio.gather(
        *(answer_question(one, context_) for one in (way.question, PLAIN, way.question))
    )
    assert untimed(first) == untimed(again) == untimed(alone)
    assert other.question.text == PLAIN.text
