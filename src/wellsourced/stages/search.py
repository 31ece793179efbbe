"""Search: ask the sources of a tier at once, and keep what each of them said apart."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.accounts import current
from wellsourced.errors import QuestionError, SourceError
from wellsourced.kit import Kit
from wellsourced.sources.base import NOTE, Card, Counted
from wellsourced.types import Attempt, Gap, Hit, Passage, Query, Search, Tier


class Found(NamedTuple):
    """What one source gave, best first, and the record of asking it; `live`: it was asked over the network."""

    attempt: Attempt
    passages: tuple[Passage, ...] = ()
    live: bool = False


class Candidate(NamedTuple):
    """A passage worth reading, and the source that can open its document.

    score     by which it was ranked; it compares candidates of one search only
    also_in   ids of other records that hold the same words
    """

    passage: Passage
    source: str
    score: float = 0.0
    also_in: tuple[str, ...] = ()


class Introduced(NamedTuple):
    """What the sources say of themselves, and those that could not say it."""

    cards: tuple[Card, ...]
    gaps: tuple[Gap, ...]


async def introduced(kit: Kit) -> Introduced:
    """The cards of all sources. One that fails to give its own is a gap, and is not asked."""
    cards: list[Card] = []
    missing: list[Gap] = []
    for source in kit.sources:
        try:
            cards.append(await source.card())
        except SourceError as error:
            missing.append(Gap(source=source.name, status="failed", reason=str(error)))
    return Introduced(tuple(cards), tuple(missing))


async def search(tier: Tier, cards: Sequence[Card], kit: Kit) -> list[Found]:
    """All searches of the tier at once. An outage is a failed attempt, and never stops the others.

    What brings up nothing is asked for again in fewer terms; each time is an attempt of its own, after the first.
    """
    live = {card.name for card in cards if card.live}
    asking = [asyncio.create_task(_ask(one, tier.name, one.source in live, kit)) for one in tier.searches]
    try:
        return [found for one in await asyncio.gather(*asking) for found in one]
    finally:
        # When one ends in an error that is nobody's outage, the others must not go on behind its back.
        for one in asking:
            one.cancel()


async def _ask(one: Search, tier: str, live: bool, kit: Kit) -> list[Found]:
    asking = _Asking(one.source, tier, live, kit)
    found = [await asking.ask(one.query)]
    # A live source relaxes a query itself, with its counts, and an expression cannot be shortened from its end.
    if live or one.query.kind == "boolean":
        return found
    for weaker in one.query.relaxed():
        if found[-1].attempt.status != "empty":
            break
        found.append(await asking.ask(weaker, one.query.terms))
    return found


class _Asking:
    """One source, asked one thing in one or several wordings.

    Patience is for what is on the network, and begins when its turn does. What lies here takes the time that it takes:
    how busy this machine is must not decide what is found. Only the user's own deadline ends either.
    """

    def __init__(self, source: str, tier: str, live: bool, kit: Kit) -> None:
        self._source, self._tier, self._live, self._policy = kit.source(source), tier, live, kit.policy
        self._admission = kit.admission

    async def ask(self, query: Query, wanted: Sequence[str] = ()) -> Found:
        """What it finds, or why it failed; `wanted` are the terms before some were left out."""
        notes: list[str] = []
        # Each search is a task with a context of its own, so this is nobody else's ear.
        NOTE.set(notes.append)
        hits: list[Hit] = []
        error = ""
        account = current()
        try:
            async with asyncio.timeout(account.count_seconds_left()):
                hits = await self._hits(query, checked=bool(wanted))
        except TimeoutError:
            error = f"no answer within {self._policy.seconds:g} s"
            if account.is_over():
                error = f"no answer within the {account.budget.seconds:g} s of budget.seconds"
                account.leave_out(f"the search of {self._source.name}")
        # A QuestionError of a source is an expression that it cannot read: the others still can.
        except (SourceError, QuestionError) as failure:
            error = str(failure)
        passages = tuple(hit.passage for hit in hits[: self._policy.candidates])
        if wanted and not error:
            notes.append(_relaxed(wanted, query.terms, bool(passages)))
        attempt = Attempt(
            search=Search(source=self._source.name, query=query),
            tier=self._tier,
            status="failed" if error else "ok" if passages else "empty",
            found=len(passages),
            error=error,
            notes=tuple(notes),
        )
        return Found(attempt, passages, self._live)

    async def _hits(self, query: Query, checked: bool) -> list[Hit]:
        """What it finds; nothing where it is `checked` first whether it holds anything, and it does not."""
        if not self._live:
            return await self._search(query, checked)
        async with self._admission.admit_search(self._source.name), asyncio.timeout(self._policy.seconds):
            return await self._search(query, checked)

    async def _search(self, query: Query, checked: bool) -> list[Hit]:
        if checked and not await self._holds(query):
            return []
        return await self._source.search(query, self._policy.candidates)

    async def _holds(self, query: Query) -> bool:
        """Whether a search is worth its price; a source that does not count has to be searched."""
        return not isinstance(self._source, Counted) or await self._source.count(query) > 0


def _relaxed(wanted: Sequence[str], kept: Sequence[str], found: bool) -> str:
    left_out = ", ".join(f"“{term}”" for term in wanted[len(kept) :])
    if not found and len(kept) == 1:
        return f"nothing either without {left_out}: not even “{kept[0]}” alone brings up anything"
    return f"{'found' if found else 'nothing either'} without {left_out}"


def gaps(attempts: Sequence[Attempt]) -> tuple[Gap, ...]:
    """What could not be reached, or could not read what it was asked."""
    failed = (
        Gap(source=attempt.search.source, status="failed", reason=attempt.error)
        for attempt in attempts
        if attempt.status == "failed"
    )
    return tuple(dict.fromkeys(failed))


def unvectored(cards: Sequence[Card]) -> tuple[Gap, ...]:
    """Libraries in which some passages can be found by word only, as long as their vectors are not made."""
    return tuple(
        Gap(
            source=card.name,
            status="not indexed",
            reason=f"{card.passages - card.vectors:,} of its {card.passages:,} passages are found by word only; "
            f"`wellsourced library embed {card.name}` goes on with them",
        )
        for card in cards
        if 0 < card.vectors < card.passages
    )
