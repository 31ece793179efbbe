"""Let a judge put the best candidates in order again; how many it sees is counted, never timed."""

import asyncio
import math
from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.budget import current_account
from wellsourced.errors import ModelError
from wellsourced.judges.base import Judge, best_claim_scores
from wellsourced.pipeline.retrieve.search import AttemptResult, Candidate, CandidateRanking
from wellsourced.policy import Policy
from wellsourced.text.passages import text_under_titles
from wellsourced.types import Question

BATCH_SIZE, BATCHES_AT_ONCE = 10, 2
"""Candidates that are judged together, and how often that is done at once: then a deadline may end it."""

JUDGE_WEIGHT = 0.8
"""Of the judge in the mixed score; the rest is the fused score's. One of the best of .2 to 1 on 300 development queries
of each of four sets, and flat from .6 on."""

PROBABILITY_MARGIN = 1e-6
"""Probabilities nearer to 0 or 1 than this count as this: log-odds know no certainty."""


async def rerank_candidates(
    question: Question, candidates: Sequence[Candidate], ranker: Judge | None, policy: Policy
) -> CandidateRanking:
    """The candidates by what the judge says of the first `policy.rerank` of them, mixed with the place they had.

    The log-odds of the judge's scores, and the scores that they had, are stretched to [0, 1] and mixed. What the judge
    has not seen when it fails, or when the question's budget of time is spent, gets nothing from it: it stands below
    all that was judged, in the order it had. That is told.
    """
    if ranker is None or len(candidates) < 2:
        return CandidateRanking(tuple(candidates))
    chosen = candidates[: policy.rerank]
    scores, note = await _score_texts(question, [text_under_titles(one.passage) for one in chosen], ranker)
    if not scores:
        return CandidateRanking(tuple(candidates), note)
    said = [*_scale_to_unit([_log_odds(score) for score in scores]), *[0.0] * (len(candidates) - len(scores))]
    stood = _scale_to_unit([one.score for one in candidates])
    mixed = [
        one._replace(score=JUDGE_WEIGHT * judged + (1 - JUDGE_WEIGHT) * fused)
        for one, judged, fused in zip(candidates, said, stood, strict=True)
    ]
    return CandidateRanking(tuple(sorted(mixed, key=lambda one: -one.score)), note)


class RankedSearch(NamedTuple):
    """What one search brought up, the nearest to its query first, and notes on how it was ranked."""

    result: AttemptResult
    notes: tuple[str, ...] = ()


async def rerank_search(found: AttemptResult, question: Question, ranker: Judge | None, policy: Policy) -> RankedSearch:
    """The `policy.per_query` passages that are nearest to the search's own query; in the source's order without a
    ranker, and of an expression, which is no text."""
    query = found.attempt.search.query
    ranker = ranker if policy.rerank and query.kind != "boolean" else None
    # What is to be known of a concept stands beside its name; beside other terms stand words that count for less.
    words = (*query.terms, *query.also) if query.kind == "term" else query.terms
    asked = question.model_copy(update={"text": " ".join(words), "expansions": ()})
    listed = [
        Candidate(passage, found.attempt.search.source, 1 / (policy.rrf_k + place))
        for place, passage in enumerate(found.passages, start=1)
    ]
    ranked = await rerank_candidates(asked, listed, ranker, policy)
    best = tuple(one.passage for one in ranked.candidates[: policy.per_query])
    return RankedSearch(found._replace(passages=best), ranked.notes)


async def _score_texts(question: Question, texts: Sequence[str], ranker: Judge) -> tuple[list[float], tuple[str, ...]]:
    """The scores of the texts, from the first on, and a note where it failed; a deadline of the user may end it."""
    account = current_account()
    scores: list[float] = []
    while len(scores) < len(texts):
        if account.is_time_over():
            account.record_skipped_step(f"the ranking of {len(texts) - len(scores)} of {len(texts)} passages")
            break
        starts = range(len(scores), len(texts), BATCH_SIZE)[:BATCHES_AT_ONCE]
        batches = [best_claim_scores(ranker, question.wordings, texts[at : at + BATCH_SIZE]) for at in starts]
        for given in await asyncio.gather(*batches, return_exceptions=True):
            if isinstance(given, ModelError):
                return scores, (
                    f"the ranker could not rank what was found ({given}): {_describe_order(scores, texts)}",
                )
            if isinstance(given, BaseException):
                raise given
            scores += given
    return scores, ()


def _describe_order(scores: Sequence[float], texts: Sequence[str]) -> str:
    if not scores:
        return "the order is that of the sources"
    return f"{len(scores)} of {len(texts)} passages were judged, the others follow in the order of the sources"


def _log_odds(score: float) -> float:
    sure = min(max(score, PROBABILITY_MARGIN), 1 - PROBABILITY_MARGIN)
    return math.log(sure / (1 - sure))


def _scale_to_unit(scores: Sequence[float]) -> list[float]:
    """The scores in [0, 1], the least 0 and the greatest 1; all 0 when there is no difference."""
    least, range = min(scores), max(scores) - min(scores)
    return [(score - least) / range if range else 0.0 for score in scores]
