"""Printed pages of a PDF, with the quoted words marked on them, for readers who compare an answer with its source.

Only a file from which a library read the document is shown, and only while it is unchanged.
"""

import asyncio
from bisect import bisect_right
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from fastapi.responses import RedirectResponse, Response

from wellsourced.context import Context
from wellsourced.errors import NotFoundError, SettingsError, UnreadableFile
from wellsourced.ingest.fingerprints import fingerprint_file
from wellsourced.readers.pdf.printed_page import PAGE_WIDTH, PrintedPage, draw_page, locate_on_page
from wellsourced.server.pages import messages
from wellsourced.server.pages.answer_view import MarkedText, find_local_document, mark_spans, view_document
from wellsourced.server.pages.rendering import render_page
from wellsourced.server.pages.visits import PageVisit
from wellsourced.sources.base import FileBackedSource
from wellsourced.types import Document, Reference

PICTURE_WIDTHS = {1: 1200, 2: 1600, 3: 2400}
"""Pixels that a page is wide, by how large it is shown."""

PICTURE_HEADERS = {"cache-control": "private, max-age=3600"}
"""The address of a picture names the version of its file, so a browser never keeps an outdated one."""

MAX_PAGE = 100_000

printed_pages = APIRouter(include_in_schema=False)


class Original(NamedTuple):
    """A document and the PDF that it was read from.

    path      of the PDF, while that is unchanged
    version   of the file; changes with its bytes
    problem   why there is no path, in a sentence for the reader
    """

    document: Document
    path: Path | None = None
    version: str = ""
    problem: str = ""


class QuotePlace(NamedTuple):
    """The part of a quote on one page, and the text of the page before it."""

    words: str
    before: str


class PrintedView(NamedTuple):
    """A page as it is shown.

    size      a key of PICTURE_WIDTHS; `width`: of its picture in pixels
    ways      label of a link → its address; `quote_ways`: to the rest of the quote
    note      what of the quote cannot be shown here, in a sentence; "" for nothing
    """

    reference: Reference
    number: int
    pages: int
    size: int
    width: int
    printed: PrintedPage
    picture: str
    stretches: tuple[MarkedText, ...]
    ways: Mapping[str, str]
    quote_ways: Mapping[str, str]
    whole_text: str
    note: str


class PageRequest(NamedTuple):
    """A page of a document, its size (1 to 3), and the offsets of a quote; page 0: the page of the quote."""

    id: str
    start: int
    end: int
    page: int
    size: int

    def address(self, page: int, size: int = 0) -> str:
        """The address of another page, or of this one in another size."""
        asked = {"id": self.id, "start": self.start, "end": self.end, "page": page, "size": size or self.size}
        return f"/document/page?{urlencode(asked)}#quote"


PageNumber = Annotated[int, Query(ge=0, le=MAX_PAGE)]
PageSize = Annotated[int, Query(ge=1, le=len(PICTURE_WIDTHS))]


@printed_pages.get("/document/page")
async def show_printed_page(
    id: str, visit: PageVisit, start: int = 0, end: int = 0, page: PageNumber = 0, size: PageSize = 1
) -> Response:
    """A printed page, by default that of the quote; where it cannot be shown, the text as it was read."""
    original = await find_original(id, visit.context)
    document = original.document
    asked = PageRequest(id, start, end, page or _find_page(document, start), size)
    if not document.pages:
        return RedirectResponse(_text_address(asked), 303)
    if asked.page > len(document.pages):
        raise NotFoundError(messages.no_page(len(document.pages), asked.page))
    if original.path is None:
        return _show_text(asked, document, original.problem)
    place = _cut_quote(document, asked)
    try:
        printed = await locate_on_page(original.path, asked.page - 1, place.words, place.before)
    except UnreadableFile as error:
        return _show_text(asked, document, messages.page_not_shown(error.reason))
    except SettingsError as error:
        return _show_text(asked, document, messages.page_not_shown(messages.describe_failure(error)))
    view = _view_page(asked, original, printed, place)
    return render_page("printed_page.html", view=view, page_width=PAGE_WIDTH)


@printed_pages.get("/document/picture")
async def show_picture(id: str, visit: PageVisit, page: PageNumber = 1, size: PageSize = 1) -> Response:
    """The picture of a page."""
    original = await find_original(id, visit.context)
    if original.path is None or not 1 <= page <= len(original.document.pages):
        raise NotFoundError(original.problem or messages.NO_PICTURE)
    picture = await draw_page(original.path, page - 1, PICTURE_WIDTHS[size])
    return Response(picture, media_type="image/png", headers=PICTURE_HEADERS)


async def find_original(id: str, context: Context) -> Original:
    """Find a document in the libraries of this machine, and its PDF. Raises NotFoundError."""
    document, source = await find_local_document(id, context)
    before = await source.find_file(id) if isinstance(source, FileBackedSource) else None
    if not document.pages or before is None or not before.path.lower().endswith(".pdf"):
        return Original(document, problem=messages.NO_PDF)
    path = Path(before.path)
    try:
        now = await asyncio.to_thread(fingerprint_file, path, before)
    except UnreadableFile:
        return Original(document, problem=messages.read_again(messages.PDF_GONE, source.name))
    if before.state != "done" or now.sha256 != before.sha256:
        return Original(document, problem=messages.read_again(messages.PDF_CHANGED, source.name))
    return Original(document, path, now.sha256[:16])


def _find_page(document: Document, start: int) -> int:
    """The page of an offset, counted from 1."""
    return max(1, bisect_right(document.pages, start))


def _page_span(document: Document, number: int) -> tuple[int, int]:
    edges = (*document.pages, len(document.text))
    return edges[number - 1], edges[number]


def _cut_quote(document: Document, asked: PageRequest) -> QuotePlace:
    begin, finish = _page_span(document, asked.page)
    start, end = max(asked.start, begin), min(asked.end, finish)
    if start >= end:
        return QuotePlace("", "")
    return QuotePlace(document.text[start:end], document.text[begin:start])


def _view_page(asked: PageRequest, original: Original, printed: PrintedPage, place: QuotePlace) -> PrintedView:
    document = original.document
    begin, finish = _page_span(document, asked.page)
    picture = {"id": asked.id, "page": asked.page, "size": asked.size, "version": original.version}
    return PrintedView(
        document.reference,
        asked.page,
        len(document.pages),
        asked.size,
        PICTURE_WIDTHS[asked.size],
        printed,
        f"/document/picture?{urlencode(picture)}",
        mark_spans(document.text[begin:finish].rstrip(), [(asked.start - begin, asked.end - begin)]),
        _list_ways(asked, len(document.pages)),
        _list_quote_ways(asked, document),
        _text_address(asked),
        _describe_gap(printed, place),
    )


def _list_ways(asked: PageRequest, pages: int) -> dict[str, str]:
    numbers = {messages.PREVIOUS_PAGE: asked.page - 1, messages.NEXT_PAGE: asked.page + 1}
    sizes = {messages.SMALLER: asked.size - 1, messages.LARGER: asked.size + 1}
    ways = {words: asked.address(page) for words, page in numbers.items() if 1 <= page <= pages}
    return ways | {words: asked.address(asked.page, size) for words, size in sizes.items() if size in PICTURE_WIDTHS}


def _list_quote_ways(asked: PageRequest, document: Document) -> dict[str, str]:
    if asked.start >= asked.end:
        return {}
    first, last = _find_page(document, asked.start), _find_page(document, asked.end - 1)
    labels = {last: messages.quote_continues(last)} | {first: messages.quote_begins(first)}
    return {label: asked.address(page) for page, label in labels.items() if page != asked.page}


def _describe_gap(printed: PrintedPage, place: QuotePlace) -> str:
    if not place.words or printed.found == "all":
        return ""
    return messages.QUOTE_IN_PART if printed.found == "part" else messages.QUOTE_NOT_MARKED


def _text_address(asked: PageRequest) -> str:
    return f"/document?{urlencode({'id': asked.id, 'start': asked.start, 'end': asked.end})}#quote"


def _show_text(asked: PageRequest, document: Document, problem: str) -> Response:
    parts = view_document(document, [(asked.start, asked.end)])
    quote = (asked.start, asked.end)
    return render_page("document.html", reference=document.reference, parts=parts, quote=quote, problem=problem)
