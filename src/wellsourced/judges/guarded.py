"""A judge with a guard beside it: what no likeness can see, one fact changed in the right words."""

from collections.abc import Sequence

from wellsourced.judges.base import Judge, Pair
from wellsourced.text.guard import REVERSED, Disagreement, disagreements
from wellsourced.text.quotes import locate
from wellsourced.text.sentences import sentences
from wellsourced.types import Verdict

VERBATIM = Verdict(label="supports", score=1.0, reason="the text's own words")


class GuardedJudge:
    """Another judge's verdicts, but a text that disagrees on a fact cannot support.

    Where the guard finds the opposite (negation, direction, sides that changed places) the verdict is "contradicts",
    where it finds another number, population or drug it is "silent". The reason names both sides; the score stays the
    other judge's, and says how near the text is. Whole sentences of the text are supported by it with score 1, by
    construction. A part of a sentence is not, since "there is no evidence that" may stand before it.
    """

    def __init__(self, judge: Judge) -> None:
        self.judge_behind = judge

    @property
    def name(self) -> str:
        """Names the judge behind too."""
        return f"guarded:{self.judge_behind.name}"

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """One verdict for each pair, in order; the judge behind is asked only about what is not verbatim."""
        verbatim = [is_whole(pair.claim, pair.text) for pair in pairs]
        asked = [pair for pair, own in zip(pairs, verbatim, strict=True) if not own]
        judged = iter(await self.judge_behind.judge(asked) if asked else [])
        return [VERBATIM if own else guarded(pair, next(judged)) for pair, own in zip(pairs, verbatim, strict=True)]


def is_whole(claim: str, text: str) -> bool:
    """Whether the claim is one or more whole sentences of the text, typography apart."""
    found = locate(claim, text)
    if found is None:
        return False
    spans = sentences(text)
    ends = (span.end for span in spans if span.end >= found.end)
    return found.start in {span.start for span in spans} and text[found.end : next(ends, None)] in ("", ".")


def guarded(pair: Pair, verdict: Verdict) -> Verdict:
    """The verdict, unless claim and text disagree on a fact."""
    found = disagreements(pair.claim, pair.text)
    if not found or not pair.text.strip():
        return verdict
    opposite = [one for one in found if one.kind in REVERSED]
    worst = (opposite or found)[0]
    return Verdict(label="contradicts" if opposite else "silent", score=verdict.score, reason=told(worst))


def told(found: Disagreement) -> str:
    """The disagreement in words."""
    there = f"“{found.evidence}”" if found.evidence else "nothing"
    return f"the {found.kind} differs: “{found.claim}” in the claim, {there} in the text"
