"""Keywords that a search lets go one by one, the least important first, until it finds something (KED)."""

from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.errors import ModelError, Unanswerable
from wellsourced.models.base import Model
from wellsourced.planners.base import Look, Proposal
from wellsourced.planners.searches import TERMS, askable, instead, query
from wellsourced.prompts.planning import ExtractKeywords
from wellsourced.sources.base import Card
from wellsourced.text.lines import distinct, line
from wellsourced.types import Question, Search
from wellsourced.understanding.base import Understanding

SYNTAX = str.maketrans(dict.fromkeys('[](){}"“”*?:', " "))


class Chosen(NamedTuple):
    """Keywords, the most important first, and who chose them."""

    keywords: tuple[str, ...]
    note: str


class Keywords:
    """Keyword extraction and degradation of LINS (Wang et al., Nature Communications 2025), with or without a model.

    The terms of the query are the keywords in order of importance, so that whoever searches can relax it.

    limit   keywords, at most
    """

    name = "keywords"

    def __init__(self, model: Model, understanding: Understanding, *, limit: int = 8) -> None:
        self.model, self.understanding, self.limit = model, understanding, limit

    async def plan(self, question: Question, cards: Sequence[Card], look: Look) -> Proposal:
        """One search of each source by the keywords; by the question itself when it has none."""
        there = askable(question, cards)
        if not there.cards:
            return Proposal((), there.notes)
        chosen = await self._chosen(question)
        if not chosen.keywords:
            return await instead(question, cards, self.understanding, chosen.note)
        searches = [
            Search(source=card.name, query=query(question, *chosen.keywords[:TERMS], kind="term"))
            if "term" in card.asks
            else Search(source=card.name, query=query(question, *chosen.keywords))
            for card in there.cards
        ]
        return Proposal(tuple(searches), (chosen.note, *there.notes))

    async def _chosen(self, question: Question) -> Chosen:
        try:
            reply = await self.model.complete(ExtractKeywords(question=question.text, limit=self.limit))
        except Unanswerable:
            return await self._by_rule(question, "without a language model")
        except ModelError as error:
            return await self._by_rule(question, f"since the model named none: {line(str(error))}")
        keywords = plain(reply.keywords)[: self.limit]
        if not keywords:
            return await self._by_rule(question, "since the model named none")
        return Chosen(keywords, f"keywords by {self.model.name}: {', '.join(keywords)}")

    async def _by_rule(self, question: Question, why: str) -> Chosen:
        keywords = plain(await self.understanding.keywords(question, self.limit))
        if not keywords:
            return Chosen((), f"no keywords ({why})")
        return Chosen(keywords, f"keywords by rule ({why}): {', '.join(keywords)}")


def plain(keywords: Sequence[str]) -> tuple[str, ...]:
    """Each once, in one line, without what a query language would take for syntax."""
    return distinct(line(keyword.translate(SYNTAX), 10) for keyword in keywords)
