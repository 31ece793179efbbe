"""Documents that answers rest on, with the quoted words marked: their text, and the printed pages of a PDF.

Only a file from which a library read the document is shown, and only while it is unchanged.
"""

import asyncio
from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from fastapi.responses import RedirectResponse, Response

from wellsourced.citations.people import parse_author
from wellsourced.context import Context
from wellsourced.errors import NotFoundError, SettingsError, UnreadableFile
from wellsourced.ingest.fingerprints import fingerprint_file
from wellsourced.presentation.blocks import Mark, split_marks
from wellsourced.readers.pdf.printed_page import PAGE_WIDTH, draw_page, locate_on_page
from wellsourced.server.local_documents import find_local_document
from wellsourced.server.pages import messages
from wellsourced.server.pages.rendering import render_document, render_page, write_address
from wellsourced.server.requests import SentRequest
from wellsourced.sources.base import FileBackedSource
from wellsourced.types import Document

PICTURE_WIDTHS = {1: 1200, 2: 1600, 3: 2400}
"""Pixels that a page is wide, by how large it is shown."""

PICTURE_HEADERS = {"cache-control": "private, max-age=3600"}
"""The address of a picture names the version of its file, so a browser never keeps an outdated one."""

MAX_PAGE = 100_000

MAX_MARKS = 100
"""Stretches that an address marks."""

document_pages = APIRouter(include_in_schema=False)


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


class PageRequest(NamedTuple):
    """A page of a document, its size (1 to 3), and the offsets of a quote; page 0: the page of the quote."""

    id: str
    start: int
    end: int
    page: int = 0
    size: int = 1

    def write_address(self, page: int, size: int = 0) -> str:
        """The address of another page, or of this one in another size."""
        return write_address("/document/page", self.id, self.start, self.end, page=page, size=size or self.size)

    def write_text_address(self) -> str:
        """The address of the document's text, at the quote."""
        return write_address("/document", self.id, self.start, self.end)


PageNumber = Annotated[int, Query(ge=0, le=MAX_PAGE)]
PageSize = Annotated[int, Query(ge=1, le=len(PICTURE_WIDTHS))]


@document_pages.get("/document")
async def show_document(
    id: str,
    visit: SentRequest,
    start: int = 0,
    end: int = 0,
    mark: Annotated[list[str], Query(max_length=MAX_MARKS)] = [],  # noqa: B006 - FastAPI's
) -> Response:
    """A document of a library on this machine, with the quoted words marked."""
    document, _ = await find_local_document(id, visit.context)
    pairs = (one.split("-") for one in mark)
    spans = [(int(pair[0]), int(pair[1])) for pair in pairs if len(pair) == 2 and all(map(str.isdecimal, pair))]
    return _render_text(document, PageRequest(id, start, end), spans=spans)


def _render_text(
    document: Document, asked: PageRequest, problem: str = "", spans: Sequence[tuple[int, int]] = ()
) -> Response:
    """The sections of a document, with the quote marked; `problem` says why its printed page is not shown."""
    body = render_document(document, spans or [(asked.start, asked.end)], asked.start)
    return render_page(
        "document.html",
        reference=document.reference,
        authors=", ".join(str(parse_author(author)) for author in document.reference.authors),
        body=body,
        is_quoted='id="quote"' in body,
        printed="" if problem or not document.pages else asked.write_address(0),
        problem=problem,
    )


@document_pages.get("/document/page")
async def show_printed_page(
    id: str, visit: SentRequest, start: int = 0, end: int = 0, page: PageNumber = 0, size: PageSize = 1
) -> Response:
    """A printed page, by default that of the quote; where it cannot be shown, the text as it was read."""
    original = await find_original(id, visit.context)
    document = original.document
    asked = PageRequest(id, start, end, page or _find_page(document, start), size)
    if not document.pages:
        return RedirectResponse(asked.write_text_address(), 303)
    if asked.page > len(document.pages):
        raise NotFoundError(messages.NO_PAGE.format(pages=len(document.pages), page=asked.page))
    if original.path is None:
        return _render_text(document, asked, original.problem)
    first, last = (*document.pages, len(document.text))[asked.page - 1 : asked.page + 1]
    # The part of the quote that is on this page; the words before it tell which of two same stretches is meant.
    start, end = max(start, first), min(end, last)
    words, before = (document.text[start:end], document.text[first:start]) if start < end else ("", "")
    try:
        printed = await locate_on_page(original.path, asked.page - 1, words, before)
    except (UnreadableFile, SettingsError) as error:
        reason = error.reason if isinstance(error, UnreadableFile) else messages.describe_failure(error)
        return _render_text(document, asked, messages.PAGE_NOT_SHOWN.format(reason=reason.rstrip(".")))
    text, picture = document.text[first:last].rstrip(), {"id": id, "page": asked.page, "size": size}
    marks = [Mark(start - first, end - first)] if words.strip() else []
    return render_page(
        "printed_page.html",
        reference=document.reference,
        asked=asked,
        pages=len(document.pages),
        quote_pages=_find_quote_pages(asked, document),
        width=PICTURE_WIDTHS[size],
        largest=max(PICTURE_WIDTHS),
        page_width=PAGE_WIDTH,
        printed=printed,
        picture=f"/document/picture?{urlencode({**picture, 'version': original.version})}",
        stretches=split_marks(text, marks),
        note={"all": "", "part": messages.QUOTE_IN_PART}.get(printed.found, messages.QUOTE_NOT_MARKED) if words else "",
    )


@document_pages.get("/document/picture")
async def show_picture(id: str, visit: SentRequest, page: PageNumber = 1, size: PageSize = 1) -> Response:
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
        return Original(document, problem=messages.READ_AGAIN.format(sentence=messages.PDF_GONE, library=source.name))
    if before.state != "done" or now.sha256 != before.sha256:
        return Original(
            document, problem=messages.READ_AGAIN.format(sentence=messages.PDF_CHANGED, library=source.name)
        )
    return Original(document, path, now.sha256[:16])


def _find_page(document: Document, start: int) -> int:
    """The page of an offset, counted from 1."""
    return max(1, bisect_right(document.pages, start))


def _find_quote_pages(asked: PageRequest, document: Document) -> tuple[int, int]:
    """The first and the last page of the quote; the shown page where there is none."""
    if asked.start >= asked.end:
        return asked.page, asked.page
    return _find_page(document, asked.start), _find_page(document, asked.end - 1)
