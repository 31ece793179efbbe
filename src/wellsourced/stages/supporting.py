"""Supporting: what the judge of support says of pairs. A judge that fails costs its verdicts, and not the answer."""

from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.errors import ModelError
from wellsourced.judges.base import Judge, Pair
from wellsourced.types import Verdict


class SupportVerdicts(NamedTuple):
    """A verdict for each pair, in order; `failed` says why all of them are unjudged."""

    verdicts: tuple[Verdict, ...] = ()
    failure: str = ""

    @property
    def notes(self) -> tuple[str, ...]:
        """What its reader should know of it."""
        return (f"the judge of support failed, so what was put to it is not judged: {self.failure}",) * bool(
            self.failure
        )


async def judge_support(pairs: Sequence[Pair], judge: Judge) -> SupportVerdicts:
    """What the judge says; it is not asked where there is nothing to judge."""
    if not pairs:
        return SupportVerdicts()
    try:
        return SupportVerdicts(tuple(await judge.judge(pairs)))
    except ModelError as error:
        reason = str(error).rstrip(".")
        unjudged = Verdict(label="unjudged", score=0.0, reason=f"the judge of support failed: {reason}")
        return SupportVerdicts((unjudged,) * len(pairs), reason)
