"""A document in sections, a section in units: what is shown whole, and what is marked in it.

A unit is a sentence's line, a step, a label or an item with everything under it, a row with its header.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import NamedTuple

from wellsourced.lazy import lazy_regex
from wellsourced.text.blocks import Block, ancestors, find_blocks
from wellsourced.text.passages import SEPARATOR, passage_spans
from wellsourced.text.sentences import Span, has_back_reference, split_sentences
from wellsourced.types import Document

MAX_HEADING_WORDS = 10
"""Words of a line that stands apart and ends no sentence, up to which it is a heading."""

MAX_LABEL_WORDS = 6
"""Words of a line up to which the lines below it hang on it."""

MAX_JOINED_WORDS = 150
"""Words up to which neighbours below the same heading are one section."""

MAX_UNIT_WORDS = 60
"""Words of a line with everything under it up to which they are one unit."""

MAX_ABSTRACT_WORDS = 500
"""Words of a study up to which all of it is taken for its abstract, where nothing is called so."""

_METHODS = frozenset({"methods", "method", "materials and methods", "patients and methods", "design"})
_RESULTS = frozenset({"results", "findings", "main results"})

_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
_APART_LINE = re.compile(r"(?:(?<=\n\n)|(?<=\n \n))([^\n]+)\n")
_NO_HEADING = lazy_regex(r"\s*(?:[-•*□→|]|\d+[.)])\s|.* \| |.*[.;:,!?)]\W*$")
_BEGINS_LIKE_HEADING = re.compile(r"\W*[A-Z\d]")
_NO_LABEL = re.compile(r"\d|[.,;!?]\W*$")
_GOES_ON = re.compile(r"[a-z(]")
_ADDS = re.compile(r"\W*(?:plus|and|or|except|unless|with|\+)(?!\w)", re.IGNORECASE)
"""How a line begins without which the one above it would say something else."""


class Unit(NamedTuple):
    """Lines of one section that are marked together, by their places in it: those it hangs on, itself, those below."""

    own: int
    above: tuple[int, ...]
    below: tuple[int, ...]

    @property
    def lines(self) -> tuple[int, ...]:
        """All of its lines, in order."""
        return (*self.above, self.own, *self.below)


class LaidOutSection:
    """A part of a document under one heading, in lines.

    path         the headings, outermost first; what stands in the document's text between `start` and `end` is shown
    start, end   in the document's text, without white space at its ends
    opening      where the lines of its own heading begin, before `start`
    headings     where the lines of headings within it begin and end: what follows hangs on them
    lines        its lines as `find_blocks` reads them, prose in sentences; a wrapped line hangs on the one it goes on
                 with, what follows a label on that, a sentence that leans on the one before it on that
    """

    def __init__(
        self,
        document: Document,
        path: str,
        start: int,
        end: int,
        *,
        opening: int | None = None,
        headings: Sequence[Span] = (),
    ) -> None:
        text = document.text
        self.opening, self.headings = start if opening is None else opening, headings
        self.document, self.path = document, path
        self.end = start + len(text[start:end].rstrip())
        self.start = self._skip_title(start)
        self.lines = _hang_lines(text, _split_prose(text, find_blocks(text, self.start, self.end)), headings)

    def _skip_title(self, start: int) -> int:
        """Where its words begin: behind lines that only repeat the document's title or its own heading."""
        text = self.document.text
        known = {self.document.reference.title, self.path.rpartition(SEPARATOR)[2], ""}
        first = start
        for line in _LINE.finditer(text, start, self.end):
            if line[0].strip(" \t\n*#_") not in known:
                break
            start = line.end()
        start = first if start >= self.end else start
        return start + len(text[start : self.end]) - len(text[start : self.end].lstrip())

    @property
    def text(self) -> str:
        """Its words as they are printed."""
        return self.document.text[self.start : self.end]

    @cached_property
    def heading(self) -> str:
        """What every line of it stands under: the document's title and the headings."""
        return ": ".join(filter(None, dict.fromkeys([self.document.reference.title, self.path])))

    @property
    def text_under_heading(self) -> str:
        """Its words, and before them what they stand under."""
        return f"{self.heading}\n{self.text}"

    @cached_property
    def words(self) -> int:
        """How many words it has with its path."""
        return len(self.text.split()) + len(self.path.split())

    def line(self, place: int) -> str:
        """The words of a line."""
        span = self.lines[place].span
        return self.document.text[span.start : span.end]

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many words each line has."""
        return tuple(len(self.line(place).split()) for place in range(len(self.lines)))

    def find_above(self, place: int) -> list[int]:
        """The lines that a line hangs on, in order."""
        return sorted(ancestors(self.lines, place))

    def find_below(self, place: int) -> Sequence[int]:
        """Everything that hangs on a line, in order."""
        return self._below.get(place, ())

    @cached_property
    def _below(self) -> dict[int, list[int]]:
        below: dict[int, list[int]] = {}
        for place in range(len(self.lines)):
            for above in ancestors(self.lines, place):
                below.setdefault(above, []).append(place)
        return below

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """All that can be marked: a header of a table only with its rows, a label only with what it labels."""
        return tuple(_find_units(self))

    def find_unit(self, position: int) -> Unit | None:
        """The unit whose own line stands at a position of the document; None where no unit's does."""
        spans = ((self.lines[unit.own].span, unit) for unit in self.units)
        return next((unit for span, unit in spans if span.start <= position < span.end), None)

    def unit_text(self, unit: Unit) -> str:
        """What a unit says under its headings."""
        return "\n".join([self.heading, *(self.line(one) for one in unit.lines)])

    def complete(self, places: Collection[int]) -> list[int]:
        """These lines, those that they hang on, and what begins with PLUS, OR or EXCEPT around them, in order."""
        kept = {*places, *(above for one in places for above in self.find_above(one))}
        for place in self._additions:
            if not kept.isdisjoint(self._list_added_to(place)):
                kept |= {place, *self.find_below(place)}
        for place in reversed(self._additions):
            if place in kept:
                kept |= {*self._list_added_to(place)}
        return sorted(kept)

    @cached_property
    def _additions(self) -> tuple[int, ...]:
        return tuple(place for place in range(1, len(self.lines)) if _ADDS.match(self.line(place)))

    def _list_added_to(self, place: int) -> Sequence[int]:
        """The lines that a line with PLUS or OR adds to: of one that has lines below, the list before it."""
        parent = self.lines[place].parent
        if parent is None or not self.find_below(place):
            return (place - 1,)
        return range(parent + 1, place)


def _split_prose(text: str, blocks: Sequence[Block]) -> list[Block]:
    """The blocks; of a paragraph on which nothing hangs each sentence."""
    carrying = {block.parent for block in blocks}
    parts = [
        split_sentences(text, block.span.start, block.span.end)
        if block.kind == "paragraph" and place not in carrying
        else [block.span]
        for place, block in enumerate(blocks)
    ]
    starts = list(accumulate(map(len, parts), initial=0))
    found: list[Block] = []
    for block, spans in zip(blocks, parts, strict=True):
        parent = None if block.parent is None else starts[block.parent]
        for number, span in enumerate(spans):
            leans = number > 0 and has_back_reference(text[span.start : span.end])
            found.append(block._replace(span=span, parent=len(found) - 1 if leans else parent))
    return found


def _hang_lines(text: str, found: Sequence[Block], headings: Sequence[Span]) -> list[Block]:
    lines = list(found)
    heading: int | None = None
    label: int | None = None
    for place, line in enumerate(lines):
        words = text[line.span.start : line.span.end]
        before = text[lines[place - 1].span.end : line.span.start] if place else "\n\n"
        is_loose = line.kind == "paragraph" and place > 0 and lines[place - 1].kind != "row"
        if is_loose and before.count("\n") == 1 and _GOES_ON.match(words):
            lines[place] = line._replace(parent=place - 1)
        elif any(one.start <= line.span.start < one.end for one in headings):
            heading, label = place, None
            lines[place] = line._replace(parent=None)
        elif line.kind != "row" and is_label(words):
            label = place
            above = lines[place - 1].parent if place and _ADDS.match(words) else heading
            lines[place] = line._replace(parent=above if line.parent is None else line.parent)
        elif line.parent is None:
            lines[place] = line._replace(parent=heading if label is None else label)
    return lines


def is_label(words: str) -> bool:
    """Whether a line only names what the lines below it are about."""
    return len(words.split()) <= MAX_LABEL_WORDS and not _NO_LABEL.search(words)


def _find_units(section: LaidOutSection) -> Iterator[Unit]:
    for place, line in enumerate(section.lines):
        below = section.find_below(place)
        is_header = line.kind == "row" and bool(below)
        if is_header or (not below and line.kind != "row" and is_label(section.line(place))):
            continue
        if section.sizes[place] + sum(section.sizes[one] for one in below) > MAX_UNIT_WORDS:
            below = ()
        yield Unit(place, tuple(section.find_above(place)), tuple(below))


@lru_cache(maxsize=64)
def find_sections(document: Document) -> tuple[LaidOutSection, ...]:
    """All sections of a document in order, as its headings say and lines that stand apart like headings; short
    neighbours below the same heading are one. Of a study, its abstract.

    Those of the last documents are kept: many questions lead to the same guideline.
    """
    abstract = find_abstract(document)
    return (abstract,) if abstract else tuple(_cut_document(document))


def find_parts(document: Document, length: int) -> list[LaidOutSection]:
    """What a language model may read of a document: its sections, of a study those beside the abstract, too. One with
    more characters is split where its sentences end."""
    sections = _cut_document(document)
    if abstract := find_abstract(document):
        others = [one for one in sections if one.end <= abstract.start or abstract.end <= one.start]
        sections = sorted([abstract, *others], key=lambda one: one.start)
    return [part for section in sections for part in _split_section(section, length)]


def _split_section(section: LaidOutSection, length: int) -> list[LaidOutSection]:
    if section.end - section.start <= length:
        return [section]
    spans = passage_spans(section.document.text, section.start, section.end, length)
    return [LaidOutSection(section.document, section.path, *span) for span in spans]


def _cut_document(document: Document) -> list[LaidOutSection]:
    found: list[LaidOutSection] = []
    ends = [0, *(one.end for one in document.sections)]
    parts = [(one.title, ends[number], one.start, one.end) for number, one in enumerate(document.sections)]
    for part in parts or [("", 0, 0, len(document.text))]:
        for path, opening, start, end in _cut_at_headings(document.text, *part):
            if not document.text[start:end].strip():
                continue
            section = LaidOutSection(document, path, start, end, opening=opening)
            if found and (joined := _join_sections(found[-1], section)):
                found[-1] = joined
            else:
                found.append(section)
    return found


def is_study(document: Document) -> bool:
    """Whether a document is a study, as its headings or its record tell."""
    titles = {one.title.rpartition(SEPARATOR)[2].strip(" .:").lower() for one in document.sections}
    is_record = document.reference.kind == "research" or bool(document.reference.publication_types)
    return is_record or bool(titles & _METHODS and titles & _RESULTS)


def find_abstract(document: Document) -> LaidOutSection | None:
    """Of a study, as its headings or its record tell, the abstract; None for any other document."""
    if not is_study(document):
        return None
    parts = [one for one in document.sections if one.title.partition(SEPARATOR)[0].strip().lower() == "abstract"]
    if parts:
        return LaidOutSection(document, parts[0].title.partition(SEPARATOR)[0], parts[0].start, parts[-1].end)
    is_short = document.text.strip() and len(document.text.split()) <= MAX_ABSTRACT_WORDS
    return LaidOutSection(document, "", 0, len(document.text)) if is_short else None


def _cut_at_headings(text: str, path: str, opening: int, start: int, end: int) -> Iterator[tuple[str, int, int, int]]:
    """(path, where its heading begins, where its words begin, where they end) of each part of a section."""
    cuts = [(path, opening, start)]
    for line in _APART_LINE.finditer(text, start, end):
        if is_heading(line[1]):
            title = SEPARATOR.join(filter(None, [path, line[1].strip(" *")]))
            cuts.append((title, line.start(1), line.end(1)))
    for (title, before, begin), (_, stop, _) in zip(cuts, [*cuts[1:], ("", end, end)], strict=True):
        yield title, before, begin, stop


def is_heading(line: str) -> bool:
    """Whether a line that stands apart is a heading: it is short, begins like one, and ends no sentence."""
    count = len(line.split())
    return 0 < count <= MAX_HEADING_WORDS and not _NO_HEADING.match(line) and bool(_BEGINS_LIKE_HEADING.match(line))


def _join_sections(one: LaidOutSection, other: LaidOutSection) -> LaidOutSection | None:
    """Both as one, where they are short and stand below the same heading; else None."""
    above, below = (path.rpartition(SEPARATOR)[0] for path in (one.path, other.path))
    is_child = bool(one.path) and other.path.startswith(one.path + SEPARATOR)
    is_within = bool(one.headings) and one.path == below
    are_siblings = bool(above) and above == below
    if one.words + other.words > MAX_JOINED_WORDS or not (is_child or is_within or are_siblings):
        return None
    headings = [*one.headings, Span(other.opening, other.start)]
    if is_child or is_within:
        return LaidOutSection(one.document, one.path, one.start, other.end, opening=one.opening, headings=headings)
    # Each keeps its heading in sight: below which one a line stands decides for whom it holds.
    headings.insert(0, Span(one.opening, one.start))
    return LaidOutSection(one.document, above, one.opening, other.end, opening=one.opening, headings=headings)


def list_spans(section: LaidOutSection, places: Collection[int]) -> tuple[Span, ...]:
    """Where lines stand in the document, from the mark before each to its end, in order."""
    text = section.document.text
    spans = []
    for place in sorted(places):
        span = section.lines[place].span
        before = section.lines[place - 1].span.end if place else section.start
        begin = text.rfind("\n", 0, span.start) + 1
        start = begin if begin >= before else span.start
        spans.append(Span(start, span.end))
    return tuple(spans)
