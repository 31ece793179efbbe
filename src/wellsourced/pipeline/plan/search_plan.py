"""What the planner would ask, put in the order of authority that the policy sets."""

from collections.abc import Collection, Sequence
from typing import get_args

from wellsourced.context import Context
from wellsourced.pipeline.read.consumer_sources import order_tiers
from wellsourced.pipeline.retrieve.search import search_tier
from wellsourced.planners.base import Proposal, TrialSearch
from wellsourced.sources.base import SourceInfo
from wellsourced.types import Plan, Query, Question, Search, SourceKind, Tier

OTHERS = "*"
"""In the order of tiers: every source that no tier names."""

TIER_NAMES = {"guideline": "guidelines", OTHERS: "libraries"}
"""What a tier of just this is called."""

TierOrder = Sequence[Sequence[str]]


async def plan_searches(question: Question, cards: Sequence[SourceInfo], context: Context) -> Plan:
    """The searches that the context's planner proposes, in tiers. No search, no tier: the planner says that on purpose.

    A planner that fails is told, and the question itself is searched for instead.
    """

    async def try_searches(searches: Sequence[Search]) -> list[TrialSearch]:
        known, _ = filter_known_searches(searches, cards)
        found = await search_tier(Tier(name="plan", searches=tuple(known)), cards, context)
        brought = {one.attempt.search: one.passages for one in found}
        return [TrialSearch(one, brought.get(one, ())) for one in searches]

    try:
        proposed = await context.planner.plan(question, cards, try_searches)
    except Exception as error:
        # Planners promise not to fail. One that does may cost the plan, never the answer, and a note says so.
        note = f"the planner {context.planner.name} failed, and the question itself was searched for"
        proposed = Proposal(_build_fallback_searches(question, cards), (f"{note} ({type(error).__name__}: {error})",))
    searches, strange = filter_known_searches(proposed.searches, cards)
    return Plan(
        tiers=arrange_tiers(searches, cards, order_tiers(question, context.policy.tiers)),
        planner=context.planner.name,
        notes=(*proposed.notes, *strange, *find_unknown_tier_names(cards, context.policy.tiers)),
    )


def arrange_tiers(searches: Sequence[Search], cards: Sequence[SourceInfo], order: TierOrder) -> tuple[Tier, ...]:
    """The searches in tiers by name or kind of their sources, a name before a kind; a tier without any is left out.

    A source that no tier names stands where the others stand ("*"), or last.
    """
    kinds = {card.name: card.kind for card in cards}
    named = [set(names) for names in order]
    places = [_tier_rank(search.source, kinds[search.source], named) for search in searches]
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
        tuple(f"the plan asks {name}, and no source here is called so" for name in strange),
    )


def find_unknown_tier_names(cards: Sequence[SourceInfo], order: TierOrder) -> tuple[str, ...]:
    """Notes on an order of tiers: what in it is neither the name of a source that is there nor a kind."""
    known = {OTHERS, *get_args(SourceKind), *(card.name for card in cards)}
    strange = dict.fromkeys(name for names in order for name in names if name not in known)
    return tuple(f"the tiers name “{name}”: no source here is called so, and no kind of source is" for name in strange)


def _build_fallback_searches(question: Question, cards: Sequence[SourceInfo]) -> tuple[Search, ...]:
    query = Query(terms=(question.text,), since=question.since, as_of=question.as_of, exclude=question.exclude)
    return tuple(Search(source=card.name, query=query) for card in cards if card.documents or card.live)


def _tier_rank(source: str, kind: str, order: Sequence[Collection[str]]) -> int:
    """Where its name stands, or else its kind, or else the others; behind all when none of them does."""
    ranks = (rank for name in (source, kind, OTHERS) for rank, named in enumerate(order) if name in named)
    return next(ranks, len(order))


def _tier_name(names: Sequence[str]) -> str:
    return TIER_NAMES.get(names[0], names[0]) if len(names) == 1 else ", ".join(names)
