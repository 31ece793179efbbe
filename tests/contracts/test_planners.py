"""What every planner promises, whatever model it has, or none."""

from datetime import date

import pytest

from tests.planners.worlds import CARDS, PLANNERS, QUESTION, REPLIES, Make, World, registered, sensible
from tests.scripted_model import ScriptedModel
from tests.tables import each_row
from wellsourced.config.registry import PLANNER_REGISTRY
from wellsourced.errors import ModelError, PromptTooLong, UnparsableReply, UnsupportedPrompt
from wellsourced.models.base import Model, NoModel
from wellsourced.planners.base import Planner, Proposal
from wellsourced.planners.searches import select_askable
from wellsourced.prompts import planning
from wellsourced.sources.base import SourceInfo
from wellsourced.sources.fake import FakeSource
from wellsourced.types import Question

WITH_MODEL = [
    *(name for name in PLANNERS if name in PLANNER_REGISTRY.names and PLANNER_REGISTRY.find(name).needs_model),
]
LONG = Question(text=" ".join(["What helps against gout flares in kidney disease?"] * 80)[:4_000])
DATED = QUESTION.model_copy(
    update={"since": date(2015, 3, 1), "as_of": date(2020, 1, 31), "exclude": ("pubmed:7", "doi:10.1/x")}
)
FAILURES = [
    UnsupportedPrompt("no"),
    UnparsableReply("%&", "no JSON"),
    PromptTooLong(9_000, 4_096),
    ModelError("the model is down"),
]


@pytest.fixture(params=PLANNERS)
def make(request: pytest.FixtureRequest) -> Make:
    return PLANNERS[request.param]


async def proposed(
    make: Make,
    question: Question,
    cards: tuple[SourceInfo, ...] = CARDS,
    model: Model | None = None,
    world: World | None = None,
) -> Proposal:
    return await make(model or sensible()).plan(question, cards, (world or World()).look)


def asking_world(name: str) -> World:
    """A world in which a planner asks its model: KED does so only where the question itself finds nothing."""
    return World([FakeSource(card.name) for card in CARDS]) if name == "ked" else World()


def test_every_planner_of_the_registry_has_a_case_here() -> None:
    assert {*PLANNERS} >= {*PLANNER_REGISTRY.names} - {"given"}


async def test_with_documents_given_nothing_is_searched_and_no_model_is_asked() -> None:
    model = sensible()
    proposal = await proposed(registered("given"), QUESTION, model=model)
    assert (proposal.searches, model.prompts) == ((), [])
    assert proposal.notes


@each_row("name", PLANNERS)
def test_a_planner_is_known_by_its_name(name: str) -> None:
    planner = PLANNERS[name](sensible())
    assert isinstance(planner, Planner)
    assert planner.name == name


@each_row("question", [QUESTION, Question(text="Gout"), LONG, DATED])
async def test_searches_name_sources_of_the_cards_and_keep_to_dates_and_exclusions(
    make: Make, question: Question
) -> None:
    searches = (await proposed(make, question)).searches
    assert searches
    assert {search.source for search in searches} <= {card.name for card in CARDS}
    kept = {(search.query.since, search.query.as_of, search.query.exclude) for search in searches}
    assert kept == {(question.since, question.as_of, question.exclude)}


async def test_a_source_is_only_asked_what_its_card_says_it_understands(make: Make) -> None:
    understood = {card.name: card.asks for card in CARDS}
    searches = (await proposed(make, QUESTION)).searches
    assert all(search.query.kind in understood[search.source] for search in searches)
    assert all(term.strip() for search in searches for term in search.query.terms)


async def test_no_search_is_made_twice(make: Make) -> None:
    searches = (await proposed(make, QUESTION)).searches
    assert len(set(searches)) == len(searches)


async def test_without_cards_nothing_is_searched_and_no_model_is_asked(make: Make) -> None:
    model = sensible()
    assert (await proposed(make, QUESTION, (), model)).searches == ()
    assert model.prompts == []


async def test_a_source_that_holds_nothing_is_not_asked(make: Make) -> None:
    model = sensible()
    assert (await proposed(make, QUESTION, (SourceInfo("trials", "research"),), model)).searches == ()
    assert model.prompts == []


async def test_the_only_source_is_asked(make: Make) -> None:
    searches = (await proposed(make, QUESTION, (CARDS[1],))).searches
    assert {search.source for search in searches} == {"trials"}


async def test_a_source_of_other_years_is_not_asked_and_that_is_told(make: Make) -> None:
    question = QUESTION.model_copy(update={"since": date(2023, 1, 1)})
    proposal = await proposed(make, question)
    assert "trials" not in {search.source for search in proposal.searches}
    assert "trials was not searched: its content ends in 2021, before 2023-01-01" in proposal.notes


@each_row(
    ("name", "calls", "waves"),
    [
        ("original", 1, 0),
        ("rules", 0, 0),
        ("keywords", 1, 0),
        ("ked", 0, 1),
        ("boolean", 3, 0),
        ("query2doc", 3, 0),
        ("prompting", 1, 0),
        ("reflexion", 16, 8),
        ("serts", 16, 8),
    ],
)
async def test_a_plan_costs_so_many_calls_of_the_model_and_waves_of_searches(name: str, calls: int, waves: int) -> None:
    model, world = sensible(), World()
    await PLANNERS[name](model).plan(QUESTION, CARDS, world.look)
    assert (len(model.prompts), len(world.waves)) == (calls, waves)


async def test_no_plan_for_five_sources_makes_more_than_fifteen_searches(make: Make) -> None:
    assert len((await proposed(make, QUESTION)).searches) <= 15


async def test_the_same_replies_give_the_same_plan(make: Make) -> None:
    assert await proposed(make, QUESTION) == await proposed(make, QUESTION)


@each_row("failure", FAILURES)
@each_row("name", WITH_MODEL)
async def test_with_a_model_that_fails_sources_are_asked_all_the_same_and_it_is_told(
    name: str, failure: ModelError
) -> None:
    proposal = await proposed(
        PLANNERS[name], QUESTION, model=ScriptedModel(dict.fromkeys(REPLIES, failure)), world=asking_world(name)
    )
    assert {"guidelines", "trials", "consumer", "pubmed"} <= {search.source for search in proposal.searches}
    assert ("consumer", (QUESTION.text,)) in _texts(proposal) or name in ("keywords", "ked")
    assert proposal.notes


async def test_without_a_language_model_every_planner_plans(make: Make) -> None:
    proposal = await proposed(make, QUESTION, model=NoModel())
    assert {"guidelines", "trials", "consumer", "pubmed"} <= {search.source for search in proposal.searches}


@each_row("name", ["prompting", "reflexion", "serts"])
async def test_a_plan_for_sources_that_do_not_exist_is_no_plan(name: str) -> None:
    nonsense = planning.SourcePlan(
        entries=(planning.SourceQueries(source="Cochrane", queries=(planning.PlannedQuery(text="gout"),)),)
    )
    proposal = await proposed(PLANNERS[name], QUESTION, model=ScriptedModel({planning.PlanSources: nonsense}))
    assert ("trials", (QUESTION.text,)) in _texts(proposal)
    assert any("names none of the sources" in note and "the question itself" in note for note in proposal.notes)


@each_row("name", WITH_MODEL)
async def test_a_patients_own_text_is_in_no_prompt_and_no_query(name: str) -> None:
    model = sensible()
    question = QUESTION.model_copy(update={"patient": "Mrs Vandersteen, 81, of Ghent"})
    proposal = await proposed(PLANNERS[name], question, model=model, world=asking_world(name))
    assert model.prompts
    assert "Vandersteen" not in "".join(prompt.model_dump_json() for prompt in model.prompts)
    assert "Vandersteen" not in str(proposal)


@each_row("name", WITH_MODEL)
async def test_every_instruction_is_whole_sentences(name: str) -> None:
    model = sensible()
    await proposed(PLANNERS[name], QUESTION, model=model, world=asking_world(name))
    assert model.prompts
    for prompt in model.prompts:
        assert prompt.instruction().endswith(".")
        assert 80 < len(prompt.instruction()) < 1_200


def test_years_that_are_unknown_speak_against_nobody() -> None:
    assert select_askable(DATED, [SourceInfo("own", "own", 3), CARDS[4]])[0] == (SourceInfo("own", "own", 3), CARDS[4])


def _texts(proposal: Proposal) -> list[tuple[str, tuple[str, ...]]]:
    return [(search.source, search.query.terms) for search in proposal.searches if search.query.kind == "text"]
