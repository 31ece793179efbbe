"""How a model plans for several sources: its plan, checked, as searches."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from wellsourced.errors import ModelError, UnparsableReply
from wellsourced.models.base import Model
from wellsourced.planners.base import Proposal, RunSearches
from wellsourced.planners.searches import build_query, deduplicate_searches, fall_back_to_original, select_askable
from wellsourced.planners.source_cards import summarize_source
from wellsourced.prompts.planning import ImprovePlan, PlanSources, SourcePlan, SourceQueries, TriedPlan
from wellsourced.sources.base import SourceInfo
from wellsourced.text.sanitization import deduplicate_texts, fold_case, short_line
from wellsourced.types import Query, Question, Search
from wellsourced.understanding.base import Understanding

MAX_QUERIES_PER_SOURCE = 3
"""Queries for one source: fewer than four (Chen et al., ACL 2025)."""

MAX_SEARCHES = 15
"""Searches of one plan: three of each of their five sources."""


async def request_plan(
    model: Model,
    question: Question,
    cards: Sequence[SourceInfo],
    most: int,
    tried: Sequence[TriedPlan] = (),
    others: Sequence[TriedPlan] = (),
) -> SourcePlan:
    """The model's plan, in the light of those that were tried; `others` were tried, too. Raises ModelError."""
    seen = tuple(summarize_source(card) for card in cards)
    if not tried:
        return await model.complete(
            PlanSources(question=question.text, options=question.options, cards=seen, most=most)
        )
    return await model.complete(
        ImprovePlan(
            question=question.text,
            options=question.options,
            cards=seen,
            most=most,
            tried=tuple(tried),
            others=tuple(others),
        )
    )


def convert_plan(
    plan: SourcePlan,
    question: Question,
    cards: Sequence[SourceInfo],
    most: int = MAX_QUERIES_PER_SOURCE,
    in_all: int = MAX_SEARCHES,
) -> Proposal:
    """The plan as searches, in its order, and what of it was left out.

    A source without a query is not searched, and when none has one, no search is needed. A source that the plan does
    not mention is another thing, and told. Raises UnparsableReply for a plan that mentions none of the sources.
    """
    known = {fold_case(card.name): card for card in cards}
    entries = [(known.get(fold_case(entry.source)), entry) for entry in plan.entries]
    mentioned = {card.name for card, _ in entries if card}
    if not mentioned:
        raise UnparsableReply(plan.model_dump_json(), "the plan names none of the sources")
    searches = deduplicate_searches(
        chain.from_iterable(_build_searches(question, card, entry) for card, entry in entries if card)
    )
    fitting = tuple(_limit_per_source(searches, most))
    notes = [
        *_note_unknown_sources([entry.source for card, entry in entries if card is None]),
        *(f"the plan does not mention {card.name}, which is not asked" for card in cards if card.name not in mentioned),
        *_note_surplus(len(searches) - len(fitting), f"more than {most} of one source"),
        *_note_surplus(len(fitting) - in_all, f"more than {in_all} in all"),
        *(() if searches else ("the plan says that no search is needed",)),
    ]
    return Proposal(fitting[:in_all], tuple(dict.fromkeys(notes)))


def _note_unknown_sources(names: Sequence[str]) -> Iterator[str]:
    if told := deduplicate_texts(short_line(name, 5) for name in names):
        more = f" and {len(told) - 5} more" if len(told) > 5 else ""
        yield f"the plan would ask {', '.join(told[:5])}{more}: no source here is called so"


def _note_surplus(number: int, why: str) -> Iterator[str]:
    if number > 0:
        yield f"{number} planned searches were left out, being {why}"


def _build_searches(question: Question, card: SourceInfo, entry: SourceQueries) -> Iterator[Search]:
    for planned in entry.queries:
        text, term = short_line(planned.text), short_line(planned.term)
        if text or term:
            yield Search(source=card.name, query=_build_source_query(question, card, text, term))


def _build_source_query(question: Question, card: SourceInfo, text: str, term: str) -> Query:
    if "term" not in card.asks:
        return build_query(question, text or term)
    # What is to be known of the concept ranks its facts, and names no other concept.
    return build_query(question, term or text, kind="term", also=(text,) if term and text else ())


def _limit_per_source(searches: Iterable[Search], most: int) -> Iterator[Search]:
    taken: dict[str, int] = {}
    for search in searches:
        taken[search.source] = taken.get(search.source, 0) + 1
        if taken[search.source] <= most:
            yield search


class PromptingPlanner:
    """The planner `prompting` of Omni-RAG (Chen et al., ACL 2025): one call, and no search where none is needed."""

    name = "prompting"

    def __init__(self, model: Model, understanding: Understanding) -> None:
        self.model, self.understanding = model, understanding

    async def plan(self, question: Question, cards: Sequence[SourceInfo], look: RunSearches) -> Proposal:
        """The model's plan; the question itself where it gives none."""
        there = select_askable(question, cards)
        if not there.sources:
            return Proposal((), there.notes)
        try:
            plan = await request_plan(self.model, question, there.sources, MAX_QUERIES_PER_SOURCE)
            planned = convert_plan(plan, question, there.sources)
        except ModelError as error:
            return await fall_back_to_original(
                question, cards, self.understanding, f"no plan by a model ({short_line(str(error))})"
            )
        return Proposal(planned.searches, (*planned.notes, *there.notes))
