"""PDF: the running text in the order in which it is read, page by page, without what only the paper needs."""

import re
import time
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from wellsourced.errors import Unreadable
from wellsourced.readers.base import (
    BYTES_READ,
    FILE_LIMIT,
    Faulty,
    File,
    Read,
    Unpacked,
    file_id,
    file_title,
    plain,
    published,
    salvaging,
)
from wellsourced.readers.digests import digested
from wellsourced.readers.pdf.layout import lines, usual_gutter
from wellsourced.readers.pdf.outline import Block, outlined, title_of
from wellsourced.readers.pdf.paragraphs import Paragraph, body_size, paragraphs, without_running_heads
from wellsourced.readers.pdf.words import UNNAMED, Facts, Pdf, Sheet
from wellsourced.readers.properties import told_people, told_title
from wellsourced.types import Document, Kind, Reference, Section

PAGES = 5_000
"""Pages that are read of one file."""

SECONDS = 600.0
"""Time that one file may take; a page takes 30 ms, a book a minute."""

LITTLE = 0.05
"""Share of a file that stays when its references are left out, below which they are what it is about."""

SAMPLE = 20
"""Pages that are looked at to see whether a file is set in columns."""

DOI = re.compile(r"\b10\.[0-9]{4,9}/[^\s\"<>{}|\\^`]+", re.IGNORECASE)
XMP = 200_000
"""Bytes of the metadata packet, at most."""

TOLD_DOI = re.compile(r"prism:doi|pdfx:doi|dc:identifier")
TOLD_DATE = re.compile(r"prism:(?:publicationDate|coverDate)")
DATE = re.compile(r"\b[12][0-9]{3}(?:-[0-9]{2}){0,2}\b")
PICTURES = "they are pictures of pages, without letters"
OCR = "Run OCR over it first: ocrmypdf IN.pdf OUT.pdf"


@digested
@salvaging
def read_pdf(path: File, kind: Kind) -> Read:
    """The one document that a PDF is; pages that cannot be read are told.

    Two columns are read one after the other, and what spans both in its place. Left out: running heads and feet,
    page numbers, text that is written up the page, and the list of references. Hyphens at line ends are undone.
    The id is the DOI when the file's metadata gives it, or when its first page prints one alone; else it comes from
    the file's path. The date is the metadata's, or the year in which the file was made.
    Raises SettingsError when pypdfium2 is not installed.
    """
    yield from _read(path, kind)


@salvaging
def read_pdf_whole(path: File, kind: Kind) -> Read:
    """As `read_pdf`, with the list of references: what a text rests on, where the text is what is checked."""
    yield from _read(path, kind, references=True)


def _read(path: File, kind: Kind, *, references: bool = False) -> Read:
    with Unpacked(path, FILE_LIMIT) as unpacked:
        data = unpacked.readall() or b""
    if not data.strip():
        return
    pdf = Pdf(str(path), data)
    try:
        facts = pdf.facts()
        sheets = list(_sheets(pdf, facts, len(data)))
    finally:
        pdf.close()
    if not any(sheet.words for sheet in sheets):
        raise _wordless(path, sheets)
    yield _document(path, kind, sheets, facts, _told(data), references=references)
    yield from _faults(sheets, facts)


def _sheets(pdf: Pdf, facts: Facts, size: int) -> Iterator[Sheet]:
    began = time.monotonic()
    for number in range(min(facts.pages, PAGES)):
        if time.monotonic() - began > SECONDS:
            yield Sheet((), fault=f"reading the file took more than {SECONDS:g} s")
            continue
        yield pdf.sheet(number)
        BYTES_READ.get()(size * (number + 1) // facts.pages)


def _wordless(path: File, sheets: Sequence[Sheet]) -> Unreadable:
    faults = [sheet.fault for sheet in sheets if sheet.fault]
    if faults:
        return Unreadable(str(path), f"none of its pages can be read: {faults[0]}", _remedy(faults[0]))
    if any(sheet.pictured for sheet in sheets):
        return Unreadable(str(path), f"its pages cannot be read: {PICTURES}", OCR)
    return Unreadable(str(path), "its pages are empty", "Leave it out.")


def _faults(sheets: Sequence[Sheet], facts: Facts) -> Iterator[Faulty]:
    faults = [_fault(sheet) for sheet in sheets]
    for fault, group in groupby(enumerate(faults, 1), key=lambda pair: pair[1]):
        if fault:
            numbers = [number for number, _ in group]
            pages = f"page {numbers[0]}" if len(numbers) == 1 else f"pages {numbers[0]} to {numbers[-1]}"
            yield Faulty(pages, fault, _remedy(fault))
    if facts.pages > PAGES:
        yield Faulty(f"pages {PAGES + 1} to {facts.pages}", "no more pages are read of one file", "Split the file.")


def _fault(sheet: Sheet) -> str:
    return sheet.fault or (PICTURES if sheet.pictured and not sheet.words else "")


def _remedy(fault: str) -> str:
    return OCR if fault in (PICTURES, UNNAMED) else "Fetch the file again, or print it to a new PDF."


class Told(NamedTuple):
    """What the XMP packet says of the work; "" where it says nothing."""

    doi: str = ""
    date: str = ""


def _told(data: bytes) -> Told:
    start = data.find(b"<x:xmpmeta")
    end = data.find(b"</x:xmpmeta>", start, start + XMP) if start >= 0 else -1
    packet = data[start:end].decode("utf-8", "replace") if end >= 0 else ""
    return Told(_bare(_behind(TOLD_DOI, DOI, packet)), published(_behind(TOLD_DATE, DATE, packet)))


def _behind(name: re.Pattern[str], value: re.Pattern[str], packet: str) -> str:
    """The first value close behind a name: in its element, its attribute, or the list inside it."""
    places = (value.search(packet, at.end(), at.end() + 300) for at in name.finditer(packet))
    return next((found.group() for found in places if found), "")


def _document(
    path: File, kind: Kind, sheets: Sequence[Sheet], facts: Facts, told: Told, *, references: bool
) -> Document:
    usual = usual_gutter([sheet.words for sheet in sheets[:SAMPLE]])
    printed = [(number, lines(sheet.words, usual)) for number, sheet in enumerate(sheets)]
    pages = without_running_heads(printed)
    if not any(left for _, left in pages):
        pages = printed  # a file that says one thing on every page says it
    body, found = body_size(pages), paragraphs(pages)
    title = title_of(found, body)
    blocks = outlined(found, body, title, references=references)
    if sum(len(block.text) for block in blocks) < LITTLE * sum(len(one.text) for one in found):
        blocks = [Block(one.text, "", False, one.starts) for one in found]  # it is a list of references itself
    doi = told.doi or _info_doi(facts) or _printed_doi(sheets[0], found)
    reference = Reference(
        id=f"doi:{doi.lower()}" if doi else file_id(path),
        title=told_title(facts.info.get("Title", "")) or (title.text if title else file_title(path)),
        url=f"https://doi.org/{doi}" if doi else "",
        kind=kind,
        published=told.date,
        authors=told_people(facts.info.get("Author", "")),
        doi=doi,
    )
    return _set(reference, blocks, len(sheets))


def _set(reference: Reference, blocks: Sequence[Block], pages: int) -> Document:
    """The blocks a blank line apart, with the place of every section and every page."""
    sections: list[Section] = []
    parts: list[str] = []
    begins: dict[int, int] = {}
    at, together = 0, False
    for block in blocks:
        words = plain(block.text).strip()
        if not words:
            continue
        start = at + 2 if parts else 0
        parts.append(words)
        at = start + len(words)
        for page, offset in block.starts:
            begins[page] = min(begins.get(page, start + offset), start + offset)
        if not block.heading:
            if together and sections[-1].title == block.section:
                sections[-1] = sections[-1].model_copy(update={"end": at})
            else:
                sections.append(Section(title=block.section, start=start, end=at))
        together = not block.heading
    text = "\n\n".join(parts)
    whole = tuple(sections) or ((Section(title="", start=0, end=len(text)),) if text else ())
    return Document(reference=reference, text=text, sections=whole, pages=_starts(begins, pages, len(text)))


def _starts(begins: dict[int, int], pages: int, end: int) -> tuple[int, ...]:
    """Where each page begins; one without words begins where the next one does."""
    starts = []
    for page in range(pages - 1, -1, -1):
        end = min(end, begins.get(page, end))
        starts.append(end)
    return tuple(starts[::-1])


def _info_doi(facts: Facts) -> str:
    return next((_bare(found.group()) for value in facts.info.values() if (found := DOI.search(value))), "")


def _printed_doi(first: Sheet, found: Sequence[Paragraph]) -> str:
    """The DOI of the first page when it prints one only, and not in a sentence: that of another work stands in one."""
    printed = {_bare(match.group()).lower() for word in first.words for match in DOI.finditer(word.text)}
    if len(printed) != 1:
        return ""
    doi = printed.pop()
    running = [one for one in found if one.page == 0 and doi in one.text.lower()]
    return doi if all(len(one.text) < 250 for one in running) else ""


def _bare(doi: str) -> str:
    return doi.rstrip(".,;:)]'\"")
