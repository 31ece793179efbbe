"""What the planner would ask, put in the order of authority that the policy sets."""

from collections.abc import AsyncGenerator, Sequence
from typing import NamedTuple, get_args

from wellsourced.context import Context
from wellsourced.pipeline.read.consumer_sources import order_tiers
from wellsourced.pipeline.retrieve.search import NO_SEARCHES, AttemptResult, TriedSearches, run_searches
from wellsourced.planners.base import Proposal, TrialSearch
from wellsourced.sources.base import SourceInfo
from wellsourced.types import PLANNING_TIER, Attempt, Plan, Query, Question, Search, SourceKind, Tier

OTHERS = "*"
"""In the order of tiers: every source that no tier names."""

TIER_NAMES = {"guideline": "guidelines", OTHERS: "libraries"}
"""What a tier of just this is called."""

TierOrder = Sequence[Sequence[str]]


class PlannedSearches(NamedTuple):
    """A plan, and what those searches brought up that were made while it was planned."""

    plan: Plan
    tried: TriedSearches = NO_SEARCHES

    @property
    def discarded_attempts(self) -> tuple[Attempt, ...]:
        """The searches that were made and are not in the plan: what they brought up is not read."""
        planned = {search for tier in self.plan.tiers for search in tier.searches}
        return tuple(one.attempt for search, found in self.tried.items() if search not in planned for one in found)


async def plan_searches(question: Question, cards: Sequence[SourceInfo], context: Context) -> Plan:
    """The searches that the context's planner proposes, in tiers. No search, no tier: the planner says that on purpose.

    A planner that fails is told, and the question itself is searched for instead.
    """
    planned = await _plan_for_sources(question, cards, context)
    return _add_notes(planned, find_unknown_tier_names(cards, context.policy.tiers)).plan


async def plan_tiers(
    question: Question, cards: Sequence[SourceInfo], context: Context, *, is_planned: bool = True
) -> AsyncGenerator[PlannedSearches]:
    """The plan; of a planner that plans tier by tier one for each tier, made when it is asked for.

    is_planned   False: nobody is asked for a plan, and every source for the question itself
    """
    if not is_planned:
        searches = _build_fallback_searches(question, cards)
        yield PlannedSearches(Plan(tiers=arrange_tiers(searches, cards, context.policy.tiers), planner="none"))
        return
    order = order_tiers(question, context.policy.tiers)
    # Planned when it is asked for: a tier that is not needed costs no plan.
    by_tier = getattr(context.planner, "plans_by_tier", False)
    groups = (arrange_sources(cards, order) if by_tier else ()) or [tuple(cards)]
    for place, group in enumerate(groups):
        planned = await _plan_for_sources(question, group, context)
        yield planned if place else _add_notes(planned, find_unknown_tier_names(cards, order))


async def _plan_for_sources(question: Question, cards: Sequence[SourceInfo], context: Context) -> PlannedSearches:
    tried: dict[Search, list[AttemptResult]] = {}

    async def try_searches(searches: Sequence[Search]) -> list[TrialSearch]:
        known, _ = filter_known_searches(searches, cards)
        tried.update(await run_searches([one for one in known if one not in tried], PLANNING_TIER, cards, context))
        return [_describe_trial(one, tried.get(one, ())) for one in searches]

    try:
        proposed = await context.planner.plan(question, cards, try_searches)
    except Exception as error:
        # Planners promise not to fail. One that does may cost the plan, never the answer, and a note says so.
        note = f"the planner {context.planner.name} failed, so the question itself was searched for"
        proposed = Proposal(_build_fallback_searches(question, cards), (f"{note} ({type(error).__name__}: {error})",))
    searches, strange = filter_known_searches(proposed.searches, cards)
    plan = Plan(
        tiers=arrange_tiers(searches, cards, order_tiers(question, context.policy.tiers)),
        planner=context.planner.name,
        notes=(*proposed.notes, *strange),
    )
    return PlannedSearches(plan, tried)


def _add_notes(planned: PlannedSearches, notes: tuple[str, ...]) -> PlannedSearches:
    return planned._replace(plan=planned.plan.model_copy(update={"notes": (*planned.plan.notes, *notes)}))


def _describe_trial(search: Search, found: Sequence[AttemptResult]) -> TrialSearch:
    """What the search as it stands brought up; fewer terms are another search."""
    exact = [one for one in found if one.attempt.search == search]
    passages = tuple(passage for one in exact for passage in one.passages)
    return TrialSearch(search, passages, any(one.attempt.status == "failed" for one in exact))


def arrange_sources(cards: Sequence[SourceInfo], order: TierOrder) -> list[tuple[SourceInfo, ...]]:
    """The sources in tiers, as their searches would be; a tier without any is left out."""
    places = [_tier_rank(card.name, card.kind, order) for card in cards]
    return [
        tuple(card for card, place in zip(cards, places, strict=True) if place == rank) for rank in sorted(set(places))
    ]


def arrange_tiers(searches: Sequence[Search], cards: Sequence[SourceInfo], order: TierOrder) -> tuple[Tier, ...]:
    """The searches in tiers by name or kind of their sources, a name before a kind; a tier without any is left out.

    A source that no tier names stands where the others stand ("*"), or last.
    """
    kinds = {card.name: card.kind for card in cards}
    places = [_tier_rank(search.source, kinds[search.source], order) for search in searches]
    return tuple(
        Tier(
            name=_tier_name(order[rank]) if rank < len(order) else "others",
            searches=tuple(search for search, place in zip(searches, places, strict=True) if place == rank),
        )
        for rank in sorted(set(places))
    )


def filter_known_searches(
    searches: Sequence[Search], cards: Sequence[SourceInfo]
) -> tuple[list[Search], tuple[str, ...]]:
    """The searches, each once, that name a source that is there, and notes on the others."""
    there = {card.name for card in cards}
    once = dict.fromkeys(searches)
    strange = dict.fromkeys(one.source for one in once if one.source not in there)
    return (
        [one for one in once if one.source in there],
        tuple(f"the plan names {name}, which is not a source here" for name in strange),
    )


def find_unknown_tier_names(cards: Sequence[SourceInfo], order: TierOrder) -> tuple[str, ...]:
    """Notes on an order of tiers: what in it is neither the name of a source that is there nor a kind."""
    known = {OTHERS, *get_args(SourceKind), *(card.name for card in cards)}
    strange = dict.fromkeys(name for names in order for name in names if name not in known)
    return tuple(f"the tiers name “{name}”, which is neither a source here nor a kind of source" for name in strange)


def _build_fallback_searches(question: Question, cards: Sequence[SourceInfo]) -> tuple[Search, ...]:
    query = Query(terms=(question.text,), since=question.since, as_of=question.as_of, exclude=question.exclude)
    return tuple(Search(source=card.name, query=query) for card in cards if card.documents or card.live)


def _tier_rank(source: str, kind: str, order: TierOrder) -> int:
    """Where its name stands, or else its kind, or else the others; behind all when none of them does."""
    ranks = (rank for name in (source, kind, OTHERS) for rank, named in enumerate(order) if name in named)
    return next(ranks, len(order))


def _tier_name(names: Sequence[str]) -> str:
    return TIER_NAMES.get(names[0], names[0]) if len(names) == 1 else ", ".join(names)
