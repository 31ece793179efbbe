"""Books of the NCBI Bookshelf in BITS, as StatPearls and GeneReviews are given away: a document a chapter."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from wellsourced.errors import Unreadable
from wellsourced.readers.base import Faulty, File, Read, bare_doi, salvaging
from wellsourced.readers.jats import authors_of, write_abstracts, write_blocks
from wellsourced.readers.page import Page
from wellsourced.readers.xml import Element, found, iso, local, records, root_of, words
from wellsourced.types import Document, Kind, Reference

ROOTS = ("book", "book-part-wrapper", "book-part")


class Book(NamedTuple):
    """What its chapters have in common; "" for what the file does not say."""

    id: str = ""
    title: str = ""
    publisher: str = ""
    published: str = ""


@salvaging
def read_bookshelf(path: File, kind: Kind) -> Read:
    """A document a chapter, with its sections; references are left out. A part that only holds chapters is none.

    A chapter is known by its number in the Bookshelf (NBK…), else by its PMID, else by the names that the book and
    the chapter give themselves.
    """
    if (root := root_of(path)) not in ROOTS:
        raise Unreadable(str(path), f"it is <{root}>, not a book", "Add the .nxml files of a book of the Bookshelf.")
    book = Book()
    for element in records(path, ("book-meta", "book-part")):
        if local(element) == "book-meta":
            book = _book(element)
        else:
            yield from _parts(element, book, kind)


def _book(meta: Element) -> Book:
    return Book(
        id=found(meta, "book-id"),
        title=found(meta, "book-title-group/book-title"),
        publisher=found(meta, "publisher/publisher-name"),
        published=_latest(meta),
    )


def _parts(part: Element, book: Book, kind: Kind) -> Iterator[Document | Faulty]:
    """The chapter that a part is, and those inside it, in the order of the book."""
    inner = [one for one in part.iter("book-part") if one is not part and _around(one) is part]
    if read := _chapter(part, book, kind, is_chapter=not inner):
        yield read
    for one in inner:
        yield from _parts(one, book, kind)


def _around(part: Element) -> Element | None:
    return next(part.iterancestors("book-part"), None)


def _chapter(part: Element, book: Book, kind: Kind, is_chapter: bool) -> Document | Faulty | None:
    meta = part.find("book-part-meta")
    title = "" if meta is None else found(meta, "title-group/title")
    page = Page()
    page.heading(title)
    empty = page.text
    if meta is not None:
        write_abstracts(meta, page)
    for body in part.findall("body"):
        write_blocks(body, "", page)
    if page.text == empty:
        reason = "it has no text"
        return Faulty(f"the chapter “{title or part.get('id', '')}”", reason, "Leave it out.") if is_chapter else None
    reference = _reference(part, part if meta is None else meta, book, kind)
    return Document(reference=reference, text=page.text, sections=page.sections)


def _reference(part: Element, meta: Element, book: Book, kind: Kind) -> Reference:
    ids = [words(id) for place in ("book-part-id", "article-id", "object-id") for id in meta.findall(place)]
    nbk = next((id for id in (*ids, part.get("id", "")) if re.fullmatch(r"NBK[0-9]+", id)), "")
    pmid = next((words(id) for id in meta.iter("book-part-id", "article-id") if _type(id) == "pmid"), "")
    pmid = pmid if pmid.isdecimal() else ""
    doi = next((doi for id in ids if (doi := bare_doi(id)).startswith("10.")), "")
    named = f"nbk:{book.id or 'book'}/{part.get('id') or next(iter(ids), '') or found(meta, 'title-group/title')}"
    return Reference(
        id=f"nbk:{nbk}" if nbk else f"pubmed:{pmid}" if pmid else named,
        title=found(meta, "title-group/title"),
        url=_url(nbk, pmid, doi),
        kind=kind,
        organisation=book.publisher,
        published=_latest(meta) or book.published,
        authors=tuple(authors_of(meta)),
        journal=book.title,
        doi=doi,
        pmid=pmid,
        depth="full text",
    )


def _type(id: Element) -> str:
    return id.get("book-part-id-type") or id.get("pub-id-type") or ""


def _url(nbk: str, pmid: str, doi: str) -> str:
    if nbk:
        return f"https://www.ncbi.nlm.nih.gov/books/{nbk}/"
    return f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/" if pmid else f"https://doi.org/{doi}" if doi else ""


def _latest(meta: Element) -> str:
    """When it was last revised, or else published: chapters are kept up to date for decades."""
    return max((_date(date) for date in (*meta.findall("pub-history/date"), *meta.findall("pub-date"))), default="")


def _date(date: Element) -> str:
    given = date.get("iso-8601-date", "")
    if re.fullmatch(r"[12][0-9]{3}-[0-9]{2}-[0-9]{2}", given):
        return iso(*given.split("-"))
    return iso(found(date, "year"), found(date, "month"), found(date, "day"))
