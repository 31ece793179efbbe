"""Judge what was found, keep what is relevant to the question, and say why the rest is left out."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wellsourced.citations.deduplication import group_by_work
from wellsourced.claims.question_profile import read_question
from wellsourced.context import Context
from wellsourced.judges.base import Judge, best_claim_scores
from wellsourced.pipeline.read import guideline_sections
from wellsourced.pipeline.read.document_passages import expand_digests, show_abstracts_whole, show_short_works_whole
from wellsourced.pipeline.read.section_relevance import (
    LAST_PLACE,
    JudgedSection,
    JudgedUnit,
    lower_threshold,
    score_sections,
)
from wellsourced.pipeline.retrieve.retractions import exclude_retracted
from wellsourced.pipeline.retrieve.search import Candidate, open_document
from wellsourced.policy import Policy
from wellsourced.question.question_types import find_other_names, rate_focus
from wellsourced.text.passages import section_weight, text_under_titles, words_under_title
from wellsourced.text.quotable_spans import QuotableSpan, find_quotable_spans
from wellsourced.text.sentences import is_prose
from wellsourced.types import Document, Evidence, Gap, Omission, Passage, Question
from wellsourced.worker_pool import run_in_worker

MAX_TELLING_UNITS = 2
"""Sentences of a passage that show why it is relevant, at most."""

MIN_TELLING_WORDS = 6
"""Words of a sentence that tells something without its heading."""

TELLING_SHARE = 0.6
"""Share of the best unit's probability that such a sentence has at least."""

OFF_FOCUS_SHARE = 0.3
"""What counts of the relevance of a page for patients whose title has nothing of the question."""


class ReadingResult(NamedTuple):
    """What was kept, best first, the documents it was cut from by their ids, and what was left out.

    gaps   registries that could not be asked whether works were retracted
    """

    evidence: tuple[Evidence, ...] = ()
    documents: Mapping[str, Document] = {}
    dropped: tuple[Omission, ...] = ()
    gaps: tuple[Gap, ...] = ()

    def __add__(self, other: object) -> "ReadingResult":
        """Two readings as one; a document read twice is kept as it was read first."""
        if not isinstance(other, ReadingResult):
            return NotImplemented
        known = {item.passage.id for item in self.evidence}
        new = tuple(item for item in other.evidence if item.passage.id not in known)
        return ReadingResult(
            tuple(sorted(self.evidence + new, key=lambda item: (-item.relevance, item.passage.id))),
            {**other.documents, **self.documents},
            self.dropped + other.dropped,
            tuple(dict.fromkeys(self.gaps + other.gaps)),
        )


async def read_candidates(question: Question, candidates: Sequence[Candidate], context: Context) -> ReadingResult:
    """Keep what is relevant to the question, best first, as much as is to be read. Retracted works are never judged."""
    settled = await exclude_retracted(candidates, context.registries, context.policy.source_seconds, context.limiter)
    weighed = await score_passages(
        question, await expand_digests(question, settled.candidates, context), context.relevance_judge
    )
    close = await run_in_worker(select_for_reading, question, weighed, context.policy)
    chosen = {one.passage.id for one in close}
    passed = [omit_distant_passage(one.passage, one.relevance) for one in weighed if one.passage.id not in chosen]
    opened = [(one, await _open_document(one, context)) for one in close]
    unopened = [
        Omission.of_passage(one.passage, "its document could not be opened") for one, document in opened if not document
    ]
    readable = await _read_sections(
        question, [(Evidence(passage=one.passage, relevance=one.relevance), doc) for one, doc in opened if doc], context
    )
    expected = await guideline_sections.match_expected(question, context)
    readable += await guideline_sections.read_expected_sections(expected, candidates, readable, context)
    show_whole = show_short_works_whole if context.has_llm_screening else show_abstracts_whole
    pieces = show_whole(readable, context.read.whole_work_length)
    places = await run_in_worker(find_places, candidates, pieces)
    shown = guideline_sections.boost_expected(
        await add_best_quotes(question, pieces, context.relevance_judge, places), expected
    )
    # A model that judges what it reads is shown what the judge is not sure of.
    shows_all = context.has_llm_screening or context.writes_from_all
    evidence = [item for item in shown if shows_all or is_relevant(question, item, context.policy)]
    kept = {item.passage.id for item in evidence}
    silent = [
        Omission.of_passage(item.passage, f"silent ({item.relevance:.2f})", is_judged=True)
        for item in shown
        if item.passage.id not in kept
    ]
    documents = {document.reference.id: document for _, document in readable}
    dropped = (*settled.dropped, *silent, *passed, *unopened)
    return ReadingResult(tuple(evidence), documents, dropped, settled.gaps)


def is_relevant(question: Question, item: Evidence, policy: Policy) -> bool:
    """Whether the judge is sure enough that a passage bears on the question."""
    return item.relevance >= lower_threshold(policy.min_relevance, question, item.passage)


async def _read_sections(
    question: Question, found: Sequence[tuple[Evidence, Document]], context: Context
) -> list[tuple[Evidence, Document]]:
    read = guideline_sections.widen_to_pages(guideline_sections.widen_to_sections(found))
    below = [*guideline_sections.list_sections_below(question, read), *guideline_sections.list_beginnings(read)]
    texts = [text_under_titles(passage) for passage, _ in below]
    scores = await best_claim_scores(context.relevance_judge, question.wordings, texts)
    brought = [
        (Evidence(passage=passage, relevance=score), document)
        for (passage, document), score in zip(below, scores, strict=True)
    ]
    return [*read, *brought, *guideline_sections.list_sections_for_values(question, [*read, *brought])]


class ScoredPassage(NamedTuple):
    """A passage, the source that can open its document, and the probability that it is relevant to the question."""

    passage: Passage
    source: str
    relevance: float


async def score_passages(question: Question, candidates: Sequence[Candidate], judge: Judge) -> list[ScoredPassage]:
    """Judge every passage under the titles it stands under, all in one wave; best first."""
    scores = await best_claim_scores(judge, question.wordings, [text_under_titles(one.passage) for one in candidates])
    weighed = [ScoredPassage(one.passage, one.source, score) for one, score in zip(candidates, scores, strict=True)]
    return sorted(weighed, key=lambda one: (-one.relevance, one.passage.id))


def select_for_reading(question: Question, weighed: Sequence[ScoredPassage], policy: Policy) -> list[ScoredPassage]:
    """The best, as many as are read closely: conclusions before methods, pages on what is asked before those that
    mention it, no work with more than its share."""
    work_of = group_by_work(one.passage.reference for one in weighed)
    taken: Counter[str] = Counter()
    kept = []
    for one in sorted(weighed, key=lambda one: -one.relevance * _reading_weight(question, one.passage)):
        work = work_of[one.passage.reference.id]
        taken[work] += 1
        if taken[work] <= policy.per_document:
            kept.append(one)
    return kept[: policy.passages]


def _reading_weight(question: Question, passage: Passage) -> float:
    weight = section_weight(passage.section)
    if passage.reference.kind != "consumer":
        return weight
    names = [passage.reference.title, *find_other_names(passage.reference.title, [passage.text])]
    return weight * (OFF_FOCUS_SHARE + (1 - OFF_FOCUS_SHARE) * rate_focus(question.wordings, names))


def find_places(candidates: Sequence[Candidate], evidence: Sequence[Evidence]) -> dict[str, int]:
    """For the id of each passage that was found, or has one within it that was: where that stood, 0 is the first."""
    found: dict[str, list[tuple[int, Passage]]] = defaultdict(list)
    for place, candidate in enumerate(candidates):
        found[candidate.passage.reference.id].append((place, candidate.passage))
    places: dict[str, int] = {}
    for whole in (item.passage for item in evidence):
        for place, part in found[whole.reference.id]:
            if whole.start <= part.start and part.end <= whole.end:
                places.setdefault(whole.id, place)
    return places


async def add_best_quotes(
    question: Question, evidence: Sequence[Evidence], judge: Judge, places: Mapping[str, int] | None = None
) -> list[Evidence]:
    """The evidence with the words that show best why it is relevant, best first; all in one wave.

    A passage is relevant by what it is about, or by the best thing it says among many on other things; a section of a
    guideline as `score_sections` weighs it.

    places   of passages, by id, in the ranking in which they were found; without it, in the order of the evidence
    """
    if places is None:
        places = {item.passage.id: place for place, item in enumerate(evidence)}
    units = await judge_units(question, evidence, judge)
    shown = [_add_quotes(item, units[item.passage.id]) if item.passage.id in units else item for item in evidence]
    sections = list_sections([item.passage for item in shown], units, places)
    asked = await run_in_worker(read_question, question)
    scores = await score_sections(asked, sections, judge)
    weighed = {section.passage.id: score for section, score in zip(sections, scores, strict=True)}
    shown = guideline_sections.boost_chapters(question, [_weigh_section(item, weighed) for item in shown])
    return sorted(shown, key=lambda item: (-item.relevance, item.passage.id))


def _weigh_section(item: Evidence, weighed: Mapping[str, float]) -> Evidence:
    """A section of a guideline with the probability that it answers: 0 where it has nothing to quote."""
    if item.passage.reference.kind != "guideline":
        return item
    return item.model_copy(update={"relevance": weighed.get(item.passage.id, 0.0)})


def list_sections(
    passages: Sequence[Passage], units: Mapping[str, Sequence[JudgedUnit]], places: Mapping[str, int]
) -> list[JudgedSection]:
    """Of the passages the sections of guidelines that say something."""
    return [
        JudgedSection(passage, units[passage.id], places.get(passage.id, LAST_PLACE))
        for passage in passages
        if passage.reference.kind == "guideline" and passage.id in units
    ]


async def judge_units(question: Question, evidence: Sequence[Evidence], judge: Judge) -> dict[str, list[JudgedUnit]]:
    """The quotable spans of each passage, by its id, best first; none for a passage that has nothing to quote."""
    parts = await run_in_worker(_list_units, evidence)
    scores = await best_claim_scores(
        judge, question.wordings, [words_under_title(item.passage, unit.text) for item, unit in parts]
    )
    return await run_in_worker(_group_units, parts, scores)


def _group_units(
    parts: Sequence[tuple[Evidence, QuotableSpan]], scores: Sequence[float]
) -> dict[str, list[JudgedUnit]]:
    found: dict[str, list[JudgedUnit]] = defaultdict(list)
    for (item, unit), score in zip(parts, scores, strict=True):
        found[item.passage.id].append(JudgedUnit(unit, score))
    return {id: sorted(units, key=lambda one: -one.score) for id, units in found.items()}


def _list_units(evidence: Sequence[Evidence]) -> list[tuple[Evidence, QuotableSpan]]:
    return [(item, unit) for item in evidence for unit in find_quotable_spans(item.passage)]


def _add_quotes(item: Evidence, units: Sequence[JudgedUnit]) -> Evidence:
    """The passage with the words that show best why it is relevant; the units come best first."""
    text = item.passage.text
    quotes = tuple(dict.fromkeys(quote for one in select_telling_units(units) for quote in one.unit.quotes(text)))
    return item.model_copy(update={"relevance": max(units[0].score, item.relevance), "quotes": quotes})


def select_telling_units(units: Sequence[JudgedUnit]) -> list[JudgedUnit]:
    """Of a passage's units, best first, those that show why it is relevant: its best whole sentences, where they come
    near to the best of all; else that one.

    Under its headings a fragment ("no titration") may be nearest to a question, and shows nothing by itself.
    """
    least = TELLING_SHARE * units[0].score
    telling = [one for one in units if one.score >= least and _is_whole_sentence(one.unit)]
    return telling[:MAX_TELLING_UNITS] or list(units[:1])


def _is_whole_sentence(unit: QuotableSpan) -> bool:
    return unit.layout != "row" and len(unit.own_text.split()) >= MIN_TELLING_WORDS and is_prose(unit.own_text)


async def _open_document(candidate: ScoredPassage, context: Context) -> Document | None:
    """The document, if it still says what the index says it says; its card with what is known of the work now."""
    passage = candidate.passage
    document = await open_document(passage.reference.id, candidate.source, context)
    if document is None or document.text[passage.start : passage.end] != passage.text:
        return None
    known = passage.reference.retraction
    return document.model_copy(update={"reference": document.reference.with_retraction(known)})


def omit_distant_passage(passage: Passage, relevance: float) -> Omission:
    """That a passage was not read, since others are nearer to the question."""
    return Omission.of_passage(passage, f"less relevant, not read ({relevance:.2f})")
