"""A question in parts, each planned for itself."""

import asyncio
from collections.abc import Sequence
from itertools import chain

from wellsourced.claims.decomposition import QuestionDecomposition, split_question
from wellsourced.models.base import Model
from wellsourced.planners.base import Planner, Proposal, RunSearches
from wellsourced.planners.searches import deduplicate_searches, select_askable
from wellsourced.prompts.planning import Decompose
from wellsourced.sources.base import SourceInfo
from wellsourced.types import Question


class DecompositionPlanner:
    """Question decomposition of LINS (Wang et al., Nature Communications 2025) before another planner.

    The parts, and the parts of parts, are planned at once, and beside them the whole question: what compares two things
    speaks of both. Without a language model, a question is split only where its words leave no doubt.

    parts   of one question, at most
    depth   how often parts are split again: 1 is parts alone
    """

    def __init__(self, planner: Planner, model: Model, *, parts: int = 4, depth: int = 2) -> None:
        self.planner, self.model, self.parts, self.depth = planner, model, parts, depth

    @property
    def name(self) -> str:
        """Its own, and that of the planner of each part."""
        return f"decomposed, {self.planner.name}"

    async def plan(self, question: Question, cards: Sequence[SourceInfo], look: RunSearches) -> Proposal:
        """The searches for the whole question, then those for its parts, each once."""
        if not select_askable(question, cards).sources:
            return await self.planner.plan(question, cards, look)
        whole = await self._split_question(question.text)
        asked = [question, *(question.model_copy(update={"text": part}) for part in whole.parts)]
        proposals = await asyncio.gather(*(self.planner.plan(one, cards, look) for one in asked))
        searches = deduplicate_searches(chain.from_iterable(proposal.searches for proposal in proposals))
        notes = dict.fromkeys(chain(whole.notes, *(proposal.notes for proposal in proposals)))
        return Proposal(searches, tuple(notes))

    async def _split_question(self, question: str) -> QuestionDecomposition:
        async def request_parts(part: str) -> Sequence[str]:
            return (await self.model.complete(Decompose(question=part, parts=self.parts))).questions

        return await split_question(question, request_parts, self.parts, self.depth)
