"""An abstract with marks, as services hand it out: HTML (Europe PMC), JATS (Crossref) or plain words."""

import re
from typing import NamedTuple

from lxml import html

from wellsourced.readers.page import Page
from wellsourced.readers.xml import Element, Line, local, words
from wellsourced.types import Section

HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6", "title"}
BLOCKS = {"abstract", "br", "div", "li", "list", "list-item", "ol", "p", "sec", "ul"}
INLINE = {"a", "b", "bold", "em", "i", "inline-formula", "italic", "sc", "small", "span", "strong", "sub", "sup", "u"}

_NAMES = "|".join(sorted(HEADINGS | BLOCKS | INLINE, key=len, reverse=True))
_NO_TAG = re.compile(rf"<(?!/?(?:jats:)?(?:{_NAMES})(?:\s+[\w:-]+\s*=[^<>]*)?\s*/?>)", re.IGNORECASE)
_PREFIX = re.compile(r"(</?)jats:", re.IGNORECASE)
_NO_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class Abstract(NamedTuple):
    """The title, as a heading, and the labelled parts; of a work without an abstract, the title alone."""

    text: str
    sections: tuple[Section, ...]


def read_abstract(title: str, marked: str) -> Abstract:
    """The words of an abstract under its title, each labelled part a section; both may be marked up."""
    page = Page()
    page.heading(unmarked(title))
    _Writer(page).write(_parsed(marked))
    return Abstract(page.text, page.sections)


def unmarked(marked: str) -> str:
    """What a reader of the printed line sees: no tags, no entities; raised numbers stay apart ("10^5")."""
    return words(_parsed(marked))


def _parsed(marked: str) -> Element:
    # A sign that is no tag ("p<0.05", "<LOD>") is a word; tags of prefixes (jats:p) are those without.
    sound = _PREFIX.sub(r"\1", _NO_TAG.sub("&lt;", _NO_XML.sub("", marked)))
    parser = html.HTMLParser(no_network=True, remove_comments=True, remove_pis=True, huge_tree=False)
    body = html.document_fromstring(f"<body>{sound}</body>", parser=parser).find("body")
    return html.Element("body") if body is None else body


class _Writer:
    """Puts the blocks of a tree on a page, in the order in which they are printed."""

    def __init__(self, page: Page) -> None:
        self._page, self._section, self._line = page, "", Line()

    def write(self, element: Element) -> None:
        """All that stands in an element."""
        self._line.write(element.text)
        for child in element:
            self._part(child)
            self._line.write(child.tail)
        self._end()

    def _part(self, child: Element) -> None:
        name = local(child)
        if name in HEADINGS:
            self._end()
            self._section = words(child).rstrip(":")
            self._page.heading(self._section)
        elif name in BLOCKS:
            self._end()
            self.write(child)
        else:
            self._line.element(child)

    def _end(self) -> None:
        self._page.block(self._line.text(), self._section)
        self._line = Line()
