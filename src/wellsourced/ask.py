"""★ The path of one question: frame · plan · search · read · write · check."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from wellsourced.events import Answered, Checked, Drafted, Framed, Planned, Read, Searched, Tell, unheard
from wellsourced.kit import Kit
from wellsourced.policy import Policy
from wellsourced.sources.base import Card
from wellsourced.stages.check import check
from wellsourced.stages.enough import enough
from wellsourced.stages.find import Findings, find_in
from wellsourced.stages.frame import frame
from wellsourced.stages.plan import plan
from wellsourced.stages.read import Reading, read
from wellsourced.stages.search import gaps, introduced, unvectored
from wellsourced.stages.write import write
from wellsourced.types import Answer, Attempt, Evidence, Gap, Question, Statement, Tier


async def answer(question: Question, kit: Kit, tell: Tell = unheard) -> Answer:
    """Answer from what the kit's sources say, or abstain and say why; what was searched is told either way.

    Raises QuestionError for what is no question, ModelError when the model fails. A source that fails is a gap.
    """
    clock = Clock()
    question = await frame(question, kit.understanding)
    tell(Framed(question=question))
    cards, silent = await introduced(kit)
    route = await plan(question, cards, kit)
    tell(Planned(plan=route))
    attempts: list[Attempt] = []
    notes = [*route.notes]
    reading = Reading()
    for tier in route.tiers:
        found, its_reading = await _explore(tier, question, cards, kit, tell, clock)
        attempts += found.attempts
        notes += (f"{tier.name}: {note}" for note in found.notes)
        reading += its_reading
        if await enough(question, its_reading.evidence, kit.understanding, kit.policy):
            break
    with clock("write"):
        draft = await write(question, certain(reading.evidence, kit.policy), kit)
        tell(Drafted(statements=draft.statements))
    with clock("check"):
        kept = await check(draft.statements, reading.evidence, reading.documents, kit.support)
        tell(Checked(statements=kept.statements, dropped=kept.dropped))
    final = Answer(
        question=question,
        statements=kept.statements,
        evidence=reading.evidence,
        gaps=(*kit.missing, *silent, *unvectored(cards), *gaps(attempts), *reading.gaps),
        attempts=tuple(attempts),
        dropped=(*reading.dropped, *draft.dropped, *kept.dropped),
        abstained=not kept.statements,
        notes=tuple(notes),
        reason=why_nothing(kept.statements, cards, silent, attempts, reading),
        basis="evidence" if kept.statements else "none",
        timings=clock.seconds,
    )
    tell(Answered(answer=final))
    return final


async def _explore(
    tier: Tier, question: Question, cards: Sequence[Card], kit: Kit, tell: Tell, clock: "Clock"
) -> tuple[Findings, Reading]:
    """Search one tier and read what it found."""
    with clock("search"):
        found = await find_in([tier], question, cards, kit)
    for attempt in found.attempts:
        tell(Searched(attempt=attempt))
    with clock("read"):
        reading = await read(question, found.candidates, kit)
    tell(Read(tier=tier.name, evidence=reading.evidence, dropped=reading.dropped))
    return found, reading


def certain(evidence: Sequence[Evidence], policy: Policy) -> Sequence[Evidence]:
    """All of the evidence when something quotable in it is good enough to answer from, else none.

    Better silent than beside the question. A title alone, or a table, can be near it and has nothing that can be said.
    """
    return evidence if any(item.quotes and item.relevance >= policy.certain for item in evidence) else ()


def why_nothing(
    statements: Sequence[Statement],
    cards: Sequence[Card],
    silent: Sequence[Gap],
    attempts: Sequence[Attempt],
    reading: Reading,
) -> str:
    """Why an answer abstains, in a sentence for its reader; "" when it does not."""
    if statements:
        return ""
    if not any(card.documents or card.live for card in cards):
        if silent:
            return "No source could be reached."
        return "There is nothing to search: no library holds a document."
    if not attempts:
        return "The plan is to search for nothing, and nothing is said here without a source."
    if all(attempt.status == "failed" for attempt in attempts):
        return "No source could be reached."
    if not any(attempt.found for attempt in attempts):
        return "No source holds anything that shares the question's words or meaning within its limits."
    if not reading.evidence:
        return "Passages were found, but none of them bears on the question."
    return "What was found is near the question but does not answer it with enough certainty to be shown as an answer."


class Clock:
    """Seconds spent in each step; steps that come again add up."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, step: str) -> Iterator[None]:
        """Time one step."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[step] = round(self.seconds.get(step, 0.0) + time.perf_counter() - begun, 4)
