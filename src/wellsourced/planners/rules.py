"""The rules by which sources are asked when no model plans: each once, in the question's words as they are meant."""

from collections.abc import Sequence

from wellsourced.errors import ModelError, UnsupportedPrompt
from wellsourced.models.base import Model, NoModel
from wellsourced.planners.base import Proposal, RunSearches
from wellsourced.planners.keywords import clean_keywords
from wellsourced.planners.searches import MAX_TERMS, build_query, plan_original, select_askable
from wellsourced.question.understanding import LiteralUnderstanding, Understanding, list_other_meanings
from wellsourced.sources.base import SourceInfo
from wellsourced.text.sanitization import short_line
from wellsourced.text.tokens import content_stems, tokenize
from wellsourced.types import ExpansionKind, Query, Question, Search

LONG_QUESTION_STEMS = 12
"""Content words from which a question is a story: hardly a record has all of them, and most have some."""

REPLACED_KINDS: frozenset[ExpansionKind] = frozenset({"spelling", "brand"})
"""Kinds of words that sources hardly write: the others are put in their place, and they stay as lesser ones."""


class RulePlanner:
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
        self.understanding = understanding or LiteralUnderstanding()
        self.keywords = keywords

    async def plan(self, question: Question, cards: Sequence[SourceInfo], look: RunSearches) -> Proposal:
        """Every source that may hold an answer."""
        there, left_out = select_askable(question, cards)
        searches = [
            Search(source=card.name, query=asked)
            for card in there
            for asked in await self._build_queries(question, card)
        ]
        return Proposal(tuple(searches), left_out)

    async def _build_queries(self, question: Question, card: SourceInfo) -> list[Query]:
        if "term" in card.asks and "text" not in card.asks:
            terms = await self.understanding.extract_keywords(question, MAX_TERMS)
            return [build_query(question, *terms, kind="term")] if terms else []
        if not card.live:
            # The question as it is meant, and as lesser words what else its words may mean and what was replaced.
            text = replace_words(question, REPLACED_KINDS)
            replaced = (one.said for one in question.expansions if one.kind in REPLACED_KINDS)
            said = set(tokenize(text))
            others = dict.fromkeys(
                other for other in (*list_other_meanings(question), *replaced) if not said.issuperset(tokenize(other))
            )
            return [build_query(question, text, also=others)]
        if len(set(content_stems(question.text))) > LONG_QUESTION_STEMS:
            keywords = await self.understanding.extract_keywords(question, self.keywords)
            return [build_query(question, *(keywords or (question.text,)))]
        return [build_query(question, replace_words(question, frozenset({"spelling"})))]


def replace_words(question: Question, kinds: frozenset[ExpansionKind]) -> str:
    """The question with the words of these kinds as they are meant."""
    some = tuple(one for one in question.expansions if one.kind in kinds)
    return question.model_copy(update={"expansions": some}).expanded_text


class OriginalPlanner:
    """The planner `original` of Omni-RAG (Chen et al., ACL 2025): the question itself, and terms for the graph.

    A model names the terms, and each is looked up with the question; without one they are chosen by rule.
    """

    name = "original"

    def __init__(self, understanding: Understanding, model: Model | None = None) -> None:
        self.understanding, self.model = understanding, model or NoModel()

    async def plan(self, question: Question, cards: Sequence[SourceInfo], look: RunSearches) -> Proposal:
        plain = await plan_original(question, cards, self.understanding)
        graphs = [card.name for card in select_askable(question, cards)[0] if "term" in card.asks]
        if not graphs:
            return plain
        from wellsourced.prompts.planning import ExtractKeywords

        try:
            reply = await self.model.complete(ExtractKeywords(question=question.text, limit=MAX_TERMS))
        except UnsupportedPrompt:
            return plain
        except ModelError as error:
            return Proposal(plain.searches, (*plain.notes, f"terms by rule: {short_line(str(error))}"))
        queries = [
            build_query(question, term, kind="term", also=(question.text,))
            for term in clean_keywords(reply.keywords)[:MAX_TERMS]
        ]
        looked_up = [Search(source=name, query=query) for name in graphs for query in queries]
        return Proposal((*(one for one in plain.searches if one.source not in graphs), *looked_up), plain.notes)


class GivenDocumentsPlanner:
    """What an oracle knows (LINS; BriefContext): the documents are given, and reading them is all there is to do."""

    name = "given"

    async def plan(self, question: Question, cards: Sequence[SourceInfo], look: RunSearches) -> Proposal:
        """Nothing, and what is missing."""
        return Proposal((), ("no document is named to answer from, and nothing else is read",))
