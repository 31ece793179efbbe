"""Without a language model: all sources are searched, and the sections that answer are shown, whole, with their lines
marked. Nothing is composed or decided; what was searched and not found is said.
"""

from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.answering.heads import choose_head
from wellsourced.answering.scoring import MAX_PLACES, FoundSection, ScoredSection, score_sections
from wellsourced.answering.sections import Section, find_sections, list_spans
from wellsourced.answering.selection import ShownSection, choose_sections
from wellsourced.budget import CostTracker
from wellsourced.claims.question_profile import list_asked_parts, split_by_rules
from wellsourced.context import Context
from wellsourced.events import PassagesRead, SearchPlanned, SourceSearched
from wellsourced.pipeline.evidence import GatheredEvidence
from wellsourced.pipeline.read.consumer_sources import answers_patients, is_asked_by_patient
from wellsourced.pipeline.read.document_passages import open_named_documents
from wellsourced.pipeline.read.evidence_selection import ReadingResult
from wellsourced.pipeline.retrieve.retractions import exclude_retracted
from wellsourced.pipeline.retrieve.retrieval import retrieve_tiers
from wellsourced.pipeline.retrieve.search import Candidate, describe_sources, open_document
from wellsourced.pipeline.search_plan import plan_tiers
from wellsourced.text.passages import SEPARATOR
from wellsourced.text.quotable_spans import collapse_whitespace
from wellsourced.types import (
    AnswerHead,
    AnswerSection,
    Citation,
    Document,
    Evidence,
    Omission,
    Passage,
    Question,
    Statement,
    TextSpan,
    Verdict,
)
from wellsourced.worker_pool import run_in_worker

OWN_WORDS = Verdict(label="supports", score=1.0, reason="the source's own words", basis="verbatim")

MAX_PARTS = 4
"""Parts of a question that are searched one by one."""

MAX_SECTIONS_OF_PART = 2
"""Sections that are shown for each of several parts."""


class FoundSections(NamedTuple):
    """What is shown for a question, and what was searched and read for it.

    absent      what is asked about and is not mentioned in what is shown
    not_found   parts of the question that nothing was found on
    """

    gathered: GatheredEvidence
    head: AnswerHead
    sections: tuple[AnswerSection, ...] = ()
    statements: tuple[Statement, ...] = ()
    absent: tuple[str, ...] = ()
    not_found: tuple[str, ...] = ()


async def find_answer_sections(question: Question, context: Context, tracker: CostTracker) -> FoundSections:
    """Search for the question, part by part where it has several, and choose what is shown.

    A source that fails is a gap. Withdrawn works are left out. A patient is shown what was written for patients.
    """
    cards, silent = await describe_sources(context.sources)
    gathered = GatheredEvidence(cards, unasked_gaps=silent)
    parts = (split_by_rules(question.text) or list_asked_parts(question.text))[:MAX_PARTS]
    chosen: list[tuple[str, _ChosenSections]] = []
    for part in parts or [question.text]:
        asked = question.model_copy(update={"text": part}) if parts else question
        gathered, scored = await _search_part(asked, gathered, context, tracker)
        chosen.append(
            (
                part if parts else "",
                await run_in_worker(_choose, asked, scored, len(parts) > 1, context.encoder is not None),
            )
        )
    found = _put_together(gathered, chosen)
    reading = found.gathered.reading
    tracker.emit(PassagesRead(tier="sections", evidence=reading.evidence, dropped=reading.dropped))
    return found


async def _search_part(
    question: Question, gathered: GatheredEvidence, context: Context, tracker: CostTracker
) -> tuple[GatheredEvidence, list[ScoredSection]]:
    candidates: list[Candidate] = []
    if question.given:
        with tracker.time_step("search"):
            named, gaps = await open_named_documents(question.given, context.sources)
        candidates += named
        gathered = gathered._replace(
            has_named_documents=True, reading=gathered.reading._replace(gaps=(*gathered.reading.gaps, *gaps))
        )
    else:
        async for planned in plan_tiers(question, gathered.sources, context):
            tracker.emit(SearchPlanned(plan=planned.plan))
            with tracker.time_step("search"):
                found = await retrieve_tiers(planned.plan.tiers, question, gathered.sources, context, planned.tried)
            for attempt in found.attempts:
                tracker.emit(SourceSearched(attempt=attempt))
            candidates += found.candidates
            gathered = gathered._replace(
                notes=tuple(dict.fromkeys((*gathered.notes, *planned.plan.notes, *found.notes))),
                attempts=(*gathered.attempts, *planned.discarded_attempts, *found.attempts),
            )
    with tracker.time_step("read"):
        read = await _read_sections(question, candidates, context)
    return gathered._replace(reading=gathered.reading + read.reading), read.scored


class _ReadSections(NamedTuple):
    reading: ReadingResult
    scored: list[ScoredSection]


async def _read_sections(question: Question, candidates: Sequence[Candidate], context: Context) -> _ReadSections:
    """Open what was found, in its order, and say how near each section in it is."""
    settled = await exclude_retracted(candidates, context.registries, context.policy.source_seconds, context.limiter)
    opened: dict[str, Document | None] = {}
    dropped = list(settled.dropped)
    places: list[tuple[Candidate, int]] = []
    of_patient = is_asked_by_patient(question)
    for candidate in settled.candidates if question.given else settled.candidates[:MAX_PLACES]:
        passage = candidate.passage
        if of_patient and not answers_patients(passage):
            dropped.append(Omission.of_passage(passage, "written for clinicians or researchers"))
            continue
        if passage.reference.id not in opened:
            opened[passage.reference.id] = await open_document(passage.reference.id, candidate.source, context)
        document = opened[passage.reference.id]
        # What changed since it was indexed is not quoted.
        if document is None or document.text[passage.start : passage.end] != passage.text:
            dropped.append(Omission.of_passage(passage, "its document could not be opened"))
            continue
        places.append((candidate, len(places)))
    known = {one.passage.reference.id: one.passage.reference.retraction for one, _ in places}
    documents = {
        id: document.model_copy(update={"reference": document.reference.with_retraction(known[id])})
        for id, document in opened.items()
        if document and id in known
    }
    scored = await run_in_worker(_score, question, places, documents, context)
    return _ReadSections(ReadingResult((), documents, tuple(dropped), settled.gaps), scored)


def _score(
    question: Question, places: Sequence[tuple[Candidate, int]], documents: dict[str, Document], context: Context
) -> list[ScoredSection]:
    sections = {id: find_sections(document) for id, document in documents.items()}
    found: dict[int, FoundSection] = {}
    for candidate, place in places:
        passage = candidate.passage
        its = sections[passage.reference.id]
        for section in its:
            is_hit = section.start < passage.end and passage.start < section.end
            # Of a study the abstract stands for all of it.
            if is_hit or passage.stands_for_document or len(its) == 1:
                found.setdefault(id(section), FoundSection(section, passage, min(place, MAX_PLACES)))
    return score_sections(question.wordings, list(found.values()), context.encoder)


class _ChosenSections(NamedTuple):
    head: AnswerHead
    absent: tuple[str, ...]
    shown: list[ShownSection]


def _choose(question: Question, scored: Sequence[ScoredSection], is_part: bool, has_vectors: bool) -> _ChosenSections:
    shown = choose_sections(question, scored)[: MAX_SECTIONS_OF_PART if is_part else None]
    head, absent = choose_head(question, scored, shown, has_vectors=has_vectors)
    if head != "in your sources":
        shown = [one._replace(marked=()) for one in shown] if head == "closest" else []
    return _ChosenSections(head, absent, shown)


def _put_together(gathered: GatheredEvidence, chosen: Sequence[tuple[str, _ChosenSections]]) -> FoundSections:
    """One answer of its parts: its head is the best of theirs, and a part with nothing is said to be not found."""
    heads: tuple[AnswerHead, ...] = ("in your sources", "closest", "nothing")
    head = min((one.head for _, one in chosen), key=heads.index)
    sections: list[AnswerSection] = []
    evidence: dict[str, Evidence] = {}
    statements: list[Statement] = []
    for part, one in chosen:
        if one.head != head:
            continue
        for shown in one.shown:
            passage = build_passage(shown.section)
            evidence.setdefault(passage.id, Evidence(passage=passage, relevance=1.0))
            sections.append(_build_section(shown, passage, part))
        statements += _write_in_short(one.shown)
    reading = gathered.reading + ReadingResult(tuple(evidence.values()))
    missing = tuple(part.rstrip("?") for part, one in chosen if part and one.head != "in your sources")
    return FoundSections(
        gathered._replace(reading=reading),
        head,
        tuple(sections),
        tuple(statements) if head == "in your sources" else (),
        tuple(dict.fromkeys(name for _, one in chosen for name in one.absent)) if head == "closest" else (),
        missing if head == "in your sources" else (),
    )


def build_passage(section: Section) -> Passage:
    """All of a section as a passage."""
    document = section.document
    return Passage(
        reference=document.reference,
        text=section.text,
        start=section.start,
        end=section.end,
        section=section.path,
        page=document.page(section.start, section.end),
    )


def _build_section(shown: ShownSection, passage: Passage, part: str) -> AnswerSection:
    return AnswerSection(
        passage_id=passage.id,
        shown=_join_spans(shown.section, shown.lines),
        marked=tuple(tuple(_cut(shown.section, place) for place in unit) for unit in shown.marked),
        part=part,
    )


def _cut(section: Section, place: int) -> TextSpan:
    span = section.lines[place].span
    return TextSpan(start=span.start, end=span.end)


def _join_spans(section: Section, places: Sequence[int]) -> tuple[TextSpan, ...]:
    """Where lines stand that are shown: neighbours are one span."""
    joined: list[tuple[int, int, int]] = []
    for place, span in zip(sorted(places), list_spans(section, places), strict=True):
        if joined and joined[-1][2] == place - 1:
            joined[-1] = (joined[-1][0], span.end, place)
        else:
            joined.append((span.start, span.end, place))
    return tuple(TextSpan(start=start, end=end) for start, end, _ in joined)


def _write_in_short(shown: Sequence[ShownSection]) -> list[Statement]:
    """The marked units of the first section, and of others of its document, each under the heading that decides."""
    statements = []
    for one in shown:
        section = one.section
        if section.document.reference.id != shown[0].section.document.reference.id:
            continue
        passage = build_passage(section)
        for unit in one.marked:
            spans = [section.lines[place].span for place in unit]
            statements.append(
                Statement(
                    text=collapse_whitespace(" ".join(section.line(place) for place in unit)),
                    citations=tuple(
                        Citation(passage_id=passage.id, quote=section.line(place), start=span.start, end=span.end)
                        for place, span in zip(unit, spans, strict=True)
                    ),
                    verdict=OWN_WORDS,
                    topic=section.path.rpartition(SEPARATOR)[2] or section.document.reference.title,
                    lead=True,
                )
            )
    return statements
