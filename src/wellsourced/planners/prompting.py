"""One plan by a model: which sources to ask, and each of them what."""

from collections.abc import Sequence

from wellsourced.errors import ModelError
from wellsourced.models.base import Model
from wellsourced.planners.base import Proposal, RunSearches
from wellsourced.planners.proposing import MAX_QUERIES_PER_SOURCE, MAX_SEARCHES, convert_plan, request_plan
from wellsourced.planners.searches import fall_back_to_original, select_askable
from wellsourced.sources.base import SourceInfo
from wellsourced.text.lines import short_line
from wellsourced.types import Question
from wellsourced.understanding.base import Understanding


class PromptingPlanner:
    """The planner `prompting` of Omni-RAG (Chen et al., ACL 2025): one call, and no search where none is needed.

    most     queries for one source, at most
    in_all   searches, at most
    """

    name = "prompting"

    def __init__(
        self,
        model: Model,
        understanding: Understanding,
        *,
        most: int = MAX_QUERIES_PER_SOURCE,
        in_all: int = MAX_SEARCHES,
    ) -> None:
        self.model, self.understanding, self.most, self.in_all = model, understanding, most, in_all

    async def plan(self, question: Question, cards: Sequence[SourceInfo], look: RunSearches) -> Proposal:
        """The model's plan; the question itself where it gives none."""
        there = select_askable(question, cards)
        if not there.sources:
            return Proposal((), there.notes)
        try:
            plan = await request_plan(self.model, question, there.sources, self.most)
            planned = convert_plan(plan, question, there.sources, self.most, self.in_all)
        except ModelError as error:
            return await fall_back_to_original(
                question, cards, self.understanding, f"no plan by a model ({short_line(str(error))})"
            )
        return Proposal(planned.searches, (*planned.notes, *there.notes))
