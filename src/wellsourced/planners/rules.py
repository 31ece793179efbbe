"""The rules by which sources are asked when no model plans: what lies here in every wording, what is live once."""

from collections.abc import Sequence

from wellsourced.planners.base import Look, Proposal
from wellsourced.sources.base import Card
from wellsourced.types import Query, Question, Search


class Rules:
    """The planner that needs no model.

    A live source is asked once, in the question's own words: it has wordings of its own, and each further one would
    be a request. A source that holds nothing is not asked.
    """

    name = "rules"

    async def plan(self, question: Question, cards: Sequence[Card], look: Look) -> Proposal:
        """Every source that holds something."""
        queries = [
            Query(terms=(text,), since=question.since, as_of=question.as_of, exclude=question.exclude)
            for text in question.wordings
        ]
        return Proposal(
            tuple(
                Search(source=card.name, query=query)
                for card in cards
                if card.documents or card.live
                for query in (queries[:1] if card.live else queries)
            )
        )
