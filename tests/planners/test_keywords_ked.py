"""The raw question first, keywords where it says nothing."""

from tests.planners.worlds import CARDS, QUESTION, SOURCES, World
from tests.scripted_model import ScriptedModel
from tests.world import TRIAL, source
from wellsourced.errors import SourceUnavailable
from wellsourced.planners.keywords import KedPlanner, KeywordPlanner
from wellsourced.prompts import planning
from wellsourced.question.understanding import LiteralUnderstanding
from wellsourced.sources.fake import FakeSource

FOUND = planning.KeywordsReply(keywords=("gout flare", "colchicine"))


def planner(model: ScriptedModel) -> KedPlanner:
    return KedPlanner(KeywordPlanner(model, LiteralUnderstanding()), LiteralUnderstanding())


async def test_a_question_that_finds_something_everywhere_costs_no_call() -> None:
    model = ScriptedModel({planning.ExtractKeywords: FOUND})
    proposal = await planner(model).plan(QUESTION, CARDS[:2], World().look)
    assert [(one.source, one.query.terms) for one in proposal.searches] == [
        ("guidelines", (QUESTION.text,)),
        ("trials", (QUESTION.text,)),
    ]
    assert model.prompts == []


async def test_only_the_sources_that_are_silent_are_asked_by_keywords() -> None:
    model = ScriptedModel({planning.ExtractKeywords: FOUND})
    silent = World([*(one for one in SOURCES if one.name != "trials"), source("trials")])
    proposal = await planner(model).plan(QUESTION, CARDS[:2], silent.look)
    assert [(one.source, one.query.terms) for one in proposal.searches] == [
        ("guidelines", (QUESTION.text,)),
        ("trials", ("gout flare", "colchicine")),
    ]
    assert len(model.prompts) == 1
    assert "keywords by scripted: gout flare, colchicine" in proposal.notes


async def test_a_source_that_failed_is_not_one_that_knows_nothing_and_keeps_the_question() -> None:
    model = ScriptedModel({planning.ExtractKeywords: FOUND})
    down = FakeSource("trials", [TRIAL], failure=SourceUnavailable("trials: no answer"))
    world = World([*(one for one in SOURCES if one.name != "trials"), down])
    proposal = await planner(model).plan(QUESTION, CARDS[:2], world.look)
    assert [one.query.terms for one in proposal.searches] == [(QUESTION.text,), (QUESTION.text,)]
    assert model.prompts == []


def test_it_plans_one_tier_at_a_time() -> None:
    assert planner(ScriptedModel({})).plans_by_tier
