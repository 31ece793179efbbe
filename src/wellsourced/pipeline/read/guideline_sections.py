"""Of a guideline, whole sections are read: what a passage's list, table or algorithm says ends with its section."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from wellsourced.clinical.asked_quantities import find_values, holds_for
from wellsourced.clinical.broad_questions import find_chapter, is_broad_question, is_chapter_on
from wellsourced.text.passages import extend_to_heading
from wellsourced.text.section_paths import SEPARATOR, last_heading, list_subsections
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
        section = _find_short_section(item.passage, document)
        if item.passage.reference.kind == "guideline" and section:
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
    values = find_values(question.text)
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


def lift_chapters(question: Question, evidence: Sequence[Evidence]) -> list[Evidence]:
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


def _find_short_section(passage: Passage, document: Document) -> Section | None:
    """The same, when it is short enough to be read whole."""
    section = find_section(passage, document)
    return section if section and section.end - section.start <= MAX_SECTION_LENGTH else None


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
