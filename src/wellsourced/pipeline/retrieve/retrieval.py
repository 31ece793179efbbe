"""The whole search for one question, up to a ranking of what is worth reading; nothing is read yet."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.context import Context
from wellsourced.pipeline.frame.question_framing import frame_question
from wellsourced.pipeline.plan.search_plan import plan_searches
from wellsourced.pipeline.retrieve.diversification import diversify_candidates
from wellsourced.pipeline.retrieve.fusion import fuse_searches
from wellsourced.pipeline.retrieve.reranking import rerank_candidates
from wellsourced.pipeline.retrieve.search import Candidate, describe_sources, search_tier
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


async def retrieve(question: Question, kit: Context) -> RetrievalResult:
    """Everything that the plan names, searched at once and ranked as one: what an evaluation of retrieval measures.

    The question is framed here. `ask` takes the same steps tier by tier (`retrieve_tiers`), and stops when it has
    enough.
    At most `kit.policy.candidates` candidates; a record whose words another has, too, is named in its `also_in`.
    Raises QuestionError for what is no question.
    """
    async with kit.admission.admit_question(kit.max_concurrent_questions):
        return await _retrieve_admitted(question, kit)


async def _retrieve_admitted(question: Question, kit: Context) -> RetrievalResult:
    framed, told = await frame_question(question, kit)
    cards, silent = await describe_sources(kit)
    route = await plan_searches(framed, cards, kit)
    found = await retrieve_tiers(route.tiers, framed, cards, kit)
    unasked = (f"{gap.source} could not be asked: {gap.reason.rstrip('.')}" for gap in silent)
    return found._replace(notes=(*told, *unasked, *route.notes, *found.notes))


async def retrieve_tiers(
    tiers: Sequence[Tier], question: Question, cards: Sequence[SourceInfo], kit: Context
) -> RetrievalResult:
    """What these tiers hold together: searched, fused, without its repetitions, and ranked."""
    found = [one for part in await asyncio.gather(*(search_tier(tier, cards, kit) for tier in tiers)) for one in part]
    most = max(kit.policy.candidates, kit.policy.rerank if kit.ranker else 0)
    fused = await run_in_worker(fuse_searches, found, kit.policy)
    varied = await run_in_worker(diversify_candidates, fused.candidates, most, kit.policy)
    ranked = await rerank_candidates(question, varied.candidates, kit.ranker, kit.policy)
    return RetrievalResult(
        question,
        ranked.candidates[: kit.policy.candidates],
        tuple(one.attempt for one in found),
        fused.notes + varied.notes + ranked.notes,
    )
