"""What the sources hold for one question: planned, searched and read, tier by tier, until there is enough; and other
ways to ask where there is not.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import reduce
from itertools import islice
from operator import add
from typing import NamedTuple

from wellsourced.budget import CostTracker
from wellsourced.context import Context
from wellsourced.errors import ModelError, QuestionError
from wellsourced.events import PassagesRead, SearchPlanned, SourceSearched
from wellsourced.models.base import complete_or_error
from wellsourced.pipeline.frame.deidentification import break_copied_ngrams
from wellsourced.pipeline.read.section_reading import ReadingResult, group_siblings, read_candidates
from wellsourced.pipeline.retrieve.retrieval import retrieve_tiers
from wellsourced.pipeline.retrieve.search import (
    TriedSearches,
    collect_embedding_gaps,
    collect_failed_gaps,
    describe_sources,
    open_named_documents,
)
from wellsourced.pipeline.search_plan import plan_tiers
from wellsourced.question.question_parts import QuestionDecomposition, split_question
from wellsourced.question.required_entities import find_required_entities, list_missing_terms
from wellsourced.sources.base import SourceInfo
from wellsourced.text.sanitization import short_line
from wellsourced.types import READ_UNCITED, AnswerHead, Attempt, Evidence, Gap, Omission, Question, Tier, Verdict

# Prompts, and what reads with them, are imported where a language model is asked: loading them takes time.

NOT_JUDGED = Verdict(label="unjudged", score=0.0, reason="all that was found was read, without judging its relevance")


class GatheredEvidence(NamedTuple):
    """What was found and read, every search that was made, and what could not be asked.

    sources        what each source that could be asked says of itself
    written_from   of the evidence, what an answer is written from, best first; none: nothing is sure enough
    has_answer     whether something of it answers the question, as a model or the scores of sections say
    has_named_documents   the question named the documents, and nothing was searched
    is_early    a tier was enough before all of them were searched
    """

    sources: tuple[SourceInfo, ...] = ()
    reading: ReadingResult = ReadingResult()
    written_from: tuple[Evidence, ...] = ()
    has_answer: bool = False
    has_named_documents: bool = False
    attempts: tuple[Attempt, ...] = ()
    unasked_gaps: tuple[Gap, ...] = ()
    notes: tuple[str, ...] = ()
    is_early: bool = False

    @property
    def is_outage(self) -> bool:
        """Whether nothing that was asked could answer: then nobody knows whether there is something."""
        return bool(self.attempts) and all(attempt.status == "failed" for attempt in self.attempts)

    @property
    def failed_sources(self) -> tuple[str, ...]:
        """The sources that could not answer at all: nobody knows what they hold."""
        answered = {attempt.search.source for attempt in self.attempts if attempt.status != "failed"}
        asked = dict.fromkeys(attempt.search.source for attempt in self.attempts)
        return tuple(name for name in asked if name not in answered)

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Everything that could have been searched and was not, or could not be."""
        return (
            *self.unasked_gaps,
            *collect_embedding_gaps(self.sources),
            *collect_failed_gaps(self.attempts),
            *self.reading.gaps,
        )

    def widen(self, other: "FallbackResult") -> "GatheredEvidence":
        """With what asking in other ways brought; what it kept was not left out."""
        reading = self.reading + other.reading
        kept = {item.passage.id for item in reading.evidence}
        left = tuple(one for one in reading.dropped if one.id not in kept)
        return self._replace(
            reading=reading._replace(dropped=left),
            attempts=self.attempts + other.attempts,
            notes=self.notes + other.notes,
        )


async def gather_evidence(
    question: Question, context: Context, tracker: CostTracker, *, is_planned: bool = True
) -> GatheredEvidence:
    """Evidence for the question, from what it names or from what the plan finds. A source that fails is a gap.

    A tier is opened only when the ones before it did not give enough. Where a language model says what is
    relevant, it is asked once, when all tiers are read, or tier by tier.

    is_planned   False: nobody is asked for a plan, and every source for the question itself
    """
    cards, silent = await describe_sources(context.sources)
    explored = GatheredEvidence(cards, unasked_gaps=silent)
    if question.given:
        with tracker.time_step("search"):
            candidates, gaps = await open_named_documents(question.given, context.sources)
        with tracker.time_step("read"):
            reading = await read_candidates(question, candidates, context)
        tracker.emit(PassagesRead(tier="given", evidence=reading.evidence, dropped=reading.dropped))
        explored = explored._replace(reading=reading._replace(gaps=(*reading.gaps, *gaps)), has_named_documents=True)
    else:
        explored = await _read_tiers(question, explored, context, tracker, is_planned=is_planned)
    if context.has_llm_screening and context.read.relevance == "model":
        return await _screen_reading(question, explored, context, tracker)
    read = explored.reading.evidence
    if context.writes_from_all:
        return explored._replace(written_from=read, has_answer=bool(read))
    chosen = select_relevant(read, explored.reading.head)
    if context.read.guideline_slices:
        chosen = group_siblings(chosen)
    judged = [item.judged.label for item in chosen if item.judged]
    return explored._replace(written_from=chosen, has_answer="supports" in judged if judged else bool(chosen))


async def _read_tiers(
    question: Question, explored: GatheredEvidence, context: Context, tracker: CostTracker, *, is_planned: bool
) -> GatheredEvidence:
    async with aclosing(plan_tiers(question, explored.sources, context, is_planned=is_planned)) as planning:
        while True:
            with tracker.time_step("plan"):
                planned = await anext(planning, None)
            if planned is None:
                return explored
            tracker.emit(SearchPlanned(plan=planned.plan))
            explored = explored._replace(
                notes=explored.notes + planned.plan.notes, attempts=explored.attempts + planned.discarded_attempts
            )
            for tier in planned.plan.tiers:
                if tracker.is_time_over():
                    tracker.record_skipped_step(f"the tier “{tier.name}”")
                    continue
                its = await _read_tier(tier, question, explored.sources, context, tracker, planned.tried)
                explored = explored._replace(
                    reading=explored.reading + its.reading,
                    attempts=explored.attempts + its.attempts,
                    notes=explored.notes + tuple(f"{tier.name}: {note}" for note in its.notes),
                )
                if _is_tier_enough(its.reading, context):
                    return explored._replace(is_early=len(context.policy.tiers) > 1)


async def _read_tier(
    tier: Tier,
    question: Question,
    cards: Sequence[SourceInfo],
    context: Context,
    tracker: CostTracker,
    tried: TriedSearches,
) -> GatheredEvidence:
    """What one tier holds, read; judged by a model where each tier is."""
    with tracker.time_step("search"):
        found = await retrieve_tiers([tier], question, cards, context, tried)
    for attempt in found.attempts:
        tracker.emit(SourceSearched(attempt=attempt))
    with tracker.time_step("read"):
        reading = await read_candidates(question, found.candidates, context)
    tracker.emit(PassagesRead(tier=tier.name, evidence=reading.evidence, dropped=reading.dropped))
    its = GatheredEvidence(reading=reading, attempts=found.attempts, notes=found.notes)
    if context.has_llm_screening and context.read.relevance == "tier":
        return await _screen_reading(question, its, context, tracker)
    return its


def _is_tier_enough(reading: ReadingResult, context: Context) -> bool:
    """Whether a tier gave enough: as the model said of each passage, where it was asked tier by tier."""
    judged = [item.judged.label for item in reading.evidence if item.judged]
    if judged:
        return judged.count("supports") >= context.policy.sufficient_works
    return reading.head == "in your sources"


async def _screen_reading(
    question: Question, explored: GatheredEvidence, context: Context, tracker: CostTracker
) -> GatheredEvidence:
    """Of what was read, what the model says is relevant; the best are shown to it, no more than are read."""
    from wellsourced.pipeline.read.screening import screen_evidence

    reading = explored.reading
    most = context.policy.passages
    best, rest = reading.evidence[:most], reading.evidence[most:]
    with tracker.time_step("screen"):
        screened = await screen_evidence(question, best, context)
    left = tuple(Omission.of_passage(item.passage, f"less relevant, not read ({item.relevance:.2f})") for item in rest)
    # Where every call failed the scores alone decide, as without a model.
    judged = any(item.judged for item in screened.evidence) or bool(screened.dropped)
    written_from = screened.written_from if judged else select_relevant(screened.evidence, reading.head)
    return explored._replace(
        reading=reading._replace(evidence=screened.evidence, dropped=(*reading.dropped, *screened.dropped, *left)),
        written_from=written_from,
        has_answer=screened.has_answer if judged else bool(written_from),
        notes=(*explored.notes, *screened.notes),
    )


def select_relevant(evidence: Sequence[Evidence], head: AnswerHead) -> tuple[Evidence, ...]:
    """What an answer is written from: what a model said is relevant; else all, where anything is near the question.

    No answer is better than one to another question.
    """
    judged = tuple(item for item in evidence if item.judged and item.judged.label != "unjudged")
    return judged or (() if head == "nothing" else tuple(evidence))


def omit_unused(reading: ReadingResult, used: Collection[str], context: Context) -> ReadingResult:
    """What was read, as an answer shows it. Of all that a model wrote from unjudged, only what the answer uses
    and what has words near the question is evidence, marked as unjudged; the rest was read, and is listed."""
    if not context.writes_from_all:
        return reading
    shown = [one for one in reading.evidence if one.passage.id in used or one.quotes]
    rest = [one for one in reading.evidence if one not in shown]
    omitted = tuple(Omission.of_passage(one.passage, READ_UNCITED) for one in rest)
    evidence = tuple(one.model_copy(update={"judged": one.judged or NOT_JUDGED}) for one in shown)
    return reading._replace(evidence=evidence, dropped=(*reading.dropped, *omitted))


# What is tried when the sources answered and nothing they hold is relevant to the question, or to a part of it.
#
# A model says whether it is certain without any source (self-knowledge), and the question is split into parts that
# are searched for and read at once (decomposition): Wang et al., Nature Communications 2025. A part that a draft found
# nothing on is searched for once more by its own words, before that is said.


NO_PART_ANSWER = "nothing found answers this part"

PartExplorer = Callable[[Question], Awaitable[GatheredEvidence]]
"""Searches for one question and reads what is found."""


class SelfKnowledge(NamedTuple):
    """Whether a model would answer from what it knows; only its explicit yes counts."""

    certain: bool = False
    notes: tuple[str, ...] = ()


class FallbackResult(NamedTuple):
    """What came of asking in other ways.

    is_certain   whether the model is certain without sources: then no part was searched for
    reading    what was found for any of them, best first by its relevance to its part
    attempts   of all parts
    """

    is_certain: bool = False
    reading: ReadingResult = ReadingResult()
    attempts: tuple[Attempt, ...] = ()
    notes: tuple[str, ...] = ()


async def try_fallbacks(
    question: Question, explore: PartExplorer, context: Context, *, outage: bool = False, failed: Sequence[str] = ()
) -> FallbackResult:
    """Ask whether the model is certain and for the parts of the question, at once; then explore the parts, at once.

    Parts are explored unless the model is certain. Nothing is done after an outage, when all sources failed, and the
    model is not asked for its memory where one did (`failed`): a source that failed is not one that knows nothing. A
    part that cannot be explored is told, and costs no other part.
    """
    if outage:
        return FallbackResult(notes=("the question was not asked in other ways, because no source could be reached",))
    alone, split = await asyncio.gather(
        assess_self_knowledge(question, context, failed), decompose_question(question, context)
    )
    if alone.certain or not split.parts:
        return FallbackResult(alone.certain, notes=(*alone.notes, *(() if alone.certain else split.notes)))
    found = await _explore_parts(question, split.parts, explore, context, 2 * context.policy.passages)
    return found._replace(is_certain=alone.certain, notes=(*alone.notes, *split.notes, *found.notes))


PASSAGES_OF_PART = 3
"""Passages that are read for a part by itself: what answers it stands in the nearest, or nowhere."""


async def search_parts_again(
    question: Question,
    parts: Sequence[str],
    gathered: GatheredEvidence,
    shown: Sequence[Evidence],
    context: Context,
    tracker: CostTracker,
) -> FallbackResult:
    """What the sources hold on parts that a draft found nothing on, each searched for by its own words, without a call.

    A part that names nothing of what is asked about is searched for with that. Where a model was shown the section that
    is nearest to it, or said no to that, nothing more is read: of 14 parts of 8 questions on the guideline digests 11
    were so, and all that answers 2 of the others had been left out.
    """
    named = find_required_entities(question)
    known = {item.passage.id for item in shown} | {one.id for one in gathered.reading.dropped if one.is_judged}
    nearest = read_nearest(context, context.policy.passages)

    def name_subject(part: str) -> str:
        # What is not called by a word of a disease or a group: the drug, the test.
        subject = min(named, key=lambda one: one.kind != "name", default=None)
        is_named = len(list_missing_terms(named, part)) < len(named)
        words = part if is_named or not subject else f"{part} {subject.name}"
        return break_copied_ngrams(words, question.patient, (question.text, question.asked))

    async def gather_part(part: Question) -> GatheredEvidence:
        found = await gather_evidence(part, nearest, tracker, is_planned=False)
        is_new = found.reading.head == "in your sources" and found.written_from[0].passage.id not in known
        left = (item for item in found.written_from if item.passage.id not in known)
        new = tuple(islice(left, PASSAGES_OF_PART if is_new else 0))
        note = f"searched for once more by itself; passages that this added: {len(new) or 'none'}"
        return found._replace(reading=found.reading._replace(evidence=new, dropped=()), notes=(note,))

    asked = [name_subject(part) for part in parts]
    most = len(parts) * PASSAGES_OF_PART
    return await _explore_parts(question, asked, gather_part, context, most, silent="", names=parts)


def read_nearest(context: Context, most: int) -> Context:
    """The context in which the sections that are nearest are read, and no model is asked whether they are relevant."""
    read = context.read.model_copy(update={"relevance": "score"})
    return replace(context, read=read, policy=context.policy.model_copy(update={"passages": most}))


async def _explore_parts(
    question: Question,
    parts: Sequence[str],
    explore: PartExplorer,
    context: Context,
    most: int,
    silent: str = NO_PART_ANSWER,
    names: Sequence[str] = (),
) -> FallbackResult:
    """All parts at once. `silent` is told of a part that nothing answers, beside others that something does.

    names   what the parts are called where they are told of; (): as they are searched for
    """
    asked = [build_part_question(question, part) for part in parts]
    explored = await asyncio.gather(*(_explore_part(one, explore, context) for one in asked))
    there = [one for one in explored if not isinstance(one, str)]
    reading = merge_readings([one.reading for one in there], most)
    silence = (silent,) if silent and reading.evidence else ()
    notes = tuple(
        f"“{part}”: {note}"
        for part, one in zip(names or parts, explored, strict=True)
        for note in ([one] if isinstance(one, str) else (*one.notes, *(() if one.reading.evidence else silence)))
    )
    attempts = tuple(attempt for one in there for attempt in one.attempts)
    return FallbackResult(False, reading, attempts, notes)


async def assess_self_knowledge(question: Question, context: Context, failed: Sequence[str] = ()) -> SelfKnowledge:
    """Whether `context.model` would answer without sources; not asked, and so not certain, where it may not do so, and
    where a source could not say what it holds."""
    if not context.has_model or not context.read.self_knowledge or context.write.memory != "certain":
        return SelfKnowledge()
    if failed:
        told = (
            f"{context.model.name} was not asked to answer without sources, because {', '.join(failed)} did not answer"
        )
        return SelfKnowledge(notes=(told,))
    from wellsourced.pipeline.read.screening import strip_personal_context
    from wellsourced.prompts.evidence import AssessCertainty

    reply = await complete_or_error(context.model, AssessCertainty(question=strip_personal_context(question)))
    if isinstance(reply, ModelError):
        told = f"{context.model.name} did not say whether it is certain without sources, so it counts as not certain"
        return SelfKnowledge(notes=(f"{told} ({short_line(str(reply))})",))
    return SelfKnowledge(reply.certain)


async def decompose_question(question: Question, context: Context) -> QuestionDecomposition:
    """The question in parts by `context.judging_model`: at most `context.read.decompose` of one.

    Parts are split in turn, `context.read.decompose_levels` deep. Without a language model the question is split only
    where its words leave no doubt.
    """
    if not context.read.decompose:
        return QuestionDecomposition()
    from wellsourced.prompts.planning import Decompose

    async def request_parts(part: str) -> Sequence[str]:
        return (await context.judging_model.complete(Decompose(question=part, parts=context.read.decompose))).questions

    return await split_question(question.text, request_parts, context.read.decompose, context.read.decompose_levels)


def build_part_question(question: Question, part: str) -> Question:
    """A part as a question: dates and exclusions hold for it, too; options, parts and a patient's words do not."""
    from wellsourced.pipeline.read.screening import strip_personal_context

    return strip_personal_context(question).model_copy(update={"text": part, "options": {}, "pico": None})


def merge_readings(readings: Sequence[ReadingResult], limit: int) -> ReadingResult:
    """Several readings as one, each passage once; the best are kept.

    What one part left out and another kept was not left out.
    """
    every = reduce(add, readings, ReadingResult())
    why = "found for a part of the question; less relevant than the passages kept"
    beyond = [
        Omission.of_passage(item.passage, f"{why} ({item.relevance:.2f})", is_judged=True)
        for item in every.evidence[limit:]
    ]
    kept = {item.passage.id for item in every.evidence}
    dropped = {one.id: one for one in every.dropped if one.id not in kept}
    return every._replace(evidence=every.evidence[:limit], dropped=(*dropped.values(), *beyond))


async def _explore_part(part: Question, explore: PartExplorer, context: Context) -> GatheredEvidence | str:
    expansions = await context.understanding.find_expansions(part)
    try:
        return await explore(part.model_copy(update={"expansions": expansions}))
    except (ModelError, QuestionError) as error:
        return f"could not be searched for ({short_line(str(error))})"
