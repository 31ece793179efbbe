"""Where a question is taken: in order of authority, as the policy has it, and never without a word."""

from collections.abc import Sequence
from dataclasses import replace

from tests.scripted_model import ScriptedModel
from tests.tables import each_row
from tests.world import GUIDELINE, TRIAL, context, source
from wellsourced.context import Context
from wellsourced.errors import ModelError, SourceUnavailable
from wellsourced.pipeline.ask import answer_question
from wellsourced.pipeline.search_plan import arrange_tiers, plan_searches, plan_tiers
from wellsourced.planners.base import Proposal, RunSearches, TrialSearch
from wellsourced.policy import Policy, ReadPolicy
from wellsourced.prompts.writing import Draft, WriteAnswer
from wellsourced.sources.base import SourceInfo
from wellsourced.sources.fake import FakeSource
from wellsourced.types import PLANNING_TIER, Gap, Passage, Plan, Query, Question, Search

GUIDELINES = SourceInfo("guidelines", "guideline", documents=43)
TRIALS = SourceInfo("trials", "research", documents=10)
NOTES = SourceInfo("notes", "own", documents=3)
PUBMED = SourceInfo("pubmed", "research", live=True)
WEB = SourceInfo("brave", "web", live=True)
ALL = (WEB, PUBMED, NOTES, TRIALS, GUIDELINES)
QUESTION = Question(text="Does colchicine help in gout?")
HERD = (("guideline",), ("pubmed",), ("web",))


class Told:
    """Proposes what it was told, or fails as it was told to; keeps what a look brought up."""

    name = "told"

    def __init__(
        self, *searches: Search, notes: Sequence[str] = (), failure: Exception | None = None, looks: bool = False
    ) -> None:
        self.proposal, self.failure, self.looks = Proposal(searches, tuple(notes)), failure, looks
        self.seen: list[TrialSearch] = []

    async def plan(self, question: Question, cards: Sequence[SourceInfo], look: RunSearches) -> Proposal:
        if self.failure:
            raise self.failure
        if self.looks:
            self.seen = await look(self.proposal.searches)
        return self.proposal


def ask(name: str, *terms: str) -> Search:
    return Search(source=name, query=Query(terms=terms or (QUESTION.text,)))


def planning(planner: Told, *sources: FakeSource, policy: Policy | None = None) -> Context:
    usual = context(*sources, policy=policy)
    return Context(usual.sources, usual.model, usual.support_judge, planner, policy=usual.policy)


async def planned(*searches: Search, cards: Sequence[SourceInfo] = ALL, policy: Policy | None = None) -> Plan:
    return await plan_searches(QUESTION, cards, planning(Told(*searches), policy=policy))


def order(*cards: SourceInfo, tiers: Sequence[Sequence[str]]) -> list[tuple[str, list[str]]]:
    found = arrange_tiers([ask(card.name) for card in cards], cards, tiers)
    return [(tier.name, [one.source for one in tier.searches]) for tier in found]


@each_row(
    ("tiers", "wanted"),
    [
        (
            Policy().tiers,
            [("guidelines", ["guidelines"]), ("libraries", ["pubmed", "notes", "trials"]), ("web", ["brave"])],
        ),
        # HERD: what no tier names comes last.
        (
            HERD,
            [
                ("guidelines", ["guidelines"]),
                ("pubmed", ["pubmed"]),
                ("web", ["brave"]),
                ("others", ["notes", "trials"]),
            ],
        ),
        # HRD: any order; a name before a kind, a kind before "*", wherever they stand.
        (
            (("*",), ("research", "web"), ("trials",)),
            [("libraries", ["notes", "guidelines"]), ("research, web", ["brave", "pubmed"]), ("trials", ["trials"])],
        ),
        ((("own",), ("*",)), [("own", ["notes"]), ("libraries", ["brave", "pubmed", "trials", "guidelines"])]),
        ((("*",),), [("libraries", ["brave", "pubmed", "notes", "trials", "guidelines"])]),
        ((), [("others", ["brave", "pubmed", "notes", "trials", "guidelines"])]),
    ],
)
def test_sources_stand_in_the_order_that_the_policy_gives(
    tiers: Sequence[Sequence[str]], wanted: list[tuple[str, list[str]]]
) -> None:
    assert order(*ALL, tiers=tiers) == wanted


def test_a_tier_of_which_no_source_is_there_is_left_out() -> None:
    assert order(TRIALS, tiers=HERD) == [("others", ["trials"])]
    assert order(GUIDELINES, WEB, tiers=HERD) == [("guidelines", ["guidelines"]), ("web", ["brave"])]


async def test_no_search_is_no_tier_and_no_fault() -> None:
    assert await planned() == Plan(tiers=(), planner="told")


async def test_a_tier_that_names_nothing_is_told_and_a_kind_that_is_not_there_is_not() -> None:
    given = await planned(
        ask("trials"), cards=[TRIALS], policy=Policy(tiers=(("guideline",), ("pubmde", "*"), ("web",)))
    )
    assert given.notes == ("the tiers name “pubmde”, which is neither a source here nor a kind of source",)
    assert [tier.name for tier in given.tiers] == ["pubmde, *"]


async def test_a_plan_that_names_a_source_that_is_not_there_is_told_and_the_rest_is_searched() -> None:
    given = await planned(ask("trials"), ask("embase"), ask("embase", "gout"), cards=[TRIALS])
    assert given.notes == ("the plan names embase, which is not a source here",)
    assert given.tiers[0].searches == (ask("trials"),)


async def test_the_same_search_twice_is_made_once() -> None:
    (tier,) = (await planned(ask("trials"), ask("trials", "gout"), ask("trials"))).tiers
    assert tier.searches == (ask("trials"), ask("trials", "gout"))


async def test_what_the_planner_says_of_its_plan_is_kept() -> None:
    given = await plan_searches(
        QUESTION, [TRIALS], planning(Told(ask("trials"), notes=["no such heading: Gout Attack"]))
    )
    assert (given.planner, given.notes) == ("told", ("no such heading: Gout Attack",))


@each_row("failure", [ModelError("the model is away"), ValueError("1 is no list"), KeyError("plan")])
async def test_a_planner_that_fails_costs_the_plan_and_not_the_search(failure: Exception) -> None:
    regime = QUESTION.model_copy(update={"exclude": ("pubmed:1",)})
    given = await plan_searches(regime, [TRIALS, SourceInfo("empty", "own"), PUBMED], planning(Told(failure=failure)))
    searches = [one for tier in given.tiers for one in tier.searches]
    assert [(one.source, one.query.text, one.query.exclude) for one in searches] == [
        ("trials", QUESTION.text, ("pubmed:1",)), ("pubmed", QUESTION.text, ("pubmed:1",)),
    ]  # fmt: skip
    assert given.notes == (
        f"the planner told failed, so the question itself was searched for ({type(failure).__name__}: {failure})",
    )


async def test_a_look_gives_one_thing_for_each_search_in_their_order_and_an_outage_brings_up_nothing() -> None:
    down = FakeSource("down", [TRIAL], failure=SourceUnavailable("down: no answer"))
    planner = Told(ask("down"), ask("trials", "colchicine", "gout"), ask("embase"), looks=True)
    the_context = planning(planner, source("trials", TRIAL), down)
    await plan_searches(QUESTION, [await one.describe() for one in the_context.sources], the_context)
    seen = [(one.search.source, len(one.passages), one.has_failed) for one in planner.seen]
    assert seen == [("down", 0, True), ("trials", 1, False), ("embase", 0, False)]
    assert all(isinstance(passage, Passage) for one in planner.seen for passage in one.passages)


# --- tier by tier ---------------------------------------------------------------------------------------------------


class ByTier(Told):
    """Looks at what each source of a tier says to the question, and plans that."""

    plans_by_tier = True

    async def plan(self, question: Question, cards: Sequence[SourceInfo], look: RunSearches) -> Proposal:
        self.seen += await look([ask(card.name) for card in cards])
        return Proposal(tuple(ask(card.name) for card in cards))


async def test_a_planner_that_plans_tier_by_tier_is_asked_for_each_tier_when_it_is_reached() -> None:
    planner = ByTier()
    guidelines, trials = source("guidelines", GUIDELINE, kind="guideline"), source("trials", TRIAL)
    the_context = planning(planner, guidelines, trials)
    cards = [await one.describe() for one in the_context.sources]
    plans = plan_tiers(QUESTION, cards, the_context)
    first = await anext(plans)
    assert [(tier.name, tier.searches) for tier in first.plan.tiers] == [("guidelines", (ask("guidelines"),))]
    assert trials.queries == []
    assert list(first.tried) == [ask("guidelines")]
    second = await anext(plans)
    assert [tier.name for tier in second.plan.tiers] == ["libraries"]
    assert await anext(plans, None) is None


async def test_any_other_planner_plans_once_for_all_tiers() -> None:
    plans = [one async for one in plan_tiers(QUESTION, ALL, planning(Told(ask("guidelines"), ask("pubmed"))))]
    assert [[tier.name for tier in one.plan.tiers] for one in plans] == [["guidelines", "libraries"]]


async def test_what_the_tiers_name_and_nobody_has_is_told_once_and_not_of_each_tier() -> None:
    sources = (source("guidelines", GUIDELINE, kind="guideline"), source("trials", TRIAL))
    the_context = planning(ByTier(), *sources, policy=Policy(tiers=(("guideline",), ("pubmde",), ("*",))))
    notes = [one.plan.notes async for one in plan_tiers(QUESTION, [GUIDELINES, TRIALS], the_context)]
    assert notes == [("the tiers name “pubmde”, which is neither a source here nor a kind of source",), ()]


def planning_by_tier(*sources: FakeSource) -> Context:
    usual = context(*sources, relevant=(GUIDELINE.text,))
    return replace(usual, planner=ByTier())


async def test_for_a_model_a_tier_that_is_enough_keeps_the_next_one_unplanned_and_unsearched() -> None:
    trials = source("trials", TRIAL)
    guidelines = source("guidelines", GUIDELINE, kind="guideline")
    read = ReadPolicy(relevance="score", cards=False)
    asked = replace(
        planning_by_tier(guidelines, trials), model=ScriptedModel({WriteAnswer: Draft()}), has_model=True, read=read
    )
    given = await answer_question(Question(text="Is colchicine recommended for gout?"), asked)
    assert (len(guidelines.queries), trials.queries) == (1, [])
    assert [(one.tier, one.found) for one in given.attempts] == [("guidelines", 1)]


async def test_a_source_that_failed_while_it_was_planned_is_a_gap_and_is_not_waited_for_again() -> None:
    down = FakeSource("pubmed", [TRIAL], failure=SourceUnavailable("pubmed: no answer"))
    given = await answer_question(QUESTION, planning_by_tier(down))
    assert len(down.queries) == 1
    assert [(one.status, one.tier) for one in given.attempts] == [("failed", "libraries")]
    assert [(gap.source, gap.reason) for gap in given.gaps] == [("pubmed", "pubmed: no answer")]


class Replanning(Told):
    """Looks at one search, and plans another."""

    async def plan(self, question: Question, cards: Sequence[SourceInfo], look: RunSearches) -> Proposal:
        await look([ask("trials", "gout"), ask("pubmed", "gout")])
        return self.proposal


async def test_what_was_searched_for_a_plan_that_was_given_up_is_told_and_its_failure_is_a_gap() -> None:
    down = FakeSource("pubmed", [], failure=SourceUnavailable("no such name"))
    given = planning(Replanning(ask("trials", "colchicine")), source("trials", TRIAL), down)
    answer = await answer_question(QUESTION, given)
    assert [(one.search.source, one.tier == PLANNING_TIER, one.status) for one in answer.attempts] == [
        ("trials", True, "ok"),
        ("pubmed", True, "failed"),
        ("trials", False, "ok"),
    ]
    assert [(gap.source, gap.status) for gap in answer.gaps] == [("pubmed", "failed")]


async def test_a_source_without_its_setting_is_a_gap() -> None:
    policy = Policy(tiers=HERD)
    gap = Gap(source="brave", status="not configured", reason="it needs an API key")
    withdrawn = Gap(source="retraction_watch", status="not configured", reason="no snapshot")
    given = replace(
        planning(Told(ask("guidelines")), source("guidelines", TRIAL, kind="guideline"), policy=policy),
        setup_gaps=(gap, withdrawn),
        unset_sources=frozenset({"brave"}),
    )
    answer = await answer_question(Question(text="Colchicine in a gout flare?"), given)
    assert answer.gaps == (gap, withdrawn)
