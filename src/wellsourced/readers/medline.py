"""PubMed and MEDLINE XML: the yearly baseline, the daily updates and the answers of efetch."""

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from wellsourced.errors import Unreadable
from wellsourced.readers.base import Faulty, Read, bare_doi, salvaging
from wellsourced.readers.page import Page
from wellsourced.readers.xml import Element, found, iso, local, records, root_of, words
from wellsourced.types import Document, Kind, Reference, Retraction

ROOTS = ("PubmedArticleSet", "MedlineCitationSet")
RECORDS = ("PubmedArticle", "PubmedBookArticle", "DeleteCitation")


@salvaging
def read_medline(path: Path, kind: Kind) -> Read:
    """A document a record, its labelled parts as sections; without an abstract, its title.

    Only one record is held at a time. Records that PubMed deleted are told as one Faulty: a reader removes nothing.
    """
    root = root_of(path)
    if root not in ROOTS:
        remedy = "Fetch the records themselves: efetch with db=pubmed and retmode=xml."
        raise Unreadable(path, f"it is <{root}>, not a set of PubMed records", remedy)
    names = RECORDS if root == "PubmedArticleSet" else ("MedlineCitation", "DeleteCitation")
    for number, record in enumerate(records(path, names), 1):
        yield _deleted(record) if local(record) == "DeleteCitation" else _read(record, number, kind)


def _deleted(record: Element) -> Faulty:
    ids = [f"pubmed:{pmid}" for child in record if (pmid := words(child))]
    listed = " ".join(ids[:20]) + (" …" if len(ids) > 20 else "")
    remedy = f"Remove them where they are stored: wellsourced library remove NAME {listed}"
    return Faulty("the list of deletions", f"PubMed has deleted {len(ids)} records", remedy)


def _read(record: Element, number: int, kind: Kind) -> Document | Faulty:
    # A PubmedArticle wraps its citation, a MedlineCitationSet holds it bare, a book chapter has another name for it.
    citation = next(record.iter("MedlineCitation", "BookDocument"), record)
    article = citation.find("Article")
    article = citation if article is None else article
    pmid = found(citation, "PMID")
    if not pmid.isdecimal():
        return Faulty(f"record {number}", "it has no PMID", "Fetch the record again.")
    page = Page()
    title = found(article, "ArticleTitle", "VernacularTitle", "Book/BookTitle")
    page.heading(title)
    _write_abstract(article, page)
    if not page.text:
        return Faulty(f"record {number}", f"the record {pmid} has neither title nor abstract", "Leave it out.")
    reference = _reference(record, citation, article, kind, pmid)
    return Document(reference=reference, text=page.text, sections=page.sections)


def _write_abstract(article: Element, page: Page) -> None:
    for part in article.findall("Abstract/AbstractText"):
        label = " ".join(part.get("Label", "").split())
        label = "" if label == "UNLABELLED" else label
        page.heading(label)
        page.block(words(part), label)


def _reference(record: Element, citation: Element, article: Element, kind: Kind, pmid: str) -> Reference:
    return Reference(
        id=f"pubmed:{pmid}",
        title=found(article, "ArticleTitle", "VernacularTitle", "Book/BookTitle"),
        url=f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/",
        kind=kind,
        organisation=found(article, "Book/Publisher/PublisherName"),
        published=_published(article),
        authors=tuple(_authors(article)),
        journal=found(article, "Journal/Title", "Journal/ISOAbbreviation", "Book/BookTitle"),
        doi=_doi(record, article),
        publication_types=tuple(_types(article)),
        retraction=_retraction(citation, article),
        depth="abstract",
    )


def _published(article: Element) -> str:
    """The most precise of the dates in print and on screen; of two as precise, the one in print."""
    places = ("Journal/JournalIssue/PubDate", "ArticleDate", "Book/PubDate", "ContributionDate")
    dates = [_date(element) for place in places for element in article.findall(place)]
    return max(dates, key=len, default="")


def _date(element: Element) -> str:
    loose = found(element, "MedlineDate")  # "2009 Nov-Dec", "1998 Dec-1999 Jan", "Fall 2001"
    if not loose:
        return iso(found(element, "Year"), found(element, "Month"), found(element, "Day"))
    parts = re.search(r"\b([12][0-9]{3})\b(?:[ ]([A-Za-z]{3}))?", loose)
    return iso(parts[1], parts[2] or "") if parts else ""


def _authors(article: Element) -> Iterator[str]:
    for author in article.findall("AuthorList/Author"):
        last, initials = found(author, "LastName"), found(author, "Initials", "ForeName")
        if name := found(author, "CollectiveName") or f"{last} {initials}".strip():
            yield name


def _doi(record: Element, article: Element) -> str:
    """Its own DOI; the ids of the works it refers to stand deeper and are not looked at."""
    places = ("ELocationID", "ArticleIdList/ArticleId")
    own = [*(e for p in places for e in article.findall(p)), *record.findall("PubmedData/ArticleIdList/ArticleId")]
    return next((bare_doi(words(e)) for e in own if "doi" in (e.get("EIdType"), e.get("IdType"))), "")


def _types(article: Element) -> Iterator[str]:
    for place in ("PublicationTypeList/PublicationType", "PublicationType"):
        yield from (type_ for element in article.findall(place) if (type_ := words(element)))


def _retraction(citation: Element, article: Element) -> Retraction:
    """ "true" when the record says so. Its silence proves nothing: a retraction may be newer than the record."""
    notices = citation.findall("CommentsCorrectionsList/CommentsCorrections[@RefType='RetractionIn']")
    if not notices and "Retracted Publication" not in _types(article):
        return Retraction()
    return Retraction(status="true", as_of=_revised(citation))


def _revised(citation: Element) -> date | None:
    parts = [found(citation, f"DateRevised/{part}") for part in ("Year", "Month", "Day")]
    try:
        return date.fromisoformat(iso(*parts))
    except ValueError:
        return None
