"""Plan: where to look, in order of authority."""

from collections.abc import Sequence
from itertools import groupby

from wellsourced.sources.base import Card
from wellsourced.text.wordings import wordings
from wellsourced.types import Kind, Plan, Query, Question, Search, Tier

AUTHORITY: dict[Kind, int] = {"guideline": 0, "web": 2}
"""Guidelines first, the web last; everything else is asked together in the tier between them."""

NAMES = {0: "guidelines", 1: "libraries", 2: "web"}


def plan(question: Question, cards: Sequence[Card]) -> Plan:
    """Guidelines, then all other sources at once, then the web; one that holds nothing is not asked.

    What lies on this machine is asked in every wording. A live source is asked once, in the question's own words: it
    has wordings of its own, and each further one would be a request.
    """
    queries = [
        Query(terms=(text,), since=question.since, as_of=question.as_of, exclude=question.exclude)
        for text in wordings(question.text)
    ]
    holding = sorted((card for card in cards if card.documents or card.live), key=_rank)
    return Plan(
        tiers=tuple(
            Tier(
                name=NAMES[rank],
                searches=tuple(
                    Search(source=card.name, query=query)
                    for card in tier
                    for query in (queries[:1] if card.live else queries)
                ),
            )
            for rank, tier in groupby(holding, key=_rank)
        )
    )


def _rank(card: Card) -> int:
    return AUTHORITY.get(card.kind, 1)
