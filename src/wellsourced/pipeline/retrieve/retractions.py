"""Before anything is read, ask the registries which works were withdrawn; those do not count."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wellsourced.budget import current_cost_tracker
from wellsourced.citations.deduplication import merge_retractions, title_retraction
from wellsourced.citations.identifiers import reference_ids
from wellsourced.context import Limiter
from wellsourced.errors import SourceError
from wellsourced.pipeline.retrieve.search import Candidate
from wellsourced.sources.base import LocalResource, RetractionRegistry
from wellsourced.types import Gap, Omission, Passage, Reference, Retraction

REGISTRY_SECONDS = 30.0
"""Seconds that one registry on the network may take, from its turn on."""


class RetractionLookup(NamedTuple):
    """What is known of each work, by the id of its reference, and the registries that could not be asked."""

    retractions: Mapping[str, Retraction]
    gaps: tuple[Gap, ...] = ()


class RetractionFilterResult(NamedTuple):
    """The candidates that may count, in order, their cards with what is known of the works; the others, with why."""

    candidates: tuple[Candidate, ...]
    dropped: tuple[Omission, ...] = ()
    gaps: tuple[Gap, ...] = ()


async def exclude_retracted(
    candidates: Sequence[Candidate],
    registries: Sequence[RetractionRegistry],
    seconds: float = REGISTRY_SECONDS,
    limiter: Limiter | None = None,
) -> RetractionFilterResult:
    """Leave out what was withdrawn or doubted, by the records themselves or by any registry; a correction is neither.

    seconds     patience with one registry on the network; all are asked at once, and one that fails is a gap, never
                "not retracted"
    limiter   the lines in which questions wait for a registry; None: nobody else asks
    """
    references = {one.passage.reference.id: one.passage.reference for one in candidates}
    known = await look_up_retractions(list(references.values()), registries, seconds, limiter)
    carrying = [one._replace(passage=update_retraction(one.passage, known.retractions)) for one in candidates]
    standing = tuple(one for one in carrying if not one.passage.reference.retraction.objection)
    passages = (one.passage for one in carrying)
    dropped = (Omission.of_passage(one, reason) for one in passages if (reason := one.reference.retraction.objection))
    return RetractionFilterResult(standing, tuple(dropped), known.gaps)


async def look_up_retractions(
    references: Sequence[Reference],
    registries: Sequence[RetractionRegistry],
    seconds: float = REGISTRY_SECONDS,
    limiter: Limiter | None = None,
) -> RetractionLookup:
    """What the records and the registries together say of each work (see `citations.publication_status`).

    Records of one work, known by a DOI or a PMID that they share, speak for each other.
    """
    findable = [one for one in references if any(reference_ids(one))]
    lines = limiter or Limiter()
    answers = await asyncio.gather(*(_ask_registry(one, findable, seconds, lines) for one in registries if findable))
    works = _group_by_id(references)
    retractions = {}
    for one in references:
        words = [answer.retractions[one.id] for answer in answers if one.id in answer.retractions]
        retractions[one.id] = merge_retractions([retraction_in_record(one), *_sibling_retractions(one, works), *words])
    return RetractionLookup(retractions, tuple(gap for answer in answers for gap in answer.gaps))


async def _ask_registry(
    registry: RetractionRegistry, references: Sequence[Reference], seconds: float, lines: Limiter
) -> RetractionLookup:
    step = f"the retraction check at {registry.name}"
    turn = None if isinstance(registry, LocalResource) else lines.admit_search(registry.name)
    try:
        async with current_cost_tracker().limit_wait(step, seconds, turn):
            return RetractionLookup(await registry.retractions(references))
    except SourceError as error:
        reason = f"it could not say which works were retracted: {error}"
        return RetractionLookup({}, (Gap(source=registry.name, status="failed", reason=reason),))


def _group_by_id(references: Sequence[Reference]) -> Mapping[str, Sequence[Reference]]:
    works = defaultdict(list)
    for one in references:
        for id in filter(None, reference_ids(one)):
            works[id].append(one)
    return works


def _sibling_retractions(reference: Reference, works: Mapping[str, Sequence[Reference]]) -> list[Retraction]:
    ids = filter(None, reference_ids(reference))
    return [retraction_in_record(other) for id in ids for other in works[id] if other.id != reference.id]


def retraction_in_record(reference: Reference) -> Retraction:
    """What the record itself says, the title that the publisher gave it included."""
    marked = title_retraction(reference.title)
    return merge_retractions([reference.retraction, marked]) if marked.notices else reference.retraction


def update_retraction(passage: Passage, retractions: Mapping[str, Retraction]) -> Passage:
    """The passage; its reference says what is known of the work now."""
    return passage.with_retraction(retractions.get(passage.reference.id, passage.reference.retraction))
