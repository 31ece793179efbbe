"""PDF: the running text in the order in which it is read, page by page, without what only the paper needs."""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import groupby

from wellsourced.citations.links import work_url
from wellsourced.errors import UnreadableFile
from wellsourced.readers import document_builder
from wellsourced.readers.base import (
    DocumentStream,
    File,
    UnreadablePart,
    file_id,
    file_title,
    normalize_line_ends,
    salvage_documents,
)
from wellsourced.readers.decompressed_file import BYTES_READ, read_whole_bytes
from wellsourced.readers.file_listing import with_digest
from wellsourced.readers.pdf.layout import find_usual_gutter, join_broken_tables, read_page
from wellsourced.readers.pdf.paragraphs import (
    SENTENCE_END,
    PdfParagraph,
    body_size,
    build_paragraphs,
    remove_running_heads,
)
from wellsourced.readers.pdf.words import MISSING, UNMAPPED_FONT, PdfFile, PdfSheet, settle_marks
from wellsourced.types import Document, Reference, SourceKind

MAX_PAGES = 5_000
"""Pages that are read of one file."""

MAX_SECONDS = 600.0
"""Time that one file may take; a page takes 30 ms, a book a minute."""

MIN_REMAINING_SHARE = 0.05
"""Share of a file that stays when its references are left out, below which they are what it is about."""

DOI = re.compile(r"\b10\.[0-9]{4,9}/[^\s\"<>{}|\\^`]+", re.IGNORECASE)
DOI_PUNCTUATION = ".,;:)]'\""
MAX_XMP_BYTES = 200_000
"""Bytes of the metadata packet, at most."""

XMP_DOI = re.compile(r"prism:doi|pdfx:doi|dc:identifier")
XMP_DATE = re.compile(r"prism:(?:publicationDate|coverDate)")
DATE = re.compile(r"\b[12][0-9]{3}(?:-[0-9]{2}){0,2}\b")
PICTURES_ONLY = "they are images without text"
OCR_REMEDY = "Run OCR on it first, for example with OCRmyPDF."


@with_digest
@salvage_documents
def read_pdf(path: File, kind: SourceKind) -> DocumentStream:
    """The one document that a PDF is; pages that cannot be read are told.

    Two columns are read one after the other, and what spans both in its place. Left out: running heads and feet,
    page numbers, text that is written up the page, and the list of references. Hyphens at line ends are undone.
    The id is the DOI when the file's metadata gives it, or when its first page prints one alone; else it comes from
    the file's path. The date is the metadata's, or the year in which the file was made.
    """
    yield from _read_pdf(path, kind)


@salvage_documents
def read_pdf_with_references(path: File, kind: SourceKind) -> DocumentStream:
    """As `read_pdf`, with the list of references: what a text rests on, where the text is what is checked."""
    yield from _read_pdf(path, kind, references=True)


def _read_pdf(path: File, kind: SourceKind, *, references: bool = False) -> DocumentStream:
    data = read_whole_bytes(path)
    if not data.strip():
        return
    with closing(PdfFile(str(path), data)) as pdf:
        sheets = list(_read_sheets(pdf, len(data)))
    if not any(sheet.words for sheet in sheets):
        if faults := [sheet.fault for sheet in sheets if sheet.fault]:
            reason = f"none of its pages can be read: {faults[0]}"
            raise UnreadableFile(str(path), reason, _fault_remedy(faults[0]))
        # A scan has a remedy, which "empty" would not tell.
        if any(sheet.pictured for sheet in sheets):
            raise UnreadableFile(str(path), f"its pages cannot be read: {PICTURES_ONLY}", OCR_REMEDY)
        raise UnreadableFile(str(path), "its pages are empty", "Leave it out.")
    document, printed = _build_document(path, kind, sheets, pdf.info, data, references=references)
    yield document
    yield from _list_faults(sheets, pdf.pages, printed)


def _read_sheets(pdf: PdfFile, size: int) -> Iterator[PdfSheet]:
    began = time.monotonic()
    for number in range(min(pdf.pages, MAX_PAGES)):
        if time.monotonic() - began > MAX_SECONDS:
            yield PdfSheet((), fault=f"reading took more than {MAX_SECONDS:g} s")
            continue
        yield pdf.read_sheet(number)
        BYTES_READ.get()(size * (number + 1) // pdf.pages)


def _list_faults(sheets: Sequence[PdfSheet], pages: int, printed: Sequence[int]) -> Iterator[UnreadablePart]:
    """What cannot be read, and what can in part; `printed` are the pages of tables that are shown as printed."""
    faults = [sheet.fault or (PICTURES_ONLY if sheet.pictured else "") for sheet in sheets]
    for fault, group in groupby(enumerate(faults, 1), key=lambda pair: pair[1]):
        if fault:
            numbers = [number for number, _ in group]
            where = f"page {numbers[0]}" if len(numbers) == 1 else f"pages {numbers[0]} to {numbers[-1]}"
            yield UnreadablePart(where, fault, _fault_remedy(fault))
    for page, sheet in enumerate(sheets, 1):
        for font, count in sheet.missing.items() if not sheet.fault else ():
            signs = f"{count} character{'s'[: count > 1]} of the font {font or 'without a name'} cannot be read"
            yield UnreadablePart(f"page {page}", f"{signs}; {MISSING} shows where", "Read the printed page.")
    for page in dict.fromkeys(printed):
        reason = "a table is shown as printed: its rows and columns are not certain"
        yield UnreadablePart(f"page {page + 1}", reason, "Read the printed page.")
    if pages > MAX_PAGES:
        yield UnreadablePart(
            f"pages {MAX_PAGES + 1} to {pages}", "a file is read up to this page only", "Split the file."
        )


def _fault_remedy(fault: str) -> str:
    return (
        OCR_REMEDY if fault in (PICTURES_ONLY, UNMAPPED_FONT) else "Download the file again, or print it to a new PDF."
    )


def _read_xmp(data: bytes) -> tuple[str, str]:
    """The DOI and the date that the XMP packet says of the work; "" where it says nothing."""
    start = data.find(b"<x:xmpmeta")
    end = data.find(b"</x:xmpmeta>", start, start + MAX_XMP_BYTES) if start >= 0 else -1
    packet = data[start:end].decode("utf-8", "replace") if end >= 0 else ""
    doi, date = _value_after(XMP_DOI, DOI, packet), _value_after(XMP_DATE, DATE, packet)
    return doi.rstrip(DOI_PUNCTUATION), document_builder.parse_iso_date(date)


def _value_after(name: re.Pattern[str], value: re.Pattern[str], packet: str) -> str:
    """The first value close behind a name: in its element, its attribute, or the list inside it."""
    places = (value.search(packet, at.end(), at.end() + 300) for at in name.finditer(packet))
    return next((found.group() for found in places if found), "")


# Paragraphs of print → title, headings and what stands under them; the list of references is left out.
#
# A heading is taken for one only when its print says so and text follows it, or when it is one of the usual words
# alone on a line: a heading that is missed costs little, a sentence that is taken for one can never be quoted.


MAX_HEADING_CHARS = 120
MAX_TITLE_CHARS = 300
HEADING_SIZE_RATIO = 1.12
"""How much larger than the body a heading is printed, at least; a title, with LARGER twice."""

MIN_FOLLOWING_CHARS = 60
"""Characters of the text that makes a bold or large line its heading, at least."""

_NUMBER = r"(?:(?:[0-9]{1,2}|[ivx]{1,4})(?:\.[0-9]{1,2})*[.)]?\s+)?"
USUAL_HEADING = re.compile(
    _NUMBER + r"(?:abstract|summary|executive summary|key points|background|introduction|objectives?|aims?|design"
    r"|(?:(?:materials?|patients|subjects|participants)(?: and | & ))?methods?|results|findings|discussion"
    r"|limitations|conclusions?|recommendations|references|bibliography|literature(?: cited)?|acknowledge?ments?"
    r"|funding|appendix(?: [a-z0-9])?)\s*:?",
    re.IGNORECASE,
)
REFERENCES_HEADING = re.compile(
    _NUMBER + r"(?:references|bibliography|literature(?: cited)?|works cited)\s*:?", re.IGNORECASE
)
YEAR = re.compile(r"\b(?:19|20)[0-9]{2}\b")


def find_title(found: Sequence[PdfParagraph], body: float) -> PdfParagraph | None:
    """The largest print at the top of the first page, if it is larger than a heading would be and reads like one."""
    # What a page begins with is its title, in the print of a heading too.
    top = [
        one
        for number, one in enumerate(found[:12])
        if one.page == 0 and not one.table and len(one.text) <= MAX_TITLE_CHARS
        if one.size >= body * HEADING_SIZE_RATIO ** (2 if number else 1) and not USUAL_HEADING.fullmatch(one.text)
    ]
    # One short word, or one in capitals, is the sign of a publisher.
    named = [one for one in top if " " in one.text or (len(one.text) > 4 and not one.text.isupper())]
    return max(named, key=lambda one: one.size, default=None)


def _leave_out_references(found: Sequence[PdfParagraph], levels: Mapping[int, int]) -> list[int]:
    """Numbers of the paragraphs that stand in no list of references."""
    kept: list[int] = []
    skipping = 0
    for number in range(len(found)):
        level = levels.get(number, 0)
        # Titles of cited works are no words of this one: a statement must not be taken for its own.
        if not skipping or 0 < level <= skipping:
            skipping = level if level and _lists_references(found, levels, number) else 0
        if not skipping:
            kept.append(number)
    return kept


def _heading_levels(found: Sequence[PdfParagraph], body: float, title: PdfParagraph | None) -> dict[int, int]:
    """Number of a paragraph → level of the heading that it is, 1 the highest."""
    likely = {number for number, one in enumerate(found) if one is not title and _looks_like_heading(one, body)}
    sure = {at for at in likely if USUAL_HEADING.fullmatch(found[at].text) or _has_text_below(found, likely, at)}
    styles = sorted({_print_style(found[number]) for number in sure}, reverse=True)
    return {number: min(styles.index(_print_style(found[number])) + 1, 6) for number in sure}


def _print_style(one: PdfParagraph) -> tuple[float, bool, bool]:
    return (one.size, one.bold, one.text.isupper())


def _looks_like_heading(one: PdfParagraph, body: float) -> bool:
    text = one.text
    if one.table:
        return False
    # The usual words alone on a line are a heading, even in the print of the body.
    if USUAL_HEADING.fullmatch(text) and one.size >= body - 0.6:
        return True
    if len(text) > MAX_HEADING_CHARS or one.lines > 3 or not re.match(r"[A-ZÄ-ÞΑ-Ω0-9]", text):
        return False
    if len(re.findall(r"[^\W\d_]", text)) < 0.6 * len(text.replace(" ", "")) or SENTENCE_END.search(text.rstrip(":?")):
        return False
    return one.size >= body * HEADING_SIZE_RATIO or (one.bold and one.size >= body - 0.6)


def _has_text_below(found: Sequence[PdfParagraph], likely: set[int], number: int) -> bool:
    """Whether text follows, after further headings at most."""
    behind = next((found[at] for at in range(number + 1, min(number + 4, len(found))) if at not in likely), None)
    return behind is not None and len(behind.text) >= MIN_FOLLOWING_CHARS and behind.size < found[number].size + 0.3


def _lists_references(found: Sequence[PdfParagraph], levels: Mapping[int, int], number: int) -> bool:
    """Whether a heading announces references, and most of what stands under it names years, as they do."""
    if not REFERENCES_HEADING.fullmatch(found[number].text):
        return False
    level = levels[number]
    end = next((at for at in range(number + 1, len(found)) if 0 < levels.get(at, 0) <= level), len(found))
    under = found[number + 1 : end]
    return 2 * sum(bool(YEAR.search(one.text)) for one in under) >= len(under) > 0


def _build_document(
    path: File, kind: SourceKind, sheets: Sequence[PdfSheet], info: Mapping[str, str], data: bytes, *, references: bool
) -> tuple[Document, list[int]]:
    """The document, and the pages of tables that are shown as printed."""
    sheets = settle_marks(sheets)
    usual = find_usual_gutter(sheet.words for sheet in sheets)
    printed = [(number, read_page(sheet.words, sheet.rules, usual)) for number, sheet in enumerate(sheets)]
    pages = remove_running_heads(printed)
    if not any(left for _, left in pages):
        pages = printed  # a file that says one thing on every page says it
    pages = join_broken_tables(pages)
    body, found = body_size(pages), build_paragraphs(pages)
    title = find_title(found, body)
    levels = _heading_levels(found, body, title)
    kept = [*range(len(found))] if references else _leave_out_references(found, levels)
    if sum(len(found[number].text) for number in kept) < MIN_REMAINING_SHARE * sum(len(one.text) for one in found):
        kept, levels = [*range(len(found))], {}  # it is a list of references itself
    builder = document_builder.DocumentBuilder()
    begins: dict[int, int] = {}
    for number in kept:
        one, words = found[number], normalize_line_ends(found[number].text).strip()
        if number in levels:
            start = builder.open_section(words, levels[number], words.rstrip(": "))
        else:
            start = builder.add_heading(words) if one is title else builder.add_block(words)
        for page, offset in one.starts if words else ():
            begins[page] = min(begins.get(page, start + offset), start + offset)
    end, starts = len(builder.text), []
    # A page without words begins where the next one does.
    for page in range(len(sheets) - 1, -1, -1):
        end = min(end, begins.get(page, end))
        starts.append(end)
    in_metadata = next(filter(None, map(DOI.search, info.values())), None)
    told, published = _read_xmp(data)
    doi = told or (in_metadata.group().rstrip(DOI_PUNCTUATION) if in_metadata else "") or _printed_doi(found)
    reference = Reference(
        id=f"doi:{doi.lower()}" if doi else file_id(path),
        title=document_builder.clean_title(info.get("Title", "")) or (title.text if title else file_title(path)),
        url=work_url(doi=doi),
        kind=kind,
        published=published,
        authors=document_builder.clean_author_names(info.get("Author", "")),
        doi=doi,
    )
    as_printed = [one.page for one in found if one.table and one.table.printed]
    return builder.build(reference, pages=tuple(starts[::-1])), as_printed


def _printed_doi(found: Sequence[PdfParagraph]) -> str:
    """The DOI of the first page when it prints one only, and not in a sentence: that of another work stands in one."""
    dois = (match.group() for one in found if one.page == 0 for match in DOI.finditer(one.text))
    printed = {doi.rstrip(DOI_PUNCTUATION).lower() for doi in dois}
    # Several DOIs on a first page are those of works that it cites: none of them is certain to be its own.
    if len(printed) != 1:
        return ""
    doi = printed.pop()
    running = [one for one in found if one.page == 0 and doi in one.text.lower()]
    return doi if all(len(one.text) < 250 for one in running) else ""
