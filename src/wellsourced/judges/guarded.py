"""A judge with a guard beside it: what no likeness can see, one fact changed in the right words."""

from collections.abc import Sequence

from wellsourced.judges.base import Judge, Pair
from wellsourced.judges.odds import Odds, odds_of
from wellsourced.text.guard import REVERSED, Disagreement, disagreements
from wellsourced.text.guard.doubts import asserted
from wellsourced.text.quotes import locate
from wellsourced.text.sentences import sentences
from wellsourced.text.tokens import coverage
from wellsourced.types import Label, Verdict

SAID = 0.6
"""Share of the claim's words in a sentence that is about it."""

VERBATIM = Verdict(label="supports", score=1.0, reason="the text's own words")
OWN_WORDS = Odds(VERBATIM, 0.0)


class GuardedJudge:
    """Another judge's verdicts, but a text that disagrees on a fact, or only asks for it, cannot support.

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
        return [odds.verdict for odds in await self.weigh(pairs)]

    async def weigh(self, pairs: Sequence[Pair]) -> list[Odds]:
        """The same with the probability that the text contradicts, as far as the judge behind tells it.

        Where the guard finds the opposite, what the judge behind took for support counts as contradiction.
        """
        verbatim = [is_whole(pair.claim, pair.text) for pair in pairs]
        asked = [pair for pair, own in zip(pairs, verbatim, strict=True) if not own]
        judged = iter(await odds_of(self.judge_behind, asked) if asked else [])
        return [OWN_WORDS if own else _odds(pair, next(judged)) for pair, own in zip(pairs, verbatim, strict=True)]


def is_whole(claim: str, text: str) -> bool:
    """Whether the claim is one or more whole sentences of the text, typography apart."""
    found = locate(claim, text)
    if found is None:
        return False
    spans = sentences(text)
    ends = (span.end for span in spans if span.end >= found.end)
    return found.start in {span.start for span in spans} and text[found.end : next(ends, None)] in ("", ".")


def _odds(pair: Pair, heard: Odds) -> Odds:
    verdict = guarded(pair, heard.verdict)
    if heard.against is None or verdict is heard.verdict or verdict.label != "contradicts":
        return Odds(verdict, heard.against)
    return Odds(verdict, min(1.0, heard.verdict.score + heard.against))


def guarded(pair: Pair, verdict: Verdict) -> Verdict:
    """The verdict, unless claim and text disagree on a fact."""
    found = disagreements(pair.claim, pair.text)
    if not found or not pair.text.strip():
        return asserted(pair.claim, pair.text, verdict)
    opposite = [one for one in found if one.kind in REVERSED]
    if verdict.label != "supports" and not (opposite and _is_said_of(pair)):
        # What the text does not have takes no contradiction back, and makes none of what is about something else.
        return verdict
    worst = (opposite or found)[0]
    label: Label = "contradicts" if opposite else "silent"
    return verdict.model_copy(update={"label": label, "reason": told(worst)})


def _is_said_of(pair: Pair) -> bool:
    """Whether a sentence of the text is about the claim: then the opposite in it is one."""
    return any(coverage(pair.claim, pair.text[span.start : span.end]) >= SAID for span in sentences(pair.text))


def told(found: Disagreement) -> str:
    """The disagreement in words."""
    there = f"“{found.evidence}”" if found.evidence else "nothing"
    return f"the {found.kind} differs: “{found.claim}” in the claim, {there} in the text"
