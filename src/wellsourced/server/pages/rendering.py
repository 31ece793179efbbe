"""Templates → pages: every value is escaped, and no page loads anything from elsewhere."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.datastructures import Headers

from wellsourced.presentation.blocks import Excerpt, Heading, Presentation
from wellsourced.presentation.html import HtmlOptions, OutlineEntry, write_html, write_outlined_html
from wellsourced.presentation.searches import build_document
from wellsourced.server.pages import messages
from wellsourced.text.sanitization import sanitize_text
from wellsourced.types import Document

HERE = Path(__file__).parent

PAGE_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}


def _make_visible(value: Any) -> Any:
    """Remove from text what hides or reorders it; our own markup stays."""
    return sanitize_text(value) if isinstance(value, str) and not isinstance(value, Markup) else value


_TEMPLATES = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=_make_visible,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters["spell_next_step"] = messages.spell_next_step
_TEMPLATES.filters["web_link"] = lambda address: address if address.lower().startswith(("https://", "http://")) else ""


def render_page(name: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Render a template, with the headers that keep foreign scripts out of the page."""
    return HTMLResponse(_TEMPLATES.get_template(name).render(values), status, PAGE_HEADERS)


class RenderedResult(NamedTuple):
    """A result as part of a page, and its headings."""

    body: Markup
    outline: tuple[OutlineEntry, ...]


def render_outlined(presentation: Presentation, prefix: str = "", *, is_local: bool = True) -> RenderedResult:
    """Render a result as part of a page.

    prefix     of every id: two results on one page need two
    is_local   its quotes are from libraries: they lead to their document, or to the printed page where it has pages
    """
    options = HtmlOptions(
        prefix,
        document_url=(lambda at: write_address("/document", at.document, at.start, at.end, at.spans))
        if is_local
        else None,
        printed_url=(lambda at: write_address("/document/page", at.document, at.start, at.end)) if is_local else None,
        spell_step=messages.spell_next_step,
    )
    body, outline = write_outlined_html(presentation, options)
    # The writer escapes every text.
    return RenderedResult(Markup(body), outline)  # noqa: S704


def render_result(presentation: Presentation, prefix: str = "", *, is_local: bool = True) -> Markup:
    """The same without its headings."""
    return render_outlined(presentation, prefix, is_local=is_local).body


def render_document(document: Document, spans: Sequence[tuple[int, int]], at: int, around: int = 0) -> Markup:
    """Render the sections of a document, each under its headings, with these spans of its text marked.

    at       in the section of this offset the first mark is the quote to which links and scripts scroll
    around   characters that are shown before the first span and after the last; 0: all of the document
    """
    blocks = [*_nest_sections(one for one in build_document(document, spans).blocks if isinstance(one, Excerpt))]
    if around:
        first, last = min(spans)[0] - around, max(end for _, end in spans) + around
        blocks = [
            one for one in blocks if isinstance(one, Heading) or (first < one.locator.end and one.locator.start < last)
        ]
    options = HtmlOptions("document-", is_document=True)
    before = takewhile(lambda one: isinstance(one, Heading) or one.locator.end <= at, blocks)
    # In the texts every "<" is escaped.
    passed = write_html(Presentation("", tuple(before)), options).count("<mark>")
    parts = write_html(Presentation("", tuple(blocks)), options).split("<mark>")
    quoted = min(passed, len(parts) - 2)
    opening = ('<mark id="quote">' if number == quoted else "<mark>" for number in range(len(parts) - 1))
    marks = map("".join, zip(opening, parts[1:], strict=True))
    return Markup(parts[0] + "".join(marks))  # noqa: S704


def _nest_sections(sections: Iterable[Excerpt]) -> Iterator[Heading | Excerpt]:
    """Sections under the headings of their paths, each of which is shown once."""
    before: list[str] = []
    for section in sections:
        path = section.title.split(" › ") if section.title else []
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, path[:-1], strict=False)))
        for depth, heading in enumerate(path[same:-1], start=same):
            yield Heading(heading, min(2 + depth, 4))
        yield replace(section, level=min(1 + max(1, len(path)), 4))
        before = path


def write_address(path: str, id: str, start: int, end: int, spans: Sequence[tuple[int, int]] = (), **more: int) -> str:
    """The address of a document, or of a printed page of it, at a quote; of several stretches all are marked."""
    marks = [f"{first}-{last}" for first, last in spans] if len(spans) > 1 else []
    return f"{path}?{urlencode({'id': id, 'start': start, 'end': end, 'mark': marks, **more}, doseq=True)}#quote"


def wants_page(headers: Headers) -> bool:
    """Whether the client is a browser that shows a page."""
    return "text/html" in headers.get("accept", "")
