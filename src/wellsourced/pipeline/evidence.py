"""What the sources hold for one question: planned, searched and read, tier by tier, until there is enough."""

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import aclosing
from typing import NamedTuple

from wellsourced.budget import Account
from wellsourced.context import Context
from wellsourced.events import PassagesRead, SearchPlanned, SourceSearched
from wellsourced.pipeline.plan.search_plan import PlannedSearches, plan_tiers
from wellsourced.pipeline.plan.sufficiency import is_sufficient
from wellsourced.pipeline.read.consumer_sources import select_for_asker
from wellsourced.pipeline.read.document_passages import open_named_documents
from wellsourced.pipeline.read.evidence_selection import (
    ReadingResult,
    is_relevant,
    omit_distant_passage,
    read_candidates,
)
from wellsourced.pipeline.read.guideline_slices import admit_slices, group_siblings, open_guidelines
from wellsourced.pipeline.read.relevance_thresholds import find_study_certainty, lower_threshold
from wellsourced.pipeline.read.screening import screen_evidence
from wellsourced.pipeline.retrieve.retrieval import retrieve_tiers
from wellsourced.pipeline.retrieve.search import (
    Candidate,
    TriedSearches,
    collect_embedding_gaps,
    collect_failed_gaps,
    describe_sources,
)
from wellsourced.policy import Policy
from wellsourced.sources.base import SourceInfo
from wellsourced.types import Attempt, Evidence, Gap, Omission, Question, Tier, Verdict

NOT_JUDGED = Verdict(label="unjudged", score=0.0, reason="all that was found was read, and nobody judged its relevance")


class GatheredEvidence(NamedTuple):
    """What was found and read, every search that was made, and what could not be asked.

    sources        what each source that could be asked says of itself
    written_from   of the evidence, what an answer is written from, best first; none: nothing is sure enough
    has_answer     whether something of it answers the question, as a model or the judge says
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


async def gather_evidence(question: Question, context: Context, account: Account) -> GatheredEvidence:
    """Evidence for the question, from what it names or from what the plan finds. A source that fails is a gap.

    A tier is opened only when the ones before it did not give enough. Where a language model says what is
    relevant, it is asked once, when all tiers are read, or tier by tier.
    """
    cards, silent = await describe_sources(context.sources)
    explored = GatheredEvidence(cards, unasked_gaps=silent)
    if question.given:
        explored = await _read_named_documents(question, explored, context, account)
    else:
        explored = await _read_tiers(question, explored, context, account)
    if context.has_llm_screening and context.read.relevance == "model":
        return await _screen_reading(question, explored, context, account)
    if context.writes_from_all:
        every = select_for_asker(question, explored.reading.evidence, explains=context.explains_plainly)
        return explored._replace(written_from=every, has_answer=bool(every))
    fit = select_for_asker(question, explored.reading.evidence, explains=context.explains_plainly)
    chosen = select_relevant(question, fit, context.policy)
    if context.read.guideline_slices:
        chosen = group_siblings(chosen)
    judged = [item.judged.label for item in chosen if item.judged]
    return explored._replace(written_from=chosen, has_answer="supports" in judged if judged else bool(chosen))


async def _read_named_documents(
    question: Question, explored: GatheredEvidence, context: Context, account: Account
) -> GatheredEvidence:
    with account.time_step("search"):
        named = await open_named_documents(question.given, context.sources)
    with account.time_step("read"):
        reading = await read_candidates(question, named.candidates, context)
    account.emit(PassagesRead(tier="given", evidence=reading.evidence, dropped=reading.dropped))
    return explored._replace(reading=reading._replace(gaps=(*reading.gaps, *named.gaps)), has_named_documents=True)


async def _read_tiers(
    question: Question, explored: GatheredEvidence, context: Context, account: Account
) -> GatheredEvidence:
    async with aclosing(plan_tiers(question, explored.sources, context)) as planning:
        while (planned := await _plan_next(planning, account)) is not None:
            account.emit(SearchPlanned(plan=planned.plan))
            explored = explored._replace(
                notes=explored.notes + planned.plan.notes, attempts=explored.attempts + planned.discarded_attempts
            )
            for tier in planned.plan.tiers:
                if account.is_time_over():
                    account.record_skipped_step(f"the tier “{tier.name}”")
                    continue
                its = await _read_tier(tier, question, explored.sources, context, account, planned.tried)
                explored = _add_tier(explored, its, tier.name)
                if await _is_tier_enough(question, its.reading.evidence, context):
                    return explored._replace(is_early=len(context.policy.tiers) > 1)
    return explored


async def _plan_next(planning: AsyncIterator[PlannedSearches], account: Account) -> PlannedSearches | None:
    with account.time_step("plan"):
        return await anext(planning, None)


def _add_tier(explored: GatheredEvidence, its: GatheredEvidence, name: str) -> GatheredEvidence:
    return explored._replace(
        reading=explored.reading + its.reading,
        attempts=explored.attempts + its.attempts,
        notes=explored.notes + tuple(f"{name}: {note}" for note in its.notes),
    )


async def _read_tier(
    tier: Tier,
    question: Question,
    cards: Sequence[SourceInfo],
    context: Context,
    account: Account,
    tried: TriedSearches,
) -> GatheredEvidence:
    """What one tier holds, read; judged by a model where each tier is."""
    with account.time_step("search"):
        found = await retrieve_tiers([tier], question, cards, context, tried)
    for attempt in found.attempts:
        account.emit(SourceSearched(attempt=attempt))
    with account.time_step("read"):
        candidates: Sequence[Candidate] = found.candidates
        if context.read.guideline_slices:
            candidates = await open_guidelines(candidates, context)
            context = admit_slices(candidates, context)
        reading = await read_candidates(question, candidates, context)
    account.emit(PassagesRead(tier=tier.name, evidence=reading.evidence, dropped=reading.dropped))
    its = GatheredEvidence(reading=reading, attempts=found.attempts, notes=found.notes)
    if context.has_llm_screening and context.read.relevance == "tier":
        return await _screen_reading(question, its, context, account)
    return its


async def _is_tier_enough(question: Question, evidence: Sequence[Evidence], context: Context) -> bool:
    """Whether a tier gave enough: as the model said of each passage, where it was asked tier by tier."""
    if any(item.judged for item in evidence):
        accepted = [item for item in evidence if item.judged and item.judged.label == "supports"]
        return len(accepted) >= context.policy.sufficient_works
    return await is_sufficient(question, evidence, context.understanding, context.policy)


async def _screen_reading(
    question: Question, explored: GatheredEvidence, context: Context, account: Account
) -> GatheredEvidence:
    """Of what was read, what the model says is relevant; the best are shown to it, no more than are read."""
    reading = explored.reading
    fit = select_for_asker(question, reading.evidence, explains=context.explains_plainly)
    withheld = tuple(item for item in reading.evidence if item not in fit)
    best, rest = fit[: context.policy.passages], fit[context.policy.passages :]
    with account.time_step("screen"):
        screened = await screen_evidence(question, best, context)
    left = tuple(omit_distant_passage(item.passage, item.relevance) for item in rest)
    # Where every call failed the judge alone decides, as without a model.
    judged = any(item.judged for item in screened.evidence) or bool(screened.dropped)
    written_from = screened.written_from if judged else select_relevant(question, screened.evidence, context.policy)
    return explored._replace(
        reading=reading._replace(
            evidence=screened.evidence + withheld, dropped=(*reading.dropped, *screened.dropped, *left)
        ),
        written_from=written_from,
        has_answer=screened.has_answer if judged else bool(written_from),
        notes=(*explored.notes, *screened.notes),
    )


def select_relevant(question: Question, evidence: Sequence[Evidence], policy: Policy) -> tuple[Evidence, ...]:
    """What an answer is written from: what a model said is relevant; else all, if something is certain.

    No answer is better than one to another question. A title alone, or a table, can be near
    it and has nothing that can be said.
    """
    judged = tuple(item for item in evidence if item.judged and item.judged.label != "unjudged")
    if judged:
        return judged
    sure = any(item.quotes and _is_certain(question, item, policy) for item in evidence)
    return tuple(item for item in evidence if is_relevant(question, item, policy)) if sure else ()


def _is_certain(question: Question, item: Evidence, policy: Policy) -> bool:
    """Whether a passage answers so surely that something may be said."""
    of_kind = find_study_certainty if item.passage.reference.kind == "research" else lower_threshold
    return item.relevance >= of_kind(policy.min_certainty, question, item.passage)


def select_for_extraction(question: Question, evidence: Sequence[Evidence], context: Context) -> tuple[Evidence, ...]:
    """What the sources' own sentences are taken from where the language model of the context gave no answer.

    Of all that a model was to write from unjudged, what the judge of relevance finds relevant; a patient is told no
    sentence that was written for clinicians.
    """
    fit = select_for_asker(question, evidence)
    return select_relevant(question, fit, context.policy) if context.writes_from_all else fit


def omit_unused(question: Question, reading: ReadingResult, used: Collection[str], context: Context) -> ReadingResult:
    """What was read, as an answer shows it. Of all that a model wrote from unjudged, only what the answer uses
    and what the local judge finds near is evidence, marked as unjudged; the rest was read, and is listed."""
    if not context.writes_from_all:
        return reading
    shown = [one for one in reading.evidence if one.passage.id in used or is_relevant(question, one, context.policy)]
    rest = [one for one in reading.evidence if one not in shown]
    omitted = tuple(Omission.of_passage(one.passage, "read, and nothing that is said rests on it") for one in rest)
    evidence = tuple(one.model_copy(update={"judged": one.judged or NOT_JUDGED}) for one in shown)
    return reading._replace(evidence=evidence, dropped=(*reading.dropped, *omitted))
