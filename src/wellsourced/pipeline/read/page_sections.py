"""Of a page for patients, whole sections are read: what it says first on a question is what it wants to be read first.

Of a section that is too long, its beginning is read beside what was found, and what was found with what follows it: a
list ends with its last item, not where a passage was cut.
"""

from collections.abc import Sequence

from wellsourced.pipeline.read.guideline_sections import MAX_SECTION_LENGTH, build_section_passage, find_section
from wellsourced.text.sentences import split_sentences
from wellsourced.types import Document, Evidence, Passage, Section

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
