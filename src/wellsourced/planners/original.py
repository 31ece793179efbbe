"""The question as it was asked, to every source: what all planning has to be better than."""

from collections.abc import Sequence

from wellsourced.planners.base import Proposal, RunSearches
from wellsourced.planners.searches import plan_original
from wellsourced.sources.base import SourceInfo
from wellsourced.types import Question
from wellsourced.understanding.base import Understanding


class OriginalPlanner:
    """The planner `original` of Omni-RAG (Chen et al., ACL 2025), with terms for the graph that need no model."""

    name = "original"

    def __init__(self, understanding: Understanding) -> None:
        self.understanding = understanding

    async def plan(self, question: Question, cards: Sequence[SourceInfo], look: RunSearches) -> Proposal:
        """One search of each source."""
        return await plan_original(question, cards, self.understanding)
