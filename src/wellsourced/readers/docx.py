"""Word files (.docx): headings, paragraphs, lists and tables, as they stand on the page."""

import io
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

from wellsourced.errors import SettingsError, Unreadable
from wellsourced.readers.base import FILE_LIMIT, MB, File, Read, Unpacked, file_id, file_title, plain, salvaging
from wellsourced.readers.digests import digested
from wellsourced.readers.page import Page
from wellsourced.readers.page import path as path_of
from wellsourced.readers.properties import told_people, told_title
from wellsourced.types import Document, Kind, Reference

XML_LIMIT = 64 * MB
"""Bytes of XML in one file; a book of a thousand pages has 20 MB."""

PARTS = 10_000
"""Files inside the file, at most."""

TAGS = 2_000_000
"""Tags in all of the XML; a book of a thousand pages has half a million."""

DEEPEST = 200
"""Elements inside each other that are followed; Word itself writes 30."""

MARKS = {"tab": " ", "ptab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
UNSEEN = frozenset({"del", "moveFrom", "instrText", "delText", "Fallback", "drawing", "pict", "object", "rPr", "pPr"})
"""What no reader of the page sees, and pictures."""

AGAIN = "Open it in a word processor and save it again as .docx."
Element = Any
"""python-docx's, which are lxml's with more to them."""


@digested
@salvaging
def read_docx(path: File, kind: Kind) -> Read:
    """The one document that a Word file is.

    Headings are what the styles say; items of lists begin with "- ", rows of tables read "a | b". Left out: headers
    and footers, the table of contents, footnotes, comments, text boxes, and what was deleted under tracked changes.
    The date is the year of the last change. Raises SettingsError when python-docx is not installed.
    """
    with Unpacked(path, FILE_LIMIT) as unpacked:
        data = unpacked.readall() or b""
    _check(path, data)
    try:
        yield from _documents(path, kind, data)
    except (SettingsError, Unreadable, MemoryError):
        raise
    except Exception as error:
        # python-docx tells of a broken file in a dozen classes, KeyError and AttributeError among them.
        raise Unreadable(str(path), f"it is damaged ({error})", AGAIN) from error


def read_other_word(path: File, kind: Kind) -> Read:  # noqa: ARG001 (every reader is told)
    """Refuses what only looks like a .docx: the old binary format, and files with macros."""
    yield from ()  # nothing is said before somebody asks
    if path.name.lower().endswith(".docm"):
        raise Unreadable(str(path), "it is a Word file with macros, which are not opened", AGAIN)
    raise Unreadable(str(path), "it is of Word's old binary format", AGAIN)


def _check(path: File, data: bytes) -> None:
    """Nothing is unpacked before it is known how large it will be."""
    if data[:4] == b"\xd0\xcf\x11\xe0":
        raise Unreadable(str(path), "it is encrypted, or of Word's old binary format", AGAIN)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
            xml = [part for part in parts if part.filename.lower().endswith((".xml", ".rels"))]
            if len(parts) > PARTS or sum(part.file_size for part in parts) > FILE_LIMIT:
                raise Unreadable(str(path), f"it unpacks to more than {FILE_LIMIT // MB} MB", "Split it.")
            if sum(part.file_size for part in xml) > XML_LIMIT:
                raise Unreadable(str(path), f"it holds more than {XML_LIMIT // MB} MB of XML", "Split it.")
            tags = 0
            for part in xml:
                bytes_ = archive.read(part)
                # Word never writes them, and what they declare could fill the memory.
                if b"<!DOCTYPE" in bytes_ or b"<\x00!\x00D" in bytes_:
                    raise Unreadable(str(path), "its XML declares entities, which are not read", AGAIN)
                tags += bytes_.count(b"<")
            if tags > TAGS:
                raise Unreadable(str(path), f"its XML has more than {TAGS:,} tags", "Split it.")
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError) as error:
        raise Unreadable(str(path), f"it is no Word file, or a damaged one ({error})", AGAIN) from error


def _documents(path: File, kind: Kind, data: bytes) -> Read:
    try:
        import docx
    except ImportError as error:
        raise SettingsError("Word files need python-docx: pip install 'wellsourced[documents]'") from error
    word = docx.Document(io.BytesIO(data))
    page = Page()
    title = _render(word, page)
    if not page.text:
        return
    about = word.core_properties
    reference = Reference(
        id=file_id(path),
        title=told_title(about.title or "") or title or file_title(path),
        kind=kind,
        authors=told_people(about.author or ""),
    )
    yield Document(reference=reference, text=page.text, sections=page.sections)


def _render(word: Any, page: Page) -> str:
    """Put the file on a page; the words of its title."""
    levels = _levels(word)
    titles: list[str] = []
    headings: list[tuple[int, str]] = []
    listed: list[str] = []
    for block in [*_blocks(word.element.body), None]:
        item = "" if block is None or _name(block) == "tbl" else _item(block, levels)
        if listed and not item:
            page.block("\n".join(listed), path_of(*(words for _, words in headings)))
            listed = []
        if block is None:
            break
        words = "\n".join(_rows(block)) if _name(block) == "tbl" else _words(block)
        level = -1 if _name(block) == "tbl" else levels.get(_style(block), -1)
        if item:
            listed.append(item)
        elif level == TITLE:
            titles.append(words)
            page.heading(words)
        elif level > 0:
            page.heading(words)
            headings = [*(higher for higher in headings if higher[0] < level), (level, words)]
        elif level != CONTENTS:
            page.block(words, path_of(*(words for _, words in headings)))
    return " ".join(titles[0].split()) if titles else ""


TITLE, CONTENTS, LISTED = 0, -2, -3
"""Levels of styles that are no headings."""


def _levels(word: Any) -> dict[str, int]:
    """Id of a style → level of the headings that it sets, 1 the highest, or TITLE, CONTENTS or LISTED."""
    parents: dict[str, str] = {}
    own: dict[str, int] = {}
    for style in word.styles.element.iter("{*}style"):
        id = _value(style, "styleId")
        parents[id] = _value(next(style.iter("{*}basedOn"), None), "val")
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
    name = _value(style.find("{*}name"), "val").lower()
    if name in ("title", "subtitle"):
        return TITLE if name == "title" else None
    if name.startswith("toc"):
        return CONTENTS
    if name.startswith("list ") and not name.startswith("list paragraph"):
        return LISTED
    if name.startswith("heading ") and name[8:].isdigit():
        return int(name[8:])
    outline = _value(next(style.iter("{*}outlineLvl"), None), "val")
    return int(outline) + 1 if outline.isdigit() and int(outline) < 9 else None


def _blocks(parent: Element, depth: int = 0) -> Iterator[Element]:
    """Paragraphs and tables in order, those in content controls and tracked insertions too."""
    for child in parent:
        name = _name(child)
        if name in ("p", "tbl"):
            yield child
        elif name not in UNSEEN and name != "sectPr" and depth < DEEPEST:
            yield from _blocks(child, depth + 1)


def _item(paragraph: Element, levels: dict[str, int]) -> str:
    """The paragraph as an item of a list; "" when it is none."""
    level = levels.get(_style(paragraph), -1)
    number = next(paragraph.iter("{*}numPr"), None)
    numbered = number is not None and _value(number.find("{*}numId"), "val") != "0"
    if level >= 0 or level == CONTENTS or not (numbered or level == LISTED):
        return ""
    deep = _value(number.find("{*}ilvl"), "val") if number is not None else ""
    words = " ".join(_words(paragraph).split())
    return f"{'  ' * min(int(deep) if deep.isdigit() else 0, 9)}- {words}" if words else ""


def _rows(table: Element) -> Iterator[str]:
    """A line for each row. A cell that spans several is written once."""
    for row in table.iterchildren("{*}tr"):
        cells = [" ".join(" ".join(_words(block) for block in _deep(cell)).split()) for cell in row.iter("{*}tc")]
        if any(cells):
            yield " | ".join(cells)


def _deep(cell: Element) -> Iterator[Element]:
    return (block for block in _blocks(cell) if _name(block) == "p")


def _words(paragraph: Element) -> str:
    return plain("".join(_written(paragraph, 0))).strip()


def _written(parent: Element, depth: int) -> Iterator[str]:
    for child in parent:
        name = _name(child)
        if name == "t":
            yield child.text or ""
        elif name in MARKS:
            yield MARKS[name]
        elif name not in UNSEEN and depth < DEEPEST and not (name == "r" and _hidden(child)):
            yield from _written(child, depth + 1)


def _hidden(run: Element) -> bool:
    mark = run.find("{*}rPr/{*}vanish")
    return mark is not None and _value(mark, "val") not in ("0", "false")


def _style(paragraph: Element) -> str:
    return _value(paragraph.find("{*}pPr/{*}pStyle"), "val")


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _value(element: Element | None, name: str) -> str:
    """An attribute of Word's, whatever namespace it is in; "" when it is not there."""
    if element is None:
        return ""
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")
