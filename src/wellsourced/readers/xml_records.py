"""XML of the National Library of Medicine, read safely: no entities, no network, bounded size; text made whole."""

import functools
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from html import unescape
from itertools import chain
from typing import Any

from lxml import etree, html

from wellsourced.errors import UnreadableFile
from wellsourced.readers.base import File
from wellsourced.readers.decompressed_file import MB, DecompressedFile
from wellsourced.readers.inline_text import InlineWords, collapse_whitespace
from wellsourced.readers.table_rows import Cell, TableRow, span_count
from wellsourced.text.dates import month_number

Element = etree._Element

# huge_tree stays off: libxml2 then refuses absurd depth and text on its own account.
SAFE_PARSER_OPTIONS: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}
SAFE_PARSER = etree.XMLParser(**SAFE_PARSER_OPTIONS)
"""For a piece of XML in memory."""

XML_RECORD_LIMIT = 32 * MB
"""Bytes of one article; as a tree they take up to thirty times as much memory."""

BLOCK_SIZE = 1 << 16
"""Bytes that are unpacked at a time."""

MAX_DEPTH = 200
"""Elements inside each other that are followed; Word itself writes 30."""

REFETCH_REMEDY = "Check whether the file is complete, or download it again."


def root_name(path: File) -> str:
    """The name of the outermost element.

    Raises UnreadableFile for what is not XML and for a document that declares entities: they can be made to fill the
    memory or to read other files, and no file of PubMed or PMC declares any.
    """
    with DecompressedFile(path, XML_RECORD_LIMIT) as unpacked:
        for _, root in _parse_events(path, unpacked, ("start",), None):
            dtd = root.getroottree().docinfo.internalDTD
            if dtd is not None and any(True for _ in dtd.iterentities()):  # type: ignore[attr-defined]
                remedy = "If you trust it, remove the <!ENTITY …> lines from its head."
                raise UnreadableFile(str(path), "it declares XML entities, which is not supported", remedy)
            return local_name(root)
    raise UnreadableFile(str(path), "it contains no XML", REFETCH_REMEDY)


def require_root(path: File, roots: Collection[str], wanted: str, remedy: str) -> str:
    """The name of the outermost element. Raises UnreadableFile for what `root_name` refuses and for any other name.

    wanted   what a file with these roots is: "a PMC article"
    """
    if (root := root_name(path)) not in roots:
        raise UnreadableFile(str(path), f"its root <{root}> is not {wanted}", remedy)
    return root


def iter_records(path: File, names: Collection[str]) -> Iterator[Element]:
    """Every outermost element of these names, one at a time: each is emptied when the next is asked for.

    Raises UnreadableFile where the XML breaks off or is not well formed, and for a record that is too large.
    """
    with DecompressedFile(path, XML_RECORD_LIMIT) as unpacked:
        for _, element in _parse_events(path, unpacked, ("end",), [f"{{*}}{name}" for name in names]):
            if not any(local_name(around) in names for around in element.iterancestors()):
                unpacked.renew_allowance()
                yield element
                element.clear()
                parent = element.getparent()
                while parent is not None and parent[0] is not element:
                    del parent[0]


def iter_pieces(path: File, ending: bytes) -> Iterator[bytes]:
    """The bytes of a file, cut behind each `ending`; the last piece is what follows the last of them.

    Raises UnreadableFile for a piece that is too large.
    """
    with DecompressedFile(path, XML_RECORD_LIMIT) as unpacked:
        held = b""
        # Each time as much again as is held, so that a long piece is not looked through for every block.
        while block := unpacked.read(max(BLOCK_SIZE, len(held))):
            *pieces, held = (held + block).split(ending)
            for piece in pieces:
                unpacked.renew_allowance()
                yield piece + ending
        yield held


def _parse_events(
    path: File, unpacked: DecompressedFile, events: tuple[str, ...], tags: list[str] | None
) -> Iterator[tuple[str, Element]]:
    try:
        yield from etree.iterparse(unpacked, events=events, tag=tags, **SAFE_PARSER_OPTIONS)
    except etree.XMLSyntaxError as error:
        raise UnreadableFile(str(path), f"its XML is invalid ({error.msg})", REFETCH_REMEDY) from error


def local_name(element: Element) -> str:
    """The element's name without its namespace; "" for what is no element."""
    tag = element.tag
    return tag[tag.rfind("}") + 1 :] if isinstance(tag, str) else ""


def first_text(*places: Iterable[Element]) -> str:
    """The words of the first of these elements that has any; "" when none has."""
    return next(filter(None, map(element_text, chain.from_iterable(places))), "")


def find_text(element: Element, *paths: str) -> str:
    """The words at the first of these paths where there are any; "" when there are none."""
    # A path of one name is several times as fast so.
    places = (element.findall(path) if "/" in path or path == "." else element.iterchildren(path) for path in paths)
    return first_text(chain.from_iterable(places))


def element_text(element: Element) -> str:
    """All that a reader of the printed page sees in an element, in one line."""
    # Most elements hold nothing but words.
    return InlineText().write_children(element).text() if len(element) else collapse_whitespace(element.text or "")


@functools.lru_cache(maxsize=1 << 14)
def iso_date(year: str, month: str = "", day: str = "") -> str:
    """A date of publication as precise as its parts are sound; months may be numbers or English names."""
    if not (year.isdecimal() and len(year) == 4 and year[0] in "12"):
        return ""
    number = int(month) if month.isdecimal() and len(month) < 3 else month_number(month)
    if not 1 <= number <= 12:
        return year
    if not (day.isdecimal() and len(day) < 3) or not 1 <= int(day) <= 31:
        return f"{year}-{number:02}"
    return f"{year}-{number:02}-{int(day):02}"


def element_date(element: Element) -> str:
    """The date that an element spells out, or has in words: "2009 Nov-Dec", "1998 Dec-1999 Jan"."""
    given = element.get("iso-8601-date")
    if given and re.fullmatch(r"[12][0-9]{3}-[0-9]{2}-[0-9]{2}", given):
        return iso_date(*given.split("-"))
    parts = {local_name(child).lower(): element_text(child) for child in element}
    if not (loose := parts.get("medlinedate", "")):
        return iso_date(parts.get("year", ""), parts.get("month", ""), parts.get("day", ""))
    found = re.search(r"\b([12][0-9]{3})\b(?:[ ]([A-Za-z]{3}))?", loose)
    return iso_date(found[1], found[2] or "") if found else ""


# What is not in the running text: floats (they are read on their own), footnotes, TeX beside its MathML, pictures.
NOT_INLINE = {"table-wrap", "fig", "fn", "tex-math", "annotation", "graphic", "inline-graphic", "media", "object-id"}
NOT_INLINE |= {"supplementary-material", "inline-supplementary-material"}
NOT_FORMULA = {*NOT_INLINE, "label"}
SPACED_ELEMENTS = {"p", "title", "label", "td", "th", "break", "def", "term", "list-item", "disp-quote"}
"""Elements whose words must not run into the next."""


class InlineText(InlineWords):
    """Running text in the making, of the elements of a tree."""

    def write_children(self, element: Element) -> "InlineText":
        self.write(element.text)
        for child in element:
            self.write_element(child)
            self.write(child.tail)
        return self

    def write_element(self, element: Element) -> None:
        """An element inside the line, without what follows it."""
        name = local_name(element)
        if element.tag is etree.Entity:
            self.write(unescape(element.text or ""))
        elif name in ("sup", "sub", "xref"):
            # A note is a link raised above the line, whichever of the two is inside the other.
            other = "sup" if name == "xref" else "xref"
            is_note = next(element.iter(f"{{*}}{other}"), None) is not None
            self._write_mark(name, "".join(InlineText().write_children(element).parts), is_note)
        elif name in ("math", "disp-formula", "inline-formula"):
            # Half a formula would be a wrong one.
            try:
                self.write(linear_formula(element).strip() or "[formula]")
            except NonlinearFormula:
                self.write("[formula]")
        elif name not in NOT_INLINE:
            self.write_children(element)
            self.write(" " if name in SPACED_ELEMENTS else "")


LINE_ELEMENTS = {"br", "break", "def-item", "disp-quote", "div", "li", "list-item", "p", "dt", "dd", "tr"}
"""What begins and ends a line within a cell, in JATS and in HTML."""


def markup_rows(table: Element, read_cell: Callable[[Element], str] | None = None) -> list[TableRow]:
    """The rows of a table in JATS or HTML, those of tables in its cells left to `read_cell` (`cell_text`).

    What stands in a <thead>, and a row all of whose words stand in <th>, names the columns.
    """
    rows = []
    read = read_cell or cell_text
    for row in table.iter("{*}tr"):
        around = next(row.iterancestors("{*}table", "{*}thead"))
        is_header = local_name(around) == "thead"
        if around is not table and not (is_header and next(around.iterancestors("{*}table"), None) is table):
            continue
        cells: list[Cell] = []
        names = set()
        for cell in row:
            if (name := local_name(cell)) in ("td", "th"):
                text = read(cell)
                cells.append(Cell(text, span_count(cell.get("rowspan")), span_count(cell.get("colspan"))))
                if text:
                    names.add(name)
        rows.append(TableRow(cells, is_header or names == {"th"}))
    return rows


class _CellText(InlineText):
    """Running text in which paragraphs, items and forced breaks are lines of their own."""

    def write_element(self, element: Element) -> None:
        edge = "\u2028" if local_name(element) in LINE_ELEMENTS else ""
        parent = element.getparent()
        is_first = local_name(element) == "p" and parent is not None and local_name(parent) == "list-item"
        self.write("" if is_first else edge)
        super().write_element(element)
        self.write(edge)


def cell_text(cell: Element) -> str:
    """The words of a cell, as `Cell` wants them."""
    if len(cell) == 0:
        return cell.text or ""
    return _CellText().write_children(cell).text().replace("\u2028", "\n")


MATH_ROWS = {"math", "mrow", "mstyle", "mpadded", "semantics", "alternatives", "inline-formula", "disp-formula"}
MATH_ROWS |= {"oMath", "oMathPara", "r", "e", "num", "den", "sup", "sub", "deg", "box", "fName", "func"}
MATH_TOKENS = {"mi", "mn", "mo", "mtext", "ms", "t"}
MATH_OPERATORS = {"msup": "^", "msub": "_", "mfrac": "/", "sSup": "^", "sSub": "_", "f": "/"}
"""In MathML, and in the markup of office programs (OMML), whose elements of properties end with "Pr"."""


class NonlinearFormula(Exception):
    """A formula of two dimensions."""


def linear_formula(element: Element, depth: int = 0) -> str:
    """A formula in a line. Raises NonlinearFormula for one that does not fit in one."""
    name = local_name(element)
    if depth > MAX_DEPTH:
        raise NonlinearFormula(name)
    if name in MATH_TOKENS:
        return element.text or "" if name == "t" else (element.text or "").strip()
    if name == "mspace":
        return " "
    parts = [one for one in element if not local_name(one).endswith("Pr") and local_name(one) not in NOT_FORMULA]
    inner = [linear_formula(part, depth + 1) for part in parts]
    if name in MATH_ROWS:
        tails = ((part.tail or "").strip() for part in parts)
        return (element.text or "").strip() + "".join(map("".join, zip(inner, tails, strict=True)))
    if name in MATH_OPERATORS and len(parts) == 2:
        bracketed = (one if re.fullmatch(r"\w*([.,]\w+)?", one) else f"({one})" for one in inner)
        return MATH_OPERATORS[name].join(bracketed)
    if name == "rad" and not any(inner[:-1]):
        return f"√({inner[-1]})" if inner else ""
    if name == "d":
        ends = {local_name(one): str(next(iter(one.values()), "")) for one in element.iterfind("{*}dPr/*")}
        return f"{ends.get('begChr', '(')}{ends.get('sepChr', '|').join(inner)}{ends.get('endChr', ')')}"
    raise NonlinearFormula(name)


HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6", "title"}
BLOCKS = {"abstract", "br", "div", "li", "list", "list-item", "ol", "p", "sec", "ul"}
INLINE = {"a", "b", "bold", "em", "i", "inline-formula", "italic", "sc", "small", "span", "strong", "sub", "sup", "u"}

_KNOWN_TAGS = "|".join(sorted(HEADINGS | BLOCKS | INLINE, key=len, reverse=True))
_STRAY_ANGLE_BRACKET = re.compile(rf"<(?!/?(?:jats:)?(?:{_KNOWN_TAGS})(?:\s+[\w:-]+\s*=[^<>]*)?\s*/?>)", re.IGNORECASE)
_JATS_PREFIX = re.compile(r"(</?)jats:", re.IGNORECASE)
_INVALID_CHARACTERS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def strip_markup(marked: str) -> str:
    """What a reader of the printed line sees: no tags, no entities; raised numbers stay apart ("10^5")."""
    return element_text(parse_markup(marked))


def parse_markup(marked: str) -> Element:
    """The words of an abstract or a title, marked up in HTML or JATS, as a tree."""
    # A sign that is no tag ("p<0.05", "<LOD>") is a word; tags of prefixes (jats:p) are those without.
    sound = _JATS_PREFIX.sub(r"\1", _STRAY_ANGLE_BRACKET.sub("&lt;", _INVALID_CHARACTERS.sub("", marked)))
    parser = html.HTMLParser(no_network=True, remove_comments=True, remove_pis=True, huge_tree=False)
    body = html.document_fromstring(f"<body>{sound}</body>", parser=parser).find("body")
    return html.Element("body") if body is None else body
