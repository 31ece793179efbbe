"""What the sources hold for one question: planned, searched and read, tier by tier, until there is enough."""

from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.accounts import current
from wellsourced.events import Planned, Read, Searched, Tell, unheard
from wellsourced.kit import Kit
from wellsourced.sources.base import Card
from wellsourced.stages.enough import enough
from wellsourced.stages.find import find_in
from wellsourced.stages.given import given
from wellsourced.stages.plan import plan
from wellsourced.stages.read import Reading, passed_over, read
from wellsourced.stages.screen import screen
from wellsourced.stages.search import gaps, introduced, unvectored
from wellsourced.timing import Clock
from wellsourced.types import Attempt, Evidence, Gap, Question, Tier


class Explored(NamedTuple):
    """What was found and read, every search that was made, and what could not be asked.

    cards          of the sources that could be asked
    written_from   of the evidence, what an answer is written from, best first; none: nothing is sure enough
    answers        whether something of it answers the question, as a model or the judge says
    notes          what a reader should know of how it was found, a sentence each without a full stop
    named          the question named the documents, and nothing was searched
    """

    cards: tuple[Card, ...] = ()
    reading: Reading = Reading()
    written_from: tuple[Evidence, ...] = ()
    answers: bool = False
    named: bool = False
    attempts: tuple[Attempt, ...] = ()
    unasked: tuple[Gap, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def down(self) -> bool:
        """Whether nothing that was asked could answer: then nobody knows whether there is something."""
        return bool(self.attempts) and all(attempt.status == "failed" for attempt in self.attempts)

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Everything that could have been searched and was not, or could not be."""
        return (*self.unasked, *unvectored(self.cards), *gaps(self.attempts), *self.reading.gaps)


async def explore(question: Question, kit: Kit, tell: Tell = unheard, clock: Clock | None = None) -> Explored:
    """Evidence for the question, from what it names or from what the plan finds. A source that fails is a gap.

    A tier is opened only when the ones before it did not give enough. Where a language model says what bears on the
    question, it is asked once, when all tiers are read, or tier by tier.
    """
    clock = clock or Clock()
    cards, silent = await introduced(kit)
    explored = Explored(cards, unasked=silent)
    if question.given:
        explored = await _named(question, explored, kit, tell, clock)
    else:
        explored = await _tiers(question, explored, kit, tell, clock)
    if kit.screens and kit.read.relevance == "model":
        return await _screened(question, explored, kit, clock)
    chosen = bearing(explored.reading.evidence, kit)
    judged = [item.judged.label for item in chosen if item.judged]
    return explored._replace(written_from=chosen, answers="supports" in judged if judged else bool(chosen))


async def _named(question: Question, explored: Explored, kit: Kit, tell: Tell, clock: Clock) -> Explored:
    with clock("search"):
        named = await given(question.given, kit)
    with clock("read"):
        reading = await read(question, named.candidates, kit)
    tell(Read(tier="given", evidence=reading.evidence, dropped=reading.dropped))
    return explored._replace(reading=reading._replace(gaps=(*reading.gaps, *named.gaps)), named=True)


async def _tiers(question: Question, explored: Explored, kit: Kit, tell: Tell, clock: Clock) -> Explored:
    with clock("plan"):
        route = await plan(question, explored.cards, kit)
    tell(Planned(plan=route))
    explored = explored._replace(notes=route.notes)
    for tier in route.tiers:
        if (account := current()).is_over():
            account.leave_out(f"the tier “{tier.name}”")
            continue
        its = await _tier(tier, question, explored.cards, kit, tell, clock)
        if kit.screens and kit.read.relevance == "tier":
            its = await _screened(question, its, kit, clock)
        explored = explored._replace(
            reading=explored.reading + its.reading,
            attempts=explored.attempts + its.attempts,
            notes=explored.notes + tuple(f"{tier.name}: {note}" for note in its.notes),
        )
        if await _satisfies(question, its.reading.evidence, kit):
            break
    return explored


async def _tier(tier: Tier, question: Question, cards: Sequence[Card], kit: Kit, tell: Tell, clock: Clock) -> Explored:
    """Search one tier and read what it found."""
    with clock("search"):
        found = await find_in([tier], question, cards, kit)
    for attempt in found.attempts:
        tell(Searched(attempt=attempt))
    with clock("read"):
        reading = await read(question, found.candidates, kit)
    tell(Read(tier=tier.name, evidence=reading.evidence, dropped=reading.dropped))
    return Explored(reading=reading, attempts=found.attempts, notes=found.notes)


async def _satisfies(question: Question, evidence: Sequence[Evidence], kit: Kit) -> bool:
    """Whether a tier gave enough: as the model said of each passage, where it was asked tier by tier."""
    if any(item.judged for item in evidence):
        accepted = [item for item in evidence if item.judged and item.judged.label == "supports"]
        return len(accepted) >= kit.policy.enough
    return await enough(question, evidence, kit.understanding, kit.policy)


async def _screened(question: Question, explored: Explored, kit: Kit, clock: Clock) -> Explored:
    """Of what was read, what the model says bears on the question; the best are shown to it, no more than are read."""
    reading = explored.reading
    best, rest = reading.evidence[: kit.policy.passages], reading.evidence[kit.policy.passages :]
    with clock("screen"):
        screened = await screen(question, best, kit)
    left = tuple(passed_over(item.passage, item.relevance) for item in rest)
    # Where every call failed the judge alone decides, as without a model.
    judged = any(item.judged for item in screened.evidence) or bool(screened.dropped)
    written_from = screened.written_from if judged else bearing(screened.evidence, kit)
    return explored._replace(
        reading=reading._replace(evidence=screened.evidence, dropped=(*reading.dropped, *screened.dropped, *left)),
        written_from=written_from,
        answers=screened.accepted if judged else bool(written_from),
        notes=(*explored.notes, *screened.notes),
    )


def bearing(evidence: Sequence[Evidence], kit: Kit) -> tuple[Evidence, ...]:
    """What an answer is written from: what a model said bears on the question; else all, if something is certain.

    Better silent than beside the question. A title alone, or a table, can be near it and has nothing that can be said.
    """
    judged = tuple(item for item in evidence if item.judged and item.judged.label != "unjudged")
    if judged:
        return judged
    sure = any(item.quotes and item.relevance >= kit.policy.certain for item in evidence)
    return tuple(item for item in evidence if item.relevance >= kit.policy.relevant) if sure else ()
