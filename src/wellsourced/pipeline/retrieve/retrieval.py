"""The whole search for one question, up to a ranking of what is worth reading: rankings fused, near duplicates shown
once, the best ranked again.
"""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wellsourced.budget import current_cost_tracker
from wellsourced.citations.deduplication import group_by_work, merge_retractions
from wellsourced.compare.slots import (
    EMPTY_STEMMED_TEXT,
    StemmedText,
    are_near_duplicates,
    share_nearly_all_stems,
    stem_text,
)
from wellsourced.context import Context
from wellsourced.errors import ModelError
from wellsourced.judges.base import Judge, best_claim_scores
from wellsourced.pipeline.frame.question_framing import frame_question
from wellsourced.pipeline.retrieve import search
from wellsourced.pipeline.retrieve.record_flow import count_records
from wellsourced.pipeline.retrieve.retractions import retraction_in_record
from wellsourced.pipeline.search_plan import plan_searches
from wellsourced.policy import Policy
from wellsourced.sources.base import SourceInfo
from wellsourced.text.logistic import log_odds
from wellsourced.text.passages import text_under_titles
from wellsourced.text.ranking import fuse_ranks
from wellsourced.types import Attempt, FoundWork, Passage, Question, ReadingDepth, Reference, Retraction, Tier
from wellsourced.worker_pool import run_in_worker


class RetrievalResult(NamedTuple):
    """The question as it was understood; candidates, best first; every search that was made.

    notes   what their reader should know of how they were found
    """

    question: Question
    candidates: tuple[search.Candidate, ...]
    attempts: tuple[Attempt, ...]
    notes: tuple[str, ...] = ()

    def list_works(self) -> list[FoundWork]:
        """Each work once, in the order of its best passage."""
        work_of = group_by_work(one.passage.reference for one in self.candidates)
        found: dict[str, list[search.Candidate]] = {}
        for one in self.candidates:
            found.setdefault(work_of[one.passage.reference.id], []).append(one)
        return [
            FoundWork(
                reference=some[0].passage.reference,
                passages=len(some),
                sources=tuple(dict.fromkeys(one.source for one in some)),
            )
            for some in found.values()
        ]

    def count_records(self) -> tuple[dict[str, int], int]:
        """(source → records that its searches found, how many works these are of)."""
        identified, work_of = count_records(self.attempts)
        return identified, len({*work_of.values()})


async def retrieve(question: Question, context: Context) -> RetrievalResult:
    """Everything that the plan names, searched at once and ranked as one: what an evaluation of retrieval measures.

    The question is framed here. `ask` takes the same steps tier by tier (`retrieve_tiers`), and stops when it has
    enough.
    At most `context.policy.candidates` candidates; a record whose words another has, too, is named in its `also_in`.
    Raises QuestionError for what is no question.
    """
    async with context.limiter.admit_question(context.max_concurrent_questions):
        framed, told = await frame_question(question, context)
        cards, silent = await search.describe_sources(context.sources)
        route = await plan_searches(framed, cards, context)
        found = await retrieve_tiers(route.tiers, framed, cards, context)
    unasked = (f"{gap.source} could not be searched: {gap.reason.rstrip('.')}" for gap in silent)
    return found._replace(notes=(*told, *unasked, *route.notes, *found.notes))


async def retrieve_tiers(
    tiers: Sequence[Tier],
    question: Question,
    cards: Sequence[SourceInfo],
    context: Context,
    tried: search.TriedSearches = search.NO_SEARCHES,
) -> RetrievalResult:
    """What these tiers hold together: searched, fused, without its repetitions, and ranked.

    tried   searches that were made already
    """
    parts = await asyncio.gather(*(search.search_tier(tier, cards, context, tried) for tier in tiers))
    found = [one for part in parts for one in part]
    if context.policy.per_query:
        return await _rank_by_query(question, found, context)
    most = max(context.policy.candidates, context.policy.rerank if context.reranker else 0)
    fused = await run_in_worker(fuse_searches, found, context.policy)
    varied = await run_in_worker(diversify_candidates, fused.candidates, most)
    ranked = await rerank_candidates(question, varied.candidates, context.reranker, context.policy)
    return RetrievalResult(
        question,
        ranked.candidates[: context.policy.candidates],
        tuple(one.attempt for one in found),
        fused.notes + varied.notes + ranked.notes,
    )


async def _rank_by_query(
    question: Question, found: Sequence[search.AttemptResult], context: Context
) -> RetrievalResult:
    best = await asyncio.gather(*(rerank_search(one, question, context.reranker, context.policy) for one in found))
    fused = await run_in_worker(fuse_searches, [result for result, _ in best], context.policy)
    varied = await run_in_worker(diversify_candidates, fused.candidates, max(1, len(fused.candidates)))
    notes = dict.fromkeys(note for _, notes in best for note in notes)
    return RetrievalResult(
        question, varied.candidates, tuple(one.attempt for one in found), (*notes, *fused.notes, *varied.notes)
    )


# Fuse the rankings of several sources into one, in which an article counts once, whoever has a record of it.
#
# Ranks are fused, never scores (reciprocal rank fusion): first over the searches of one source, then over the
# sources, so that a source which was asked in three wordings does not outvote one that was asked once. A source
# speaks for the passages that it found, and for what another source says best of a work that it found, too: a work
# that two sources found rises, whichever of its sentences each of them has.


DEPTHS_BEST_FIRST: tuple[ReadingDepth, ...] = ("full text", "abstract", "web page", "excerpt", "digest", "record")
"""Of several records of one work, that which comes first here has more that can be quoted."""


class _SourceRecord(NamedTuple):
    """What one source found of one document, best first, and the work that it is of."""

    source: str
    work: str
    passages: tuple[Passage, ...]
    live: bool


def fuse_searches(found: Sequence[search.AttemptResult], policy: Policy) -> search.CandidateRanking:
    """All that was found, every passage once, in the record of its work that has most to quote.

    Of records with the same words one stays: full text before abstract before digest, then what lies here before what
    is live, then the first. What any of them says of a retraction is said of the work.
    """
    rankings = _rank_by_source(found, policy.rrf_k)
    records = _group_records(rankings, {one.attempt.search.source for one in found if one.is_live})
    shelf = _MergedPassages(records)
    scores = _score_passages(rankings, records, shelf, policy.rrf_k)
    retractions = _merge_retractions(records)
    candidates = []
    for id in sorted(scores, key=lambda id: -scores[id]):
        passage, record = shelf.representatives[id]
        passage = passage.with_retraction(retractions.get(record.work, passage.reference.retraction))
        candidates.append(search.Candidate(passage, record.source, scores[id], tuple(shelf.other_records[id])))
    duplicates = len(records) - len({record.work for record in records})
    return search.CandidateRanking(tuple(candidates), _note_duplicates(duplicates, "record"))


def _rank_by_source(found: Sequence[search.AttemptResult], k: int) -> dict[str, list[Passage]]:
    asked: dict[str, list[Sequence[Passage]]] = defaultdict(list)
    for attempt, passages, _ in found:
        asked[attempt.search.source].append(passages)
    rankings = {}
    for source, several in asked.items():
        known = {passage.id: passage for passages in reversed(several) for passage in passages}
        ranked = fuse_ranks([[passage.id for passage in passages] for passages in several], k)
        rankings[source] = [known[id] for id, _ in ranked]
    return rankings


def _group_records(rankings: Mapping[str, Sequence[Passage]], live: set[str]) -> list[_SourceRecord]:
    """The documents that were found, those that are read rather than another record of the same work first."""
    found: dict[tuple[str, str], list[Passage]] = defaultdict(list)
    for source, ranking in rankings.items():
        for passage in ranking:
            found[source, passage.reference.id].append(passage)
    work_of = group_by_work(passages[0].reference for passages in found.values())
    records = [
        _SourceRecord(source, work_of[id], tuple(passages), source in live) for (source, id), passages in found.items()
    ]
    return sorted(records, key=lambda one: (DEPTHS_BEST_FIRST.index(one.passages[0].reference.depth), one.live))


class _MergedPassages:
    """The passages that stay, by their ids; those of other records with the same words are read in them.

    representatives   passage id → the passage and its record
    other_records   passage id → ids of other records that hold its words
    representative_ids   source and passage id → id of the passage that is read for it, if any says the same
    """

    def __init__(self, records: Sequence[_SourceRecord]) -> None:
        self.representatives: dict[str, tuple[Passage, _SourceRecord]] = {}
        self.other_records: dict[str, dict[str, None]] = defaultdict(dict)
        self.representative_ids: dict[tuple[str, str], str] = {}
        by_work: dict[str, list[_SourceRecord]] = defaultdict(list)
        for record in records:
            by_work[record.work].append(record)
        for of_one_work in by_work.values():
            self._merge_work(of_one_work)

    def _merge_work(self, records: Sequence[_SourceRecord]) -> None:
        homes: dict[str, str] = {}
        read: list[tuple[Passage, StemmedText]] = []
        for record in records:
            # Two sources may have other words under one id: what is quoted must be in the record that is opened.
            home = homes.setdefault(record.passages[0].reference.id, record.source) == record.source
            new = []
            for passage in record.passages:
                words = stem_text(passage.text) if len(records) > 1 else EMPTY_STEMMED_TEXT
                twin = next((other for other, its_words in read if are_near_duplicates(its_words, words)), None)
                if twin:
                    self.representative_ids[record.source, passage.id] = twin.id
                    if twin.reference.id != passage.reference.id:
                        self.other_records[twin.id][passage.reference.id] = None
                elif home:
                    self.representative_ids[record.source, passage.id] = passage.id
                    self.representatives[passage.id] = (passage, record)
                    new.append((passage, words))
            read += new


def _score_passages(
    rankings: Mapping[str, Sequence[Passage]], records: Sequence[_SourceRecord], shelf: _MergedPassages, k: int
) -> dict[str, float]:
    """Passage id → the sum, over the sources that speak for it, of 1 / (k + place)."""
    work_of = {(one.source, one.passages[0].reference.id): one.work for one in records}
    places: dict[str, dict[str, int]] = {source: {} for source in rankings}
    of_works: dict[str, dict[str, int]] = {source: {} for source in rankings}
    best: dict[str, dict[str, None]] = defaultdict(dict)
    for source, ranking in rankings.items():
        for place, passage in enumerate(ranking, start=1):
            work, id = work_of[source, passage.reference.id], shelf.representative_ids.get((source, passage.id), "")
            if id:
                places[source].setdefault(id, place)
            if of_works[source].setdefault(work, place) == place and id:
                best[work][id] = None
    scores: dict[str, float] = defaultdict(float)
    for source in rankings:
        told = {id: place for work, place in of_works[source].items() for id in best[work]} | places[source]
        for id, place in sorted(told.items(), key=lambda one: one[1]):
            scores[id] += 1 / (k + place)
    return scores


def _merge_retractions(records: Sequence[_SourceRecord]) -> dict[str, Retraction]:
    words: dict[str, list[Retraction]] = defaultdict(list)
    for record in records:
        words[record.work].append(retraction_in_record(record.passages[0].reference))
    return {work: merge_retractions(several) for work, several in words.items() if len(several) > 1}


def diversify_candidates(candidates: Sequence[search.Candidate], limit: int) -> search.CandidateRanking:
    """The first candidates, at most `limit`, each of which says something that none before it says.

    A passage that says what another does is named in that one's `also_in`, and what speaks against its work speaks
    against the other, too.
    """
    kept: list[search.Candidate] = []
    told: list[tuple[StemmedText, StemmedText]] = []
    withdrawn: dict[str, Retraction] = {}
    twins = 0
    for candidate in candidates:
        if len(kept) == limit:
            break
        words = stem_text(candidate.passage.reference.title), stem_text(candidate.passage.text)
        twin = next((place for place, others in enumerate(told) if _is_duplicate(words, others)), None)
        if twin is not None:
            ids = (*kept[twin].also_in, candidate.passage.reference.id, *candidate.also_in)
            own = kept[twin].passage.reference.id
            kept[twin] = kept[twin]._replace(also_in=tuple(id for id in dict.fromkeys(ids) if id != own))
            withdrawn |= _inherit_retraction(kept[twin].passage.reference, candidate.passage.reference)
            twins += 1
        else:
            kept.append(candidate)
            told.append(words)
    told_of = tuple(_apply_retraction(one, withdrawn) for one in kept)
    return search.CandidateRanking(told_of, _note_duplicates(twins, "passage"))


def _is_duplicate(one: tuple[StemmedText, StemmedText], other: tuple[StemmedText, StemmedText]) -> bool:
    """The same words mean the same under the same title: “It is inherited in an autosomal recessive pattern.”"""
    titles, texts = zip(one, other, strict=True)
    if not share_nearly_all_stems(*texts):
        return False
    return (are_near_duplicates(*titles) or not any(title.stems for title in titles)) and are_near_duplicates(*texts)


def _inherit_retraction(kept: Reference, twin: Reference) -> dict[str, Retraction]:
    """Who prints words that were withdrawn elsewhere may not know it: they must not come back through that record."""
    says = retraction_in_record(twin)
    return {kept.id: says} if says.objection and not retraction_in_record(kept).objection else {}


def _apply_retraction(candidate: search.Candidate, withdrawn: Mapping[str, Retraction]) -> search.Candidate:
    reference = candidate.passage.reference
    retraction = withdrawn.get(reference.id, reference.retraction)
    return candidate._replace(passage=candidate.passage.with_retraction(retraction))


def _note_duplicates(count: int, what: str) -> tuple[str, ...]:
    return (f"{count} duplicate {what}{'' if count == 1 else 's'} left out",) if count else ()


BATCH_SIZE, BATCHES_AT_ONCE = 10, 2
"""Candidates that are judged together, and how often that is done at once: then a deadline may end it."""

JUDGE_WEIGHT = 0.8
"""Of the judge in the mixed score; the rest is the fused score's. One of the best of .2 to 1 on 300 development queries
of each of four sets, and flat from .6 on."""

PROBABILITY_MARGIN = 1e-6
"""Probabilities nearer to 0 or 1 than this count as this: log-odds know no certainty."""


async def rerank_candidates(
    question: Question, candidates: Sequence[search.Candidate], ranker: Judge | None, policy: Policy
) -> search.CandidateRanking:
    """The candidates by what the judge says of the first `policy.rerank` of them, mixed with the place they had.

    The log-odds of the judge's scores, and the scores that they had, are stretched to [0, 1] and mixed. What the judge
    has not seen when it fails, or when the question's budget of time is spent, gets nothing from it: it stands below
    all that was judged, in the order it had. That is told.
    """
    if ranker is None or len(candidates) < 2:
        return search.CandidateRanking(tuple(candidates))
    chosen = candidates[: policy.rerank]
    scores, note = await _score_texts(question, [text_under_titles(one.passage) for one in chosen], ranker)
    if not scores:
        return search.CandidateRanking(tuple(candidates), note)
    said = [
        *_scale_to_unit([log_odds(score, PROBABILITY_MARGIN) for score in scores]),
        *[0.0] * (len(candidates) - len(scores)),
    ]
    stood = _scale_to_unit([one.score for one in candidates])
    mixed = [
        one._replace(score=JUDGE_WEIGHT * judged + (1 - JUDGE_WEIGHT) * fused)
        for one, judged, fused in zip(candidates, said, stood, strict=True)
    ]
    return search.CandidateRanking(tuple(sorted(mixed, key=lambda one: -one.score)), note)


async def rerank_search(
    found: search.AttemptResult, question: Question, ranker: Judge | None, policy: Policy
) -> tuple[search.AttemptResult, tuple[str, ...]]:
    """The `policy.per_query` passages that are nearest to the search's own query, and notes; in the source's order
    without a ranker, and of an expression, which is no text."""
    query = found.attempt.search.query
    ranker = ranker if policy.rerank and query.kind != "boolean" else None
    # What is to be known of a concept stands beside its name; beside other terms stand words that count for less.
    words = (*query.terms, *query.also) if query.kind == "term" else query.terms
    asked = question.model_copy(update={"text": " ".join(words), "expansions": ()})
    listed = [
        search.Candidate(passage, found.attempt.search.source, 1 / (policy.rrf_k + place))
        for place, passage in enumerate(found.passages, start=1)
    ]
    ranked = await rerank_candidates(asked, listed, ranker, policy)
    best = tuple(one.passage for one in ranked.candidates[: policy.per_query])
    return found._replace(passages=best), ranked.notes


async def _score_texts(question: Question, texts: Sequence[str], ranker: Judge) -> tuple[list[float], tuple[str, ...]]:
    """The scores of the texts, from the first on, and a note where it failed; a deadline of the user may end it."""
    tracker = current_cost_tracker()
    scores: list[float] = []
    while len(scores) < len(texts):
        if tracker.is_time_over():
            tracker.record_skipped_step(f"the ranking of {len(texts) - len(scores)} of {len(texts)} passages")
            break
        starts = range(len(scores), len(texts), BATCH_SIZE)[:BATCHES_AT_ONCE]
        batches = [best_claim_scores(ranker, question.wordings, texts[at : at + BATCH_SIZE]) for at in starts]
        for given in await asyncio.gather(*batches, return_exceptions=True):
            if isinstance(given, ModelError):
                order = _describe_order(scores, texts)
                return scores, (f"the ranker could not rank the passages ({given}): {order}",)
            if isinstance(given, BaseException):
                raise given
            scores += given
    return scores, ()


def _describe_order(scores: Sequence[float], texts: Sequence[str]) -> str:
    if not scores:
        return "they keep the order of the sources"
    return f"{len(scores)} of {len(texts)} passages were judged; the others follow in the order of the sources"


def _scale_to_unit(scores: Sequence[float]) -> list[float]:
    """The scores in [0, 1], the least 0 and the greatest 1; all 0 when there is no difference."""
    least, range = min(scores), max(scores) - min(scores)
    return [(score - least) / range if range else 0.0 for score in scores]
