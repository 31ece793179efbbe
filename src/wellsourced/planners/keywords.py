"""Search by keywords and drop them one by one, the least important first, until something is found (KED)."""

from collections.abc import Sequence

from wellsourced.errors import ModelError, UnsupportedPrompt
from wellsourced.models.base import Model
from wellsourced.planners.base import Planner, Proposal, RunSearches
from wellsourced.planners.searches import (
    MAX_TERMS,
    build_query,
    deduplicate_searches,
    fall_back_to_original,
    plan_original,
    require_all_words,
    select_askable,
)
from wellsourced.question.understanding import Understanding
from wellsourced.sources.base import SourceInfo
from wellsourced.text.sanitization import deduplicate_texts, short_line
from wellsourced.types import Question, Search

SYNTAX_CHARACTERS = str.maketrans(dict.fromkeys('[](){}"“”*?:', " "))


class KeywordPlanner:
    """Keyword extraction and degradation of LINS (Wang et al., Nature Communications 2025), with or without a model.

    The terms of the query are the keywords in order of importance, so that whoever searches can relax it.

    limit   keywords, at most
    """

    name = "keywords"

    def __init__(self, model: Model, understanding: Understanding, *, limit: int = 8) -> None:
        self.model, self.understanding, self.limit = model, understanding, limit

    async def plan(self, question: Question, cards: Sequence[SourceInfo], look: RunSearches) -> Proposal:
        """One search of each source by the keywords; by the question itself when it has none."""
        there, left_out = select_askable(question, cards)
        if not there:
            return Proposal((), left_out)
        keywords, note = await self._choose_keywords(question)
        if not keywords:
            return await fall_back_to_original(question, cards, self.understanding, note)
        searches = [
            Search(source=card.name, query=build_query(question, *keywords[:MAX_TERMS], kind="term"))
            if "term" in card.asks
            else Search(source=card.name, query=build_query(question, *keywords))
            for card in there
        ]
        return Proposal(tuple(searches), (note, *left_out))

    async def _choose_keywords(self, question: Question) -> tuple[tuple[str, ...], str]:
        """The most important first, and who chose them."""
        from wellsourced.prompts.planning import ExtractKeywords

        try:
            reply = await self.model.complete(ExtractKeywords(question=question.text, limit=self.limit))
        except UnsupportedPrompt:
            return await self._choose_by_rule(question, "without a language model")
        except ModelError as error:
            return await self._choose_by_rule(question, f"because the model named none: {short_line(str(error))}")
        keywords = clean_keywords(reply.keywords)[: self.limit]
        if not keywords:
            return await self._choose_by_rule(question, "because the model named none")
        return keywords, f"keywords by {self.model.name}: {', '.join(keywords)}"

    async def _choose_by_rule(self, question: Question, why: str) -> tuple[tuple[str, ...], str]:
        keywords = clean_keywords(await self.understanding.extract_keywords(question, self.limit))
        if not keywords:
            return (), f"no keywords ({why})"
        return keywords, f"keywords by rule ({why}): {', '.join(keywords)}"


def clean_keywords(keywords: Sequence[str]) -> tuple[str, ...]:
    """Each once, in one line, without what a query language would take for syntax."""
    return deduplicate_texts(short_line(keyword.translate(SYNTAX_CHARACTERS), 10) for keyword in keywords)


class KedPlanner:
    """Keyword extraction and degradation as LINS runs it (Wang et al., Nature Communications 2025): the raw question is
    the first rung of the ladder, so that most questions cost no call to a model.

    A live source has to have all words of the question: were some enough, it would always have something, and no
    keyword would ever be asked for. Of the keywords as few are dropped as leave one record. A source that failed is not
    a source that knows nothing: it keeps the question, and no keyword is looked for.

    keywords   plans for the sources that answered and found nothing
    """

    name = "ked"
    plans_by_tier = True

    def __init__(self, keywords: Planner, understanding: Understanding) -> None:
        self.keywords, self.understanding = keywords, understanding

    async def plan(self, question: Question, cards: Sequence[SourceInfo], look: RunSearches) -> Proposal:
        """One search of each source, by the question itself where that finds something, else by keywords."""
        original = await plan_original(question, cards, self.understanding)
        raw = Proposal(require_all_words(original.searches), original.notes)
        looked = await look(raw.searches)
        silent = {one.search.source for one in looked if not one.passages and not one.has_failed}
        if not silent:
            return raw
        rest = await self.keywords.plan(question, [card for card in cards if card.name in silent], look)
        kept = [one for one in raw.searches if one.source not in silent]
        exact = require_all_words(rest.searches)
        return Proposal(deduplicate_searches([*kept, *exact]), tuple(dict.fromkeys((*raw.notes, *rest.notes))))
