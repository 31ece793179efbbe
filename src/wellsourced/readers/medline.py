"""PubMed and MEDLINE XML: the yearly baseline, the daily updates and the answers of efetch."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date
from typing import NamedTuple

from lxml import etree

from wellsourced.citations.identifiers import plain_doi
from wellsourced.citations.links import work_url
from wellsourced.citations.people import format_group, format_person
from wellsourced.errors import UnreadableFile
from wellsourced.lazy import lazy_regex
from wellsourced.readers import xml_records as xml
from wellsourced.readers.base import DeletedDocuments, DocumentStream, File, UnreadablePart, salvage_documents
from wellsourced.readers.decompressed_file import DecompressedFile
from wellsourced.readers.document_builder import DocumentBuilder
from wellsourced.readers.xml_records import Element, element_date, element_text, find_text, first_text, iso_date
from wellsourced.types import Document, Notice, NoticeKind, Reference, Retraction, SourceKind

ROOTS = ("PubmedArticleSet", "MedlineCitationSet")
RECORD_ELEMENTS = ("PubmedArticle", "PubmedBookArticle", "DeleteCitation")
RECORD_END = b"</PubmedArticle>"

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
        head = NLM_HEAD.match(unpacked.read(4096) or b"")
    names = RECORD_ELEMENTS if root == "PubmedArticleSet" else ("MedlineCitation", "DeleteCitation")
    card = Reference(id="", kind=kind, depth="abstract")
    # In a file as NLM writes it, a broken record costs only itself.
    items = _parse_pieces(path, head.end()) if head else xml.iter_records(path, names)
    for number, item in enumerate(items, 1):
        yield item if isinstance(item, UnreadablePart) else _build_item(item, number, card)


def _parse_pieces(path: File, begin: int) -> Iterator[Element | UnreadablePart]:
    """The file from here on, record for record. Raises UnreadableFile where it breaks off."""
    for piece in xml.iter_pieces(path, RECORD_END):
        data, begin = piece[begin:], 0
        if data.endswith(RECORD_END):
            data = _drop_unread(data)
        try:
            yield etree.fromstring(data, xml.SAFE_PARSER)
        except etree.XMLSyntaxError:
            yield from _parse_irregular(path, data)


def _drop_unread(data: bytes) -> bytes:
    """A record without what comes last in it and is often its largest part: who handled it when, the works it cites."""
    behind = max(data.rfind(b"<PubmedData>"), 0)
    begun, ended = data.find(b"<History>", behind), data.rfind(b"</History>", behind)
    if 0 < begun < ended:
        data = data[:begun] + data[ended + len(b"</History>") :]
    cited = data.find(b"<ReferenceList>", behind)
    return data[:cited] + b"</PubmedData>" + RECORD_END if cited >= 0 else data


def _parse_irregular(path: File, data: bytes) -> Iterator[Element | UnreadablePart]:
    """The records of a piece that is not one record; with a DTD, since an entity that it may declare is no error."""
    is_last = not data.endswith(RECORD_END)
    closing = b"" if is_last else b"</PubmedArticleSet>"
    head = b'<!DOCTYPE PubmedArticleSet SYSTEM "x"><PubmedArticleSet>'
    try:
        yield from etree.fromstring(head + data + closing, xml.SAFE_PARSER).iterchildren(*RECORD_ELEMENTS)
    except etree.XMLSyntaxError as error:
        reason = f"its XML is invalid ({error.msg})"
        if is_last:
            raise UnreadableFile(str(path), reason, xml.REFETCH_REMEDY) from error
        yield UnreadablePart("a record", reason, xml.REFETCH_REMEDY)


def _build_item(element: Element, number: int, card: Reference) -> Document | UnreadablePart | DeletedDocuments:
    if xml.local_name(element) == "DeleteCitation":
        return DeletedDocuments(tuple(f"pubmed:{pmid}" for child in element if (pmid := element_text(child))))
    reference, abstract = build_record(element, card)
    if not reference.pmid.isdecimal():
        return UnreadablePart(f"record {number}", "it has no PMID", "Download the record again.")
    page = DocumentBuilder()
    page.add_heading(reference.title)
    for label, text in abstract:
        page.add_heading(label)
        page.add_block(text, label)
    if not page.text:
        reason = f"the record {reference.pmid} has neither title nor abstract"
        return UnreadablePart(f"record {number}", reason, "Leave it out.")
    return page.build(reference)


class MedlineAbstractPart(NamedTuple):
    """A labelled part of an abstract; most have the label ""."""

    label: str
    text: str


class MedlineRecord(NamedTuple):
    """What one record says; the PMID of its reference may be "" or no number.

    In `mesh`, a heading with one of its qualifiers is "Asthma/drug therapy"; the main ones come first.
    """

    reference: Reference
    abstract: tuple[MedlineAbstractPart, ...]


CONTAINERS = {
    **dict.fromkeys(("MedlineCitation", "Article", "BookDocument", "PubmedData", "JournalIssue", "Publisher"), ""),
    **dict.fromkeys(
        ("AuthorList", "ArticleIdList", "PublicationTypeList", "CommentsCorrectionsList", "Pagination"), ""
    ),
    **{"Journal": "Journal/", "Book": "Book/"},
}
"""Elements whose children are parts of the record → what stands before the names of these parts.

A PubmedArticle wraps its citation, a MedlineCitationSet holds it bare, a book chapter has another name for it.
"""

Parts = Mapping[str, list[Element]]


def _find_parts(element: Element, found: Parts, before: str = "") -> None:
    """Put the parts of a record under their names, all in one walk; what they have inside is not looked at."""
    for child in element.iterchildren("*"):
        if (inside := CONTAINERS.get(child.tag)) is None:
            found[before + child.tag].append(child)
        else:
            _find_parts(child, found, before + inside)


def build_record(element: Element, card: Reference) -> MedlineRecord:
    """What a PubmedArticle, a PubmedBookArticle or a bare MedlineCitation says, its reference filled into the card."""
    found: defaultdict[str, list[Element]] = defaultdict(list)
    _find_parts(element, found)
    pmid, types = first_text(found["PMID"]), tuple(filter(None, map(element_text, found["PublicationType"])))
    own = (*found["ELocationID"], *found["ArticleId"])
    ids = [(one.get("EIdType") or one.get("IdType"), element_text(one)) for one in own]
    ends = (first_text(found["StartPage"]), first_text(found["EndPage"]))
    fields = {
        "id": f"pubmed:{pmid}",
        "url": work_url(pmid=pmid),
        "pmid": pmid,
        "title": _own_title(found),
        "published": _published_date(found),
        "authors": tuple(author_names(found["Author"])),
        "journal": first_text(found["Journal/Title"], found["Journal/ISOAbbreviation"], found["Book/BookTitle"]),
        "organisation": first_text(found["Book/PublisherName"]),
        "volume": first_text(found["Journal/Volume"], found["Book/Volume"]),
        "issue": first_text(found["Journal/Issue"]),
        "pages": first_text(found["MedlinePgn"]) or "-".join(filter(None, ends)),
        "mesh": _list_headings(found["MeshHeadingList"]),
        "publication_types": types,
        "retraction": _find_retraction(found, types),
        "doi": next((plain_doi(id) for type, id in ids if type == "doi"), ""),
        "pmcid": next((id for type, id in ids if type == "pmc" and id.startswith("PMC") and id[3:].isdecimal()), ""),
    }
    # Every field has its type already: validating takes longer than all the rest of a copy.
    reference = card.model_copy(update=fields)
    return MedlineRecord(reference, tuple(_abstract_parts(found)))


MISSING_TITLE = lazy_regex(r"\[(?:not available|no title available|title not available)\]\W*$", re.IGNORECASE)
"""What PubMed writes for a title that nobody has translated."""


def _own_title(found: Parts) -> str:
    """The title, else that in the language of the article."""
    title = first_text(found["ArticleTitle"])
    is_missing = not title or MISSING_TITLE.match(title)
    other = first_text(found["VernacularTitle"], found["Book/BookTitle"]) if is_missing else ""
    return other or title


def _abstract_parts(found: Parts) -> Iterator[MedlineAbstractPart]:
    """Without one, what its publisher or another database gives, in English if there is a choice."""
    of_others = sorted(found["OtherAbstract"], key=lambda other: other.get("Language", "eng") != "eng")
    for abstract in (*found["Abstract"], *of_others):
        texts = list(abstract.iterchildren("AbstractText"))
        for text in texts:
            label = " ".join(text.get("Label", "").split())
            # PubMed writes UNLABELLED for none.
            yield MedlineAbstractPart("" if label == "UNLABELLED" else label, element_text(text))
        if texts:
            return


def _published_date(found: Parts) -> str:
    places = ("Journal/PubDate", "ArticleDate", "Book/PubDate", "ContributionDate")
    return most_precise_date(element_date(element) for place in places for element in found[place])


def most_precise_date(dates: Iterable[str]) -> str:
    """Of the dates in print and on screen; of two as precise, the first, which is the one in print."""
    return max(dates, key=len, default="")


NAME_PARTS = frozenset({"CollectiveName", "LastName", "ForeName", "Initials", "Suffix"})


def author_names(authors: Iterable[Element]) -> Iterator[str]:
    """The authors of a record, a line each."""
    for author in authors:
        parts = {name: element_text(child) for child in author if (name := child.tag) in NAME_PARTS}
        if group := parts.get("CollectiveName"):
            yield format_group(group)
        elif last := parts.get("LastName"):
            yield format_person(last, parts.get("ForeName") or parts.get("Initials", ""), parts.get("Suffix", ""))


def _list_headings(lists: Iterable[Element]) -> tuple[str, ...]:
    """The names of the headings, what the work is mainly about first: a descriptor with each of its qualifiers."""
    headings: list[list[tuple[str, bool]]] = []
    for term in (term for terms in lists for term in terms.iter("DescriptorName", "QualifierName")):
        part = (element_text(term), term.get("MajorTopicYN") == "Y")
        if term.tag == "DescriptorName" or not headings:
            headings.append([part])
        else:
            headings[-1].append(part)
    major: list[str] = []
    minor: list[str] = []
    for (name, is_major), *qualifiers in headings:
        if not qualifiers:
            (major if is_major else minor).append(name)
        for qualifier, is_main in qualifiers:
            (major if is_major or is_main else minor).append(f"{name}/{qualifier}")
    return (*major, *minor)


RETRACTED_TYPE = "Retracted Publication"
"""The type of a work that was withdrawn; the notice itself is a "Retraction of Publication"."""

NOTICE_KINDS: dict[str, NoticeKind] = {
    "RetractionIn": "retraction",
    "RetractedandRepublishedIn": "retraction",
    "ExpressionOfConcernIn": "concern",
    "PartialRetractionIn": "concern",
    "ErratumIn": "correction",
    "CorrectedandRepublishedIn": "correction",
}
"""What each kind of link to a later work says. Links the other way ("RetractionOf") stand in the notices themselves."""


def _find_retraction(found: Parts, types: tuple[str, ...]) -> Retraction:
    """ "true" when the record says so. Its silence proves nothing: a retraction may be newer than the record."""
    links, is_marked = found["CommentsCorrections"], RETRACTED_TYPE in types
    notices = list(_list_notices(links))
    if not notices and not is_marked:
        return Retraction()
    as_of = None
    # The day on which PubMed last changed the record; None where there is no day of that name.
    with suppress(ValueError):
        as_of = date.fromisoformat("".join(map(element_date, found["DateRevised"])))
    return build_retraction("PubMed", notices, is_marked=is_marked, as_of=as_of)


def build_retraction(source: str, notices: list[Notice], *, is_marked: bool, as_of: date | None = None) -> Retraction:
    """What notices say of a work; `is_marked`: it is called retracted, which is added where no notice says so."""
    if is_marked and not any(notice.kind == "retraction" for notice in notices):
        notices = [Notice(kind="retraction", source=source), *notices]
    is_retracted = any(notice.kind == "retraction" for notice in notices)
    return Retraction(status="true" if is_retracted else "unknown", as_of=as_of, notices=tuple(notices))


def _list_notices(links: Iterable[Element]) -> Iterator[Notice]:
    for link in links:
        if kind := NOTICE_KINDS.get(link.get("RefType", "")):
            pmid, place = find_text(link, "PMID"), find_text(link, "RefSource")
            id = f"pubmed:{pmid}" if pmid.isdecimal() else ""
            # "Lancet. 2020 Jun 13;395(10240):1820"; years inside the name of a journal are no date.
            parts = re.search(r"(?:^|[.:] ?)([12][0-9]{3})\b(?: ([A-Z][a-z]{2})[a-z]*\b(?: ([0-9]{1,2})\b)?)?", place)
            published = iso_date(*parts.groups("")) if parts else ""
            yield Notice(kind=kind, source="PubMed", id=id, published=published)
