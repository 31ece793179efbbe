"""The rules by which sources are asked when no model plans: each once, in the question's words as they are meant."""

from collections.abc import Sequence

from wellsourced.planners.base import Look, Proposal
from wellsourced.planners.searches import TERMS, askable, query
from wellsourced.sources.base import Card
from wellsourced.text.tokens import stems, words
from wellsourced.types import Query, Question, Search, Widening
from wellsourced.understanding.base import Plain, Understanding, also

LONG = 12
"""Content words from which a question is a story: hardly a record has all of them, and most have some."""

REPLACING: frozenset[Widening] = frozenset({"spelling", "brand"})
"""Kinds of words that sources hardly write: the others are put in their place, and they stay as lesser ones."""


class Rules:
    """The planner that needs no model, and the default.

    A library gets one query: misspelled words and brands give way to what they mean, and everything else that words
    may mean, like what was replaced, counts for less (`Query.also`). Searched for apart and fused, a second wording
    did less good and more harm (docs/design/0005). A live source, whose own wordings are its business, gets the
    question with its spelling put right, or its keywords, which it relaxes, when the question is a long one. A graph
    that reads questions finds the names in them itself; one that only looks up terms gets those of the question. A
    source that holds nothing, or nothing of the years asked for, is not asked.

    keywords   for a live source, at most
    """

    name = "rules"

    def __init__(self, understanding: Understanding | None = None, *, keywords: int = 8) -> None:
        self.understanding = understanding or Plain()
        self.keywords = keywords

    async def plan(self, question: Question, cards: Sequence[Card], look: Look) -> Proposal:
        """Every source that may hold an answer."""
        there = askable(question, cards)
        searches = [
            Search(source=card.name, query=asked)
            for card in there.cards
            for asked in await self._queries(question, card)
        ]
        return Proposal(tuple(searches), there.notes)

    async def _queries(self, question: Question, card: Card) -> list[Query]:
        if "term" in card.asks and "text" not in card.asks:
            terms = await self.understanding.keywords(question, TERMS)
            return [query(question, *terms, kind="term")] if terms else []
        if not card.live:
            return [understood(question)]
        if len(set(stems(question.text))) > LONG:
            keywords = await self.understanding.keywords(question, self.keywords)
            return [query(question, *(keywords or (question.text,)))]
        return [query(question, reworded(question, frozenset({"spelling"})))]


def understood(question: Question) -> Query:
    """The question as it is meant, and as lesser words what else its words may mean and what was replaced."""
    text = reworded(question, REPLACING)
    replaced = (one.said for one in question.expansions if one.kind in REPLACING)
    said = set(words(text))
    others = dict.fromkeys(other for other in (*also(question), *replaced) if not said.issuperset(words(other)))
    return query(question, text, also=others)


def reworded(question: Question, kinds: frozenset[Widening]) -> str:
    """The question with the words of these kinds as they are meant."""
    some = tuple(one for one in question.expansions if one.kind in kinds)
    return question.model_copy(update={"expansions": some}).understood
