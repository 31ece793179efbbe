"""How good a judge of support is, put to pairs whose labels are known.

What a judge gives no verdict on (`unjudged`) is counted and left out of every other figure: it is never made a class.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from wellsourced.confidence import ConfidenceInterval
from wellsourced.judges.base import Judge, Pair, score_pairs
from wellsourced.types import Verdict, VerdictLabel
from wellsourced_evaluate.labelled_pairs import LabelledPair
from wellsourced_evaluate.verdict_metrics import (
    CLASSES,
    ReliabilityBin,
    auroc,
    bootstrap_interval,
    ece,
    macro_f1,
    reliability_bins,
    resample_clusters,
    share_true,
)

MAX_PAIRS_A_CALL = 32
"""Pairs that a judge is given at once; pairs of one text stay together."""

MAX_RANKED = 3
"""Sentences among which the marked ones are looked for."""

VerificationProgress = Callable[[int, int], None]
"""Who hears how many pairs are judged, of how many."""


class JudgedPair(NamedTuple):
    """A pair that was put to a judge; `against` as far as the judge tells it.

    ranked   sentences of the text, those that bear most on the claim first, where somebody marked which do
    """

    pair: LabelledPair
    verdict: Verdict
    against: float | None = None
    ranked: tuple[str, ...] = ()


class MajorityFloor(NamedTuple):
    """The commonest label of the known ones, and what it comes to where it is said of every pair; None of no pair."""

    label: VerdictLabel | None
    accuracy: float
    macro_f1: float


class VerificationFigures(NamedTuple):
    """What came of it; intervals are of the bootstrap over documents and groups.

    support         AUROC, supported against the rest, by the score
    contradiction   AUROC, contradicted against the rest, by the judge's own probability, or by its label alone
    ece, brier      of the score as a probability of support: expected calibration error, mean squared error
    matrix          (known, said) → pairs, the unjudged among them
    rationale       of pairs with marked sentences, the share for which the judge names one of them first; None: it
                    names none
    rationale_recall   of the marked sentences of a pair the share among the first MAX_RANKED; None: it ranks none
    floor           what somebody comes to who says the commonest label of the judged pairs, whatever he is asked
    """

    n: int
    unjudged: int
    clusters: int
    accuracy: ConfidenceInterval
    macro_f1: ConfidenceInterval
    support: ConfidenceInterval
    contradiction: ConfidenceInterval
    ece: float
    brier: float
    bins: tuple[ReliabilityBin, ...]
    matrix: Mapping[tuple[VerdictLabel, VerdictLabel], int]
    rationale: ConfidenceInterval | None
    rationale_recall: ConfidenceInterval | None
    floor: MajorityFloor
    seconds: float

    @property
    def rate(self) -> float:
        """Pairs in a second."""
        return self.n / self.seconds if self.seconds else 0.0


@runtime_checkable
class RationaleJudge(Protocol):
    """A judge that can say where the sentences stand that bear most on a claim, in their order."""

    def rank_rationales(self, claim: str, text: str) -> Sequence[tuple[int, int]]: ...


async def judge_pairs(
    pairs: Sequence[LabelledPair], judge: Judge, say: VerificationProgress
) -> tuple[list[JudgedPair], float]:
    """Every pair with its verdict, in order, and the seconds that judging took. Raises ModelError.

    A judge that can rank sentences is asked to where somebody marked the right ones.
    """
    texts: dict[str, list[int]] = {}
    for place, pair in enumerate(pairs):
        texts.setdefault(pair.text, []).append(place)
    found: dict[int, JudgedPair] = {}
    begun = time.perf_counter()
    waiting: list[int] = []
    for places in (*texts.values(), []):
        waiting += places
        if waiting and (not places or len(waiting) >= MAX_PAIRS_A_CALL):
            odds = await score_pairs(judge, [Pair(pairs[place].claim, pairs[place].text) for place in waiting])
            found |= {
                place: JudgedPair(pairs[place], one.verdict, one.against)
                for place, one in zip(waiting, odds, strict=True)
            }
            waiting = []
            say(len(found), len(pairs))
    seconds = time.perf_counter() - begun
    said = [found[place] for place in range(len(pairs))]
    if naming := _find_rationale_judge(judge):
        said = await asyncio.to_thread(_add_rationales, said, naming)
    return said, seconds


def _find_rationale_judge(judge: object) -> RationaleJudge | None:
    """The judge, or one that it stands before, that can rank sentences."""
    while judge is not None and not isinstance(judge, RationaleJudge):
        judge = getattr(judge, "judge_behind", None)
    return judge


def _add_rationales(said: Sequence[JudgedPair], naming: RationaleJudge) -> list[JudgedPair]:
    return [_add_rationale(one, naming) if one.pair.rationale else one for one in said]


def _add_rationale(one: JudgedPair, naming: RationaleJudge) -> JudgedPair:
    """With the sentences in their order; the first is the verdict's quote where it has none."""
    spans = naming.rank_rationales(one.pair.claim, one.pair.text)
    ranked = tuple(one.pair.text[start:end] for start, end in spans)
    quote = one.verdict.quote or next(iter(ranked), "")
    return one._replace(verdict=one.verdict.model_copy(update={"quote": quote}), ranked=ranked)


def compute_figures(said: Sequence[JudgedPair], seconds: float) -> VerificationFigures:
    """Everything that can be said of these verdicts."""
    judged = [one for one in said if one.verdict.label != "unjudged"]
    known = np.array([CLASSES.index(one.pair.label) for one in judged], dtype=np.int64)
    told = np.array([CLASSES.index(one.verdict.label) for one in judged], dtype=np.int64)
    scores = np.array([one.verdict.score for one in judged])
    tells = any(one.against is not None for one in judged)
    against = np.array([_contradiction_score(one, tells) for one in judged])
    draws = resample_clusters([one.pair.cluster for one in judged])
    supported, contradicted = known == 0, known == 1
    return VerificationFigures(
        n=len(said),
        unjudged=len(said) - len(judged),
        clusters=len({one.pair.cluster for one in said}),
        accuracy=bootstrap_interval(draws, lambda at: share_true(known[at] == told[at])),
        macro_f1=bootstrap_interval(draws, lambda at: macro_f1(known[at], told[at])),
        support=bootstrap_interval(draws, lambda at: auroc(scores[at], supported[at])),
        contradiction=bootstrap_interval(draws, lambda at: auroc(against[at], contradicted[at])),
        ece=ece(scores, supported),
        brier=float(np.mean((scores - supported) ** 2)) if judged else np.nan,
        bins=reliability_bins(scores, supported),
        matrix=Counter((one.pair.label, one.verdict.label) for one in said),
        rationale=_rationale_precision(judged),
        rationale_recall=_rationale_recall(judged),
        floor=_find_floor(known),
        seconds=seconds,
    )


def fold_support(said: Sequence[JudgedPair]) -> list[JudgedPair]:
    """The same where no more is known than whether a text supports a claim: all else is one class, “silent”."""
    return [
        one._replace(
            pair=one.pair._replace(label=_fold_label(one.pair.label), votes=tuple(map(_fold_label, one.pair.votes))),
            verdict=one.verdict.model_copy(update={"label": "silent"})
            if one.verdict.label == "contradicts"
            else one.verdict,
        )
        for one in said
    ]


def _fold_label(label: VerdictLabel) -> VerdictLabel:
    return "supports" if label == "supports" else "silent"


def _find_floor(known: NDArray[np.int64]) -> MajorityFloor:
    if not len(known):
        return MajorityFloor(None, np.nan, np.nan)
    most = int(np.bincount(known).argmax())
    guessed = np.full_like(known, most)
    return MajorityFloor(CLASSES[most], share_true(known == guessed), macro_f1(known, guessed))


def _contradiction_score(one: JudgedPair, tells: bool) -> float:
    """The judge's own probability where it tells one; else its label, all that it says of contradiction."""
    if tells and one.against is not None:
        return one.against
    return float(one.verdict.label == "contradicts")


def _rationale_precision(judged: Sequence[JudgedPair]) -> ConfidenceInterval | None:
    marked = [one for one in judged if one.pair.rationale]
    if not any(one.verdict.quote for one in marked):
        return None
    right = np.array([_quotes_rationale(one.verdict.quote, one.pair.rationale) for one in marked])
    return bootstrap_interval(resample_clusters([one.pair.cluster for one in marked]), lambda at: share_true(right[at]))


def _rationale_recall(judged: Sequence[JudgedPair]) -> ConfidenceInterval | None:
    marked = [one for one in judged if one.pair.rationale]
    if not any(one.ranked for one in marked):
        return None
    met = np.array([_recall_rationale(one) for one in marked])
    return bootstrap_interval(resample_clusters([one.pair.cluster for one in marked]), lambda at: float(met[at].mean()))


def _recall_rationale(one: JudgedPair) -> float:
    """The share of the marked sentences that are among those ranked first."""
    first = one.ranked[:MAX_RANKED]
    return sum(any(_quotes_rationale(seen, [own]) for seen in first) for own in one.pair.rationale) / len(
        one.pair.rationale
    )


def _quotes_rationale(quote: str, rationale: Sequence[str]) -> bool:
    """Whether the words that are named first stand in a marked sentence, or hold one."""
    first = " ".join(quote.partition(" … ")[0].split())
    marked = [" ".join(sentence.split()) for sentence in rationale]
    return bool(first) and any(first in sentence or sentence in first for sentence in marked)
