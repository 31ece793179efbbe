"""What all planners share: which sources can be asked, what a model is told of them, and queries that keep to the
question.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from wellsourced.planners.base import Proposal
from wellsourced.question.understanding import Understanding
from wellsourced.sources.base import SourceInfo
from wellsourced.text.sanitization import fold_case
from wellsourced.types import Query, QueryKind, Question, Search

# Prompts take time to load, which nobody without a language model should wait for.
if TYPE_CHECKING:
    from wellsourced.prompts.planning import SourceSummary

MAX_TERMS = 3
"""Concepts that a graph is asked for: fewer than four (Chen et al., ACL 2025)."""


def select_askable(question: Question, cards: Sequence[SourceInfo]) -> tuple[tuple[SourceInfo, ...], tuple[str, ...]]:
    """The cards of sources that hold something of the years that the question admits, and why others are left out."""
    filled = [card for card in cards if card.documents or card.live]
    # Years that are unknown, as those of live sources are, speak against nobody.
    outside = {card.name: reason for card in filled if (reason := _find_date_mismatch(question, card))}
    return tuple(card for card in filled if card.name not in outside), tuple(outside.values())


def _find_date_mismatch(question: Question, card: SourceInfo) -> str:
    if question.since and 0 < card.last < question.since.year:
        return f"{card.name} was not searched: its content ends in {card.last}, before {question.since}"
    if question.as_of and card.first > question.as_of.year:
        return f"{card.name} was not searched: its content begins in {card.first}, after {question.as_of}"
    return ""


def build_query(question: Question, *terms: str, kind: QueryKind = "text", also: Iterable[str] = ()) -> Query:
    """A query within the question's dates and without what it excludes."""
    return Query(
        terms=terms, kind=kind, also=tuple(also), since=question.since, as_of=question.as_of, exclude=question.exclude
    )


def require_all_words(searches: Iterable[Search]) -> tuple[Search, ...]:
    """The searches of a planner that has something better to ask than any of their words."""
    return tuple(one.model_copy(update={"query": one.query.model_copy(update={"any_word": False})}) for one in searches)


async def plan_original(question: Question, cards: Sequence[SourceInfo], understanding: Understanding) -> Proposal:
    """The question itself to every source that can be asked; to one that looks up terms, its most important ones.

    Where no term is to be had, such a source is not asked.
    """
    there, left_out = select_askable(question, cards)
    # Keywords cost a look at the libraries: only where a source looks up terms.
    by_term = any("term" in card.asks for card in there)
    terms = await understanding.extract_keywords(question, MAX_TERMS) if by_term else ()
    searches: list[Search] = []
    for card in there:
        # A look-up takes terms; the question as it stands would find nothing there.
        if "term" not in card.asks:
            searches.append(Search(source=card.name, query=build_query(question, question.text)))
        elif terms:
            searches.append(Search(source=card.name, query=build_query(question, *terms, kind="term")))
    return Proposal(tuple(searches), left_out)


async def fall_back_to_original(
    question: Question, cards: Sequence[SourceInfo], understanding: Understanding, why: str
) -> Proposal:
    """The question itself where there is no plan, and why there is none."""
    plain = await plan_original(question, cards, understanding)
    return Proposal(plain.searches, (f"{why}; the question itself is searched for", *plain.notes), fell_back=True)


def deduplicate_searches(searches: Iterable[Search]) -> tuple[Search, ...]:
    """The searches in their order, each of them once; letter case and white space make no difference."""
    first: dict[tuple[str, str, tuple[str, ...]], Search] = {}
    for search in searches:
        words = tuple(fold_case(term) for term in (*search.query.terms, "", *search.query.also))
        first.setdefault((search.source, search.query.kind, words), search)
    return tuple(first.values())


def summarize_source(card: SourceInfo) -> "SourceSummary":
    """The card in words. Numbers that are not known are left out, never guessed."""
    from wellsourced.prompts.planning import SourceSummary

    titles = tuple(dict.fromkeys(card.titles))
    noun = "concepts" if card.kind == "graph" else "documents"
    return SourceSummary(
        name=card.name,
        kind=card.kind,
        holds=f"{card.documents:,} {noun}" if card.documents else "unknown",
        years=f"{card.first} to {card.last}" if card.first and card.last else "",
        about=card.about,
        asks=card.asks,
        titles=titles,
    )
