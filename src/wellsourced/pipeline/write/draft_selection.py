"""Of several drafts written at once, choose the one that its sources support best."""

from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.judges.base import Judge, Pair
from wellsourced.pipeline.support import judge_support, quoted_text
from wellsourced.pipeline.write.citing import CitedDraft
from wellsourced.prompts.writing import Draft


class BestDraft(NamedTuple):
    """The draft that was taken, its statements, and how it stood beside the others."""

    draft: Draft
    cited: CitedDraft
    notes: tuple[str, ...] = ()


async def select_draft(drafts: Sequence[tuple[Draft, CitedDraft]], support: Judge) -> BestDraft:
    """By the share of its statements that quote real words which support them; then the longer one; then the first.

    No vote is taken: what most drafts say is not more likely to be true when they err alike.
    """
    if len(drafts) == 1:
        return BestDraft(*drafts[0])
    supported, notes = await _count_supported([made for _, made in drafts], support)
    shares = [
        count / max(1, len(made.statements) + len(made.dropped))
        for count, (_, made) in zip(supported, drafts, strict=True)
    ]
    place = max(range(len(drafts)), key=lambda at: (shares[at], supported[at], -at))
    told = ", ".join(f"{share:.2f}" for share in shares)
    note = f"of {len(drafts)} drafts, number {place + 1} was taken; the shares of supported statements are {told}"
    return BestDraft(*drafts[place], (note, *notes))


async def _count_supported(drafts: Sequence[CitedDraft], support: Judge) -> tuple[list[int], tuple[str, ...]]:
    """For each draft, how many statements its quotes support by the word of the judge; all are judged in one wave.

    And what is told of a judge that failed: then the first draft is taken.
    """
    pairs = [Pair(statement.text, quoted_text(statement)) for made in drafts for statement in made.statements]
    heard = await judge_support(pairs, support)
    verdicts = iter(heard.verdicts)
    return [sum(next(verdicts).label == "supports" for _ in made.statements) for made in drafts], heard.notes
