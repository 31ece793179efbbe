"""Passages as a search found them, and how it was made; a document as it is opened, with the words that were quoted."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from wellsourced.answering.errata import find_errata
from wellsourced.errors import NextStep
from wellsourced.presentation.answers import build_gaps
from wellsourced.presentation.blocks import Excerpt, Heading, List, Locator, Mark, Presentation, Text, place_notes
from wellsourced.presentation.receipts import describe_attempt, describe_identified, list_interpretations
from wellsourced.presentation.references import describe_reference, find_link, name_work, shorten_title
from wellsourced.presentation.wording import format_count
from wellsourced.types import Document, FoundWork, Gap, Passage

if TYPE_CHECKING:
    from wellsourced.pipeline.retrieve.retrieval import RetrievalResult

MAX_SNIPPET_CHARS = 240
"""Characters of a passage that a list shows."""

MAX_HEADINGS = 2
"""Headings, the innermost, of the section that a passage is of."""


def build_search(found: "RetrievalResult", gaps: Sequence[Gap], limit: int, *, by_work: bool = False) -> Presentation:
    """The passages that fit a question best, or the works that they are of; how it was understood and searched for, and
    what could not be searched."""
    if by_work:
        hits = tuple(map(_describe_work, found.list_works()[:limit]))
    else:
        hits = tuple(_describe_passage(each.passage, each.source) for each in found.candidates[:limit])
    listed = List("", hits, is_ordered=True) if hits else List("Nothing found.", kind="abstention")
    steps = [*list_interpretations(found.question), *found.notes, *map(describe_attempt, found.attempts)]
    if by_work and found.attempts:
        identified, works = found.count_records()
        told = f"{describe_identified(identified)}; {format_count(sum(identified.values()) - works, 'duplicate')}"
        steps.append(f"records (PRISMA): {told}; {format_count(works, 'work')}, {len(hits)} of them listed")
    searched = List("Searched", tuple(map(Text, steps)))
    title = found.question.asked or found.question.text
    return Presentation(title, (listed, searched, build_gaps(gaps)))


def _describe_work(work: FoundWork) -> Text:
    count = f"{work.passages} passage{'' if work.passages == 1 else 's'}"
    where = f"{work.reference.id} ({', '.join(work.sources)}): {count}"
    return Text(describe_reference(work.reference), items=(Text(where, role="aside"),))


def _describe_passage(passage: Passage, source: str) -> Text:
    """The work and its section; below them the passage's id with where it was found, and its beginning."""
    title, year = shorten_title(passage.reference.title) or passage.reference.id, str(passage.reference.year or "")
    section = " › ".join(passage.section.split(" › ")[-MAX_HEADINGS:])
    beginning = textwrap.shorten(passage.text, MAX_SNIPPET_CHARS, placeholder="…")
    # Guidelines often carry their year in the title.
    heading = ", ".join(part for part in (title, "" if year in title else year, section) if part)
    return Text(heading, items=(Text(f"{passage.id} ({source})", role="aside"), Text(beginning)))


def build_document(document: Document, spans: Iterable[tuple[int, int]] = ()) -> Presentation:
    """All of a document, section by section, with these spans of its text marked; what is beyond it marks nothing."""
    sections = tuple(_cut_sections(document, sorted(spans)))
    return Presentation(name_work(document.reference), sections)


MAX_AROUND = 2_000
"""Characters that are shown before and behind the marked words, and of a document at its beginning."""


def build_passage(document: Document, spans: Iterable[tuple[int, int]] = ()) -> Presentation:
    """The sections of a document in which these spans are, with as much of them as fits a look; else how it begins."""
    shown = build_document(document, spans)
    sections = [block for block in shown.blocks if isinstance(block, Excerpt)]
    marked = [section for section in sections if section.marks] or sections[:1]
    blocks = tuple(_cut_around(section) for section in marked)
    is_whole = blocks == tuple(sections)
    more = () if is_whole else (Text("Part of the document.", role="aside", step=NextStep("show document")),)
    return Presentation(shown.title, (Heading(shown.title, level=1), *blocks, *more))


def _cut_around(section: Excerpt) -> Excerpt:
    marks = section.marks or (Mark(0, 1),)
    start = max(0, marks[0].start - MAX_AROUND)
    text = section.text[start : marks[-1].end + MAX_AROUND]
    moved = tuple(replace(mark, start=mark.start - start, end=mark.end - start) for mark in section.marks)
    notes = tuple(note._replace(start=note.start - start, end=note.end - start) for note in section.notes)
    return replace(section, text=text, marks=moved, notes=notes)


def _cut_sections(document: Document, spans: Sequence[tuple[int, int]]) -> Iterator[Excerpt]:
    reference = document.reference
    titles = {section.start: section.title for section in document.sections}
    edges = sorted({0, len(document.text), *titles, *(section.end for section in document.sections)})
    for left, right in pairwise(edges):
        text, title = document.text[left:right], titles.get(left, "")
        # What is between sections are their headings, which are printed as titles already.
        if left not in titles and (document.sections or not text.strip()):
            continue
        inside = ((max(start, left), min(end, right)) for start, end in spans)
        marks = tuple(Mark(start - left, end - left) for start, end in inside if start < end)
        page = document.page(left, right)
        locator = Locator(reference.id, name_work(reference), title, page, left, right, link=find_link(reference))
        yield Excerpt(title, text, locator, marks, notes=place_notes(find_errata(reference.id, text, left), left))
