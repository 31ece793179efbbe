"""A judge with the guard around it: a claim that differs from its text in a fact is never supported."""

from collections.abc import Sequence

from wellsourced.citations.quote_alignment import is_verbatim
from wellsourced.claims.guard import REVERSAL_KINDS, find_disagreements
from wellsourced.claims.guard.hedging import withhold_hedged_support
from wellsourced.judges.base import VERBATIM_VERDICT, Judge, Pair, ScoredVerdict, ScoringJudge, score_pairs
from wellsourced.text.sentences import split_sentences
from wellsourced.text.tokens import stem_coverage
from wellsourced.types import Verdict, VerdictLabel

MIN_COVERAGE = 0.6
"""Share of the claim's words in a sentence that is about it."""

VERBATIM_SCORE = ScoredVerdict(VERBATIM_VERDICT, 0.0)


class GuardedJudge(ScoringJudge):
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
        return f"guarded:{self.judge_behind.name}"

    async def score(self, pairs: Sequence[Pair]) -> list[ScoredVerdict]:
        """The judge behind is asked only about what is not verbatim.

        Where the guard finds the opposite, what it took for support counts as contradiction.
        """
        verbatim = [is_verbatim(pair.claim, pair.text) for pair in pairs]
        asked = [pair for pair, own in zip(pairs, verbatim, strict=True) if not own]
        judged = iter(await score_pairs(self.judge_behind, asked) if asked else [])
        return [
            VERBATIM_SCORE if own else _guard_score(pair, next(judged))
            for pair, own in zip(pairs, verbatim, strict=True)
        ]


def _guard_score(pair: Pair, heard: ScoredVerdict) -> ScoredVerdict:
    verdict = guard_verdict(pair, heard.verdict)
    if heard.against is None or verdict is heard.verdict or verdict.label != "contradicts":
        return ScoredVerdict(verdict, heard.against)
    return ScoredVerdict(verdict, min(1.0, heard.verdict.score + heard.against))


def guard_verdict(pair: Pair, verdict: Verdict) -> Verdict:
    """The verdict, unless claim and text disagree on a fact; whoever can be believed is not overruled by it."""
    if verdict.basis != "likeness":
        return verdict
    found = find_disagreements(pair.claim, pair.text)
    if not found or not pair.text.strip():
        return withhold_hedged_support(pair.claim, pair.text, verdict)
    opposite = [one for one in found if one.kind in REVERSAL_KINDS]
    if verdict.label != "supports" and not (opposite and _is_about_claim(pair)):
        # What the text does not have takes no contradiction back, and makes none of what is about something else.
        return verdict
    worst = (opposite or found)[0]
    label: VerdictLabel = "contradicts" if opposite else "silent"
    return verdict.model_copy(update={"label": label, "reason": worst.describe("claim", "text")})


def _is_about_claim(pair: Pair) -> bool:
    """Whether a sentence of the text is about the claim: then the opposite in it is one."""
    return any(
        stem_coverage(pair.claim, pair.text[span.start : span.end]) >= MIN_COVERAGE
        for span in split_sentences(pair.text)
    )
