"""Several judges as one: the mean of what they are sure of, and what a guard refused stays refused."""

import asyncio
import math
from collections import defaultdict
from collections.abc import Sequence

from wellsourced.errors import SettingsError
from wellsourced.judges.base import Judge, Pair
from wellsourced.judges.guard import GuardedJudge
from wellsourced.judges.long_texts import NO_TEXT
from wellsourced.judges.user_calibration import logit
from wellsourced.types import Verdict, VerdictLabel

SUPPORT_THRESHOLD = 0.5


class EnsembleJudge:
    """The mean of the judges' logits, which are comparable as far as each of them is calibrated.

    Supports from an even chance on. Below it, it contradicts when more weight says so than says support. What a
    guarded judge says is contradicted is contradicted, whatever the others say. Judges that gave no verdict on a pair
    are left out of its mean; when all of them are, the pair is unjudged.

    judges    two or more, asked at once
    weights   of each, above 0; none: all count alike

    Raises SettingsError for fewer than two judges, and for weights that do not fit them.
    """

    def __init__(self, judges: Sequence[Judge], weights: Sequence[float] = ()) -> None:
        if len(judges) < 2:
            raise SettingsError(
                "An ensemble needs two judges or more: name them with + between, as similarity+overlap."
            )
        self.judges, self.weights = tuple(judges), tuple(weights) or (1.0,) * len(judges)
        if len(self.weights) != len(judges) or not all(0 < weight < math.inf for weight in self.weights):
            raise SettingsError(f"An ensemble of {len(judges)} judges needs as many weights, all of them above 0.")

    @property
    def name(self) -> str:
        """Names every judge, and its weight where they differ."""
        even, weighted = len(set(self.weights)) == 1, zip(self.judges, self.weights, strict=True)
        told = (one.name if even else f"{weight:g}*{one.name}" for one, weight in weighted)
        return f"({' + '.join(told)})"

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """One verdict for each pair, in order. Raises ModelError when one of the judges does."""
        said = await asyncio.gather(*(judge.judge(pairs) for judge in self.judges))
        return [
            self._combine_verdicts([verdicts[place] for verdicts in said]) if pair.text.strip() else NO_TEXT
            for place, pair in enumerate(pairs)
        ]

    def _combine_verdicts(self, said: Sequence[Verdict]) -> Verdict:
        heard = [
            (judge, weight, verdict)
            for judge, weight, verdict in zip(self.judges, self.weights, said, strict=True)
            if verdict.label != "unjudged"
        ]
        reason = "; ".join(_describe_verdict(judge, verdict) for judge, verdict in zip(self.judges, said, strict=True))
        if not heard:
            return Verdict(label="unjudged", score=0.0, reason=reason)
        total = math.fsum(weight for _, weight, _ in heard)
        mean = math.fsum(weight * logit(verdict.score) for _, weight, verdict in heard) / total
        score = 1 / (1 + math.exp(-mean))
        votes: dict[VerdictLabel, float] = defaultdict(float)
        for _, weight, verdict in heard:
            votes[verdict.label] += weight
        refused = any(isinstance(judge, GuardedJudge) and verdict.label == "contradicts" for judge, _, verdict in heard)
        label = _choose_label(score, votes, refused=refused)
        quote = next((verdict.quote for _, _, verdict in heard if verdict.label == label and verdict.quote), "")
        return Verdict(label=label, score=score, reason=reason, quote=quote)


def _choose_label(score: float, votes: dict[VerdictLabel, float], *, refused: bool) -> VerdictLabel:
    if refused:
        return "contradicts"
    if score >= SUPPORT_THRESHOLD:
        return "supports"
    return "contradicts" if votes["contradicts"] > votes["supports"] else "silent"


def _describe_verdict(judge: Judge, verdict: Verdict) -> str:
    """Who said what: the kind of judge, its verdict and its score."""
    kind = judge.name.partition("/")[0].partition("@")[0]
    return f"{kind}: {verdict.label} {verdict.score:.2f}"
