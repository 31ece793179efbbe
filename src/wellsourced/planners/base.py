"""The seam to everything that can turn a question into searches."""

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from wellsourced.sources.base import SourceInfo
from wellsourced.types import Passage, Question, Search


class TrialSearch(NamedTuple):
    """One search that a planner tried, and the passages that it brought up, best first.

    has_failed   the source could not answer, which says nothing of what it holds
    """

    search: Search
    passages: tuple[Passage, ...] = ()
    has_failed: bool = False


RunSearches = Callable[[Sequence[Search]], Awaitable[list[TrialSearch]]]
"""Makes searches at once, for a planner that learns from what they bring up."""


class Proposal(NamedTuple):
    """Searches in the order of their worth, and what their reader should know of how they came about.

    No search at all means that none is needed, which the planner says on purpose.

    fell_back   a model made no plan that could be read, and the question itself is searched for
    """

    searches: tuple[Search, ...]
    notes: tuple[str, ...] = ()
    fell_back: bool = False


@runtime_checkable
class Planner(Protocol):
    """Which of the sources is asked what. In which order they are asked is not its business
    (pipeline/search_plan.py).

    Only names sources of the cards. Dates and exclusions of the question stand in every query. A model that fails
    or gives no plan is told in the notes, and the question itself is searched for instead.

    One that searches before it plans has `plans_by_tier`: it plans a tier when those before it were not enough, so that
    a source that need not be asked is not asked.
    """

    @property
    def name(self) -> str: ...

    async def plan(self, question: Question, cards: Sequence[SourceInfo], look: RunSearches) -> Proposal: ...
