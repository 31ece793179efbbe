"""LUQ (Zhang et al., EMNLP 2024): how little several answers to one question support each other, sentence by sentence.

S(a, b) = mean over the sentences of a of p(entailed) / (p(entailed) + p(contradicted)), given b
C(a)    = mean of S(a, b) over the other answers b
U       = mean of 1 - C(a) over all answers
"""

from collections.abc import Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np

from wellsourced.errors import SettingsError
from wellsourced.judges.base import Judge, Pair, score_pairs
from wellsourced.text.sentences import split_sentences

NO_OPINION = 0.5
"""What a sentence counts whose judge finds it neither entailed nor contradicted at all."""


class LuqScore(NamedTuple):
    """The uncertainty of the answers to one question.

    uncertainty   0: each supports every other, 1: each contradicts every other; None of fewer than two answers
    answers       that say anything; `empty` say nothing and are left out
    sentences     pairs of a sentence and another answer that were judged
    unjudged      of these, without a verdict, left out
    undecided     of these, those with neither probability
    one_sided     of these, those whose contradiction the judge cannot tell: the probability of support stands alone
    """

    uncertainty: float | None
    answers: int
    empty: int
    sentences: int
    unjudged: int
    undecided: int
    one_sided: int


class RankCorrelation(NamedTuple):
    """Spearman's rho of two columns and its p; both None of fewer than three rows, or where a column is constant."""

    rho: float | None
    p: float | None
    rows: int


async def measure_luq(answers: Sequence[str], judge: Judge) -> LuqScore:
    """The uncertainty of these answers, as a judge of support has it. Raises ModelError."""
    texts = [one for one in answers if one.strip()]
    empty = len(answers) - len(texts)
    if len(texts) < 2:
        return LuqScore(None, len(texts), empty, 0, 0, 0, 0)
    sentences = [[text[span.start : span.end] for span in split_sentences(text)] for text in texts]
    orders = list(permutations(range(len(texts)), 2))
    wanted = list(dict.fromkeys(Pair(one, texts[other]) for own, other in orders for one in sentences[own]))
    support: dict[Pair, float] = {}
    kinds: dict[Pair, str] = {}
    for pair, (verdict, against) in zip(wanted, await score_pairs(judge, wanted), strict=True):
        if verdict.label == "unjudged":
            kinds[pair] = "unjudged"
        elif against is None:
            support[pair], kinds[pair] = verdict.score, "one_sided"
        elif verdict.score + against == 0:
            support[pair], kinds[pair] = NO_OPINION, "undecided"
        else:
            support[pair] = verdict.score / (verdict.score + against)
    asked = [Pair(one, texts[other]) for own, other in orders for one in sentences[own]]
    counts = [kinds.get(pair, "") for pair in asked]
    agreement = {
        (own, other): [support[pair] for one in sentences[own] if (pair := Pair(one, texts[other])) in support]
        for own, other in orders
    }
    confidence = [
        np.mean([np.mean(agreement[own, other]) for other in range(len(texts)) if agreement.get((own, other))])
        for own in range(len(texts))
        if any(agreement.get((own, other)) for other in range(len(texts)))
    ]
    uncertainty = float(1 - np.mean(confidence)) if confidence else None
    told = (counts.count("unjudged"), counts.count("undecided"), counts.count("one_sided"))
    return LuqScore(uncertainty, len(texts), empty, len(asked), *told)


def spearman(pairs: Sequence[tuple[float, float]]) -> RankCorrelation:
    """Spearman's rank correlation, by scipy. Raises SettingsError without it."""
    try:
        from scipy.stats import spearmanr  # type: ignore[import-untyped]
    except ImportError as error:
        remedy = "pip install 'wellsourced[evaluate]'"
        raise SettingsError(f"Spearman's correlation is scipy's, which is not installed: {remedy}.") from error
    columns = [[pair[side] for pair in pairs] for side in (0, 1)]
    if len(pairs) < 3 or any(len(set(column)) < 2 for column in columns):
        return RankCorrelation(None, None, len(pairs))
    found = spearmanr(*columns)
    return RankCorrelation(float(found.statistic), float(found.pvalue), len(pairs))
