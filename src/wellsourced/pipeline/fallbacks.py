"""What is tried when the sources answered and nothing they hold is relevant to the question.

A model says whether it is certain without any source (self-knowledge), and the question is split into parts that are
searched for and read at once (decomposition): Wang et al., Nature Communications 2025.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import reduce
from operator import add
from typing import NamedTuple

from wellsourced.claims.decomposition import QuestionDecomposition, split_question
from wellsourced.context import Context
from wellsourced.errors import ModelError, QuestionError
from wellsourced.judges.base import Judge, best_claim_scores
from wellsourced.models.base import complete_or_error
from wellsourced.pipeline.evidence import GatheredEvidence
from wellsourced.pipeline.read.evidence_selection import ReadingResult, add_best_quotes
from wellsourced.pipeline.read.llm_relevance import strip_personal_context
from wellsourced.prompts.evidence import AssessCertainty
from wellsourced.prompts.planning import Decompose
from wellsourced.text.passages import text_under_titles
from wellsourced.text.sanitization import short_line
from wellsourced.types import Attempt, Evidence, Omission, Passage, Question

NO_PART_ANSWER = "nothing that was found answers this part"

PartExplorer = Callable[[Question], Awaitable[GatheredEvidence]]
"""Searches for one question and reads what is found."""


class SelfKnowledge(NamedTuple):
    """Whether a model would answer from what it knows, and why; only its explicit yes counts."""

    certain: bool = False
    why: str = ""
    notes: tuple[str, ...] = ()


class FallbackResult(NamedTuple):
    """What came of it.

    self_knowledge   whether the model is certain without sources: then no part was searched for
    parts      the questions that were searched for
    reading    what was found for any of them, best first by its relevance to the question itself
    attempts   of all parts
    """

    self_knowledge: SelfKnowledge = SelfKnowledge()
    parts: tuple[str, ...] = ()
    reading: ReadingResult = ReadingResult()
    attempts: tuple[Attempt, ...] = ()
    notes: tuple[str, ...] = ()


async def try_fallbacks(
    question: Question,
    explore: PartExplorer,
    context: Context,
    *,
    outage: bool = False,
    failed: Sequence[str] = (),
) -> FallbackResult:
    """Ask whether the model is certain and for the parts of the question, at once; then explore the parts, at once.

    Parts are explored unless the model is certain. Nothing is done after an outage, when all sources failed, and the
    model is not asked for its memory where one did (`failed`): a source that failed is not one that knows nothing. A
    part that cannot be explored is told, and costs no other part.
    """
    if outage:
        return FallbackResult(notes=("the question was not asked in other ways, since no source could be reached",))
    alone, split = await asyncio.gather(
        assess_self_knowledge(question, context, failed), decompose_question(question, context)
    )
    if alone.certain or not split.parts:
        return FallbackResult(alone, notes=(*alone.notes, *(() if alone.certain else split.notes)))
    explored = await asyncio.gather(
        *(_explore_part(build_part_question(question, part), explore) for part in split.parts)
    )
    there = [one for one in explored if not isinstance(one, str)]
    limit = 2 * context.policy.passages
    reading = await merge_readings(question, [one.reading for one in there], context.relevance_judge, limit)
    notes = (
        f"“{part}”: {note}"
        for part, one in zip(split.parts, explored, strict=True)
        for note in ([one] if isinstance(one, str) else _list_part_notes(one, bool(reading.evidence)))
    )
    attempts = tuple(attempt for one in there for attempt in one.attempts)
    return FallbackResult(alone, split.parts, reading, attempts, (*alone.notes, *split.notes, *notes))


async def assess_self_knowledge(question: Question, context: Context, failed: Sequence[str] = ()) -> SelfKnowledge:
    """Whether `context.model` would answer without sources; not asked, and so not certain, where it may not do so, and
    where a source could not say what it holds."""
    if not context.has_model or not context.read.self_knowledge or context.write.memory != "certain":
        return SelfKnowledge()
    if failed:
        told = f"{context.model.name} was not asked to answer without sources, since {', '.join(failed)} did not answer"
        return SelfKnowledge(notes=(told,))
    reply = await complete_or_error(context.model, AssessCertainty(question=strip_personal_context(question)))
    if isinstance(reply, ModelError):
        told = f"{context.model.name} did not say whether it is certain without sources, and counts as not certain"
        return SelfKnowledge(notes=(f"{told} ({short_line(str(reply))})",))
    return SelfKnowledge(reply.certain, short_line(reply.why))


async def decompose_question(question: Question, context: Context) -> QuestionDecomposition:
    """The question in parts by `context.judging_model`: at most `context.read.decompose` of one.

    Parts are split in turn, `context.read.levels` deep. Without a language model the question is split only where its
    words leave no doubt.
    """
    if not context.read.decompose:
        return QuestionDecomposition()

    async def request_parts(part: str) -> Sequence[str]:
        return (await context.judging_model.complete(Decompose(question=part, parts=context.read.decompose))).questions

    return await split_question(question.text, request_parts, context.read.decompose, context.read.decompose_levels)


def build_part_question(question: Question, part: str) -> Question:
    """A part as a question: dates and exclusions hold for it, too; options, parts and a patient's words do not."""
    return strip_personal_context(question).model_copy(update={"text": part, "options": {}, "pico": None})


async def merge_readings(
    question: Question, readings: Sequence[ReadingResult], judge: Judge, limit: int
) -> ReadingResult:
    """Several readings as one, each passage once, with its relevance to the question itself; the best are kept.

    What one part left out and another kept was not left out.
    """
    every = reduce(add, readings, ReadingResult())
    relevance = await _score_relevance(question, [item.passage for item in every.evidence], judge)
    ranked = sorted(
        (item.model_copy(update={"relevance": relevance[item.passage.id]}) for item in every.evidence),
        key=lambda item: (-item.relevance, item.passage.id),
    )
    why = "found for a part of the question, and further from all of it than what was kept"
    beyond = [
        Omission.of_passage(item.passage, f"{why} ({item.relevance:.2f})", is_judged=True) for item in ranked[limit:]
    ]
    kept = {item.passage.id for item in ranked}
    dropped = {one.id: one for one in every.dropped if one.id not in kept}
    return every._replace(evidence=tuple(ranked[:limit]), dropped=(*dropped.values(), *beyond))


async def _score_relevance(question: Question, passages: Sequence[Passage], judge: Judge) -> dict[str, float]:
    """Of each passage by its id, as `read` has it: by what it is about, or by the best thing it says."""
    scores = await best_claim_scores(judge, question.wordings, [text_under_titles(passage) for passage in passages])
    found = [Evidence(passage=one, relevance=score) for one, score in zip(passages, scores, strict=True)]
    return {item.passage.id: item.relevance for item in await add_best_quotes(question, found, judge)}


def _list_part_notes(explored: GatheredEvidence, others_answer: bool) -> tuple[str, ...]:
    """What is told of one part; that nothing answers it, too, where an answer to the other parts would not say so."""
    is_silent = others_answer and not explored.reading.evidence
    return (*explored.notes, NO_PART_ANSWER) if is_silent else explored.notes


async def _explore_part(part: Question, explore: PartExplorer) -> GatheredEvidence | str:
    """What came of one part, or why nothing did."""
    try:
        return await explore(part)
    except (ModelError, QuestionError) as error:
        return f"could not be searched for ({short_line(str(error))})"
