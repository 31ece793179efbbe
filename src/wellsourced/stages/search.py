"""Search: ask the sources of a tier at once, and rank what they bring up."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.errors import SourceError
from wellsourced.kit import Kit, Policy
from wellsourced.sources.base import NOTE
from wellsourced.text.fusion import fuse
from wellsourced.types import Attempt, Gap, Passage, Search, Tier


class Found(NamedTuple):
    """What one source gave, best first, and the record of asking it."""

    attempt: Attempt
    passages: tuple[Passage, ...] = ()


class Candidate(NamedTuple):
    """A passage worth reading, and the source that can open its document."""

    passage: Passage
    source: str


async def search(tier: Tier, kit: Kit) -> list[Found]:
    """All searches of the tier at once. An outage is a failed attempt, and never stops the others."""
    return list(await asyncio.gather(*(_ask(one, tier.name, kit) for one in tier.searches)))


async def _ask(one: Search, tier: str, kit: Kit) -> Found:
    notes: list[str] = []
    # Each search is a task with a context of its own, so this is nobody else's ear.
    NOTE.set(notes.append)
    try:
        async with asyncio.timeout(kit.policy.seconds):
            hits = await kit.source(one.source).search(one.query, kit.policy.candidates)
    except TimeoutError:
        reason = f"no answer within {kit.policy.seconds:g} s"
        return Found(Attempt(search=one, tier=tier, status="failed", error=reason, notes=tuple(notes)))
    except SourceError as error:
        return Found(Attempt(search=one, tier=tier, status="failed", error=str(error), notes=tuple(notes)))
    status = "ok" if hits else "empty"
    attempt = Attempt(search=one, tier=tier, status=status, found=len(hits), notes=tuple(notes))
    return Found(attempt, tuple(hit.passage for hit in hits))


def gaps(attempts: Sequence[Attempt]) -> tuple[Gap, ...]:
    """What could not be reached."""
    return tuple(
        Gap(source=attempt.search.source, status="failed", reason=attempt.error)
        for attempt in attempts
        if attempt.status == "failed"
    )


def gather(found: Sequence[Found], policy: Policy) -> list[Candidate]:
    """One ranking of all that was found, fused by rank; a passage found twice is of the source that stands first."""
    candidates: dict[str, Candidate] = {}
    for attempt, passages in found:
        for passage in passages:
            candidates.setdefault(passage.id, Candidate(passage, attempt.search.source))
    ranked = fuse([[passage.id for passage in one.passages] for one in found], policy.rrf)
    return [candidates[passage_id] for passage_id, _ in ranked[: policy.candidates]]
