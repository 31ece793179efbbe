"""Of a guideline, or of a page for patients, whole sections are read; what answers an expected question is added."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from wellsourced.context import Context
from wellsourced.expected_questions.matching import ExpectedAnswer
from wellsourced.pipeline.retrieve.search import Candidate, open_document
from wellsourced.question.question_types import find_chapter, is_broad_question, is_chapter_on
from wellsourced.question.requested_quantity import holds_for, question_values
from wellsourced.text.passages import SEPARATOR, extend_to_heading, last_heading, list_subsections
from wellsourced.text.sentences import Span, split_sentences
from wellsourced.types import Document, Evidence, Passage, Question, Section

MAX_SECTION_LENGTH = 3_000
"""Characters of a section up to which it is read whole; of a longer one, the passage that was found."""

MAX_INTRODUCTION_LENGTH = 600
"""Characters of a section with sections below it up to which it introduces them: they are read with it."""

CHAPTER_SHARE = 0.5
"""Share of the probability that a chapter answers a broad question which each of its sections has at least."""

ALL_MAIN = "main chapters"
"""What the chapters of a guideline that stand under no other are counted as."""

MIN_DOUBT = 0.001
"""Probability against a section that remains, so that no chapter is certain."""

MAX_SUBSECTIONS = 20
"""Sections below one, at most, that are read with it."""


def widen_to_sections(read: Sequence[tuple[Evidence, Document]]) -> list[tuple[Evidence, Document]]:
    """The evidence, best first; in place of a guideline's passage, all of its section under its heading, each once.

    A section is as relevant as its best passage.
    """
    widest: dict[str, tuple[Evidence, Document]] = {}
    for item, document in sorted(read, key=lambda one: -one[0].relevance):
        passage = extend_to_heading(item.passage, document)
        section = find_section(item.passage, document)
        is_short = section is not None and section.end - section.start <= MAX_SECTION_LENGTH
        if item.passage.reference.kind == "guideline" and section and is_short:
            passage = build_section_passage(item.passage, section, document)
        widest.setdefault(passage.id, (item.model_copy(update={"passage": passage}), document))
    return list(widest.values())


def list_sections_below(
    question: Question, read: Sequence[tuple[Evidence, Document]]
) -> list[tuple[Passage, Document]]:
    """The sections that answer together with those that are read, as far as they are not read, in reading order.

    They are what a section introduces, and all of a chapter that is on what a broad question asks.
    """
    known = {item.passage.id for item, _ in read}
    is_broad = is_broad_question(question.text)
    opened: set[tuple[str, str]] = set()
    found: dict[str, tuple[Passage, Document]] = {}
    for item, document in read:
        if item.passage.reference.kind != "guideline":
            continue
        chapters = _list_chapters_beside(_find_chapter_of(item, question), question, document) if is_broad else []
        for path in _list_opened(item.passage, chapters):
            if (document.reference.id, path) in opened:
                continue
            opened.add((document.reference.id, path))
            for passage in _list_below(item.passage, path, document):
                if passage.id not in known:
                    found.setdefault(passage.id, (passage, document))
    return list(found.values())


def _list_opened(passage: Passage, chapters: Sequence[str]) -> list[str]:
    """Paths below which all is read with a passage: chapters, and its own section where that only introduces."""
    return [*chapters, passage.section] if len(passage.text) <= MAX_INTRODUCTION_LENGTH else list(chapters)


def _list_chapters_beside(chapter: str, question: Question, document: Document) -> list[str]:
    """A chapter that is on what is asked; where it is one of the guideline's main ones, all main ones that are."""
    if not chapter or SEPARATOR in chapter:
        return [chapter] if chapter else []
    main = dict.fromkeys(section.title.partition(SEPARATOR)[0] for section in document.sections)
    return [one for one in main if is_chapter_on(one, document.reference.title, question.wordings)]


def _list_below(passage: Passage, path: str, document: Document) -> Iterator[Passage]:
    for section in list_subsections(path, document.sections)[:MAX_SUBSECTIONS]:
        if section.end - section.start <= MAX_SECTION_LENGTH:
            yield build_section_passage(passage, section, document)


def list_sections_for_values(
    question: Question, read: Sequence[tuple[Evidence, Document]]
) -> list[tuple[Evidence, Document]]:
    """The sections that hold for a value which the question gives, each beside one that is read and does not.

    "NEWS2 ≥ 7" beside "NEWS2 5–6", for a score of 8: as relevant as that one, since they differ by the value alone.
    """
    values = question_values(question.text)
    known = {item.passage.id for item, _ in read}
    found: dict[str, tuple[Evidence, Document]] = {}
    for item, document in read:
        if values and item.passage.reference.kind == "guideline":
            for passage in _list_beside(item.passage, values, document):
                if passage.id not in known:
                    found.setdefault(passage.id, (item.model_copy(update={"passage": passage}), document))
    return list(found.values())


def _list_beside(passage: Passage, values: Sequence[float], document: Document) -> Iterator[Passage]:
    parent, _, heading = passage.section.rpartition(SEPARATOR)
    if not parent or holds_for(values, heading):
        return
    for section in list_subsections(parent, document.sections):
        is_short = section.end - section.start <= MAX_SECTION_LENGTH
        if is_short and holds_for(values, last_heading(section.title)):
            yield build_section_passage(passage, section, document)


def boost_chapters(question: Question, evidence: Sequence[Evidence]) -> list[Evidence]:
    """The evidence; of a chapter that answers a broad question every section with a share of the chapter's probability.

    Each of its sections answers a part: by itself none is likely to answer. The main chapters that are on what is asked
    answer together.
    """
    if not is_broad_question(question.text):
        return list(evidence)
    found = {item.passage.id: _find_chapter_of(item, question) for item in evidence}
    chapters = {id: chapter if SEPARATOR in chapter else chapter and ALL_MAIN for id, chapter in found.items()}
    odds: dict[tuple[str, str], float] = defaultdict(float)
    for item in evidence:
        if chapter := chapters[item.passage.id]:
            odds[item.passage.reference.id, chapter] += item.relevance / max(1 - item.relevance, MIN_DOUBT)
    lifted = []
    for item in evidence:
        whole = odds.get((item.passage.reference.id, chapters[item.passage.id]), 0.0)
        least = CHAPTER_SHARE * whole / (1 + whole) if item.relevance else 0.0
        lifted.append(item.model_copy(update={"relevance": max(item.relevance, least)}))
    return lifted


def _find_chapter_of(item: Evidence, question: Question) -> str:
    if item.passage.reference.kind != "guideline":
        return ""
    return find_chapter(item.passage.section, item.passage.reference.title, question.wordings)


def find_section(passage: Passage, document: Document) -> Section | None:
    """The section that a passage stands in."""
    inside = (part for part in document.sections if part.start <= passage.start and passage.end <= part.end)
    return next(inside, None)


def build_section_passage(passage: Passage, section: Section, document: Document) -> Passage:
    """All of a section of the document that a passage is of, from its heading on, without white space at its end."""
    end = section.start + len(document.text[section.start : section.end].rstrip())
    whole = passage.model_copy(
        update={
            "start": section.start,
            "end": end,
            "text": document.text[section.start : end],
            "section": section.title,
            "page": document.page(section.start, end),
            "stands_for_document": False,
        }
    )
    return extend_to_heading(whole, document)


# Of a page for patients, whole sections are read: what it says first on a question is what it wants to be read first.
#
# Of a section that is too long, its beginning is read beside what was found, and what was found with what follows it:
# a list ends with its last item, not where a passage was cut.


MAX_BEGINNING_LENGTH = 1_500
"""Characters of a long section that are its beginning."""

Read = tuple[Evidence, Document]


def widen_to_pages(read: Sequence[Read]) -> list[Read]:
    """The evidence, best first; in place of a page's passage all of its section, or what follows it, each once."""
    widest: dict[str, Read] = {}
    known: list[Passage] = []
    for item, document in sorted(read, key=lambda one: -one[0].relevance):
        passage = item.passage
        section = find_section(passage, document)
        if passage.reference.kind == "consumer" and section:
            if any(_holds(one, passage) for one in known):
                continue
            passage = _widen(passage, section, document)
            known.append(passage)
        widest.setdefault(passage.id, (item.model_copy(update={"passage": passage}), document))
    return list(widest.values())


def list_beginnings(read: Sequence[Read]) -> list[tuple[Passage, Document]]:
    """The beginnings of the sections of pages of which another part is read."""
    known = [item.passage for item, _ in read if item.passage.reference.kind == "consumer"]
    found: dict[str, tuple[Passage, Document]] = {}
    for passage, document in ((item.passage, document) for item, document in read):
        section = find_section(passage, document)
        if passage.reference.kind == "consumer" and section:
            beginning = _cut(passage, section, section.start, MAX_BEGINNING_LENGTH, document)
            if not any(_overlaps(one, beginning) for one in known):
                found.setdefault(beginning.id, (beginning, document))
    return list(found.values())


def _widen(passage: Passage, section: Section, document: Document) -> Passage:
    if section.end - section.start <= MAX_SECTION_LENGTH:
        return build_section_passage(passage, section, document)
    start = section.start if passage.end - section.start <= MAX_SECTION_LENGTH else passage.start
    return _cut(passage, section, start, MAX_SECTION_LENGTH, document)


def _cut(passage: Passage, section: Section, start: int, length: int, document: Document) -> Passage:
    """A part of a section from a place on, as many whole sentences as fit; all of the section where it fits."""
    ends = [span.end for span in split_sentences(document.text, start, section.end) if span.end - start <= length]
    part = Section(title=section.title, start=start, end=max(ends, default=min(section.end, start + length)))
    return build_section_passage(passage, part, document)


def _holds(whole: Passage, part: Passage) -> bool:
    return whole.reference.id == part.reference.id and whole.start <= part.start and part.end <= whole.end


def _overlaps(one: Passage, other: Passage) -> bool:
    return one.reference.id == other.reference.id and one.start < other.end and other.start < one.end


# Sections of guidelines that answer a question which was expected: they are read, found by a search or not.
#
# What the question matches is known by `expected_questions/`; here the lines become sections of documents, and a
# section is as likely to answer as the questions together are that its lines answer.


MAX_SECTIONS = 6
"""Sections that are read since a question was expected, the likeliest."""

MIN_CHANCE = 0.03
"""Probability that it answers from which such a section is read."""

SURE = 0.999
"""Probability from which no more is told apart."""


class ExpectedSections:
    """What was expected of one question: of each document its lines, with the probability that they answer."""

    def __init__(self, answers: Sequence[ExpectedAnswer]) -> None:
        self.chances: dict[str, dict[Span, float]] = defaultdict(dict)
        for one in answers:
            if one.probability:
                self.chances[one.document_id][Span(one.start, one.end)] = one.probability

    def rate(self, document: str, start: int, end: int) -> float:
        """How likely what stands there answers."""
        within = (chance for span, chance in self.chances.get(document, {}).items() if start <= span.start < end)
        return min(SURE, max(within, default=0.0))

    def choose_sections(self, document: Document) -> list[tuple[float, Section]]:
        """The sections of a document that answer, with how likely each does."""
        rated = ((self.rate(document.reference.id, one.start, one.end), one) for one in document.sections)
        return [one for one in rated if one[0] >= MIN_CHANCE]


async def match_expected(question: Question, context: Context) -> ExpectedSections:
    """What was expected of it; nothing where nobody knows."""
    matcher = context.expected_questions
    return ExpectedSections(await matcher.match(question, context.sources) if matcher else ())


async def read_expected_sections(
    expected: ExpectedSections,
    candidates: Sequence[Candidate],
    read: Sequence[tuple[Evidence, Document]],
    context: Context,
) -> list[tuple[Evidence, Document]]:
    """The likeliest sections that are not read yet."""
    source = next((one.source for one in candidates if one.passage.reference.kind == "guideline"), None)
    if source is None:
        return []
    documents = {document.reference.id: document for _, document in read}
    known = {(item.passage.reference.id, item.passage.section) for item, _ in read}
    found: list[tuple[float, Section, Document]] = []
    for id in expected.chances:
        document = documents.get(id) or await open_document(id, source, context)
        if document:
            found += [(chance, section, document) for chance, section in expected.choose_sections(document)]
    found.sort(key=lambda one: -one[0])
    new = [one for one in found[:MAX_SECTIONS] if (one[2].reference.id, one[1].title) not in known]
    return [(_build_evidence(chance, section, document), document) for chance, section, document in new]


def _build_evidence(chance: float, section: Section, document: Document) -> Evidence:
    passage = Passage(
        reference=document.reference,
        text=document.text[section.start : section.end],
        start=section.start,
        end=section.end,
        section=section.title,
    )
    return Evidence(passage=build_section_passage(passage, section, document), relevance=chance)


def boost_expected(shown: Sequence[Evidence], expected: ExpectedSections) -> list[Evidence]:
    """The evidence, best first: what was expected to answer does so as likely as that, or as was judged, or both.

    What has nothing to quote stays at 0.
    """
    lifted = []
    for one in shown:
        chance = expected.rate(one.passage.reference.id, one.passage.start, one.passage.end)
        together = 1 - (1 - one.relevance) * (1 - chance)
        lifted.append(one.model_copy(update={"relevance": together}) if chance and one.relevance else one)
    return sorted(lifted, key=lambda item: (-item.relevance, item.passage.id))
