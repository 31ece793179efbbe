"""How a model plans for several sources: its plan, checked, as searches; a passage to search with (query2doc)."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from wellsourced.errors import ModelError, UnparsableReply
from wellsourced.models.base import Model
from wellsourced.planners.base import Proposal, RunSearches
from wellsourced.planners.searches import (
    build_query,
    deduplicate_searches,
    fall_back_to_original,
    plan_original,
    select_askable,
    summarize_source,
)
from wellsourced.prompts.planning import (
    ImprovePlan,
    PlanSources,
    SourcePlan,
    SourceQueries,
    TriedPlan,
    WritePseudoDocument,
)
from wellsourced.question.understanding import Understanding
from wellsourced.sources.base import SourceInfo
from wellsourced.text.sanitization import deduplicate_texts, fold_case, short_line
from wellsourced.types import Question, Search

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
    asked: dict[str, Any] = {"question": question.text, "options": question.options, "cards": seen, "most": most}
    if not tried:
        return await model.complete(PlanSources(**asked))
    return await model.complete(ImprovePlan(**asked, tried=tuple(tried), others=tuple(others)))


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
    # A plan that names none of the sources was not understood; one that asks nothing of them was meant.
    if not mentioned:
        raise UnparsableReply(plan.model_dump_json(), "the plan names none of the sources")
    searches = deduplicate_searches(
        chain.from_iterable(_build_searches(question, card, entry) for card, entry in entries if card)
    )
    fitting: list[Search] = []
    taken = Counter[str]()
    for search in searches:
        taken[search.source] += 1
        if taken[search.source] <= most:
            fitting.append(search)
    unknown = deduplicate_texts(short_line(entry.source, 5) for card, entry in entries if card is None)
    more = f" and {len(unknown) - 5} more" if len(unknown) > 5 else ""
    notes = [
        *([f"the plan names unknown sources: {', '.join(unknown[:5])}{more}"] if unknown else []),
        *(
            f"the plan does not mention {card.name}, which was not searched"
            for card in cards
            if card.name not in mentioned
        ),
        *_note_surplus(len(searches) - len(fitting), f"more than {most} for one source"),
        *_note_surplus(len(fitting) - in_all, f"more than {in_all} in all"),
        *(() if searches else ("the plan says that no search is needed",)),
    ]
    return Proposal(tuple(fitting[:in_all]), tuple(dict.fromkeys(notes)))


def _note_surplus(number: int, why: str) -> Iterator[str]:
    if number > 0:
        yield f"{number} planned searches were left out: {why}"


def _build_searches(question: Question, card: SourceInfo, entry: SourceQueries) -> Iterator[Search]:
    for planned in entry.queries:
        text, term = short_line(planned.text), short_line(planned.term)
        if not (text or term):
            continue
        # A source that looks up no terms is asked in words, whichever of the two the model gave.
        query = build_query(question, text or term)
        if "term" in card.asks:
            # What is to be known of the concept ranks its facts, and names no other concept.
            query = build_query(question, term or text, kind="term", also=(text,) if term and text else ())
        yield Search(source=card.name, query=query)


class PromptingPlanner:
    """The planner `prompting` of Omni-RAG (Chen et al., ACL 2025): one call, and no search where none is needed."""

    name = "prompting"

    def __init__(self, model: Model, understanding: Understanding) -> None:
        self.model, self.understanding = model, understanding

    async def plan(self, question: Question, cards: Sequence[SourceInfo], look: RunSearches) -> Proposal:
        """The model's plan; the question itself where it gives none."""
        there, left_out = select_askable(question, cards)
        if not there:
            return Proposal((), left_out)
        try:
            plan = await request_plan(self.model, question, there, MAX_QUERIES_PER_SOURCE)
            planned = convert_plan(plan, question, there)
        except ModelError as error:
            why = f"the model made no plan ({short_line(str(error))})"
            return await fall_back_to_original(question, cards, self.understanding, why)
        return Proposal(planned.searches, (*planned.notes, *left_out))


class TrainedPlanner(PromptingPlanner):
    """The same prompt, answered by a model that was trained to plan (source planning optimisation of Omni-RAG)."""

    name = "trained"


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
        there = {card.name: card for card in select_askable(question, cards)[0]}
        imagined = await asyncio.gather(*(self._write_passage(question, there[one.source]) for one in plain.searches))
        # Beside the question, which counts for more: what a model imagined must not decide what is found.
        searches = [
            search.model_copy(update={"query": search.query.model_copy(update={"also": (text,) if text else ()})})
            for search, (text, _) in zip(plain.searches, imagined, strict=True)
        ]
        told = dict.fromkeys(note for _, note in imagined if note)
        return Proposal(tuple(searches), (*told, *plain.notes))

    async def _write_passage(self, question: Question, card: SourceInfo) -> tuple[str, str]:
        """A passage that might stand in a source; "" when the model wrote none; and a note on it."""
        if card.live or "term" in card.asks:
            return "", ""
        try:
            prompt = WritePseudoDocument(question=question.text, card=summarize_source(card), words=self.words)
            text = " ".join((await self.model.complete(prompt)).text.split()[: self.words])
        except ModelError as error:
            return "", f"no passage to search with ({short_line(str(error))}); the question itself is searched for"
        if not text:
            return "", f"{self.model.name} wrote no passage for {card.name}: the question itself is searched for there"
        return text, f"the search of {card.name} also has words that {self.model.name} made up"
