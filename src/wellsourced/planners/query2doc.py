"""The question, with the words of a passage that might answer it (query2doc)."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.errors import ModelError
from wellsourced.models.base import Model
from wellsourced.planners.base import Proposal, RunSearches
from wellsourced.planners.searches import plan_original, select_askable
from wellsourced.planners.source_cards import summarize_source
from wellsourced.prompts.planning import WritePseudoDocument
from wellsourced.sources.base import SourceInfo
from wellsourced.text.sanitization import short_line
from wellsourced.types import Question, Search
from wellsourced.understanding.base import Understanding


class PseudoPassage(NamedTuple):
    """A passage that might stand in a source; "" when the model wrote none, and then why."""

    text: str
    note: str = ""


class Query2DocPlanner:
    """The planner of Wang, Yang and Wei (EMNLP 2023), a passage in the style of each source as in Omni-RAG.

    For a search by word they repeat the question five times before the passage, so that its words count for more.
    Here the question is the query and the passage stands in `also`, which counts for less: the same weighting, without
    a length that a source would have to cut. A live source takes no text of this length, and a look-up takes terms:
    both are asked as the question stands. What was imagined is never evidence, nor shown to who writes the answer.

    words   of a passage, at most
    """

    name = "query2doc"

    def __init__(self, model: Model, understanding: Understanding, *, words: int = 200) -> None:
        self.model, self.understanding, self.words = model, understanding, words

    async def plan(self, question: Question, cards: Sequence[SourceInfo], look: RunSearches) -> Proposal:
        plain = await plan_original(question, cards, self.understanding)
        there = {card.name: card for card in select_askable(question, cards).sources}
        imagined = await asyncio.gather(*(self._write_passage(question, there[one.source]) for one in plain.searches))
        searches = [_add_passage(search, one.text) for search, one in zip(plain.searches, imagined, strict=True)]
        told = dict.fromkeys(one.note for one in imagined if one.note)
        return Proposal(tuple(searches), (*told, *plain.notes))

    async def _write_passage(self, question: Question, card: SourceInfo) -> PseudoPassage:
        if card.live or "term" in card.asks:
            return PseudoPassage("")
        try:
            prompt = WritePseudoDocument(question=question.text, card=summarize_source(card), words=self.words)
            text = " ".join((await self.model.complete(prompt)).text.split()[: self.words])
        except ModelError as error:
            return PseudoPassage(
                "", f"no passage to search with ({short_line(str(error))}); the question itself is searched for"
            )
        if not text:
            return PseudoPassage(
                "", f"{self.model.name} wrote no passage for {card.name}: it is asked the question itself"
            )
        return PseudoPassage(text, f"the search of {card.name} also has words that {self.model.name} made up")


def _add_passage(search: Search, text: str) -> Search:
    also = (text,) if text else ()
    return search.model_copy(update={"query": search.query.model_copy(update={"also": also})})
