"""How many calls a preset makes to a language model, how many wait for each other, and what that costs in time.

The model is simulated: it takes a second for each call, says what it is shown in words that have to be checked, and
finds relevant whatever shares a word with the question. So the calls are counted as an eager model would make them.
"""

import time
from dataclasses import replace
from typing import NamedTuple

from benchmarks.report import Report
from benchmarks.simulated_engine import SimulatedEngine
from wellsourced import config
from wellsourced.budget import current_cost_tracker
from wellsourced.config.context import build_planner
from wellsourced.config.registry import PlannerParts
from wellsourced.context import Context
from wellsourced.errors import WellsourcedError
from wellsourced.events import Event, ModelCalled
from wellsourced.models.language_model import LanguageModel
from wellsourced.pipeline.ask import answer_question
from wellsourced.policy import WritePolicy
from wellsourced.types import Answer, Query, Question
from wellsourced_evaluate.development_data import Bench, show_work

QUESTION = "What is first-line drug therapy for heart failure with reduced ejection fraction?"
SECONDS = 1.0
LIBRARY = "guidelines"
WITHOUT = ("hybrid", "words")
"""Presets of the search alone: they ask no model for what they are there for."""


class Published(NamedTuple):
    """What the authors' own code needs for a question: calls, and how many of them in a row."""

    calls: str
    depth: str


PUBLISHED = {
    "lins": Published("6–8", "6–8"),
    "lins-ebm": Published("5–9", "5–9"),
    "lins-moe": Published("≈ 11", "≈ 11"),
    "clinfo": Published("31–35", "≈ 10"),
    "clinfo-s2": Published("31–35", "≈ 10"),
    "briefcontext": Published("1 or 3", "1 or 3"),
    "omni-original": Published("2", "2"),
    "omni-query2doc": Published("6", "2"),
    "omni-prompting": Published("2", "2"),
    "omni-reflexion": Published("≤ 17", "17"),
    "omni-serts": Published("≤ 17", "17"),
}
"""Each from the section on cost of its specification; of lins-ebm and lins-moe the whole path of its task."""

AIMS = {"default": "at most 4 in a row", "lins": "at most 5 in a row", "clinfo": "at most 4 in a row"}

WIDTHS = (18, 7, 7, 11, 11, 9, 12, 11, 12)
HEADS = ("preset", "calls", "depth", "tokens in", "out", "seconds", "published:", "in a row", "statements")


class Walk(NamedTuple):
    """A question answered with a model that costs time, and what it was asked, in order of its replies."""

    answer: Answer
    asked: tuple[ModelCalled, ...]
    seconds: float

    @property
    def depth(self) -> int:
        """The longest chain of calls that waited for each other."""
        return max((one.depth for one in self.asked), default=0)

    @property
    def tokens(self) -> tuple[int, int]:
        """Read and written, as the simulated model counts them."""
        return sum(one.tokens_in for one in self.asked), sum(one.tokens_out for one in self.asked)


async def measure(bench: Bench, report: Report) -> None:  # noqa: ARG001 - it measures paths, not data
    """Every preset that a model takes part in, over the guidelines, with nothing on the network."""
    report.section("waves", f"Calls to a language model ({SECONDS:g} s each) for one question over the guidelines")
    report.row(HEADS, WIDTHS)
    for name in (one.name for one in config.list_presets() if one.name not in WITHOUT):
        show_work(f"waves: {name}")
        try:
            walk = await _preset(name)
        except WellsourcedError as error:
            report.note(f"{name:<18}was not measured: {error}")
            continue
        show_work("")
        _row(name, walk, report)


async def _preset(name: str) -> Walk:
    settings = config.load({"preset": name})
    # Opened without a model, which is put in below: one that is to answer from memory would be missed before.
    plain = settings.model_copy(update={"write": WritePolicy()})
    async with config.open_context(plain, libraries=(LIBRARY,), live=()) as opened_context:
        context = replace(opened_context, write=settings.write)
        model = simulated(SECONDS)
        planner = build_planner(settings, PlannerParts(model, context.understanding))
        question = Question(text=QUESTION)
        if name == "oracle":
            found = (await context.find_source(LIBRARY).search(Query(terms=(QUESTION,)), 1)).hits
            question = Question(text=QUESTION, given=tuple(hit.passage.reference.id for hit in found))
        # Once without being timed: what is opened at the first question is no cost of the preset.
        await walked(question, with_model(replace(context, planner=planner), simulated(0.0)))
        return await walked(question, with_model(replace(context, planner=planner), model))


def simulated(seconds: float) -> LanguageModel:
    """A model that replies after so many seconds, to as many calls at once as a provider is asked by default."""
    return LanguageModel(SimulatedEngine(seconds, paraphrase=True), tracker=current_cost_tracker)


def with_model(context: Context, model: LanguageModel) -> Context:
    """The context, with this model for everything that is asked of one but the plan, which has its own."""
    return replace(context, model=model, assistant=model, has_model=True)


async def walked(question: Question, context: Context) -> Walk:
    """The question answered; every call is heard."""
    asked: list[ModelCalled] = []

    def hear(event: Event) -> None:
        if isinstance(event, ModelCalled):
            asked.append(event)

    begun = time.perf_counter()
    given = await answer_question(question, context, hear)
    return Walk(given, tuple(asked), time.perf_counter() - begun)


def _row(name: str, walk: Walk, report: Report) -> None:
    published = PUBLISHED.get(name, Published("", ""))
    read, written = walk.tokens
    cells = (
        name, str(len(walk.asked)), str(walk.depth), f"{read:,}", f"{written:,}", f"{walk.seconds:.1f}",
        published.calls, published.depth, str(len(walk.answer.statements)),
    )  # fmt: skip
    report.row(cells, WIDTHS)
    report.record(f"{name}: calls", len(walk.asked), "calls", f"published: {published.calls or 'none'}")
    report.record(f"{name}: calls in a row", walk.depth, "calls", AIMS.get(name, f"published: {published.depth}"))
    report.record(f"{name}: tokens", read + written, "tokens")
    report.record(f"{name}: time", walk.seconds, "s")
