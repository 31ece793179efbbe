"""Fuse the rankings of several sources into one, in which an article counts once, whoever has a record of it.

Ranks are fused, never scores (reciprocal rank fusion): first over the searches of one source, then over the sources,
so that a source which was asked in three wordings does not outvote one that was asked once. A source speaks for the
passages that it found, and for what another source says best of a work that it found, too: a work that two sources
found rises, whichever of its sentences each of them has.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wellsourced.citations.deduplication import group_by_work
from wellsourced.citations.publication_status import merge_retractions
from wellsourced.claims.near_duplicates import EMPTY_STEMMED_TEXT, StemmedText, are_near_duplicates, stem_text
from wellsourced.pipeline.retrieve.retractions import retraction_in_record
from wellsourced.pipeline.retrieve.search import AttemptResult, Candidate, CandidateRanking
from wellsourced.policy import Policy
from wellsourced.text.ranking import fuse_ranks
from wellsourced.types import Passage, ReadingDepth, Retraction

DEPTHS_BEST_FIRST: tuple[ReadingDepth, ...] = ("full text", "abstract", "web page", "excerpt", "digest", "record")
"""Of several records of one work, that which comes first here has more that can be quoted."""


class _SourceRecord(NamedTuple):
    """What one source found of one document, best first, and the work that it is of."""

    source: str
    work: str
    passages: tuple[Passage, ...]
    live: bool


def fuse_searches(found: Sequence[AttemptResult], policy: Policy) -> CandidateRanking:
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
        candidates.append(Candidate(passage, record.source, scores[id], tuple(shelf.other_records[id])))
    return CandidateRanking(tuple(candidates), _duplicate_notes(records))


def _rank_by_source(found: Sequence[AttemptResult], k: int) -> dict[str, list[Passage]]:
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
    """

    def __init__(self, records: Sequence[_SourceRecord]) -> None:
        self.representatives: dict[str, tuple[Passage, _SourceRecord]] = {}
        self.other_records: dict[str, dict[str, None]] = defaultdict(dict)
        self._representative_ids: dict[tuple[str, str], str] = {}
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
                    self._merge_passage(twin, record.source, passage)
                elif home:
                    self._representative_ids[record.source, passage.id] = passage.id
                    self.representatives[passage.id] = (passage, record)
                    new.append((passage, words))
            read += new

    def _merge_passage(self, twin: Passage, source: str, passage: Passage) -> None:
        self._representative_ids[source, passage.id] = twin.id
        if twin.reference.id != passage.reference.id:
            self.other_records[twin.id][passage.reference.id] = None

    def find_representative(self, source: str, passage: Passage) -> str:
        """The id of the passage that is read for this one of a source; "" when none says the same."""
        return self._representative_ids.get((source, passage.id), "")


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
            work, id = work_of[source, passage.reference.id], shelf.find_representative(source, passage)
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
    """Work → what its records say of a retraction, of the works of which there are several records."""
    words: dict[str, list[Retraction]] = defaultdict(list)
    for record in records:
        words[record.work].append(retraction_in_record(record.passages[0].reference))
    return {work: merge_retractions(several) for work, several in words.items() if len(several) > 1}


def _duplicate_notes(records: Sequence[_SourceRecord]) -> tuple[str, ...]:
    more = len(records) - len({record.work for record in records})
    if not more:
        return ()
    return (f"{more} {'record was' if more == 1 else 'records were'} of an article that was found already",)
