"""The question as it was asked, to every source: what all planning has to be better than."""

from collections.abc import Sequence

from wellsourced.planners.base import Look, Proposal
from wellsourced.planners.searches import original
from wellsourced.sources.base import Card
from wellsourced.types import Question
from wellsourced.understanding.base import Understanding


class Original:
    """The planner `original` of Omni-RAG (Chen et al., ACL 2025), with terms for the graph that need no model."""

    name = "original"

    def __init__(self, understanding: Understanding) -> None:
        self.understanding = understanding

    async def plan(self, question: Question, cards: Sequence[Card], look: Look) -> Proposal:
        """One search of each source."""
        return await original(question, cards, self.understanding)
