"""A judge that is believed as far as it has earned it."""

from collections.abc import Sequence

from wellsourced.judges.base import Judge, Pair, ScoredVerdict, ScoringJudge, score_pairs
from wellsourced.judges.evidence import JudgeEvidence
from wellsourced.text.sentences import split_sentences
from wellsourced.text.tokens import stem_coverage
from wellsourced.types import Verdict

MIN_COVERAGE = 0.3
"""Share of the claim's words that a sentence must have to be shown as what the verdict rests on."""

FRAGMENT_SEPARATOR = " … "


class QuotingJudge(ScoringJudge):
    """Another judge's verdicts; each that supports or contradicts names its words, as far as any can be named."""

    def __init__(self, judge: Judge) -> None:
        self.judge_behind = judge

    @property
    def name(self) -> str:
        return self.judge_behind.name

    async def score(self, pairs: Sequence[Pair]) -> list[ScoredVerdict]:
        heard = await score_pairs(self.judge_behind, pairs)
        return [
            one._replace(verdict=one.verdict.model_copy(update={"quote": find_deciding_words(pair, one.verdict)}))
            for pair, one in zip(pairs, heard, strict=True)
        ]


class EarnedJudge(ScoringJudge):
    """Another judge's verdicts, with basis “judge” where it has earned to be believed; all others stay as they are.

    Believed is “supports”, or “contradicts”, from the threshold on that was measured for it, if the words can be named
    that it rests on. That a text says nothing of a claim is not believed.
    """

    def __init__(self, judge: Judge, evidence: JudgeEvidence) -> None:
        self.judge_behind, self.evidence = judge, evidence

    @property
    def name(self) -> str:
        return f"{self.judge_behind.name}+earned@{self.evidence.thresholds_key}"

    async def score(self, pairs: Sequence[Pair]) -> list[ScoredVerdict]:
        heard = await score_pairs(self.judge_behind, pairs)
        return [self._believe(pair, one) for pair, one in zip(pairs, heard, strict=True)]

    def _believe(self, pair: Pair, heard: ScoredVerdict) -> ScoredVerdict:
        call = next((one for one in self.evidence.calls if one.label == heard.verdict.label), None)
        step = call and call.earned_step
        if not call or not step or heard.verdict.basis != "likeness":
            return heard
        score, quote = call_score(heard), find_deciding_words(pair, heard.verdict)
        if score is None or score < step.threshold or not quote:
            return heard
        trust = f"score {score:.2f}; from {step.threshold:g} on, {step.right:,} of {step.calls:,} calls were right"
        told = {"quote": quote, "basis": "judge", "reason": "; ".join(filter(None, (heard.verdict.reason, trust)))}
        return heard._replace(verdict=heard.verdict.model_copy(update=told))


def call_score(heard: ScoredVerdict) -> float | None:
    """How sure the judge is of what it says; None: it does not tell."""
    return {"supports": heard.verdict.score, "contradicts": heard.against}.get(heard.verdict.label)


def find_deciding_words(pair: Pair, verdict: Verdict) -> str:
    """The words that a verdict rests on: those that the judge names, if they stand in the text, else the sentence that
    is nearest to the claim; "" where no sentence is near, and where the text neither supports nor contradicts.
    """
    if verdict.label not in ("supports", "contradicts"):
        return ""
    fragments = verdict.quote.split(FRAGMENT_SEPARATOR)
    if all(fragment and fragment in pair.text for fragment in fragments):
        return verdict.quote
    sentences = [pair.text[start:end] for start, end in split_sentences(pair.text)] or [pair.text]
    nearest = max(sentences, key=lambda sentence: (stem_coverage(pair.claim, sentence), -len(sentence)))
    return nearest if stem_coverage(pair.claim, nearest) >= MIN_COVERAGE else ""
