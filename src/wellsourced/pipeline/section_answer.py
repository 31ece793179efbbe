"""Without a language model: all sources are searched, and the sections that answer are shown, whole, with their lines
marked. Nothing is composed or decided; what was searched and not found is said.
"""

from collections.abc import Sequence
from typing import NamedTuple

from wellsourced.answering.heads import choose_head, list_missing_figures, list_unmentioned
from wellsourced.answering.scoring import ScoredSection, ScoredUnit
from wellsourced.answering.sections import LaidOutSection, find_sections, is_label, list_spans
from wellsourced.answering.selection import MAX_WORDS, ShownSection, choose_closest, choose_sections
from wellsourced.budget import CostTracker
from wellsourced.context import Context
from wellsourced.events import PassagesRead, SearchPlanned, SourceSearched
from wellsourced.patients.lines_to_check import find_cautions
from wellsourced.pipeline.evidence import GatheredEvidence
from wellsourced.pipeline.read.section_reading import (
    HEADS,
    ReadingResult,
    ReadSections,
    Shelf,
    build_passage,
    read_sections,
)
from wellsourced.pipeline.retrieve.retrieval import retrieve_tiers
from wellsourced.pipeline.retrieve.search import Candidate, describe_sources, open_named_documents
from wellsourced.pipeline.search_plan import plan_tiers
from wellsourced.question.question_parts import list_asked_parts, name_part, split_by_rules
from wellsourced.question.required_entities import RequiredEntity
from wellsourced.text.passages import SEPARATOR
from wellsourced.text.sanitization import collapse_whitespace
from wellsourced.types import (
    AnswerHead,
    AnswerSection,
    Citation,
    Evidence,
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

WORDS_OF_PART = 80
"""Words that are shown for a part of the question, or of other libraries, beside what is shown for all of it."""

MAX_BEHIND = 0.6
"""How much less near other libraries may be that are shown beside the nearest, of 3."""


class FoundSections(NamedTuple):
    """What is shown for a question, and what was searched and read for it.

    absent      what is asked about, or told beside it, and is not mentioned in what is shown
    not_found   parts of the question that nothing was found on
    """

    gathered: GatheredEvidence
    head: AnswerHead
    sections: tuple[AnswerSection, ...] = ()
    statements: tuple[Statement, ...] = ()
    absent: tuple[str, ...] = ()
    not_found: tuple[str, ...] = ()


async def find_answer_sections(question: Question, context: Context, tracker: CostTracker) -> FoundSections:
    """Search for the question, and for each of its parts where it has several, and choose what is shown.

    A part whose best section the whole question brought up needs no other. A source that fails is a gap. Withdrawn
    works are left out.
    """
    cards, silent = await describe_sources(context.sources)
    gathered = GatheredEvidence(cards, unasked_gaps=silent)
    parts = (split_by_rules(question.text) or list_asked_parts(question.text))[:MAX_PARTS]
    gathered, read = await _search(question, gathered, context, tracker)
    whole, *beside = await run_in_worker(_choose, question, read, context)
    others = [_Beside("", question, one) for one in beside]
    for part in parts:
        asked = question.model_copy(update={"text": part})
        gathered, read = await _search(asked, gathered, context, tracker)
        one, *_ = await run_in_worker(_choose, asked, read, context, WORDS_OF_PART)
        if not _holds_first(whole, one):
            others.append(_Beside(name_part(part, question.text), asked, one))
    if left := sum(one.chosen.head == "in your sources" for one in others):
        most = MAX_WORDS - left * WORDS_OF_PART
        whole = await run_in_worker(_choose_of_shelf, question, whole.shelf, context, most)
    found = await run_in_worker(_put_together, question, gathered, whole, others)
    reading = found.gathered.reading
    tracker.emit(PassagesRead(tier="sections", evidence=reading.evidence, dropped=reading.dropped))
    return found


async def _search(
    question: Question, gathered: GatheredEvidence, context: Context, tracker: CostTracker
) -> tuple[GatheredEvidence, ReadSections]:
    candidates: list[Candidate] = []
    if question.given:
        with tracker.time_step("search"):
            named, gaps = await open_named_documents(question.given, context.sources)
        candidates += named
        gathered = gathered._replace(
            has_named_documents=True, reading=gathered.reading._replace(gaps=(*gathered.reading.gaps, *gaps))
        )
    else:
        # A language model that could not write is not asked for a plan again.
        async for planned in plan_tiers(question, gathered.sources, context, is_planned=not context.has_model):
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
        read = await read_sections(question, candidates, context)
    return gathered._replace(reading=gathered.reading + read.reading), read


class _ChosenSections(NamedTuple):
    head: AnswerHead
    absent: tuple[RequiredEntity, ...]
    shown: list[ShownSection]
    shelf: Shelf


class _Beside(NamedTuple):
    """What is shown beside what answers all of a question: for a part of it, or of other libraries ("")."""

    part: str
    question: Question
    chosen: _ChosenSections


def _choose(question: Question, read: ReadSections, context: Context, most: int = MAX_WORDS) -> list[_ChosenSections]:
    """What is shown of the libraries that answer, the nearest first, of others if they are as near; else of one."""
    chosen = [_choose_of_shelf(question, shelf, context, most) for shelf in read.shelves or (Shelf([], 0.0),)]
    chosen.sort(key=lambda one: (-HEADS.index(one.head), -one.shelf.level))
    least = chosen[0].shelf.level - MAX_BEHIND
    return [one for one in chosen if one.head == "in your sources" and one.shelf.level >= least] or chosen[:1]


def _choose_of_shelf(question: Question, shelf: Shelf, context: Context, most: int) -> _ChosenSections:
    shown = choose_sections(question, shelf.scored, most)
    head, absent = choose_head(question, shelf.scored, shown, shelf.near_miss, has_vectors=context.encoder is not None)
    if head != "in your sources":
        shown = choose_closest(question, shown) if head == "closest" else []
        # Of sections on another disease only the titles are told.
        is_on_it = not any(one.kind == "condition" for one in absent)
        head = head if shown and is_on_it else "nothing"
    elif cautions := _find_cautions(question, shelf.scored, shown):
        shown = choose_sections(question, shelf.scored, most, cautions)
    return _ChosenSections(head, absent, shown, shelf)


def _find_cautions(
    question: Question, all_scored: Sequence[ScoredSection], shown: Sequence[ShownSection]
) -> list[ScoredUnit]:
    """The units of the documents shown that speak against a drug which the question names, or limit it."""
    documents = {one.section.document.reference.id: one.section.document for one in shown}
    found = []
    for line in find_cautions(documents.values(), question.text):
        document, place = documents[line.passage.reference.id], line.citations[-1].start
        scored = (one.section for one in all_scored if one.section.document is document)
        for section in (*scored, *find_sections(document)):
            if unit := section.find_unit(place):
                found.append(ScoredUnit(section, unit, 0.0))
                break
    return found


def _put_together(
    question: Question, gathered: GatheredEvidence, whole: _ChosenSections, others: Sequence[_Beside]
) -> FoundSections:
    """What is shown for all of the question, and the best section of other libraries and of each part that needs one.

    A part that nothing is found on, beside one that something is found on, is named, and a figure that is asked for.
    """
    found = [one for one in others if one.chosen.head == "in your sources"]
    if whole.head != "in your sources" and found:
        whole = whole._replace(head="in your sources", absent=(), shown=[])
    is_found = whole.head == "in your sources"
    shown = [("", one) for one in whole.shown]
    if is_found and found:
        # They share what is left of the words, since the first branch of an algorithm is no answer.
        most = max(WORDS_OF_PART, (MAX_WORDS - sum(one.words for one in whole.shown)) // len(found))
        shown += [(one.part, _show_first(one, most)) for one in found]
    sections = [one for _, one in shown]
    missing = [one.part.rstrip("?") for one in others if one.chosen.head != "in your sources"]
    missing += list_missing_figures(question, sections)
    passages = [build_passage(one.section) for one in sections]
    evidence = {passage.id: Evidence(passage=passage, relevance=1.0) for passage in passages}
    return FoundSections(
        gathered._replace(reading=gathered.reading + ReadingResult(tuple(evidence.values()))),
        whole.head,
        tuple(_build_section(one, passage, part) for (part, one), passage in zip(shown, passages, strict=True)),
        tuple(_write_in_short(sections)) if is_found else (),
        tuple(list_unmentioned(question, sections) if is_found else (one.name for one in whole.absent)),
        tuple(missing) if is_found else (),
    )


def _show_first(one: _Beside, most: int) -> ShownSection:
    """The best section for a part, in so many words."""
    first = one.chosen.shown[0]
    alone = [scored for scored in one.chosen.shelf.scored if scored.section is first.section]
    return first if first.is_caution else next(iter(choose_sections(one.question, alone, most)), first)


def _holds_first(whole: _ChosenSections, part: _ChosenSections) -> bool:
    """Whether the best section for a part is among what is shown for all of the question."""
    if whole.head != "in your sources" or part.head != "in your sources":
        return False
    first = part.shown[0].section
    places = {(one.section.document.reference.id, one.section.start) for one in whole.shown}
    return (first.document.reference.id, first.start) in places


def _build_section(shown: ShownSection, passage: Passage, part: str) -> AnswerSection:
    return AnswerSection(
        passage_id=passage.id,
        shown=_join_spans(shown.section, shown.lines),
        marked=tuple(tuple(_cut(shown.section, place) for place in unit) for unit in shown.marked),
        part=part,
    )


def _cut(section: LaidOutSection, place: int) -> TextSpan:
    span = section.lines[place].span
    return TextSpan(start=span.start, end=span.end)


def _join_spans(section: LaidOutSection, places: Sequence[int]) -> tuple[TextSpan, ...]:
    """Where lines stand that are shown: neighbours are one span."""
    joined: list[tuple[int, int, int]] = []
    for place, span in zip(sorted(places), list_spans(section, places), strict=True):
        if joined and joined[-1][2] == place - 1:
            joined[-1] = (joined[-1][0], span.end, place)
        else:
            joined.append((span.start, span.end, place))
    return tuple(TextSpan(start=start, end=end) for start, end, _ in joined)


def _close_label(line: str) -> str:
    return f"{line}:" if is_label(line) and not line.endswith(":") else line


def _write_in_short(shown: Sequence[ShownSection]) -> list[Statement]:
    """The marked units of the first section that answers, and of others of its document, each under the heading that
    decides; before them what speaks against a drug that is asked for."""
    statements = []
    answering = next((one.section.document.reference.id for one in shown if not one.is_caution), "")
    for one in shown:
        section = one.section
        if section.document.reference.id != answering and not one.is_caution:
            continue
        passage = build_passage(section)
        for unit in one.marked:
            spans = [section.lines[place].span for place in unit]
            statements.append(
                Statement(
                    text=collapse_whitespace(" ".join(_close_label(section.line(place)) for place in unit)),
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
