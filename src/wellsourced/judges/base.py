"""The seam to everything that can say whether a text supports a claim."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from wellsourced.types import Verdict

VERBATIM_VERDICT = Verdict(label="supports", score=1.0, reason="the text's own words", basis="verbatim")
"""Of what is whole sentences of the text, whoever judges."""


PARTIAL = "said only in part"
UNLOCATED_SUPPORT = "the model says that it is supported, but the words that it copied stand nowhere in the source"
UNLOCATED_CONTRADICTION = (
    "the model says that it is contradicted, but the words that it copied stand nowhere in the source"
)
"""How the reason begins where a language model's verdict comes to less than it says."""


class Pair(NamedTuple):
    """A claim (or a question) and the text that may support (or answer) it."""

    claim: str
    text: str


@runtime_checkable
class Judge(Protocol):
    """Does this text support this claim? One verdict per pair, in order; an empty text is silent.

    Scores are probabilities in [0, 1], comparable within one judge, never between two. `name` says who judged and
    with what calibration: verdicts are cached under it. Raises ModelError.
    """

    @property
    def name(self) -> str: ...

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]: ...


@runtime_checkable
class TellableJudge(Judge, Protocol):
    """A judge that can be told what the claims answer: what the question says of a patient needs no text."""

    def tell_question(self, question: str) -> Judge:
        """The same judge, who knows it."""
        ...


async def best_claim_scores(judge: Judge, claims: Sequence[str], texts: Sequence[str]) -> list[float]:
    """For each text the score of the claim that it supports best; the claims are one thing in several wordings."""
    verdicts = await judge.judge([Pair(claim, text) for text in texts for claim in claims])
    scores = [verdict.score for verdict in verdicts]
    return [max(scores[start : start + len(claims)]) for start in range(0, len(scores), len(claims))]


class ScoredVerdict(NamedTuple):
    """A verdict, whose score is the probability of support, and beside it that of the opposite.

    against   probability in [0, 1] that the text contradicts the claim; None: this judge cannot tell
    """

    verdict: Verdict
    against: float | None = None


@runtime_checkable
class ScoringJudge(Judge, Protocol):
    """A judge that tells both probabilities: one verdict per pair, in order, with that of contradiction."""

    async def score(self, pairs: Sequence[Pair]) -> list[ScoredVerdict]: ...

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        return [one.verdict for one in await self.score(pairs)]


async def score_pairs(judge: Judge, pairs: Sequence[Pair]) -> list[ScoredVerdict]:
    """Of each pair, in order; with `against` only where the judge tells it."""
    if isinstance(judge, ScoringJudge):
        return await judge.score(pairs)
    return [ScoredVerdict(verdict) for verdict in await judge.judge(pairs)]
