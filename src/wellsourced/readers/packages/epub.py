"""Books (.epub): the chapters in the order in which they are read, as one document with the headings of its pages."""

import posixpath
from collections import defaultdict
from collections.abc import Iterator
from urllib.parse import unquote

from lxml import etree

from wellsourced.errors import UnreadableFile
from wellsourced.lazy import lazy_regex
from wellsourced.readers.base import (
    DocumentStream,
    File,
    InMemoryFile,
    UnreadablePart,
    file_id,
    file_title,
    salvage_documents,
)
from wellsourced.readers.document_builder import DocumentBuilder, build_reference, clean_title
from wellsourced.readers.file_listing import with_digest
from wellsourced.readers.html_text import HtmlText, drop_hidden, raise_styled_text
from wellsourced.readers.html_tree import decode_page, parse_html_tree
from wellsourced.readers.packages.office_parts import Element, FileFormat, read_archive
from wellsourced.readers.xml_records import SAFE_PARSER, local_name
from wellsourced.types import SourceKind

BOOK_FORMAT = FileFormat("EPUB", "Save it again as .epub, or add it as PDF.")

SELF_CLOSED = lazy_regex(
    r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b)([A-Za-z][\w:-]{0,50})(\s[^<>]{0,5000})?/>"
)
"""What XHTML ends in its own tag, and HTML does not."""


@with_digest
@salvage_documents
def read_epub(path: File, kind: SourceKind) -> DocumentStream:
    """The one document that a book is, with its title, authors, publisher and date.

    Tables of contents are left out. A chapter that cannot be read is told, and the others are read. Raises
    UnreadableFile for a book with copy protection.
    """
    parts = read_archive(path, BOOK_FORMAT, declared=True)
    package = next(_parse(path, parts, "META-INF/container.xml").iter("{*}rootfile"), None)
    name = "" if package is None else unquote(package.get("full-path", ""))
    book = _parse(path, parts, name)
    protected: set[str] = set()
    if "META-INF/encryption.xml" in parts:
        references = _parse(path, parts, "META-INF/encryption.xml").iter("{*}CipherReference")
        protected = {unquote(one.get("URI", "")) for one in references}
    css = b"\n".join(words for name, words in parts.items() if name.lower().endswith(".css")).decode("utf-8", "replace")
    page = DocumentBuilder()
    faults: list[UnreadablePart] = []
    for chapter in _list_chapters(book, name):
        if chapter in protected:
            raise UnreadableFile(str(path), "its copy protection does not let it be read", "Add a copy without it.")
        try:
            if chapter not in parts:
                raise UnreadableFile(chapter, "it is missing in the file", BOOK_FORMAT.remedy)
            _write_chapter(InMemoryFile(chapter, parts[chapter]), css, page)
        except UnreadableFile as error:
            faults.append(UnreadablePart(chapter, error.reason, error.remedy))
    stated: dict[str, list[str]] = defaultdict(list)
    for one in book.iterfind("{*}metadata/{http://purl.org/dc/elements/1.1/}*"):
        stated[local_name(one)].append(" ".join((one.text or "").split()))
    if page.text:
        first = {name: values[0] for name, values in stated.items()}
        dois = [one for one in stated["identifier"] if "10." in one and "/" in one]
        fields = {
            "authors": stated["creator"],
            "doi": next(iter(dois), ""),
            "date": first.get("date"),
            "publisher": first.get("publisher"),
        }
        title = clean_title(first.get("title", "")) or first.get("title") or file_title(path)
        yield page.build(build_reference(fields, id=file_id(path), title=title, kind=kind, depth="full text"))
    yield from faults


def _parse(path: File, parts: dict[str, bytes], name: str) -> Element:
    try:
        return etree.fromstring(parts[name], SAFE_PARSER)
    except (KeyError, etree.XMLSyntaxError) as error:
        reason = f"not an EPUB file, or damaged ({name or 'its list of chapters'})"
        raise UnreadableFile(str(path), reason, BOOK_FORMAT.remedy) from error


def _list_chapters(book: Element, name: str) -> Iterator[str]:
    """The parts with the pages of a book, in the order in which they are read."""
    folder = posixpath.dirname(name)
    contents = {
        one.get("href", "").partition("#")[0]
        for one in book.iterfind("{*}guide/{*}reference")
        if one.get("type") == "toc"
    }
    listed = {one.get("id"): one for one in book.iterfind("{*}manifest/{*}item")}
    for entry in book.iterfind("{*}spine/{*}itemref"):
        item = listed.get(entry.get("idref"))
        if item is None or "html" not in item.get("media-type", "") or "nav" in item.get("properties", "").split():
            continue
        if (place := item.get("href", "").partition("#")[0]) not in contents:
            yield posixpath.normpath(posixpath.join(folder, unquote(place)))


def _write_chapter(chapter: InMemoryFile, css: str, page: DocumentBuilder) -> None:
    tree = parse_html_tree(chapter, SELF_CLOSED.sub(r"<\1\2></\1>", decode_page(chapter)[0]))
    raise_styled_text(tree, css)
    drop_hidden(tree)
    for block in HtmlText(tree).blocks(tree):
        if block.level:
            page.open_section(block.text, block.level)
        else:
            page.add_block(block.text)
