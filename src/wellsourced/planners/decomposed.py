"""A question in parts, each planned for itself."""

import asyncio
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from wellsourced.errors import ModelError, Unanswerable
from wellsourced.models.base import Model
from wellsourced.planners.base import Look, Planner, Proposal
from wellsourced.planners.searches import askable, distinct, folded, line, once
from wellsourced.planners.splitting import split
from wellsourced.prompts.planning import Decompose
from wellsourced.sources.base import Card
from wellsourced.types import Question

IN_ALL = 8
"""Parts of a question, those of parts included."""


class Split(NamedTuple):
    """The parts of one question; none when it is one whole."""

    parts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Decomposed:
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

    async def plan(self, question: Question, cards: Sequence[Card], look: Look) -> Proposal:
        """The searches for the whole question, then those for its parts, each once."""
        if not askable(question, cards).cards:
            return await self.planner.plan(question, cards, look)
        whole = await self._split(question.text)
        asked = [question, *(question.model_copy(update={"text": part}) for part in whole.parts)]
        proposals = await asyncio.gather(*(self.planner.plan(one, cards, look) for one in asked))
        searches = once(chain.from_iterable(proposal.searches for proposal in proposals))
        notes = dict.fromkeys(chain(whole.notes, *(proposal.notes for proposal in proposals)))
        return Proposal(searches, tuple(notes))

    async def _split(self, question: str) -> Split:
        """All parts, level by level; of one that is split again, its own parts stand for it."""
        seen = {folded(question)}
        open_, whole, notes = [question], list[str](), list[str]()
        for _ in range(self.depth):
            splits = await asyncio.gather(*(self._parts(one) for one in open_))
            new: list[str] = []
            for one, its in zip(open_, splits, strict=True):
                fresh = [part for part in its.parts if folded(part) not in seen]
                seen.update(folded(part) for part in fresh)
                new += fresh
                whole += [] if fresh or one == question else [one]
                notes += its.notes
            open_ = new[: IN_ALL - len(whole)]
            if len(open_) < len(new):
                notes.append(f"the question has more than {IN_ALL} parts, and the first {IN_ALL} are searched for")
        parts = (*whole, *open_)
        told = [f"also searched for in parts: {', '.join(f'“{part}”' for part in parts)}"] if parts else []
        return Split(parts, (*told, *dict.fromkeys(notes)))

    async def _parts(self, question: str) -> Split:
        """One question in its own parts."""
        try:
            reply = await self.model.complete(Decompose(question=question, parts=self.parts))
        except Unanswerable:
            return Split(tuple(split(question)))
        except ModelError as error:
            return Split((), (f"the question was not split by a model ({line(str(error))})",))
        told = distinct(line(part) for part in reply.questions if folded(part) != folded(question))
        parts = told[: self.parts]
        notes = () if len(told) <= self.parts else (f"of {len(told)} parts, the first {self.parts} are searched for",)
        # One part alone is the question in other words.
        return Split(parts, notes) if len(parts) > 1 else Split()
