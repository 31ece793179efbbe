"""PubMed and MEDLINE XML: the yearly baseline, the daily updates and the answers of efetch."""

import re
from collections.abc import Iterator

from lxml import etree

from wellsourced.citations.links import work_url
from wellsourced.errors import UnreadableFile
from wellsourced.readers import xml_records as xml
from wellsourced.readers.base import DeletedDocuments, DocumentStream, File, UnreadablePart, salvage_documents
from wellsourced.readers.decompressed_file import DecompressedFile
from wellsourced.readers.document_builder import DocumentBuilder
from wellsourced.readers.medline.record import MedlineRecord, build_record
from wellsourced.readers.medline.scan import IrregularRecord, scan_record
from wellsourced.types import Document, Reference, Retraction, SourceKind

ROOTS = ("PubmedArticleSet", "MedlineCitationSet")
RECORD_ELEMENTS = ("PubmedArticle", "PubmedBookArticle", "DeleteCitation")

NLM_HEAD = re.compile(
    rb'\s*(?:<\?xml version="1\.0"(?: encoding="[Uu][Tt][Ff]-8")? ?\?>)?\s*'
    rb"(?:<!DOCTYPE PubmedArticleSet[^<>\[\]]*>)?\s*<PubmedArticleSet>"
)
"""How a file begins that is written as NLM writes: in UTF-8, with nothing declared."""


@salvage_documents
def read_medline(path: File, kind: SourceKind) -> DocumentStream:
    """A document a record, its labelled parts as sections; without an abstract, its title.

    Only one record is held at a time. Records that PubMed has deleted are told as DeletedDocuments.
    """
    remedy = "Download the records from PubMed as XML."
    root = xml.require_root(path, ROOTS, "a set of PubMed records", remedy)
    with DecompressedFile(path, 1 << 20) as unpacked:
        found_head = NLM_HEAD.match(unpacked.read(4096) or b"")
    # Where records are not as NLM writes them, everything is left to the XML parser.
    head = found_head[0] if found_head else b""
    card = Reference(id="", kind=kind, depth="abstract")
    names = RECORD_ELEMENTS if root == "PubmedArticleSet" else ("MedlineCitation", "DeleteCitation")
    found = _scan_records(path, head) if head else map(_build_item, xml.iter_records(path, names))
    for number, item in enumerate(found, 1):
        yield _build_document(item, number, card) if isinstance(item, MedlineRecord) else item


def _build_item(element: xml.Element) -> MedlineRecord | DeletedDocuments:
    if xml.local_name(element) == "DeleteCitation":
        return DeletedDocuments(tuple(f"pubmed:{pmid}" for child in element if (pmid := xml.element_text(child))))
    return build_record(element)


RECORD_END = b"</PubmedArticle>"


def _scan_records(path: File, head: bytes) -> Iterator[MedlineRecord | UnreadablePart | DeletedDocuments]:
    """Record for record, each by the parser where the scan is not sure of it; a broken one costs only itself."""
    behind = len(head)
    for piece in xml.iter_pieces(path, RECORD_END):
        data, behind = piece[behind:], 0
        try:
            # What follows the last record, or is left of one that was cut off: a part of a record says too little.
            if not data.endswith(RECORD_END):
                raise IrregularRecord("no end")
            yield scan_record(data)
        except (IrregularRecord, UnicodeDecodeError):
            yield from _reparse_piece(path, data)


def _reparse_piece(path: File, data: bytes) -> Iterator[MedlineRecord | UnreadablePart | DeletedDocuments]:
    """What the parser finds in a piece of the file. Raises UnreadableFile where the file breaks off."""
    is_last = not data.endswith(RECORD_END)
    closing = b"" if is_last else b"</PubmedArticleSet>"
    try:
        # With a DTD that is never fetched, an entity that it may declare is no error.
        whole = etree.fromstring(
            b'<!DOCTYPE PubmedArticleSet SYSTEM "x"><PubmedArticleSet>' + data + closing, xml.SAFE_PARSER
        )
    except etree.XMLSyntaxError as error:
        reason = f"its XML is invalid ({error.msg})"
        if is_last:
            raise UnreadableFile(str(path), reason, xml.REFETCH_REMEDY) from error
        yield UnreadablePart("a record", reason, xml.REFETCH_REMEDY)
    else:
        yield from map(_build_item, whole.iterchildren(*RECORD_ELEMENTS))


def _build_document(record: MedlineRecord, number: int, card: Reference) -> Document | UnreadablePart:
    if not record.pmid.isdecimal():
        return UnreadablePart(f"record {number}", "it has no PMID", "Download the record again.")
    page = DocumentBuilder()
    page.add_heading(record.title)
    for label, text in record.abstract:
        page.add_heading(label)
        page.add_block(text, label)
    if not page.text:
        reason = f"the record {record.pmid} has neither title nor abstract"
        return UnreadablePart(f"record {number}", reason, "Leave it out.")
    return page.build(_build_reference(record, card))


def _build_reference(record: MedlineRecord, card: Reference) -> Reference:
    """The card, filled in. Every field of a record has its type already, so that a copy needs no validation."""
    # Validating takes 4 µs a record, the copy 2 (of 90 for all of it).
    fields = record._asdict()
    for name in ("abstract", "notices", "revised"):
        del fields[name]
    fields["id"], fields["url"] = f"pubmed:{record.pmid}", work_url(pmid=record.pmid)
    fields["retraction"] = _build_retraction(record) if record.notices else card.retraction
    return card.model_copy(update=fields)


def _build_retraction(record: MedlineRecord) -> Retraction:
    """ "true" when the record says so. Its silence proves nothing: a retraction may be newer than the record."""
    is_retracted = any(notice.kind == "retraction" for notice in record.notices)
    return Retraction(status="true" if is_retracted else "unknown", as_of=record.revised, notices=record.notices)
