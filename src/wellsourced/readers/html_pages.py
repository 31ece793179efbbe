"""Web pages → Documents: the main text without what surrounds it, and a fetched page by what its server says that it
is.
"""

import re
from datetime import date
from typing import Any

from lxml import html

from wellsourced.citations.identifiers import plain_doi
from wellsourced.citations.people import format_display_name
from wellsourced.errors import NextStep, SettingsError, SourceRefused, UnreadableFile
from wellsourced.readers import html_tree
from wellsourced.readers.base import (
    DocumentReader,
    DocumentStream,
    File,
    InMemoryFile,
    UnreadablePart,
    file_id,
    file_title,
)
from wellsourced.readers.document_builder import DocumentBuilder
from wellsourced.readers.html_text import HtmlBlock, HtmlText, prune_tree, raise_styled_text, render_blocks
from wellsourced.readers.markdown import read_markdown
from wellsourced.readers.pdf.document import read_pdf
from wellsourced.readers.plain_text import read_plain_text
from wellsourced.readers.xml_records import iso_date
from wellsourced.text.urls import normalize_url, site_host
from wellsourced.types import Document, Reference, SourceKind, Value

MIN_PAGE_CHARS, MIN_PAGE_CHARS_CHINESE = 200, 30
"""Characters of a page from the web, at least: with less it is a menu, a caption or a notice."""

MAX_LOGIN_PAGE_CHARS = 600
"""A page that asks for a password and shows fewer characters keeps its text for its members."""

TITLE_METAS = ("citation_title", "dc.title", "og:title")
PUBLISHED_METAS = (
    *("citation_publication_date", "citation_date", "article:published_time", "datepublished", "dcterms.issued"),
    *("dc.date.issued", "dcterms.created", "dc.date", "dcterms.date", "date"),
)
MODIFIED_METAS = ("datemodified", "article:modified_time", "dcterms.modified", "dc.date.modified")
JSON_LD_DATE = re.compile(r'"(date(?:Published|Modified))"\s*:\s*"([^"]{4,40})"')
DATE = re.compile(r"([12][0-9]{3})(?:[-/ ](\w{1,9}))?(?:[-/ ]([0-9]{1,2}))?")

Metas = dict[str, list[str]]


def read_html(
    path: File, kind: SourceKind, url: str = "", charset: str = "", *, is_cited: bool = False
) -> DocumentStream:
    """The one document that a page is.

    url       where it was read: the document's id is "url:" and this address, otherwise it comes from the file's path
    charset   what the server named, if it did
    is_cited  it is read however short it is, unless it needs a password or JavaScript

    Of a page from the web, only what trafilatura takes for its main text is read, and it has 200 characters (30 of
    Chinese). The date is one that the page's metadata state, that of the last change if there is no other; none is
    guessed from the text.
    Raises UnreadableFile for a page that shows no text, and SettingsError for a page from the web without the extra
    `web`.
    """
    markup, faults = html_tree.decode_page(path, charset)
    tree = html_tree.parse_html_tree(path, markup)
    reference, excuse = _build_reference(tree, path, kind, url), _explain_missing_text(tree)
    raise_styled_text(tree)
    prune_tree(tree)
    try:
        blocks = list(HtmlText(tree).blocks(tree))
    except RecursionError as error:
        raise UnreadableFile(str(path), html_tree.TOO_DEEP, html_tree.OTHER_FORMAT_REMEDY) from error
    page = DocumentBuilder()
    render_blocks(_cut_to_main_text(tree, blocks) if url else blocks, page)
    seen = sum(one.end - one.start for one in page.sections)
    chinese = len(re.findall(r"[\u3040-\u30ff\u3400-\u9fff]", page.text)) > len(page.text) / 3
    is_short = url and seen < (MIN_PAGE_CHARS_CHINESE if chinese else MIN_PAGE_CHARS)
    # Whoever searches finds menus and notices among short pages; whoever cites a page means its sentence.
    is_short = is_short and not (is_cited and excuse == TOO_SHORT)
    # A short notice above a field for a password is what a paywall shows of the article.
    if not any(map(str.isalnum, page.text)) or is_short or (seen < MAX_LOGIN_PAGE_CHARS and excuse == LOGIN_REQUIRED):
        raise UnreadableFile(str(path), excuse, html_tree.OTHER_FORMAT_REMEDY)
    yield page.build(reference)
    yield from faults


TOO_SHORT = f"it has less than {MIN_PAGE_CHARS} characters of text"
LOGIN_REQUIRED = "it needs a password"
SCRIPTS_REQUIRED = "it shows text only in a browser with JavaScript"


def _explain_missing_text(tree: html.HtmlElement) -> str:
    """Why a page may have nothing to read."""
    if tree.find(".//frameset") is not None:
        return "it only frames other pages"
    if tree.xpath("//input[@type='password']"):
        return LOGIN_REQUIRED
    shown = " ".join(tree.xpath("//body//text()[not(ancestor::script)]"))
    if tree.xpath("//script") and len(shown) < MIN_PAGE_CHARS:
        return SCRIPTS_REQUIRED
    return TOO_SHORT


def _cut_to_main_text(tree: html.HtmlElement, blocks: list[HtmlBlock]) -> list[HtmlBlock]:
    """The blocks from the first to the last of those that trafilatura takes for the text of the page."""
    try:
        import trafilatura
    except ImportError as error:
        raise SettingsError(
            "Reading web pages needs the extra “web”.", next_step=NextStep("install extra", "web")
        ) from error
    found: Any = trafilatura.bare_extraction(tree, include_comments=False)
    main = set() if found is None else set(_shingles(" ".join(found.body.itertext())))
    places = [
        place
        for place, block in enumerate(blocks)
        if (own := _shingles(block.text)) and sum(words in main for words in own) > len(own) / 2
    ]
    if not places:
        return blocks
    first, last = places[0], places[-1]
    # The heading above belongs to it.
    while first and blocks[first - 1].level:
        first -= 1
    return blocks[first : last + 1]


def _shingles(text: str) -> list[tuple[str, ...]]:
    """Each three words that follow each other, to compare texts that differ in layout."""
    words = re.findall(r"\w+", text.casefold())
    return list(zip(words, words[1:], words[2:], strict=False))


def _build_reference(tree: html.HtmlElement, path: File, kind: SourceKind, url: str) -> Reference:
    # Name in lower case → contents, as the meta elements of the page give them.
    metas: Metas = {}
    for meta in tree.iter("meta"):
        name = meta.get("name") or meta.get("property") or meta.get("itemprop") or ""
        if words := " ".join(meta.get("content", "").split()):
            metas.setdefault(name.lower(), []).append(words)
    headings = _xpath_texts(tree, "//h1")
    only_heading = headings if len(headings) == 1 else []
    titles = [*_meta_values(metas, *TITLE_METAS), *only_heading, *_xpath_texts(tree, "//title")]
    address = url or _first_match(tree.xpath("//link[@rel='canonical']/@href"), r"https?://")
    return Reference(
        id=f"url:{normalize_url(url)}" if url else file_id(path),
        title=_first_match(titles) or file_title(path),
        url=address,
        kind=kind,
        organisation=_first_match(_meta_values(metas, "og:site_name")) or site_host(address),
        published=_published_date(tree, metas),
        authors=tuple(map(format_display_name, _meta_values(metas, "citation_author"))),
        journal=_first_match(_meta_values(metas, "citation_journal_title")),
        doi=plain_doi(_first_match(_meta_values(metas, "citation_doi"))),
        pmid=_first_match(_meta_values(metas, "citation_pmid"), r"[0-9]{1,8}$"),
        depth="web page",
    )


def _meta_values(metas: Metas, *names: str) -> list[str]:
    return [value for name in names for value in metas.get(name, ())]


def _xpath_texts(tree: html.HtmlElement, path: str) -> list[str]:
    return [words for element in tree.xpath(path) if (words := " ".join("".join(element.itertext()).split()))]


def _first_match(values: list[str], pattern: str = "") -> str:
    return next((value for value in values if re.match(pattern, value)), "")


def _published_date(tree: html.HtmlElement, metas: Metas) -> str:
    linked: Metas = {}
    for name, value in JSON_LD_DATE.findall(" ".join(tree.xpath("//script[@type='application/ld+json']/text()"))):
        linked.setdefault(name, []).append(value)
    marked = tree.xpath("//time[@itemprop='datePublished' or @pubdate]/@datetime")
    # Publication before change, and stated before marked: a page that is touched each day would always be new.
    stated = [*_meta_values(metas, *PUBLISHED_METAS), *linked.get("datePublished", ()), *marked]
    changed = [*_meta_values(metas, *MODIFIED_METAS), *linked.get("dateModified", ())]
    dates = (DATE.match(value) for value in (*stated, *changed))
    return next((iso_date(*match.groups("")) for match in dates if match), "")


HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
CHARSET_PARAMETER = re.compile(r"charset=[\"']?([\w.:-]{1,40})", re.IGNORECASE)


class WebPage(Value):
    """What is known of a page beside its bytes.

    url      the address that answered in the end
    type     the media type, without parameters
    charset  what its server named; "" where it did not
    title    for what is no HTML, where a link or an engine gives one
    today    the day on which it is read
    is_cited  a text cites it; else it was found by a search
    """

    url: str
    type: str
    today: date
    charset: str = ""
    title: str = ""
    is_cited: bool = False

    @property
    def is_html(self) -> bool:
        """Whether its server calls it HTML."""
        return self.type in HTML_TYPES

    def decode(self, content: bytes) -> str:
        """The content as text, by the charset that the server names, else UTF-8; what fits no character is replaced."""
        return content.decode(html_tree.find_codec(self.charset) or "utf-8", "replace")


def parse_charset(content_type: str) -> str:
    """The charset that a header names; "" for none."""
    found = CHARSET_PARAMETER.search(content_type)
    return found[1] if found else ""


def read_web_page(page: WebPage, content: bytes) -> Document:
    """The document that a page is; its id is where it was found in the end.

    Raises UnreadableFile, SourceRefused for a type that is not read, and for an extra that is not installed.
    """
    # Content type decides: what calls itself HTML is read as HTML or not at all.
    item = next((one for one in _read_items(page, content) if isinstance(one, Document | UnreadablePart)), None)
    if isinstance(item, UnreadablePart):
        raise SourceRefused(f"{item.where}: {item.reason}")
    if item is None:
        raise SourceRefused("it contains no text")
    found = {
        "id": f"url:{normalize_url(page.url)}",
        "url": page.url,
        # Of a PDF the metadata are mostly a program's; an engine's or a link's title was made for people.
        "title": item.reference.title if page.is_html else page.title or item.reference.title,
        "organisation": item.reference.organisation or site_host(page.url),
        "accessed": page.today,
        "depth": "web page",
    }
    return item.model_copy(update={"reference": item.reference.model_copy(update=found)})


READERS_BY_TYPE: dict[str, DocumentReader] = {
    "text/plain": read_plain_text,
    "text/markdown": read_markdown,
    "application/pdf": read_pdf,
    **dict.fromkeys(HTML_TYPES, read_html),
}
"""By media type, without parameters."""


def _read_items(page: WebPage, content: bytes) -> DocumentStream:
    # The server's word decides, not the bytes: a page that calls itself text must not be run through a parser of HTML.
    if page.is_html:
        yield from read_html(InMemoryFile(page.url, content), "web", page.url, page.charset, is_cited=page.is_cited)
    elif read := READERS_BY_TYPE.get(page.type):
        data = page.decode(content).encode() if page.type.startswith("text/") else content
        try:
            yield from read(InMemoryFile(page.url, data), "web")
        except SettingsError as error:
            raise SourceRefused(str(error)) from error
    else:
        type = page.type or "content without a type"
        raise SourceRefused(f"{type} is not supported: only HTML, PDF, text and Markdown are")
