"""How good a judge of support is, put to pairs whose labels are known.

What a judge gives no verdict on (`unjudged`) is counted and left out of every other figure: it is never made a class.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from wellsourced.config.judging import odds_of
from wellsourced.evaluate.pairs import Labelled
from wellsourced.evaluate.scores import (
    CLASSES,
    Bin,
    Interval,
    auroc,
    ece,
    macro_f1,
    over,
    reliability,
    resamples,
    share,
)
from wellsourced.judges.base import Judge, Pair
from wellsourced.types import Label, Verdict

AT_ONCE = 32
"""Pairs that a judge is given at once; pairs of one text stay together."""

Say = Callable[[int, int], None]
"""Who hears how many pairs are judged, of how many."""


class Put(NamedTuple):
    """A pair that was put to a judge; `against` as far as the judge tells it."""

    pair: Labelled
    verdict: Verdict
    against: float | None = None


class Figures(NamedTuple):
    """What came of it; intervals are of the bootstrap over documents and groups.

    support         AUROC, supported against the rest, by the score
    contradiction   AUROC, contradicted against the rest, by the judge's own probability, or by its label alone
    ece, brier      of the score as a probability of support: expected calibration error, mean squared error
    matrix          (known, said) → pairs, the unjudged among them
    rationale       of pairs with marked sentences, the share for which the judge names one of them first; None: it
                    names none
    """

    n: int
    unjudged: int
    clusters: int
    accuracy: Interval
    macro_f1: Interval
    support: Interval
    contradiction: Interval
    ece: float
    brier: float
    bins: tuple[Bin, ...]
    matrix: Mapping[tuple[Label, Label], int]
    rationale: Interval | None
    seconds: float

    @property
    def rate(self) -> float:
        """Pairs in a second."""
        return self.n / self.seconds if self.seconds else 0.0


@runtime_checkable
class Naming(Protocol):
    """A judge that can say where the sentence stands that bears most on a claim."""

    def rationale(self, claim: str, text: str) -> tuple[int, int] | None: ...


async def put(pairs: Sequence[Labelled], judge: Judge, say: Say) -> tuple[list[Put], float]:
    """Every pair with its verdict, in order, and the seconds that judging took. Raises ModelError.

    Of a judge that can name its sentence and does not say it, it is asked for where somebody marked the right ones.
    """
    texts: dict[str, list[int]] = {}
    for place, pair in enumerate(pairs):
        texts.setdefault(pair.text, []).append(place)
    found: dict[int, Put] = {}
    begun = time.perf_counter()
    waiting: list[int] = []
    for places in (*texts.values(), []):
        waiting += places
        if waiting and (not places or len(waiting) >= AT_ONCE):
            odds = await odds_of(judge, [Pair(pairs[place].claim, pairs[place].text) for place in waiting])
            found |= {
                place: Put(pairs[place], one.verdict, one.against) for place, one in zip(waiting, odds, strict=True)
            }
            waiting = []
            say(len(found), len(pairs))
    seconds = time.perf_counter() - begun
    said = [found[place] for place in range(len(pairs))]
    return (await asyncio.to_thread(_named, said, naming) if (naming := _naming(judge)) else said), seconds


def _naming(judge: object) -> Naming | None:
    """The judge, or one that it stands before, that can name its sentence."""
    while judge is not None and not isinstance(judge, Naming):
        judge = getattr(judge, "judge_behind", None)
    return judge


def _named(said: Sequence[Put], naming: Naming) -> list[Put]:
    return [one._replace(verdict=_quoting(one, naming)) if one.pair.rationale else one for one in said]


def _quoting(one: Put, naming: Naming) -> Verdict:
    span = None if one.verdict.quote else naming.rationale(one.pair.claim, one.pair.text)
    return one.verdict.model_copy(update={"quote": one.pair.text[span[0] : span[1]]}) if span else one.verdict


def figures(said: Sequence[Put], seconds: float) -> Figures:
    """Everything that can be said of these verdicts."""
    judged = [one for one in said if one.verdict.label != "unjudged"]
    known = np.array([CLASSES.index(one.pair.label) for one in judged], dtype=np.int64)
    told = np.array([CLASSES.index(one.verdict.label) for one in judged], dtype=np.int64)
    scores = np.array([one.verdict.score for one in judged])
    tells = any(one.against is not None for one in judged)
    against = np.array([_against(one, tells) for one in judged])
    draws = resamples([one.pair.cluster for one in judged])
    supported, contradicted = known == 0, known == 1
    return Figures(
        n=len(said),
        unjudged=len(said) - len(judged),
        clusters=len({one.pair.cluster for one in said}),
        accuracy=over(draws, lambda at: share(known[at] == told[at])),
        macro_f1=over(draws, lambda at: macro_f1(known[at], told[at])),
        support=over(draws, lambda at: auroc(scores[at], supported[at])),
        contradiction=over(draws, lambda at: auroc(against[at], contradicted[at])),
        ece=ece(scores, supported),
        brier=float(np.mean((scores - supported) ** 2)) if judged else np.nan,
        bins=reliability(scores, supported),
        matrix=Counter((one.pair.label, one.verdict.label) for one in said),
        rationale=_rationale(judged),
        seconds=seconds,
    )


def _against(one: Put, tells: bool) -> float:
    """The judge's own probability where it tells one; else its label, all that it says of contradiction."""
    if tells and one.against is not None:
        return one.against
    return float(one.verdict.label == "contradicts")


def _rationale(judged: Sequence[Put]) -> Interval | None:
    marked = [one for one in judged if one.pair.rationale]
    if not any(one.verdict.quote for one in marked):
        return None
    right = np.array([_names(one.verdict.quote, one.pair.rationale) for one in marked])
    return over(resamples([one.pair.cluster for one in marked]), lambda at: share(right[at]))


def _names(quote: str, rationale: Sequence[str]) -> bool:
    """Whether the words that are named first stand in a marked sentence, or hold one."""
    first = " ".join(quote.partition(" … ")[0].split())
    marked = [" ".join(sentence.split()) for sentence in rationale]
    return bool(first) and any(first in sentence or sentence in first for sentence in marked)
