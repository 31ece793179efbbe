"""What becomes of a model's plan: checked against the sources that there are, and told where it was not kept."""

from tests.planners.worlds import CARDS, QUESTION, World, asked, kinds_of, plan_for
from tests.scripted_model import ScriptedModel
from tests.tables import each_row
from wellsourced.planners.base import Proposal
from wellsourced.planners.prompting import PromptingPlanner
from wellsourced.planners.searches import summarize_source
from wellsourced.prompts.planning import PlannedQuery, PlanSources, SourcePlan, SourceQueries
from wellsourced.question.understanding import LiteralUnderstanding
from wellsourced.sources.base import SourceInfo


def entry(source: str, *texts: str, term: str = "") -> SourceQueries:
    return SourceQueries(source=source, queries=tuple(PlannedQuery(text=text, term=term) for text in texts))


async def proposed(*entries: SourceQueries, cards: tuple[SourceInfo, ...] = CARDS) -> Proposal:
    model = ScriptedModel({PlanSources: SourcePlan(entries=entries)})
    return await PromptingPlanner(model, LiteralUnderstanding()).plan(QUESTION, cards, World().look)


async def test_a_plan_is_kept_in_its_order_and_a_source_without_a_query_is_not_searched() -> None:
    proposal = await proposed(
        entry("trials", "colchicine gout trial", "colchicine placebo"),
        entry("guidelines", "gout flare treatment"),
        entry("consumer"),
        entry("graph", "drugs that treat it", term="gout"),
        entry("pubmed"),
    )
    assert asked(proposal.searches) == [
        ("trials", "colchicine gout trial"),
        ("trials", "colchicine placebo"),
        ("guidelines", "gout flare treatment"),
        ("graph", "gout"),
    ]
    assert proposal.notes == ()


async def test_a_look_up_has_the_term_and_beside_it_what_is_to_be_known() -> None:
    proposal = await proposed(entry("graph", "drugs that treat it", term="gout"), entry("graph", "podagra"))
    assert [(one.query.kind, one.query.terms, one.query.also) for one in proposal.searches] == [
        ("term", ("gout",), ("drugs that treat it",)),
        ("term", ("podagra",), ()),
    ]


async def test_when_every_source_is_left_empty_no_search_is_needed() -> None:
    proposal = await proposed(*(entry(card.name) for card in CARDS))
    assert proposal == Proposal((), ("the plan says that no search is needed",))


async def test_a_source_that_the_plan_forgot_is_not_one_that_it_left_empty() -> None:
    proposal = await proposed(*(entry(card.name) for card in CARDS[:4]))
    assert "the plan does not mention pubmed, which was not searched" in proposal.notes


async def test_what_the_plan_has_too_much_is_left_out_and_told() -> None:
    proposal = await proposed(
        entry("trials", "one", "two", "three", "four", "five"),
        entry("Cochrane Library", "gout"),
        entry("consumer", "six"),
    )
    assert asked(proposal.searches) == [("trials", "one"), ("trials", "two"), ("trials", "three"), ("consumer", "six")]
    assert "2 planned searches were left out: more than 3 for one source" in proposal.notes
    assert "the plan names unknown sources: Cochrane Library" in proposal.notes


async def test_no_plan_makes_more_than_fifteen_searches() -> None:
    cards = tuple(SourceInfo(f"library {number}", "own", documents=1) for number in range(9))
    proposal = await proposed(*(entry(card.name, "a", "b", "c") for card in cards), cards=cards)
    assert len(proposal.searches) == 15
    assert proposal.searches[-1].source == "library 4"
    assert "12 planned searches were left out: more than 15 in all" in proposal.notes


async def test_repeated_and_blank_queries_are_dropped_and_names_are_read_in_any_case() -> None:
    proposal = await proposed(entry("Trials ", "gout  flares", "Gout flares", "", " "), entry("trials", "gout flares"))
    assert asked(proposal.searches) == [("trials", "gout flares")]


async def test_one_call_is_made_and_it_shows_only_what_the_cards_say() -> None:
    model = ScriptedModel({PlanSources: plan_for("trials")})
    empty = SourceInfo("empty", "own")
    await PromptingPlanner(model, LiteralUnderstanding()).plan(QUESTION, [*CARDS, empty], World().look)
    assert kinds_of(model) == ["PlanSources"]
    prompt = model.prompts[0]
    assert isinstance(prompt, PlanSources)
    assert prompt.cards == tuple(summarize_source(card) for card in CARDS)


@each_row(
    ("card", "holds", "years"),
    [
        (CARDS[0], "43 documents", "2010 to 2024"),
        (CARDS[3], "17 concepts", ""),
        (CARDS[4], "unknown", ""),
        (SourceInfo("big", "own", documents=25_300_000), "25,300,000 documents", ""),
    ],
)
def test_a_card_is_shown_as_the_source_fills_it(card: SourceInfo, holds: str, years: str) -> None:
    told = summarize_source(card)
    assert (told.name, told.kind, told.asks, told.about) == (card.name, card.kind, card.asks, card.about)
    assert (told.holds, told.years) == (holds, years)


async def test_a_model_that_would_break_the_terminal_is_quoted_without_its_control_characters() -> None:
    proposal = await proposed(entry("\x1b[2Jsecret\nsource", "gout"), entry("trials", "gout"))
    assert "the plan names unknown sources: [2Jsecret source" in proposal.notes
