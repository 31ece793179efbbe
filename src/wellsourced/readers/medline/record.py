"""What is taken of one PubMed record, and how the XML parser finds it."""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import date
from typing import NamedTuple

from wellsourced.citations.identifiers import plain_doi
from wellsourced.citations.people import format_group, format_person
from wellsourced.lazy import lazy_regex
from wellsourced.readers.xml_records import Element, element_text, find_text, iso_date
from wellsourced.types import Notice, NoticeKind


class MedlineAbstractPart(NamedTuple):
    """A labelled part of an abstract; most have the label ""."""

    label: str
    text: str


class MedlineRecord(NamedTuple):
    """One record, in words, its fields named as those of its Reference.

    mesh       a heading, or a heading and one of its qualifiers: "Asthma/drug therapy"; the main ones first
    notices    what PubMed lists as published about the work after it
    revised    the day on which PubMed last changed the record, where there are notices
    """

    pmid: str
    title: str
    abstract: tuple[MedlineAbstractPart, ...] = ()
    published: str = ""
    authors: tuple[str, ...] = ()
    journal: str = ""
    organisation: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    doi: str = ""
    pmcid: str = ""
    mesh: tuple[str, ...] = ()
    publication_types: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()
    revised: date | None = None


def build_record(element: Element) -> MedlineRecord:
    """What a PubmedArticle, a PubmedBookArticle or a bare MedlineCitation says; its PMID may be "" or no number."""
    # A PubmedArticle wraps its citation, a MedlineCitationSet holds it bare, a book chapter has another name for it.
    citation = next(element.iter("MedlineCitation", "BookDocument"), element)
    article = citation.find("Article")
    article = citation if article is None else article
    ids, types, notices = _own_ids(element, article), tuple(_publication_types(article)), tuple(_list_notices(citation))
    if RETRACTED_TYPE in types and not any(notice.kind == "retraction" for notice in notices):
        notices = (Notice(kind="retraction", source="PubMed"), *notices)
    revised = None
    if notices:
        # None where there is no day of that name.
        with suppress(ValueError):
            parts = [find_text(citation, f"DateRevised/{part}") for part in ("Year", "Month", "Day")]
            revised = date.fromisoformat(iso_date(*parts))
    return MedlineRecord(
        pmid=find_text(citation, "PMID"),
        title=_own_title(article),
        abstract=tuple(_abstract_parts(citation, article)),
        published=_published_date(article),
        authors=tuple(author_names(article)),
        journal=find_text(article, "Journal/Title", "Journal/ISOAbbreviation", "Book/BookTitle"),
        organisation=find_text(article, "Book/Publisher/PublisherName"),
        volume=find_text(article, "Journal/JournalIssue/Volume", "Book/Volume"),
        issue=find_text(article, "Journal/JournalIssue/Issue"),
        pages=_page_range(article),
        doi=first_doi(ids),
        pmcid=first_pmcid(ids),
        mesh=_list_headings(citation),
        publication_types=types,
        notices=notices,
        revised=revised,
    )


MISSING_TITLE = lazy_regex(r"\[(?:not available|no title available|title not available)\]\W*$", re.IGNORECASE)
"""What PubMed writes for a title that nobody has translated."""


def _own_title(article: Element) -> str:
    """The title, else that in the language of the article."""
    title = find_text(article, "ArticleTitle")
    other = find_text(article, "VernacularTitle", "Book/BookTitle")
    return other or title if MISSING_TITLE.match(title) else title or other


def _abstract_parts(citation: Element, article: Element) -> Iterator[MedlineAbstractPart]:
    """Without one, what its publisher or another database gives, in English if there is a choice."""
    of_others = sorted(citation.findall("OtherAbstract"), key=lambda other: other.get("Language", "eng") != "eng")
    for abstract in (*article.findall("Abstract"), *of_others):
        if parts := [
            MedlineAbstractPart(normalize_label(text.get("Label", "")), element_text(text))
            for text in abstract.findall("AbstractText")
        ]:
            yield from parts
            return


def normalize_label(given: str) -> str:
    """The label as it is printed; PubMed writes UNLABELLED for none."""
    given = " ".join(given.split())
    return "" if given == "UNLABELLED" else given


def _published_date(article: Element) -> str:
    places = ("Journal/JournalIssue/PubDate", "ArticleDate", "Book/PubDate", "ContributionDate")
    return most_precise_date(element_date(element) for place in places for element in article.findall(place))


def most_precise_date(dates: Iterable[str]) -> str:
    """Of the dates in print and on screen; of two as precise, the first, which is the one in print."""
    return max(dates, key=len, default="")


def element_date(element: Element) -> str:
    """The date that an element spells out, in ISO 8601."""
    return build_iso_date({child: find_text(element, child) for child in ("MedlineDate", "Year", "Month", "Day")})


def build_iso_date(given: dict[str, str]) -> str:
    """A date in ISO 8601 from its elements, or from words: "2009 Nov-Dec", "1998 Dec-1999 Jan", "Fall 2001"."""
    if not (loose := given.get("MedlineDate", "")):
        return iso_date(given.get("Year", ""), given.get("Month", ""), given.get("Day", ""))
    parts = re.search(r"\b([12][0-9]{3})\b(?:[ ]([A-Za-z]{3}))?", loose)
    return iso_date(parts[1], parts[2] or "") if parts else ""


def author_names(article: Element) -> Iterator[str]:
    """The authors of a record, a line each."""
    for author in article.findall("AuthorList/Author"):
        if group := find_text(author, "CollectiveName"):
            yield format_group(group)
        elif last := find_text(author, "LastName"):
            yield format_person(last, find_text(author, "ForeName", "Initials"), find_text(author, "Suffix"))


def _page_range(article: Element) -> str:
    first, last = find_text(article, "Pagination/StartPage"), find_text(article, "Pagination/EndPage")
    return find_text(article, "Pagination/MedlinePgn") or "-".join(filter(None, (first, last)))


def _own_ids(record: Element, article: Element) -> list[tuple[str, ...]]:
    """Its own ids; those of the works it refers to stand deeper and are not looked at."""
    places = ("ELocationID", "ArticleIdList/ArticleId")
    own = [*(e for p in places for e in article.findall(p)), *record.findall("PubmedData/ArticleIdList/ArticleId")]
    return [(one.get("EIdType") or one.get("IdType") or "", element_text(one)) for one in own]


def first_doi(ids: Iterable[tuple[str, ...]]) -> str:
    """The DOI among (kind, id), bare."""
    return next((plain_doi(id) for kind, id in ids if kind == "doi"), "")


PMCID = re.compile(r"PMC[0-9]+")


def first_pmcid(ids: Iterable[tuple[str, ...]]) -> str:
    """The PMCID among (kind, id), "PMC" and digits."""
    return next((id for kind, id in ids if kind == "pmc" and PMCID.fullmatch(id)), "")


class MedlineHeading(NamedTuple):
    """A MeSH heading: a descriptor, a qualifier, or the two together."""

    name: str
    is_major: bool


def _list_headings(citation: Element) -> tuple[str, ...]:
    """The names of the headings, what the work is mainly about first."""
    given: list[MedlineHeading] = []
    for heading in citation.findall("MeshHeadingList/MeshHeading"):
        parts = [MedlineHeading(element_text(part), part.get("MajorTopicYN") == "Y") for part in heading]
        given += pair_qualifiers(parts)
    return (*(name for name, is_major in given if is_major), *(name for name, is_major in given if not is_major))


def pair_qualifiers(parts: list[MedlineHeading]) -> list[MedlineHeading]:
    """A descriptor with each of the qualifiers behind it, or alone if it has none."""
    if len(parts) < 2:
        return parts
    name, is_major = parts[0]
    return [MedlineHeading(f"{name}/{qualifier}", is_major or is_main) for qualifier, is_main in parts[1:]]


def _publication_types(article: Element) -> Iterator[str]:
    for place in ("PublicationTypeList/PublicationType", "PublicationType"):
        yield from (type_ for element in article.findall(place) if (type_ := element_text(element)))


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


def _list_notices(citation: Element) -> Iterator[Notice]:
    for link in citation.findall("CommentsCorrectionsList/CommentsCorrections"):
        if kind := NOTICE_KINDS.get(link.get("RefType", "")):
            pmid, place = find_text(link, "PMID"), find_text(link, "RefSource")
            id = f"pubmed:{pmid}" if pmid.isdecimal() else ""
            # "Lancet. 2020 Jun 13;395(10240):1820"; years inside the name of a journal are no date.
            parts = re.search(r"(?:^|[.:] ?)([12][0-9]{3})\b(?: ([A-Z][a-z]{2})[a-z]*\b(?: ([0-9]{1,2})\b)?)?", place)
            published = iso_date(*parts.groups("")) if parts else ""
            yield Notice(kind=kind, source="PubMed", id=id, published=published)
