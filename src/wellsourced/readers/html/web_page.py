"""A page that was fetched → its document, by what its server says that it is."""

import re
from datetime import date

from wellsourced.errors import SettingsError, SourceRefused
from wellsourced.readers.base import DocumentStream, InMemoryFile, UnreadablePart
from wellsourced.readers.html.embedded_json import JSON_TYPES, read_json_page
from wellsourced.readers.html.main_text import read_html
from wellsourced.readers.html.page_tree import find_codec
from wellsourced.readers.pdf.document import read_pdf
from wellsourced.readers.plain_text import read_plain_text
from wellsourced.text.urls import normalize_url, site_host
from wellsourced.types import Document, Value

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
CHARSET_PARAMETER = re.compile(r"charset=[\"']?([\w.:-]{1,40})", re.IGNORECASE)


class WebPage(Value):
    """What is known of a page beside its bytes.

    url      the address that answered in the end
    type     the media type, without parameters
    charset  what its server named; "" where it did not
    title    for what is no HTML, where a link or an engine gives one
    today    the day on which it is read
    """

    url: str
    type: str
    today: date
    charset: str = ""
    title: str = ""

    @property
    def is_html(self) -> bool:
        """Whether its server calls it HTML."""
        return self.type in HTML_TYPES

    def decode(self, content: bytes) -> str:
        """The content as text, by the charset that the server names, else UTF-8; what fits no character is replaced."""
        return content.decode(find_codec(self.charset) or "utf-8", "replace")


def parse_charset(content_type: str) -> str:
    """The charset that a header names; "" for none."""
    found = CHARSET_PARAMETER.search(content_type)
    return found[1] if found else ""


def read_web_page(page: WebPage, content: bytes) -> Document:
    """The document that a page is; its id is where it was found in the end.

    Raises UnreadableFile, SourceRefused for a type that is not read, and for an extra that is not installed.
    """
    document = _first_document(page, content)
    found = {
        "id": f"url:{normalize_url(page.url)}",
        "url": page.url,
        # Of a PDF the metadata are mostly a program's; an engine's or a link's title was made for people.
        "title": document.reference.title if page.is_html else page.title or document.reference.title,
        "organisation": document.reference.organisation or site_host(page.url),
        "accessed": page.today,
        "depth": "web page",
    }
    return document.model_copy(update={"reference": document.reference.model_copy(update=found)})


def _first_document(page: WebPage, content: bytes) -> Document:
    """Content type decides: what calls itself HTML is read as HTML or not at all."""
    for item in _read_items(page, content):
        if isinstance(item, Document):
            return item
        if isinstance(item, UnreadablePart):
            raise SourceRefused(f"{item.where}: {item.reason}")
    raise SourceRefused("there is nothing to read in it")


def _read_items(page: WebPage, content: bytes) -> DocumentStream:
    # The server's word decides, not the bytes: a page that calls itself text must not be run through a parser of HTML.
    if page.is_html:
        yield from read_html(InMemoryFile(page.url, content), "web", page.url, page.charset)
    elif page.type == "text/plain":
        yield from read_plain_text(InMemoryFile(page.url, page.decode(content).encode()), "web")
    elif page.type in JSON_TYPES:
        yield from read_json_page(InMemoryFile(page.url, content), "web", page.url)
    elif page.type == "application/pdf":
        try:
            yield from read_pdf(InMemoryFile(page.url, content), "web")
        except SettingsError as error:
            raise SourceRefused(str(error)) from error
    else:
        type = page.type or "what does not say its type"
        raise SourceRefused(f"{type} is not read: only HTML, PDF, plain text and JSON are")
