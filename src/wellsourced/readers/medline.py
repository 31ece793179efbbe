"""PubMed and MEDLINE XML: the yearly baseline, the daily updates and the answers of efetch."""

import re
from collections.abc import Iterator

from lxml import etree

from wellsourced.errors import Unreadable
from wellsourced.readers.base import Deleted, Faulty, File, Read, Unpacked, salvaging
from wellsourced.readers.medline_record import Record, record_of
from wellsourced.readers.medline_scan import Irregular, record_in
from wellsourced.readers.page import Page
from wellsourced.readers.xml import MENDED, PARSER, Element, local, pieces, records, root_of, words
from wellsourced.types import Document, Kind, Reference, Retraction

ROOTS = ("PubmedArticleSet", "MedlineCitationSet")
RECORDS = ("PubmedArticle", "PubmedBookArticle", "DeleteCitation")

HEAD = re.compile(
    rb'\s*(?:<\?xml version="1\.0"(?: encoding="[Uu][Tt][Ff]-8")? ?\?>)?\s*'
    rb"(?:<!DOCTYPE PubmedArticleSet[^<>\[\]]*>)?\s*<PubmedArticleSet>"
)
"""How a file begins that is written as NLM writes: in UTF-8, with nothing declared."""


@salvaging
def read_medline(path: File, kind: Kind) -> Read:
    """A document a record, its labelled parts as sections; without an abstract, its title.

    Only one record is held at a time. Records that PubMed has deleted are told as Deleted.
    """
    root = root_of(path)
    if root not in ROOTS:
        remedy = "Fetch the records themselves: efetch with db=pubmed and retmode=xml."
        raise Unreadable(str(path), f"it is <{root}>, not a set of PubMed records", remedy)
    head = _head(path)
    card = Reference(id="", kind=kind, depth="abstract")
    found = _scanned(path, head) if head else _parsed(path, root)
    for number, item in enumerate(found, 1):
        yield _document(item, number, card) if isinstance(item, Record) else item


def _head(path: File) -> bytes:
    """The bytes before the first record; none where they are not as NLM writes them."""
    with Unpacked(path, 1 << 20) as unpacked:
        head = HEAD.match(unpacked.read(4096) or b"")
    return head[0] if head else b""


def _parsed(path: File, root: str) -> Iterator[Record | Faulty | Deleted]:
    """Everything by the XML parser: what is not written as NLM writes."""
    names = RECORDS if root == "PubmedArticleSet" else ("MedlineCitation", "DeleteCitation")
    return map(_item, records(path, names))


def _item(element: Element) -> Record | Deleted:
    if local(element) == "DeleteCitation":
        return Deleted(tuple(f"pubmed:{pmid}" for child in element if (pmid := words(child))))
    return record_of(element)


END = b"</PubmedArticle>"


def _scanned(path: File, head: bytes) -> Iterator[Record | Faulty | Deleted]:
    """Record for record, each by the parser where the scan is not sure of it; a broken one costs only itself."""
    behind = len(head)
    for piece in pieces(path, END):
        data, behind = piece[behind:], 0
        try:
            # What follows the last record, or is left of one that was cut off: a part of a record says too little.
            if not data.endswith(END):
                raise Irregular("no end")
            yield record_in(data)
        except (Irregular, UnicodeDecodeError):
            yield from _reparsed(path, data)


def _reparsed(path: File, data: bytes) -> Iterator[Record | Faulty | Deleted]:
    """What the parser finds in a piece of the file. Raises Unreadable where the file breaks off."""
    is_last = not data.endswith(END)
    closing = b"" if is_last else b"</PubmedArticleSet>"
    try:
        # With a DTD that is never fetched, an entity that it may declare is no error.
        whole = etree.fromstring(b'<!DOCTYPE PubmedArticleSet SYSTEM "x"><PubmedArticleSet>' + data + closing, PARSER)
    except etree.XMLSyntaxError as error:
        reason = f"its XML is broken ({error.msg})"
        if is_last:
            raise Unreadable(str(path), reason, MENDED) from error
        yield Faulty("a record", reason, MENDED)
    else:
        yield from map(_item, whole.iterchildren(*RECORDS))


def _document(record: Record, number: int, card: Reference) -> Document | Faulty:
    if not record.pmid.isdecimal():
        return Faulty(f"record {number}", "it has no PMID", "Fetch the record again.")
    page = Page()
    page.heading(record.title)
    for label, text in record.abstract:
        page.heading(label)
        page.block(text, label)
    text = page.text
    if not text:
        return Faulty(f"record {number}", f"the record {record.pmid} has neither title nor abstract", "Leave it out.")
    return Document(reference=_reference(record, card), text=text, sections=page.sections)


def _reference(record: Record, card: Reference) -> Reference:
    """The card, filled in. Every field of a record has its type already, so that a copy needs no validation."""
    # Validating takes 6 µs a record, the copy 3 (of 110 for all of it).
    return card.model_copy(
        update={
            "id": f"pubmed:{record.pmid}",
            "title": record.title,
            "url": f"https://pubmed.ncbi.nlm.nih.gov/{record.pmid}/",
            "organisation": record.organisation,
            "published": record.published,
            "authors": record.authors,
            "journal": record.journal,
            "volume": record.volume,
            "issue": record.issue,
            "pages": record.pages,
            "doi": record.doi,
            "pmid": record.pmid,
            "pmcid": record.pmcid,
            "mesh": record.mesh,
            "publication_types": record.types,
            "retraction": _retraction(record) if record.notices else card.retraction,
        }
    )


def _retraction(record: Record) -> Retraction:
    """ "true" when the record says so. Its silence proves nothing: a retraction may be newer than the record."""
    is_retracted = any(notice.kind == "retraction" for notice in record.notices)
    return Retraction(status="true" if is_retracted else "unknown", as_of=record.revised, notices=record.notices)
