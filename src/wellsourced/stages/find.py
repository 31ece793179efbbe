"""Find: the whole search for one question, up to a ranking of what is worth reading; nothing is read yet."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.kit import Kit
from wellsourced.sources.base import Card
from wellsourced.stages.diversify import diversify
from wellsourced.stages.frame import frame
from wellsourced.stages.fuse import fuse
from wellsourced.stages.plan import plan
from wellsourced.stages.rank import rank
from wellsourced.stages.search import Candidate, introduced, search
from wellsourced.types import Attempt, Question, Tier
from wellsourced.worker_pool import run_in_worker


class Findings(NamedTuple):
    """The question as it was understood; candidates, best first; every search that was made.

    notes   what their reader should know of how they were found
    """

    question: Question
    candidates: tuple[Candidate, ...]
    attempts: tuple[Attempt, ...]
    notes: tuple[str, ...] = ()


async def find(question: Question, kit: Kit) -> Findings:
    """Everything that the plan names, searched at once and ranked as one: what an evaluation of retrieval measures.

    The question is framed here. `ask` takes the same steps tier by tier (`find_in`), and stops when it has enough.
    At most `kit.policy.candidates` candidates; a record whose words another has, too, is named in its `also_in`.
    Raises QuestionError for what is no question.
    """
    async with kit.admission.admit_question(kit.at_once):
        return await _find(question, kit)


async def _find(question: Question, kit: Kit) -> Findings:
    framed, told = await frame(question, kit)
    cards, silent = await introduced(kit)
    route = await plan(framed, cards, kit)
    found = await find_in(route.tiers, framed, cards, kit)
    unasked = (f"{gap.source} could not be asked: {gap.reason.rstrip('.')}" for gap in silent)
    return found._replace(notes=(*told, *unasked, *route.notes, *found.notes))


async def find_in(tiers: Sequence[Tier], question: Question, cards: Sequence[Card], kit: Kit) -> Findings:
    """What these tiers hold together: searched, fused, without its repetitions, and ranked."""
    found = [one for part in await asyncio.gather(*(search(tier, cards, kit) for tier in tiers)) for one in part]
    most = max(kit.policy.candidates, kit.policy.rerank if kit.ranker else 0)
    fused = await run_in_worker(fuse, found, kit.policy)
    varied = await run_in_worker(diversify, fused.candidates, most, kit.policy)
    ranked = await rank(question, varied.candidates, kit.ranker, kit.policy)
    return Findings(
        question,
        ranked.candidates[: kit.policy.candidates],
        tuple(one.attempt for one in found),
        fused.notes + varied.notes + ranked.notes,
    )
