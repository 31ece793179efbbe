"""Widen: what is done when sources answered and nothing they hold bears on the question.

A model says whether it is certain without any source (self-knowledge), and the question is split into parts that are
searched for and read at once (decomposition): Wang et al., Nature Communications 2025.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import reduce
from operator import add
from typing import NamedTuple, Protocol, TypeVar

from wellsourced.errors import ModelError, QuestionError
from wellsourced.judges.base import Judge, likeliest
from wellsourced.kit import Kit
from wellsourced.prompts.planning import Decompose
from wellsourced.prompts.reading import AssessCertainty
from wellsourced.stages.judgements import impersonal
from wellsourced.stages.read import Reading, show
from wellsourced.text.context import in_context
from wellsourced.text.lines import line
from wellsourced.text.splitting import Split, split_up
from wellsourced.types import Attempt, Dropped, Evidence, Passage, Question


class Explored(Protocol):
    """What searching and reading one question came to."""

    @property
    def reading(self) -> Reading: ...
    @property
    def attempts(self) -> tuple[Attempt, ...]: ...
    @property
    def notes(self) -> tuple[str, ...]: ...


E = TypeVar("E", bound=Explored)

Explore = Callable[[Question], Awaitable[E]]
"""Searches for one question and reads what is found."""


class Certain(NamedTuple):
    """Whether a model would answer from what it knows, and why; only its explicit yes counts."""

    certain: bool = False
    why: str = ""
    notes: tuple[str, ...] = ()


class Widened(NamedTuple):
    """What came of it.

    alone      whether the model is certain without sources: then no part was searched for
    parts      the questions that were searched for
    reading    what was found for any of them, best first by its relevance to the question itself
    attempts   of all parts
    notes      what their reader should know, a sentence each without a full stop
    """

    alone: Certain = Certain()
    parts: tuple[str, ...] = ()
    reading: Reading = Reading()
    attempts: tuple[Attempt, ...] = ()
    notes: tuple[str, ...] = ()


async def widen(question: Question, explore: Explore[E], kit: Kit, *, outage: bool = False) -> Widened:
    """Ask whether the model is certain and for the parts of the question, at once; then explore the parts, at once.

    Parts are explored unless the model is certain. Nothing is done after an outage, when all sources failed: that
    they are silent says nothing of what they hold. A part that cannot be explored is told, and costs no other part.
    """
    if outage:
        return Widened(notes=("the question was not asked in other ways, since no source could be reached",))
    alone, split = await asyncio.gather(certain_alone(question, kit), decompose(question, kit))
    if alone.certain or not split.parts:
        return Widened(alone, notes=(*alone.notes, *(() if alone.certain else split.notes)))
    explored = await asyncio.gather(*(_explored(part_of(question, part), explore) for part in split.parts))
    there = [one for one in explored if not isinstance(one, str)]
    reading = await united(question, [one.reading for one in there], kit)
    notes = (
        f"“{part}”: {note}"
        for part, one in zip(split.parts, explored, strict=True)
        for note in ([one] if isinstance(one, str) else one.notes)
    )
    attempts = tuple(attempt for one in there for attempt in one.attempts)
    return Widened(alone, split.parts, reading, attempts, (*alone.notes, *split.notes, *notes))


async def certain_alone(question: Question, kit: Kit) -> Certain:
    """Whether `kit.model` would answer without sources; not asked where it may not answer so, and then it is not."""
    if not kit.has_model or not kit.read.self_knowledge or kit.write.memory != "certain":
        return Certain()
    try:
        reply = await kit.model.complete(AssessCertainty(question=impersonal(question)))
    except ModelError as error:
        told = f"{kit.model.name} did not say whether it is certain without sources, and counts as not certain"
        return Certain(notes=(f"{told} ({line(str(error))})",))
    return Certain(reply.certain, line(reply.why))


async def decompose(question: Question, kit: Kit) -> Split:
    """The question in parts by `kit.helper`, at most `kit.read.decompose` of one and `kit.read.levels` deep.

    Without a language model it is split only where its words leave no doubt.
    """
    if not kit.read.decompose:
        return Split()

    async def asked(part: str) -> Sequence[str]:
        return (await kit.helper.complete(Decompose(question=part, parts=kit.read.decompose))).questions

    return await split_up(question.text, asked, kit.read.decompose, kit.read.levels)


def part_of(question: Question, part: str) -> Question:
    """A part as a question: dates and exclusions hold for it, too; options, parts and a patient's words do not."""
    return impersonal(question).model_copy(update={"text": part, "options": {}, "pico": None})


async def united(question: Question, readings: Sequence[Reading], kit: Kit) -> Reading:
    """Several readings as one, each passage once, with its relevance to the question itself; the best are kept.

    At most `2 · kit.policy.passages`. What one part left out and another kept was not left out.
    """
    every = reduce(add, readings, Reading())
    relevance = await _relevance(question, [item.passage for item in every.evidence], kit.relevance)
    ranked = sorted(
        (item.model_copy(update={"relevance": relevance[item.passage.id]}) for item in every.evidence),
        key=lambda item: (-item.relevance, item.passage.id),
    )
    most = 2 * kit.policy.passages
    beyond = [_beyond(item) for item in ranked[most:]]
    kept = {item.passage.id for item in ranked}
    dropped = {one.id: one for one in every.dropped if one.id not in kept}
    return every._replace(evidence=tuple(ranked[:most]), dropped=(*dropped.values(), *beyond))


async def _relevance(question: Question, passages: Sequence[Passage], judge: Judge) -> dict[str, float]:
    """Of each passage by its id, as `read` has it: by what it is about, or by the best thing it says."""
    scores = await likeliest(judge, question.wordings, [in_context(passage) for passage in passages])
    found = [Evidence(passage=one, relevance=score) for one, score in zip(passages, scores, strict=True)]
    return {item.passage.id: item.relevance for item in await show(question, found, judge)}


def _beyond(item: Evidence) -> Dropped:
    reason = f"found for a part of the question, and further from all of it than what was kept ({item.relevance:.2f})"
    return Dropped(what="passage", id=item.passage.id, text=item.passage.text, reason=reason)


async def _explored(part: Question, explore: Explore[E]) -> E | str:
    """What came of one part, or why nothing did."""
    try:
        return await explore(part)
    except (ModelError, QuestionError) as error:
        return f"could not be searched for ({line(str(error))})"
