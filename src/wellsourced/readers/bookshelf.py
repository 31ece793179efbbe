"""Books of the NCBI Bookshelf in BITS, as StatPearls and GeneReviews are given away: a document a chapter."""

from collections.abc import Iterator
from typing import NamedTuple

from wellsourced.citations.identifiers import plain_doi
from wellsourced.citations.links import work_url
from wellsourced.readers import xml_records as xml
from wellsourced.readers.base import DocumentStream, File, UnreadablePart, salvage_documents
from wellsourced.readers.document_builder import DocumentBuilder
from wellsourced.readers.jats import author_names, write_abstracts, write_blocks
from wellsourced.types import Document, Reference, SourceKind

ROOTS = ("book", "book-part-wrapper", "book-part")


class Book(NamedTuple):
    """What its chapters have in common; "" for what the file does not say."""

    id: str = ""
    title: str = ""
    publisher: str = ""
    published: str = ""


@salvage_documents
def read_bookshelf(path: File, kind: SourceKind) -> DocumentStream:
    """A document a chapter, with its sections; references are left out. A part that only holds chapters is none.

    A chapter is known by its number in the Bookshelf (NBK…), else by its PMID, else by the names that the book and
    the chapter give themselves.
    """
    book = Book()
    for element in xml.iter_records(path, ("book-meta", "book-part")):
        if xml.local_name(element) == "book-meta":
            book = Book(
                id=xml.find_text(element, "book-id"),
                title=xml.find_text(element, "book-title-group/book-title"),
                publisher=xml.find_text(element, "publisher/publisher-name"),
                published=_latest_date(element),
            )
        else:
            yield from _read_parts(element, book, kind)


def _read_parts(part: xml.Element, book: Book, kind: SourceKind) -> Iterator[Document | UnreadablePart]:
    """The chapter that a part is, and those inside it, in the order of the book."""
    inner = [one for one in part.iter("book-part") if next(one.iterancestors("book-part"), None) is part]
    if read := _read_chapter(part, book, kind, is_chapter=not inner):
        yield read
    for one in inner:
        yield from _read_parts(one, book, kind)


def _read_chapter(
    part: xml.Element, book: Book, kind: SourceKind, is_chapter: bool
) -> Document | UnreadablePart | None:
    meta = part.find("book-part-meta")
    title = "" if meta is None else xml.find_text(meta, "title-group/title")
    page = DocumentBuilder()
    page.add_heading(title)
    empty = page.text
    if meta is not None:
        write_abstracts(meta, page)
    for body in part.findall("body"):
        write_blocks(body, "", page)
    if page.text != empty:
        return page.build(_build_reference(part, part if meta is None else meta, book, kind))
    if not is_chapter:
        return None
    return UnreadablePart(f"the chapter “{title or part.get('id', '')}”", "it has no text", "Leave it out.")


def _build_reference(part: xml.Element, meta: xml.Element, book: Book, kind: SourceKind) -> Reference:
    ids = [xml.element_text(id) for place in ("book-part-id", "article-id", "object-id") for id in meta.findall(place)]
    nbk = next((id for id in (*ids, part.get("id", "")) if id.startswith("NBK") and id[3:].isdecimal()), "")
    types = {id: id.get("book-part-id-type") or id.get("pub-id-type") for id in meta.iter("book-part-id", "article-id")}
    pmid = next((xml.element_text(id) for id, type in types.items() if type == "pmid"), "")
    pmid = pmid if pmid.isdecimal() else ""
    doi = next((doi for id in ids if (doi := plain_doi(id))), "")
    title = xml.find_text(meta, "title-group/title")
    named = f"nbk:{book.id or 'book'}/{part.get('id') or next(iter(ids), '') or title}"
    return Reference(
        id=f"nbk:{nbk}" if nbk else f"pubmed:{pmid}" if pmid else named,
        title=title,
        url=f"https://www.ncbi.nlm.nih.gov/books/{nbk}/" if nbk else work_url(pmid=pmid, doi=doi),
        kind=kind,
        organisation=book.publisher,
        published=_latest_date(meta) or book.published,
        authors=tuple(author_names(meta)),
        journal=book.title,
        doi=doi,
        pmid=pmid,
        depth="full text",
    )


def _latest_date(meta: xml.Element) -> str:
    """When it was last revised, or else published: chapters are kept up to date for decades."""
    dates = (*meta.findall("pub-history/date"), *meta.findall("pub-date"))
    return max(map(xml.element_date, dates), default="")
