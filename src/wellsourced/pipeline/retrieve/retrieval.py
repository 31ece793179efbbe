"""The whole search for one question, up to a ranking of what is worth reading; nothing is read yet."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.context import Context
from wellsourced.pipeline.frame.question_framing import frame_question
from wellsourced.pipeline.plan.search_plan import plan_searches
from wellsourced.pipeline.retrieve.diversification import diversify_candidates
from wellsourced.pipeline.retrieve.fusion import fuse_searches
from wellsourced.pipeline.retrieve.reranking import rerank_candidates, rerank_search
from wellsourced.pipeline.retrieve.search import (
    NO_SEARCHES,
    AttemptResult,
    Candidate,
    TriedSearches,
    describe_sources,
    search_tier,
)
from wellsourced.sources.base import SourceInfo
from wellsourced.types import Attempt, Question, Tier
from wellsourced.worker_pool import run_in_worker


class RetrievalResult(NamedTuple):
    """The question as it was understood; candidates, best first; every search that was made.

    notes   what their reader should know of how they were found
    """

    question: Question
    candidates: tuple[Candidate, ...]
    attempts: tuple[Attempt, ...]
    notes: tuple[str, ...] = ()


async def retrieve(question: Question, context: Context) -> RetrievalResult:
    """Everything that the plan names, searched at once and ranked as one: what an evaluation of retrieval measures.

    The question is framed here. `ask` takes the same steps tier by tier (`retrieve_tiers`), and stops when it has
    enough.
    At most `context.policy.candidates` candidates; a record whose words another has, too, is named in its `also_in`.
    Raises QuestionError for what is no question.
    """
    async with context.admission.admit_question(context.max_concurrent_questions):
        framed, told = await frame_question(question, context)
        cards, silent = await describe_sources(context.sources)
        route = await plan_searches(framed, cards, context)
        found = await retrieve_tiers(route.tiers, framed, cards, context)
    unasked = (f"{gap.source} could not be asked: {gap.reason.rstrip('.')}" for gap in silent)
    return found._replace(notes=(*told, *unasked, *route.notes, *found.notes))


async def retrieve_tiers(
    tiers: Sequence[Tier],
    question: Question,
    cards: Sequence[SourceInfo],
    context: Context,
    tried: TriedSearches = NO_SEARCHES,
) -> RetrievalResult:
    """What these tiers hold together: searched, fused, without its repetitions, and ranked.

    tried   searches that were made already
    """
    parts = await asyncio.gather(*(search_tier(tier, cards, context, tried) for tier in tiers))
    found = [one for part in parts for one in part]
    if context.policy.per_query:
        return await _rank_by_query(question, found, context)
    most = max(context.policy.candidates, context.policy.rerank if context.reranker else 0)
    fused = await run_in_worker(fuse_searches, found, context.policy)
    varied = await run_in_worker(diversify_candidates, fused.candidates, most, context.policy)
    ranked = await rerank_candidates(question, varied.candidates, context.reranker, context.policy)
    return RetrievalResult(
        question,
        ranked.candidates[: context.policy.candidates],
        tuple(one.attempt for one in found),
        fused.notes + varied.notes + ranked.notes,
    )


async def _rank_by_query(question: Question, found: Sequence[AttemptResult], context: Context) -> RetrievalResult:
    """The best of each search, ranked by its own query; all of them fused, each passage once."""
    best = await asyncio.gather(*(rerank_search(one, question, context.reranker, context.policy) for one in found))
    fused = await run_in_worker(fuse_searches, [one.result for one in best], context.policy)
    varied = await run_in_worker(diversify_candidates, fused.candidates, max(1, len(fused.candidates)), context.policy)
    notes = tuple(dict.fromkeys(note for one in best for note in one.notes))
    return RetrievalResult(
        question, varied.candidates, tuple(one.attempt for one in found), (*notes, *fused.notes, *varied.notes)
    )
