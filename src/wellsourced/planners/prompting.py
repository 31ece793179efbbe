"""One plan by a model: which sources to ask, and each of them what."""

from collections.abc import Sequence

from wellsourced.errors import ModelError
from wellsourced.models.base import Model
from wellsourced.planners.base import Look, Proposal
from wellsourced.planners.proposing import IN_ALL, MOST, propose, searches_of
from wellsourced.planners.searches import askable, instead
from wellsourced.sources.base import Card
from wellsourced.text.lines import line
from wellsourced.types import Question
from wellsourced.understanding.base import Understanding


class Prompting:
    """The planner `prompting` of Omni-RAG (Chen et al., ACL 2025): one call, and no search where none is needed.

    most     queries for one source, at most
    in_all   searches, at most
    """

    name = "prompting"

    def __init__(self, model: Model, understanding: Understanding, *, most: int = MOST, in_all: int = IN_ALL) -> None:
        self.model, self.understanding, self.most, self.in_all = model, understanding, most, in_all

    async def plan(self, question: Question, cards: Sequence[Card], look: Look) -> Proposal:
        """The model's plan; the question itself where it gives none."""
        there = askable(question, cards)
        if not there.cards:
            return Proposal((), there.notes)
        try:
            plan = await propose(self.model, question, there.cards, self.most)
            planned = searches_of(plan, question, there.cards, self.most, self.in_all)
        except ModelError as error:
            return await instead(question, cards, self.understanding, f"no plan by a model ({line(str(error))})")
        return Proposal(planned.searches, (*planned.notes, *there.notes))
