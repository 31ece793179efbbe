"""Word files (.docx): headings, paragraphs, lists and tables, as they stand on the page."""

import io
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

from wellsourced.errors import NextStep, SettingsError, UnreadableFile
from wellsourced.readers.base import DocumentStream, File, file_id, file_title, normalize_line_ends, salvage_documents
from wellsourced.readers.decompressed_file import FILE_LIMIT, MB, read_whole_bytes
from wellsourced.readers.digests import with_digest
from wellsourced.readers.document_builder import DocumentBuilder, clean_author_names, clean_title
from wellsourced.readers.xml_records import local_name
from wellsourced.types import Reference, SourceKind

XML_LIMIT = 64 * MB
"""Bytes of XML in one file; a book of a thousand pages has 20 MB."""

MAX_PARTS = 10_000
"""Files inside the file, at most."""

MAX_TAGS = 2_000_000
"""Tags in all of the XML; a book of a thousand pages has half a million."""

MAX_DEPTH = 200
"""Elements inside each other that are followed; Word itself writes 30."""

BREAK_TEXTS = {"tab": " ", "ptab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
HIDDEN_ELEMENTS = frozenset(
    {"del", "moveFrom", "instrText", "delText", "Fallback", "drawing", "pict", "object", "rPr", "pPr"}
)
"""What no reader of the page sees, and pictures."""

RESAVE_REMEDY = "Open it in a word processor and save it again as .docx."
Element = Any
"""python-docx's, which are lxml's with more to them."""


@with_digest
@salvage_documents
def read_docx(path: File, kind: SourceKind) -> DocumentStream:
    """The one document that a Word file is.

    Headings are what the styles say; items of lists begin with "- ", rows of tables read "a | b". Left out: headers
    and footers, the table of contents, footnotes, comments, text boxes, and what was deleted under tracked changes.
    The date is the year of the last change. Raises SettingsError when python-docx is not installed.
    """
    data = read_whole_bytes(path)
    _check_archive(path, data)
    try:
        yield from _read_document(path, kind, data)
    except (SettingsError, UnreadableFile, MemoryError):
        raise
    except Exception as error:
        # python-docx tells of a broken file in a dozen classes, KeyError and AttributeError among them.
        raise UnreadableFile(str(path), f"it is damaged ({error})", RESAVE_REMEDY) from error


def refuse_other_word(path: File, kind: SourceKind) -> DocumentStream:  # noqa: ARG001 (every reader is told)
    """Refuses what only looks like a .docx: the old binary format, and files with macros."""
    yield from ()  # nothing is said before somebody asks
    if path.name.lower().endswith(".docm"):
        raise UnreadableFile(str(path), "it is a Word file with macros, which is not supported", RESAVE_REMEDY)
    raise UnreadableFile(str(path), "it has the old binary Word format", RESAVE_REMEDY)


def _check_archive(path: File, data: bytes) -> None:
    """Nothing is unpacked before it is known how large it will be."""
    if data[:4] == b"\xd0\xcf\x11\xe0":
        raise UnreadableFile(str(path), "it is encrypted, or has the old binary Word format", RESAVE_REMEDY)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
            xml = [part for part in parts if part.filename.lower().endswith((".xml", ".rels"))]
            if len(parts) > MAX_PARTS or sum(part.file_size for part in parts) > FILE_LIMIT:
                raise UnreadableFile(str(path), f"it unpacks to more than {FILE_LIMIT // MB} MB", "Split it.")
            if sum(part.file_size for part in xml) > XML_LIMIT:
                raise UnreadableFile(str(path), f"it contains more than {XML_LIMIT // MB} MB of XML", "Split it.")
            tags = 0
            for part in xml:
                bytes_ = archive.read(part)
                # Word never writes them, and what they declare could fill the memory.
                if b"<!DOCTYPE" in bytes_ or b"<\x00!\x00D" in bytes_:
                    raise UnreadableFile(str(path), "its XML declares entities, which is not supported", RESAVE_REMEDY)
                tags += bytes_.count(b"<")
            if tags > MAX_TAGS:
                raise UnreadableFile(str(path), f"its XML has more than {MAX_TAGS:,} tags", "Split it.")
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError) as error:
        raise UnreadableFile(str(path), f"not a Word file, or damaged ({error})", RESAVE_REMEDY) from error


def _read_document(path: File, kind: SourceKind, data: bytes) -> DocumentStream:
    try:
        import docx
    except ImportError as error:
        step = NextStep("install extra", "documents")
        raise SettingsError("Reading Word files needs the extra “documents”.", next_step=step) from error
    word = docx.Document(io.BytesIO(data))
    page = DocumentBuilder()
    title = _render_body(word, page)
    if not page.text:
        return
    about = word.core_properties
    reference = Reference(
        id=file_id(path),
        title=clean_title(about.title or "") or title or file_title(path),
        kind=kind,
        authors=clean_author_names(about.author or ""),
    )
    yield page.build(reference)


def _render_body(word: Any, page: DocumentBuilder) -> str:
    """Put the file on a page; the words of its title."""
    levels = _style_levels(word)
    titles: list[str] = []
    listed: list[str] = []
    for block in _iter_blocks(word.element.body):
        is_table = local_name(block) == "tbl"
        if item := "" if is_table else _list_item_line(block, levels):
            listed.append(item)
            continue
        page.add_block("\n".join(listed))
        listed = []
        words = "\n".join(_table_lines(block)) if is_table else _paragraph_text(block)
        level = -1 if is_table else levels.get(_style_id(block), -1)
        if level == TITLE_STYLE:
            titles.append(words)
            page.add_heading(words)
        elif level > 0:
            page.open_section(words, level)
        elif level != CONTENTS_STYLE:
            page.add_block(words)
    page.add_block("\n".join(listed))
    return " ".join(titles[0].split()) if titles else ""


TITLE_STYLE, CONTENTS_STYLE, LIST_STYLE = 0, -2, -3
"""Levels of styles that are no headings."""


def _style_levels(word: Any) -> dict[str, int]:
    """Id of a style → level of the headings that it sets, 1 the highest, or TITLE, CONTENTS or LISTED."""
    parents: dict[str, str] = {}
    own: dict[str, int] = {}
    for style in word.styles.element.iter("{*}style"):
        id = _attribute_value(style, "styleId")
        parents[id] = _attribute_value(next(style.iter("{*}basedOn"), None), "val")
        level = _own_level(style)
        if level is not None:
            own[id] = level
    found = {}
    for id in parents:
        at, steps = id, 0
        while at not in own and parents.get(at) and steps < 20:
            at, steps = parents[at], steps + 1
        if at in own:
            found[id] = own[at]
    return found


def _own_level(style: Element) -> int | None:
    name = _attribute_value(style.find("{*}name"), "val").lower()
    if name in ("title", "subtitle"):
        return TITLE_STYLE if name == "title" else None
    if name.startswith("toc"):
        return CONTENTS_STYLE
    if name.startswith("list ") and not name.startswith("list paragraph"):
        return LIST_STYLE
    if name.startswith("heading ") and name[8:].isdecimal():
        return int(name[8:])
    outline = _attribute_value(next(style.iter("{*}outlineLvl"), None), "val")
    return int(outline) + 1 if outline.isdecimal() and int(outline) < 9 else None


def _iter_blocks(parent: Element, depth: int = 0) -> Iterator[Element]:
    """Paragraphs and tables in order, those in content controls and tracked insertions too."""
    for child in parent:
        name = local_name(child)
        if name in ("p", "tbl"):
            yield child
        elif name not in HIDDEN_ELEMENTS and name != "sectPr" and depth < MAX_DEPTH:
            yield from _iter_blocks(child, depth + 1)


def _list_item_line(paragraph: Element, levels: dict[str, int]) -> str:
    """The paragraph as an item of a list; "" when it is none."""
    level = levels.get(_style_id(paragraph), -1)
    number = next(paragraph.iter("{*}numPr"), None)
    numbered = number is not None and _attribute_value(number.find("{*}numId"), "val") != "0"
    if level >= 0 or level == CONTENTS_STYLE or not (numbered or level == LIST_STYLE):
        return ""
    deep = _attribute_value(number.find("{*}ilvl"), "val") if number is not None else ""
    words = " ".join(_paragraph_text(paragraph).split())
    return f"{'  ' * min(int(deep) if deep.isdecimal() else 0, 9)}- {words}" if words else ""


def _table_lines(table: Element) -> Iterator[str]:
    """A line for each row. A cell that spans several is written once."""
    for row in table.iterchildren("{*}tr"):
        cells = []
        for cell in row.iter("{*}tc"):
            paragraphs = (block for block in _iter_blocks(cell) if local_name(block) == "p")
            cells.append(" ".join(" ".join(map(_paragraph_text, paragraphs)).split()))
        if any(cells):
            yield " | ".join(cells)


def _paragraph_text(paragraph: Element) -> str:
    return normalize_line_ends("".join(_text_runs(paragraph, 0))).strip()


def _text_runs(parent: Element, depth: int) -> Iterator[str]:
    for child in parent:
        name = local_name(child)
        if name == "t":
            yield child.text or ""
        elif name in BREAK_TEXTS:
            yield BREAK_TEXTS[name]
        elif name not in HIDDEN_ELEMENTS and depth < MAX_DEPTH:
            vanish = child.find("{*}rPr/{*}vanish") if name == "r" else None
            if vanish is None or _attribute_value(vanish, "val") in ("0", "false"):
                yield from _text_runs(child, depth + 1)


def _style_id(paragraph: Element) -> str:
    return _attribute_value(paragraph.find("{*}pPr/{*}pStyle"), "val")


def _attribute_value(element: Element | None, name: str) -> str:
    """An attribute of Word's, whatever namespace it is in; "" when it is not there."""
    if element is None:
        return ""
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")
