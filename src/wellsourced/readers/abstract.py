"""An abstract with marks, as services hand it out: HTML (Europe PMC), JATS (Crossref) or plain words."""

import re
from typing import NamedTuple

from lxml import html

from wellsourced.readers.document_builder import DocumentBuilder
from wellsourced.readers.xml_records import Element, InlineText, element_text, local_name
from wellsourced.types import Section

HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6", "title"}
BLOCKS = {"abstract", "br", "div", "li", "list", "list-item", "ol", "p", "sec", "ul"}
INLINE = {"a", "b", "bold", "em", "i", "inline-formula", "italic", "sc", "small", "span", "strong", "sub", "sup", "u"}

_KNOWN_TAGS = "|".join(sorted(HEADINGS | BLOCKS | INLINE, key=len, reverse=True))
_STRAY_ANGLE_BRACKET = re.compile(rf"<(?!/?(?:jats:)?(?:{_KNOWN_TAGS})(?:\s+[\w:-]+\s*=[^<>]*)?\s*/?>)", re.IGNORECASE)
_JATS_PREFIX = re.compile(r"(</?)jats:", re.IGNORECASE)
_INVALID_CHARACTERS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class Abstract(NamedTuple):
    """The title, as a heading, and the labelled parts; of a work without an abstract, the title alone."""

    text: str
    sections: tuple[Section, ...]


def parse_abstract(title: str, marked: str) -> Abstract:
    """The words of an abstract under its title, each labelled part a section; both may be marked up."""
    page = DocumentBuilder()
    page.add_heading(strip_markup(title))
    _AbstractWriter(page).write_element(_parse_markup(marked))
    return Abstract(page.text, page.sections)


def strip_markup(marked: str) -> str:
    """What a reader of the printed line sees: no tags, no entities; raised numbers stay apart ("10^5")."""
    return element_text(_parse_markup(marked))


def _parse_markup(marked: str) -> Element:
    # A sign that is no tag ("p<0.05", "<LOD>") is a word; tags of prefixes (jats:p) are those without.
    sound = _JATS_PREFIX.sub(r"\1", _STRAY_ANGLE_BRACKET.sub("&lt;", _INVALID_CHARACTERS.sub("", marked)))
    parser = html.HTMLParser(no_network=True, remove_comments=True, remove_pis=True, huge_tree=False)
    body = html.document_fromstring(f"<body>{sound}</body>", parser=parser).find("body")
    return html.Element("body") if body is None else body


class _AbstractWriter:
    """Puts the blocks of a tree on a page, in the order in which they are printed."""

    def __init__(self, page: DocumentBuilder) -> None:
        self._page, self._section, self._line = page, "", InlineText()

    def write_element(self, element: Element) -> None:
        """All that stands in an element."""
        self._line.write(element.text)
        for child in element:
            self._write_child(child)
            self._line.write(child.tail)
        self._end_block()

    def _write_child(self, child: Element) -> None:
        name = local_name(child)
        if name in HEADINGS:
            self._end_block()
            self._section = element_text(child).rstrip(":")
            self._page.add_heading(self._section)
        elif name in BLOCKS:
            self._end_block()
            self.write_element(child)
        else:
            self._line.write_element(child)

    def _end_block(self) -> None:
        self._page.add_block(self._line.text(), self._section)
        self._line = InlineText()
