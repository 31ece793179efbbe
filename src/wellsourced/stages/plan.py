"""Plan: what the planner would ask, in the order of authority that the policy sets."""

from collections.abc import Sequence

from wellsourced.kit import Kit
from wellsourced.planners.base import Looked
from wellsourced.sources.base import Card
from wellsourced.stages.search import search
from wellsourced.types import Plan, Question, Search, Tier

OTHERS = "*"
"""In the order of tiers: every source that no tier names."""

NAMES = {"guideline": "guidelines", OTHERS: "libraries"}
"""What a tier of just this is called."""


async def plan(question: Question, cards: Sequence[Card], kit: Kit) -> Plan:
    """The searches that the kit's planner proposes, in tiers."""

    async def look(searches: Sequence[Search]) -> list[Looked]:
        found = await search(Tier(name="plan", searches=tuple(searches)), kit)
        return [Looked(one.attempt.search, one.passages) for one in found]

    proposed = await kit.planner.plan(question, cards, look)
    tiers = tiered(proposed.searches, cards, kit.policy.tiers)
    return Plan(tiers=tiers, planner=kit.planner.name, notes=proposed.notes)


def tiered(searches: Sequence[Search], cards: Sequence[Card], order: Sequence[Sequence[str]]) -> tuple[Tier, ...]:
    """The searches in tiers by name or kind of their sources, a name before a kind; a tier without any is left out.

    A source that no tier names stands where the others stand ("*"), or last.
    """
    kinds = {card.name: card.kind for card in cards}
    named = [set(names) for names in order]
    places = [_place(search.source, kinds.get(search.source, ""), named) for search in searches]
    return tuple(
        Tier(
            name=_called(order[rank]) if rank < len(order) else "others",
            searches=tuple(search for search, place in zip(searches, places, strict=True) if place == rank),
        )
        for rank in sorted(set(places))
    )


def _place(source: str, kind: str, order: Sequence[set[str]]) -> int:
    for name in (source, kind, OTHERS):
        for rank, names in enumerate(order):
            if name in names:
                return rank
    return len(order)


def _called(names: Sequence[str]) -> str:
    return NAMES.get(names[0], names[0]) if len(names) == 1 else ", ".join(names)
