"""What a judge makes of a pair before it decides: how likely the text supports, and how likely it contradicts."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from wellsourced.judges.base import Judge, Pair
from wellsourced.types import Verdict


class ScoredVerdict(NamedTuple):
    """A verdict, whose score is the probability of support, and beside it that of the opposite.

    against   probability in [0, 1] that the text contradicts the claim; None: this judge cannot tell
    """

    verdict: Verdict
    against: float | None = None


@runtime_checkable
class ScoringJudge(Protocol):
    """A judge that tells both probabilities."""

    async def score(self, pairs: Sequence[Pair]) -> list[ScoredVerdict]: ...


async def score_pairs(judge: Judge, pairs: Sequence[Pair]) -> list[ScoredVerdict]:
    """Of each pair, in order; with `against` only where the judge tells it."""
    if isinstance(judge, ScoringJudge):
        return await judge.score(pairs)
    return [ScoredVerdict(verdict) for verdict in await judge.judge(pairs)]
