"""Packages of office programs (Open Packaging Conventions): XML parts with relations between them, read safely; and a
line of words of which some are raised, lowered or formulas.
"""

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from lxml import etree

from wellsourced.errors import UnreadableFile
from wellsourced.lazy import lazy_regex
from wellsourced.readers.base import File, UnreadablePart, file_id, file_title
from wellsourced.readers.decompressed_file import FILE_LIMIT, MB, read_whole_bytes
from wellsourced.readers.document_builder import clean_author_names, clean_title
from wellsourced.readers.inline_text import InlineWords, collapse_whitespace
from wellsourced.readers.xml_records import (
    MAX_DEPTH,
    SAFE_PARSER,
    SAFE_PARSER_OPTIONS,
    NonlinearFormula,
    linear_formula,
    local_name,
)
from wellsourced.text.symbol_fonts import symbol_character, symbol_table
from wellsourced.types import Reference, SourceKind

XML_LIMIT = 64 * MB
"""Bytes of XML in one file; a book of a thousand pages has 20 MB."""

MAX_PARTS = 10_000
"""Files inside the file, at most."""

MAX_TAGS = 2_000_000
"""Tags in all of the XML; a book of a thousand pages has half a million."""

XML_ENDINGS = (".xml", ".rels", ".xhtml", ".html", ".htm", ".opf", ".ncx", ".css")
OLE_SIGNATURE = b"\xd0\xcf\x11\xe0"
ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError)

Element = Any
"""lxml's."""

NOTHING: Element = etree.Element("none")
"""In place of what is not there: without children and attributes."""


class FileFormat(NamedTuple):
    """What messages call a format, and what its owner can do with a file that cannot be read."""

    name: str
    remedy: str


def read_archive(
    path: File, format: FileFormat, max_tags: int = MAX_TAGS, *, declared: bool = False
) -> dict[str, bytes]:
    """The XML parts of a file by their names. Nothing is unpacked before it is known how large it will be.

    `declared` lets them have a DOCTYPE, as pages of books do. Raises UnreadableFile.
    """
    data, remedy = read_whole_bytes(path), format.remedy
    if data[:4] == OLE_SIGNATURE:
        raise UnreadableFile(str(path), f"it is encrypted, or has the old binary {format.name} format", remedy)
    parts: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            listed = archive.infolist()
            xml = [part for part in listed if part.filename.lower().endswith(XML_ENDINGS)]
            if len(listed) > MAX_PARTS or sum(part.file_size for part in listed) > FILE_LIMIT:
                raise UnreadableFile(str(path), f"it unpacks to more than {FILE_LIMIT // MB} MB", "Split it.")
            if sum(part.file_size for part in xml) > XML_LIMIT:
                raise UnreadableFile(str(path), f"it contains more than {XML_LIMIT // MB} MB of XML", "Split it.")
            tags = 0
            for part in xml:
                parts[part.filename.lstrip("/")] = bytes_ = archive.read(part)
                # Office programs never write them, and what they declare could fill the memory.
                if not declared and (b"<!DOCTYPE" in bytes_ or b"<\x00!\x00D" in bytes_):
                    raise UnreadableFile(str(path), "its XML declares entities, which is not supported", remedy)
                tags += bytes_.count(b"<")
            if tags > max_tags:
                raise UnreadableFile(str(path), f"its XML has more than {max_tags:,} tags", "Split it.")
    except ZIP_ERRORS as error:
        raise UnreadableFile(str(path), f"not a {format.name} file, or damaged ({error})", remedy) from error
    return parts


class OfficePackage:
    """The parts of a file of an office program, each parsed when it is asked for.

    main   name of the part in which the document begins
    """

    def __init__(self, path: File, format: FileFormat, root: str, max_tags: int = MAX_TAGS) -> None:
        self._path, self._format = path, format
        self._parts = read_archive(path, format, max_tags)
        self._relations: dict[str, dict[str, tuple[str, str]]] = {}
        self.main, self._document = "", NOTHING
        self.main = self.find_related("", "officeDocument")
        self._document = self.root(self.main)
        if local_name(self._document) != root:
            raise UnreadableFile(str(path), f"it contains no {format.name} document", format.remedy)

    def root(self, name: str) -> Element:
        """The outermost element of a part; an empty one where there is no such part. Raises UnreadableFile."""
        if name not in self._parts:
            return NOTHING
        if name == self.main and self._document is not NOTHING:
            return self._document
        try:
            return etree.fromstring(self._parts[name], SAFE_PARSER)
        except etree.XMLSyntaxError as error:
            raise UnreadableFile(str(self._path), f"it is damaged ({error.msg})", self._format.remedy) from error

    def iter_elements(self, name: str, names: Sequence[str]) -> Iterator[Element]:
        """The elements of these names in a part, each emptied when the next is asked for. Raises UnreadableFile."""
        data = io.BytesIO(self._parts.get(name, b"<none/>"))
        try:
            for _, element in etree.iterparse(data, tag=[f"{{*}}{one}" for one in names], **SAFE_PARSER_OPTIONS):
                yield element
                element.clear()
        except etree.XMLSyntaxError as error:
            raise UnreadableFile(str(self._path), f"it is damaged ({error.msg})", self._format.remedy) from error

    def relations(self, name: str) -> dict[str, tuple[str, str]]:
        """Id → (type, target) of what a part refers to: the name of another part, or an address outside."""
        if name in self._relations:
            return self._relations[name]
        folder, file = posixpath.split(name)
        found = self._relations[name] = {}
        for relation in self.root(posixpath.join(folder, "_rels", f"{file}.rels")):
            target = relation.get("Target", "")
            if relation.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, target.replace("\\", "/"))).lstrip("/")
            found[relation.get("Id", "")] = (relation.get("Type", "").rpartition("/")[2], target)
        return found

    def list_related(self, name: str, type: str) -> list[str]:
        """The parts of a type to which a part refers."""
        return [target for kind, target in self.relations(name).values() if kind == type and target in self._parts]

    def find_related(self, name: str, type: str) -> str:
        """The first part of a type to which a part refers; "" for none."""
        return next(iter(self.list_related(name, type)), "")

    def target(self, name: str, element: Element, id: str = "id") -> str:
        """What an element of a part refers to by an attribute: the name of another part, or an address outside."""
        return self.relations(name).get(attribute(element, id), ("", ""))[1]

    def build_reference(self, kind: SourceKind, title: str = "") -> Reference:
        """The reference of the document; its title is the one that the file states, else this one, else its name."""
        core = self.root(self.find_related("", "core-properties"))
        stated = {local_name(element): element.text or "" for element in core}
        return Reference(
            id=file_id(self._path),
            title=clean_title(stated.get("title", "")) or title or file_title(self._path),
            kind=kind,
            authors=clean_author_names(stated.get("creator", "")),
        )


def attribute(element: Element | None, name: str) -> str:
    """An attribute in whatever namespace, one with a namespace first; "" where it, or the element, is not there."""
    if element is None:
        return ""
    ending = "}" + name
    for key, value in element.items():
        if key.endswith(ending):
            return str(value)
    return str(element.get(name, ""))


def find_child(element: Element, tag: str) -> Element:
    """The first child of this tag, "{*}" before its name, else NOTHING; many times faster than a path."""
    return element if element is NOTHING else next(element.iterchildren(tag), NOTHING)


def is_on(element: Element | None) -> bool:
    """Whether a property of office programs is there and not turned off."""
    return (
        element is not None
        and element is not NOTHING
        and attribute(element, "val") not in ("0", "false", "off", "none")
    )


def find_children(parent: Element, name: str, depth: int = 0) -> Iterator[Element]:
    """The elements of a name below this one, through what only wraps them: content controls, tracked insertions."""
    for child in parent:
        if local_name(child) == name:
            yield child
        elif local_name(child) in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag") and depth < MAX_DEPTH:
            yield from find_children(child, name, depth + 1)


UNKNOWN_SIGN = "\ufffd"
"""What stands in a text for a sign that nobody knows; the reader tells how many there are."""

_PRIVATE_USE = lazy_regex("[\ue000-\uf8ff]")
_BOXES = {"P": "✓", "O": "✗", "R": "☑", "Q": "☒", "S": "☒", "T": "☒", "\xa3": "☐"}
"""Of Wingdings 2: what is ticked in forms."""


def is_symbol_font(font: str) -> bool:
    """Whether the letters of a font are signs: then what a file says is not what the page shows."""
    return font == "Wingdings 2" or symbol_table(font.capitalize()) is not None


def decode_signs(text: str, font: str = "") -> str:
    """The text as a page shows it in this font; UNKNOWN_SIGN for a sign that no table knows, and for private use."""
    is_symbol = font != "" and is_symbol_font(font)
    if not is_symbol and (text.isascii() or not _PRIVATE_USE.search(text)):
        return text
    # Without a name the font would be taken for one of symbols.
    name = font.capitalize() if is_symbol else "letters"
    signs = []
    for letter in text:
        if font == "Wingdings 2":
            signs.append(_BOXES.get(chr(ord(letter) & 0xFF), UNKNOWN_SIGN))
        elif is_symbol or _PRIVATE_USE.match(letter):
            signs.append(symbol_character(name, letter) or UNKNOWN_SIGN)
        else:
            signs.append(letter)
    return "".join(signs)


# --- a line ----------------------------------------------------------------------------------------------------------

LINE_BREAK = "\u2028"
"""In a line in the making: where the page begins a new one."""

Piece = tuple[str, str]
"""(“sup”, “sub” or “”, words)"""


def join_pieces(pieces: Iterable[Piece]) -> str:
    """The words of a paragraph, a line for each that the page breaks off; what is raised or lowered as JATS has it."""
    gathered = [*pieces]
    plain = [words for place, words in gathered if not place]
    if len(plain) == len(gathered):
        text = collapse_whitespace("".join(plain))
    else:
        line = InlineWords()
        for place, group in groupby(gathered, key=lambda piece: piece[0]):
            line.write_mark(place, "".join(words for _, words in group))
        text = line.text()
    return "\n".join(filter(None, map(str.strip, text.split(LINE_BREAK)))) if LINE_BREAK in text else text


def run_pieces(
    parent: Element, omitted: "OmittedContent", place: str = "", font: str = "", depth: int = 0
) -> Iterator[Piece]:
    """The words of a paragraph of slides, or of a cell of a workbook: runs, which say how their letters look."""
    for child in parent:
        name = local_name(child)
        if name == "t":
            yield place, decode_signs((child.text or "").replace("\n", LINE_BREAK), font)
        elif name == "br":
            yield "", LINE_BREAK
        elif name in ("r", "fld"):
            yield from run_pieces(child, omitted, *_run_look(find_child(child, "{*}rPr")), depth + 1)
        elif name in ("oMath", "oMathPara"):
            yield "", omitted.write_formula(child)
        # A form for older programs says the same once more; of a word in Japanese, its pronunciation.
        elif name not in ("Fallback", "rPh") and depth < MAX_DEPTH:
            yield from run_pieces(child, omitted, place, font, depth + 1)


def _run_look(properties: Element) -> tuple[str, str]:
    """(“sup”, “sub” or “”, the font of symbols) of a run: by its baseline in slides, by a word in workbooks."""
    raised = properties.get("baseline", "").rstrip("%") or attribute(find_child(properties, "{*}vertAlign"), "val")
    place = "" if raised in ("", "0", "baseline") else "sub" if raised[0] == "-" or raised == "subscript" else "sup"
    places = (("sym", "typeface"), ("latin", "typeface"), ("rFont", "val"))
    fonts = (attribute(find_child(properties, f"{{*}}{name}"), key) for name, key in places)
    return place, next(filter(is_symbol_font, fonts), "")


# --- what cannot be carried ------------------------------------------------------------------------------------------


class OmittedContent:
    """What a page shows and its text does not, counted, and told at the end."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def count(self, what: str) -> None:
        """Count one of what there may be several: "charts"."""
        self._counts[what] = self._counts.get(what, 0) + 1

    def write_formula(self, element: Element) -> str:
        """A formula in a line, or the word for one that is none."""
        try:
            return linear_formula(element)
        except NonlinearFormula:
            self.count("formulas")
            return "[formula]"

    def list_faults(self, text: str) -> Iterator[UnreadablePart]:
        """Each kind of it, once; signs are counted in the text itself."""
        if signs := text.count(UNKNOWN_SIGN):
            reason = f"{signs} of an unknown font, marked “{UNKNOWN_SIGN}” in the text"
            yield UnreadablePart("signs", reason, "Compare these places with the file.")
        for what, number in self._counts.items():
            yield UnreadablePart(what, f"{number} cannot be shown as text", "Compare the text with the file.")
