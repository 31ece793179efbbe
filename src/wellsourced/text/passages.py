"""A document cut into passages that a search can find and an answer can quote; a passage under its titles, in batches,
and in slices where it does not fit.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

from wellsourced.text.sentences import Span, split_sentences, trim_span
from wellsourced.types import Document, Passage, Section

MAX_PASSAGE_LENGTH = 1_000
"""Characters in the longest passage."""

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")

PARAGRAPH_CUT_COST = 1.0
"""What it costs to cut a paragraph that would have fitted, in passages: as much as an empty one."""
LEAD_IN_CUT_COST = 0.3
"""What it costs to part a list from the line that introduces it."""


class _PassagePiece(NamedTuple):
    """What is not parted any more, and what it costs to end a passage with it."""

    start: int
    end: int
    end_cost: float


def cut_passages(document: Document, limit: int = MAX_PASSAGE_LENGTH) -> list[Passage]:
    """The passages of a document, section by section: document.text[start:end], at most `limit` characters each.

    They end at sentence ends, keep a paragraph whole when it fits, and are of even size rather than full ones and a
    rest. Only a sentence that is longer than the limit is cut inside, at a clause end or white space. Every character
    of a section that is not white space is in exactly one passage. Without sections the text is one unnamed section.
    """
    text = document.text
    sections = document.sections or (Section(title="", start=0, end=len(text)),)
    return [
        Passage(
            reference=document.reference,
            text=text[start:end],
            start=start,
            end=end,
            section=section.title,
            page=document.page(start, end),
        )
        for section in sections
        for start, end in passage_spans(text, section.start, section.end, limit)
    ]


def cut_index_passages(document: Document) -> list[Passage]:
    """The passages of a document as an index stores them: of one with a digest, the first stands for all of it.

    That one is found by the digest, and whoever reads it opens the document; the others are found by their own words.
    """
    passages = cut_passages(document)
    if document.digest and passages:
        passages[0] = passages[0].model_copy(update={"stands_for_document": True})
    return passages


def passage_spans(text: str, start: int, end: int, limit: int = MAX_PASSAGE_LENGTH) -> list[Span]:
    """Where the passages of text[start:end] begin and end. Linear in the length of the text."""
    whole = trim_span(text, start, end)
    if whole.start == whole.end:
        return []
    if whole.end - whole.start <= limit:
        return [whole]
    pieces: list[_PassagePiece] = []
    for paragraph in _split_paragraphs(text, whole):
        # A paragraph that cannot fit has to be cut somewhere, so cutting it costs nothing more.
        inside = PARAGRAPH_CUT_COST if paragraph.end - paragraph.start <= limit else 0.0
        found = [
            _PassagePiece(*span, inside + LEAD_IN_CUT_COST * (text[span.end - 1] == ":"))
            for span in _split_pieces(text, paragraph, limit)
        ]
        pieces += [*found[:-1], found[-1]._replace(end_cost=0.0)]
    return _pack_pieces(_join_short_pieces(pieces, limit), limit)


def _join_short_pieces(pieces: list[_PassagePiece], limit: int) -> list[_PassagePiece]:
    """Very short pieces put before the next: a heading stays with its text, and there are never many to weigh."""
    found: list[_PassagePiece] = []
    short = False
    for piece in pieces:
        # A heading belongs to what stands under it, not to what stood before.
        if short and piece.end - found[-1].start <= limit // 10:
            piece = piece._replace(start=found.pop().start)
        short = piece.end - piece.start < limit // 25
        found.append(piece)
    return found


def _split_paragraphs(text: str, whole: Span) -> Iterator[Span]:
    """What blank lines part; where none does, what line breaks part."""
    gaps = list(_BLANK_LINE.finditer(text, *whole)) or list(re.finditer(r"\n", text[whole.start : whole.end]))
    offset = 0 if gaps and gaps[0].re is _BLANK_LINE else whole.start
    at = whole.start
    for gap in gaps:
        paragraph = trim_span(text, at, gap.start() + offset)
        if paragraph.start < paragraph.end:
            yield paragraph
        at = gap.end() + offset
    yield trim_span(text, at, whole.end)


def _split_pieces(text: str, paragraph: Span, limit: int) -> Iterator[Span]:
    """The sentences of a paragraph, each with the mark of a list before it, none longer than the limit."""
    at = paragraph.start
    for sentence in split_sentences(text, *paragraph):
        piece = trim_span(text, at, sentence.end)
        yield from _split_long_piece(text, piece, limit)
        at = sentence.end
    rest = trim_span(text, at, paragraph.end)
    if rest.start < rest.end:
        yield from _split_long_piece(text, rest, limit)


def _split_long_piece(text: str, piece: Span, limit: int) -> Iterator[Span]:
    """Parts of even size, cut at the last blank that leaves a fair part, else anywhere."""
    start, end = piece
    while end - start > limit:
        parts = -(-(end - start) // limit)
        # Not before two thirds of an even part: a cut near the beginning would leave crumbs.
        fair = start + (end - start) // parts * 2 // 3
        cut = text.rfind(" ", max(fair, start + 1), start + limit + 1)
        middle = cut if cut >= 0 else start + limit
        part = trim_span(text, start, middle)
        if part.start < part.end:
            yield part
        start = trim_span(text, middle, min(end, middle + limit)).start
    if start < end:
        yield Span(start, end)


def _pack_pieces(pieces: list[_PassagePiece], limit: int) -> list[Span]:
    """Neighbouring pieces joined so that the room left empty, squared, and the costs of the cuts are least.

    Squares make few passages better than many, and even ones better than a full one and a rest.
    """
    best = [0.0]
    opening = [0]
    for last, piece in enumerate(pieces):
        least, choice = float("inf"), last
        for first in range(last, -1, -1):
            room = limit - (piece.end - pieces[first].start)
            if room < 0:
                break
            total = best[first] + (room / limit) ** 2
            if total < least:
                least, choice = total, first
        best.append(least + piece.end_cost)
        opening.append(choice)
    found: list[Span] = []
    last = len(pieces)
    while last:
        first = opening[last]
        found.append(Span(pieces[first].start, pieces[last - 1].end))
        last = first
    return found[::-1]


def search_text(document: Document, passage: Passage) -> str:
    """The words by which a passage is found: its own, under the titles that they stand under on the page."""
    # The digest says what the whole document is about; its first words mostly say who wrote it.
    if passage.stands_for_document and document.digest:
        return f"{document.reference.title}\n{document.digest}"
    return text_under_titles(passage)


def text_under_titles(passage: Passage) -> str:
    """The passage's words under the titles that they stand under on the page: how it is found, and how it is judged."""
    return words_under_title(passage, passage.text)


def words_under_title(passage: Passage, words: str) -> str:
    """Words of the passage under the title of its document, which often alone says what they are about."""
    return "\n".join(filter(None, (passage.reference.title, passage.section, words)))


Item = TypeVar("Item")

MIN_CUTTABLE_LENGTH = 200
"""Characters up to which a passage is not sliced any more: less can hardly be understood."""


class PassageSlice(NamedTuple):
    """What is shown of a passage: all of it, or a slice with its own offsets in the document."""

    shown: Passage
    whole: Passage


def split_evenly(items: Sequence[Item], parts: int) -> list[tuple[Item, ...]]:
    """The items in order, in so many parts whose sizes differ by 1 at most; as many parts as items if these are fewer.

    Each item is in exactly one part, and no part is empty.
    """
    parts = min(parts, len(items))
    bounds = [place * len(items) // parts for place in range(parts + 1)] if parts else [0]
    return [tuple(items[start:end]) for start, end in pairwise(bounds)]


def split_to_fit(
    parts: Sequence[tuple[PassageSlice, ...]], fits: Callable[[tuple[PassageSlice, ...]], bool]
) -> list[tuple[PassageSlice, ...]]:
    """The parts, each that does not fit cut in two until it does, a passage that alone does not fit into slices.

    What cannot be cut any more stays as it is, and everything does when not even an empty part fits.
    """
    if not fits(()):
        return list(parts)
    made: list[tuple[PassageSlice, ...]] = []
    for part in parts:
        halves = [] if fits(part) else halve_batch(part)
        made += split_to_fit(halves, fits) if halves else [part]
    return made


def halve_batch(part: tuple[PassageSlice, ...]) -> list[tuple[PassageSlice, ...]]:
    """Two parts of it, or two or three slices of its only passage; none when that is too short to be cut."""
    if len(part) > 1:
        return split_evenly(part, 2)
    return [(one,) for piece in part for one in slice_passage(piece)]


def slice_passage(piece: PassageSlice) -> list[PassageSlice]:
    """Slices of about half its length that end, where they can, with a sentence; none of one that is short."""
    passage, length = piece.shown, len(piece.shown.text)
    if length <= MIN_CUTTABLE_LENGTH:
        return []
    return [
        PassageSlice(_build_slice(passage, start, end), piece.whole)
        for start, end in passage_spans(passage.text, 0, length, length // 2 + 1)
    ]


def _build_slice(passage: Passage, start: int, end: int) -> Passage:
    return Passage(
        reference=passage.reference,
        text=passage.text[start:end],
        start=passage.start + start,
        end=passage.start + end,
        section=passage.section,
        page=passage.page,
    )


SEPARATOR = " › "
