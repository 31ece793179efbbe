"""HTML: the main text of a page, without what surrounds it on every page of its site."""

import re
from collections.abc import Iterator
from typing import Any

from wellsourced.errors import SettingsError, Unreadable
from wellsourced.readers.base import File, Read, bare_doi, file_id, file_title, plain
from wellsourced.readers.markup import ANOTHER, decoded, tree_of
from wellsourced.readers.page import Page
from wellsourced.readers.page import path as path_of
from wellsourced.readers.xml import Line, iso
from wellsourced.text.urls import normalised, site
from wellsourced.types import Document, Kind, Reference

LEAST, LEAST_CHINESE = 200, 30
"""Characters that stand under one heading, at least: less is a menu, a caption or a notice."""

WALL = 600
"""A page that asks for a password and shows fewer characters keeps its text for its members."""

TITLES = ("citation_title", "dc.title", "og:title")
PUBLISHED = (
    *("citation_publication_date", "citation_date", "article:published_time", "datepublished", "dcterms.issued"),
    *("dc.date.issued", "dcterms.created", "dc.date", "dcterms.date", "date"),
)
CHANGED = ("datemodified", "article:modified_time", "dcterms.modified", "dc.date.modified")
LINKED_DATE = re.compile(r'"(date(?:Published|Modified))"\s*:\s*"([^"]{4,40})"')
DATE = re.compile(r"([12][0-9]{3})(?:[-/ ](\w{1,9}))?(?:[-/ ]([0-9]{1,2}))?")

HIDDEN = [
    "//*[@hidden or self::template or self::script or self::style or self::noscript]",
    "//*[contains(translate(@style, ' ', ''), 'display:none')]",
    "//*[contains(translate(@style, ' ', ''), 'visibility:hidden')]",
]
"""What nobody who reads the page sees is not among its words."""

LINE_BREAK = "\u2028"
BLOCKS = {"list", "table", "p", "quote", "head", "code", "div"}
MARKS = {"ul": "- ", "dd": "  "}

Element = Any  # lxml's: trafilatura's trees have no type of their own
Metas = dict[str, list[str]]


def read_html(path: File, kind: Kind, url: str = "", charset: str = "") -> Read:
    """The one document that a page is.

    url       where it was read: the document's id is "url:" and this address, otherwise it comes from the file's path
    charset   what the server named, if it did

    Only what stands under one heading in at least 200 characters (30 of Chinese) can be quoted. The date is one that
    the page's metadata state, that of the last change if there is no other; none is guessed from the text.
    Raises Unreadable for a page that shows no text, and SettingsError where the extra `web` is not installed.
    """
    tree = tree_of(path, decoded(path, charset))
    reference, excuse = _card(tree, path, kind, url), _excuse(tree)
    page = Page()
    _render(_main(tree), page)
    text = page.text
    sections = tuple(one for one in page.sections if _long_enough(text[one.start : one.end]))
    seen = sum(one.end - one.start for one in sections)
    if not seen or (seen < WALL and excuse == WALLED):
        raise Unreadable(str(path), excuse, ANOTHER)
    yield Document(reference=reference, text=text, sections=sections)


def _long_enough(words: str) -> bool:
    chinese = len(re.findall(r"[\u3040-\u30ff\u3400-\u9fff]", words)) > len(words) / 3
    return len(words) >= (LEAST_CHINESE if chinese else LEAST)


WALLED = "it asks for a password before it shows its text"


def _excuse(tree: Element) -> str:
    """Why a page may have nothing to read."""
    if tree.find(".//frameset") is not None:
        return "it only arranges other pages in frames"
    if tree.xpath("//input[@type='password']"):
        return WALLED
    if tree.xpath("//script") and len(" ".join(tree.xpath("//body//text()[not(ancestor::script)]"))) < LEAST:
        return "it shows nothing unless a browser runs its scripts"
    return f"it holds no text of {LEAST} characters under one heading"


def _main(tree: Element) -> Element:
    """The body of what trafilatura takes for the main text: head, p, list, table and quote elements."""
    try:
        import trafilatura
    except ImportError as error:
        raise SettingsError("web pages need one more package: pip install 'wellsourced[web]'") from error
    _bracket_notes(tree)
    found: Any = trafilatura.bare_extraction(tree, include_comments=False, include_formatting=True, prune_xpath=HIDDEN)
    return () if found is None else found.body


def _bracket_notes(tree: Element) -> None:
    """A raised link leads to a note. As a bare number on the line it would read as part of the sentence."""
    for raised in tree.xpath("//sup[.//a or parent::a]"):
        words = "".join(raised.itertext()).strip()
        for child in list(raised):
            raised.remove(child)
        raised.tag, raised.text = "span", words if not words or words[0] in "[(" else f"[{words}]"


def _render(body: Element, page: Page) -> None:
    headings: list[tuple[int, str]] = []
    for child in body:
        if child.tag == "head":
            words, rank = " ".join(_lines(child)), child.get("rend", "")[1:]
            level = int(rank) if rank.isdigit() else 2
            page.heading(words)
            # The headings of the first level are the title, which the reference carries.
            headings = [*(one for one in headings if one[0] < level), (level, words if level > 1 else "")]
        else:
            page.block("\n".join(_lines(child)), path_of(*(title for _, title in headings)))
        page.block(plain(child.tail or ""), path_of(*(title for _, title in headings)))


def _lines(element: Element) -> Iterator[str]:
    """The lines of one element; blocks inside it follow each other without a blank line."""
    if element.tag == "list":
        yield from _listed(element)
    elif element.tag == "table":
        for row in element.iterchildren("row"):
            yield " | ".join(" ".join(_lines(cell)) for cell in row).rstrip(" |")
    else:
        line = Line()
        line.write(element.text)
        for child in element:
            if child.tag in BLOCKS:
                yield from _broken(line)
                yield from _lines(child)
                line = Line()
            else:
                line.element(_as_printed(child))
            line.write(child.tail)
        yield from _broken(line)


def _as_printed(inline: Element) -> Element:
    """The names that `Line` knows for what is raised or lowered, and a mark for every line break."""
    for element in inline.iter():
        if element.tag == "lb":
            element.text = LINE_BREAK
        elif element.get("rend") in ("#sup", "#sub"):
            element.tag = element.get("rend")[1:]
    return inline


def _broken(line: Line) -> Iterator[str]:
    return (words for part in line.text().split(LINE_BREAK) if (words := part.strip()))


def _listed(element: Element) -> Iterator[str]:
    for number, item in enumerate(element.iterchildren("item"), 1):
        mark = f"{number}. " if element.get("rend") == "ol" else MARKS.get(item.get("rend", "ul").partition("-")[0], "")
        for position, line in enumerate(_lines(item)):
            yield ("  " if position else mark) + line


def _card(tree: Element, path: File, kind: Kind, url: str) -> Reference:
    metas = _metas(tree)
    address = url or _first(tree.xpath("//link[@rel='canonical']/@href"), r"https?://")
    return Reference(
        id=f"url:{normalised(url)}" if url else file_id(path),
        title=_first([*_of(metas, *TITLES), *_heading(tree), *_words(tree, "//title")]) or file_title(path),
        url=address,
        kind=kind,
        organisation=_first(_of(metas, "og:site_name")) or site(address),
        published=_published(tree, metas),
        authors=tuple(_of(metas, "citation_author")),
        journal=_first(_of(metas, "citation_journal_title")),
        doi=bare_doi(_first(_of(metas, "citation_doi"))),
        pmid=_first(_of(metas, "citation_pmid"), r"[0-9]{1,8}$"),
        depth="web page",
    )


def _metas(tree: Element) -> Metas:
    """Name in lower case → contents, as the meta elements of the page give them."""
    found: Metas = {}
    for meta in tree.iter("meta"):
        name = meta.get("name") or meta.get("property") or meta.get("itemprop") or ""
        if words := " ".join(meta.get("content", "").split()):
            found.setdefault(name.lower(), []).append(words)
    return found


def _of(metas: Metas, *names: str) -> list[str]:
    return [value for name in names for value in metas.get(name, ())]


def _words(tree: Element, path: str) -> list[str]:
    return [words for element in tree.xpath(path) if (words := " ".join("".join(element.itertext()).split()))]


def _heading(tree: Element) -> list[str]:
    """The heading of the first level, where there is one alone."""
    headings = _words(tree, "//h1")
    return headings if len(headings) == 1 else []


def _first(values: list[str], pattern: str = "") -> str:
    return next((value for value in values if re.match(pattern, value)), "")


def _published(tree: Element, metas: Metas) -> str:
    linked: Metas = {}
    for name, value in LINKED_DATE.findall(" ".join(tree.xpath("//script[@type='application/ld+json']/text()"))):
        linked.setdefault(name, []).append(value)
    marked = tree.xpath("//time[@itemprop='datePublished' or @pubdate]/@datetime")
    stated = [*_of(metas, *PUBLISHED), *linked.get("datePublished", ()), *marked]
    changed = [*_of(metas, *CHANGED), *linked.get("dateModified", ())]
    dates = (DATE.match(value) for value in (*stated, *changed))
    return next((iso(*match.groups("")) for match in dates if match), "")
