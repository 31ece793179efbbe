"""The question as it was asked first; keywords only for the sources to which it says nothing."""

from collections.abc import Sequence

from wellsourced.planners.base import Planner, Proposal, RunSearches
from wellsourced.planners.searches import deduplicate_searches, plan_original
from wellsourced.sources.base import SourceInfo
from wellsourced.types import Question
from wellsourced.understanding.base import Understanding


class KedPlanner:
    """Keyword extraction and degradation as LINS runs it (Wang et al., Nature Communications 2025): the raw question is
    the first rung of the ladder, so that most questions cost no call to a model.

    keywords   plans for the sources that found nothing
    """

    name = "ked"

    def __init__(self, keywords: Planner, understanding: Understanding) -> None:
        self.keywords, self.understanding = keywords, understanding

    async def plan(self, question: Question, cards: Sequence[SourceInfo], look: RunSearches) -> Proposal:
        """One search of each source, by the question itself where that finds something, else by keywords."""
        raw = await plan_original(question, cards, self.understanding)
        looked = await look(raw.searches)
        silent = {one.search.source for one in looked if not one.passages}
        if not silent:
            return raw
        rest = await self.keywords.plan(question, [card for card in cards if card.name in silent], look)
        kept = [one for one in raw.searches if one.source not in silent]
        return Proposal(deduplicate_searches([*kept, *rest.searches]), tuple(dict.fromkeys((*raw.notes, *rest.notes))))
