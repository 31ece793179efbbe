"""A judge that is right about a language of three drugs, two directions and three outcomes: a plugin's, in small."""

from collections.abc import Sequence

from wellsourced.config.registry import JudgeEntry
from wellsourced.judges.base import Pair, ScoredVerdict, ScoringJudge
from wellsourced.types import Verdict

DRUGS, VERBS, OUTCOMES = ("colchicine", "allopurinol", "metformin"), ("raised", "lowered"), ("pain", "urate", "glucose")
FILLER = "the clinic moved to another building in march ."
NAME = "words"
SURE, UNSURE = 0.99, 0.01


def sentence(drug: str, verb: str, outcome: str) -> str:
    return f"{drug} {verb} {outcome} ."


class WordJudge(ScoringJudge):
    """Supports what a text says, contradicts what it says the other way round, and tells both probabilities."""

    name = NAME

    async def score(self, pairs: Sequence[Pair]) -> list[ScoredVerdict]:
        return [self._score_pair({*pair.claim.split()}, {*pair.text.split()}) for pair in pairs]

    def _score_pair(self, claim: set[str], text: set[str]) -> ScoredVerdict:
        if not claim & {*DRUGS, *OUTCOMES} <= text:
            return ScoredVerdict(Verdict(label="silent", score=UNSURE), UNSURE)
        if claim & {*VERBS} <= text:
            return ScoredVerdict(Verdict(label="supports", score=SURE), UNSURE)
        return ScoredVerdict(Verdict(label="contradicts", score=UNSURE), SURE)


WORDS = JudgeEntry(NAME, "a judge of a small language", lambda _: WordJudge())
