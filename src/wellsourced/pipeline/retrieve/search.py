"""Ask the sources of a tier at the same time, and keep what each of them answered apart."""

import asyncio
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from wellsourced.budget import current_cost_tracker
from wellsourced.citations.links import possible_ids
from wellsourced.context import Context
from wellsourced.errors import QuestionError, SourceError
from wellsourced.pipeline.retrieve.record_flow import list_records
from wellsourced.sources.base import CountingSource, SearchResult, Source, SourceInfo
from wellsourced.text.passages import cut_passages
from wellsourced.types import Attempt, Document, Gap, Passage, Query, Search, Tier
from wellsourced.worker_pool import run_in_worker


class AttemptResult(NamedTuple):
    """What one source gave, best first, and the record of asking it; `is_live`: it was asked over the network."""

    attempt: Attempt
    passages: tuple[Passage, ...] = ()
    is_live: bool = False


class Candidate(NamedTuple):
    """A passage worth reading, who can open its document, its score in one search, and who holds the same words."""

    passage: Passage
    source: str
    score: float = 0.0
    also_in: tuple[str, ...] = ()


async def open_document(id: str, source: str, context: Context) -> Document | None:
    """The document of that id; None where the source of that name cannot open it."""
    try:
        return await context.find_source(source).open(id)
    except SourceError:
        return None


async def open_named_documents(
    ids: Sequence[str], sources: Sequence[Source]
) -> tuple[tuple[Candidate, ...], tuple[Gap, ...]]:
    """Every passage of the documents of these ids, in their order; those that no source holds, as gaps.

    An id may be written as people write it: “PMID 31234567”, a DOI with its address.
    """
    candidates: list[Candidate] = []
    gaps: list[Gap] = []
    for id in dict.fromkeys(ids):
        source, document = await _open_anywhere(id, sources)
        if source and document:
            candidates += (Candidate(passage, source.name) for passage in await run_in_worker(cut_passages, document))
        else:
            names = ", ".join(one.name for one in sources) or "any source"
            reason = f"no document of this id could be opened in {names}"
            gaps.append(Gap(source=id, status="failed", reason=reason))
    return tuple(candidates), tuple(gaps)


async def _open_anywhere(id: str, sources: Sequence[Source]) -> tuple[Source | None, Document | None]:
    for source in sources:
        for written in dict.fromkeys((id, *possible_ids(id))):
            try:
                return source, await source.open(written)
            except SourceError:
                continue
    return None, None


class CandidateRanking(NamedTuple):
    """Candidates, best first, and notes on how they came about."""

    candidates: tuple[Candidate, ...]
    notes: tuple[str, ...] = ()


async def describe_sources(sources: Sequence[Source]) -> tuple[tuple[SourceInfo, ...], tuple[Gap, ...]]:
    """What each source says of itself, and the gaps: those that failed to say it, and are not asked."""
    cards: list[SourceInfo] = []
    missing: list[Gap] = []
    for source in sources:
        try:
            cards.append(await source.describe())
        except SourceError as error:
            missing.append(Gap.of_error(source.name, error))
    return tuple(cards), tuple(missing)


TriedSearches = Mapping[Search, Sequence[AttemptResult]]
"""What searches brought up that were made before, with the attempts in fewer terms after each."""

NO_SEARCHES: TriedSearches = MappingProxyType({})


async def search_tier(
    tier: Tier, cards: Sequence[SourceInfo], context: Context, tried: TriedSearches = NO_SEARCHES
) -> list[AttemptResult]:
    """All searches of the tier at once. An outage is a failed attempt, and never stops the others.

    What brings up nothing is asked for again in fewer terms; each time is an attempt of its own, after the first.

    tried   what is known already, and not asked for again
    """
    found = await run_searches([one for one in tier.searches if one not in tried], tier.name, cards, context)
    known = {
        search: [one._replace(attempt=one.attempt.model_copy(update={"tier": tier.name})) for one in results]
        for search, results in tried.items()
    }
    return [one for search in tier.searches for one in (found.get(search) or known[search])]


async def run_searches(
    searches: Sequence[Search], tier: str, cards: Sequence[SourceInfo], context: Context
) -> dict[Search, list[AttemptResult]]:
    """What each of the searches brought up, all of them made at once."""
    live = {card.name for card in cards if card.live}
    asking = [asyncio.create_task(_search_source(one, tier, one.source in live, context)) for one in searches]
    try:
        return dict(zip(searches, await asyncio.gather(*asking), strict=True))
    finally:
        # When one ends in an error that is nobody's outage, the others must not go on behind its back.
        for one in asking:
            one.cancel()


async def _search_source(search: Search, tier: str, live: bool, context: Context) -> list[AttemptResult]:
    found = [await _try_search(search, tier, live, context)]
    # A live source relaxes a query itself, with its counts, and an expression cannot be shortened from its end.
    if live or search.query.kind == "boolean":
        return found
    for weaker in search.query.relaxations():
        if found[-1].attempt.status != "empty":
            break
        relaxed = search.model_copy(update={"query": weaker})
        found.append(await _try_search(relaxed, tier, live, context, search.query.terms))
    return found


async def _try_search(
    search: Search, tier: str, live: bool, context: Context, wanted: Sequence[str] = ()
) -> AttemptResult:
    """What it finds, or why it failed; `wanted` are the terms before some were left out."""
    source, policy = context.find_source(search.source), context.policy
    turn = context.limiter.admit_search(source.name) if live else None
    result = SearchResult([])
    error = ""
    try:
        async with current_cost_tracker().limit_wait(f"the search of {source.name}", policy.source_seconds, turn):
            if not wanted or await _has_matches(source, search.query):
                result = await source.search(search.query, policy.candidates)
    # A QuestionError of a source is an expression that it cannot read: the others still can.
    except (SourceError, QuestionError) as failure:
        error = str(failure)
    passages = tuple(hit.passage for hit in result.hits[: policy.candidates])
    notes = result.notes
    if wanted and not error:
        notes += (_relaxation_note(wanted, search.query.terms, bool(passages)),)
    attempt = Attempt(
        search=search,
        tier=tier,
        status="failed" if error else "ok" if passages else "empty",
        found=len(passages),
        error=error,
        notes=notes,
        records=list_records(passages),
    )
    return AttemptResult(attempt, passages, live)


async def _has_matches(source: Source, query: Query) -> bool:
    """Whether a search is worth its price; a source that does not count has to be searched."""
    return not isinstance(source, CountingSource) or await source.count(query) > 0


def _relaxation_note(wanted: Sequence[str], kept: Sequence[str], found: bool) -> str:
    left_out = ", ".join(f"“{term}”" for term in wanted[len(kept) :])
    if not found and len(kept) == 1:
        return f"nothing found without {left_out} either, not even with “{kept[0]}” alone"
    return f"found without {left_out}" if found else f"nothing found without {left_out} either"


def collect_failed_gaps(attempts: Sequence[Attempt]) -> tuple[Gap, ...]:
    """What could not be reached, or could not read what it was asked."""
    failed = (
        Gap(source=attempt.search.source, status="failed", reason=attempt.error)
        for attempt in attempts
        if attempt.status == "failed"
    )
    return tuple(dict.fromkeys(failed))


def collect_embedding_gaps(cards: Sequence[SourceInfo]) -> tuple[Gap, ...]:
    """Libraries in which some passages can be found by word only, as long as their vectors are not made."""
    return tuple(
        Gap(
            source=card.name,
            status="not indexed",
            reason=f"{card.vectors:,} of {card.passages:,} passages embedded; the others are found by their words only",
        )
        for card in cards
        if 0 < card.vectors < card.passages
    )
