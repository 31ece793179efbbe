"""The raw question first, keywords where it says nothing."""

from tests.planners.worlds import CARDS, QUESTION, SOURCES, World
from tests.scripted_model import ScriptedModel
from tests.servers.eutils import article, eutils
from tests.world import TRIAL, source
from wellsourced.errors import SourceUnavailable
from wellsourced.http import Client
from wellsourced.planners.keywords import KedPlanner, KeywordPlanner
from wellsourced.planners.rules import OriginalPlanner
from wellsourced.prompts import planning
from wellsourced.question.understanding import LiteralUnderstanding
from wellsourced.sources.entrez import PubMed
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


ABOUT_COLCHICINE = article("7", "Colchicine for a gout flare")
ABOUT_SOMETHING_ELSE = [article(str(number), "Shorten every stay in hospital") for number in range(20, 30)]
LONG_WINDED = QUESTION.model_copy(update={"text": "Does colchicine shorten my wretched gout flare?"})


async def test_pubmed_that_has_nothing_with_all_words_of_the_question_is_asked_for_keywords() -> None:
    model = ScriptedModel({planning.ExtractKeywords: FOUND})
    async with Client(attempts=1) as client:
        with eutils([ABOUT_COLCHICINE, *ABOUT_SOMETHING_ELSE]) as ncbi:
            world = World([PubMed(client, ncbi.url)])  # type: ignore[list-item]
            proposal = await planner(model).plan(LONG_WINDED, CARDS[4:], world.look)
            found = await world.look(proposal.searches)
    assert [(one.source, one.query.terms) for one in proposal.searches] == [("pubmed", ("gout flare", "colchicine"))]
    assert [one.reference.id for one in found[0].passages] == ["pubmed:7"]
    assert len(model.prompts) == 1


async def test_other_planners_still_get_what_has_some_of_the_words() -> None:
    async with Client(attempts=1) as client:
        with eutils([ABOUT_COLCHICINE, *ABOUT_SOMETHING_ELSE]) as ncbi:
            world = World([PubMed(client, ncbi.url)])  # type: ignore[list-item]
            plain = await OriginalPlanner(LiteralUnderstanding()).plan(LONG_WINDED, CARDS[4:], world.look)
            (found,) = await world.look(plain.searches)
    assert {"pubmed:7", "pubmed:20"} <= {one.reference.id for one in found.passages}
