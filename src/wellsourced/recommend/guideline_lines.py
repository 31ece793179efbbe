"""A guideline line by line: each with the lines and headings that it hangs on, and what the guideline is about."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wellsourced.clinical.measurements import find_limits
from wellsourced.text.blocks import Block, ancestors, find_blocks
from wellsourced.text.sentences import split_sentences
from wellsourced.types import Document, Section

MAX_LINE_CHARS = 700
"""Characters of a line that is read as one; a longer one is text that lost its line breaks."""

_LABEL = re.compile(r"[^:.\n]{2,80}:")
_BARE_LIMIT = re.compile(r"(?<![\w(])(?:below|above|under|over|[<>≤≥]=?)\s*\d")


class GuidelineSubject(NamedTuple):
    """The conditions that a guideline is about, whether it is cited or about this patient's, and whether it is cited.

    Where no guideline is cited, none is told from the others by that.
    """

    conditions: frozenset[str]
    is_relevant: bool
    is_cited: bool = True


class GuidelineLine(NamedTuple):
    """A line, or a sentence of a paragraph, with what it hangs on: the lines above and the headings, nearest first."""

    start: int
    end: int
    text: str
    above: tuple[tuple[int, int], ...]
    levels: tuple[str, ...]
    title: str
    subjects: frozenset[str] = frozenset()
    is_relevant: bool = False
    is_cited: bool = True
    is_row: bool = False


def read_lines(document: Document, section: Section, about: GuidelineSubject) -> Iterator[GuidelineLine]:
    """The lines of a section, in order; linear in its length."""
    blocks = find_blocks(document.text, section.start, section.end)
    for position in range(len(blocks)):
        for line in _split_lines(document, section, blocks, position):
            yield line._replace(subjects=about.conditions, is_relevant=about.is_relevant, is_cited=about.is_cited)


def _split_lines(
    document: Document, section: Section, blocks: Sequence[Block], position: int
) -> Iterator[GuidelineLine]:
    """The sentences of a block; a row of a table and a line that introduces others are one."""
    text, block = document.text, blocks[position]
    if block.kind == "row" and block.parent is None:
        return
    above = tuple((blocks[at].span.start, blocks[at].span.end) for at in ancestors(blocks, position))
    levels = (*(text[start:end] for start, end in above), *reversed(section.title.split(" › ")))
    words = text[block.span.start : block.span.end]
    spans = [(0, len(words))] if block.kind == "row" else [(one.start, one.end) for one in split_sentences(words)]
    label = _LABEL.match(words)
    for start, end in spans:
        if 0 < end - start <= MAX_LINE_CHARS:
            at = block.span.start + start
            named = (label.group(), *levels) if start and label else levels
            judged = _name_bare_limits(words[:start], words[start:end])
            title, is_row = document.reference.title, block.kind == "row"
            yield GuidelineLine(at, block.span.start + end, judged, above, named, title, is_row=is_row)


def _name_bare_limits(before: str, sentence: str) -> str:
    """The sentence with the measure of the one before it where its limit names none: "Contraindicated below 30"."""
    known = find_limits(before) if _BARE_LIMIT.search(sentence) and not find_limits(sentence) else []
    return _BARE_LIMIT.sub(lambda found: f"{known[-1].measure} {found.group()}", sentence) if known else sentence
