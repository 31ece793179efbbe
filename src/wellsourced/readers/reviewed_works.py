"""A review with the works that it cites: records of PubMed with their reference lists, and reference lists of PMC."""

from collections.abc import Iterable
from contextlib import suppress
from datetime import date
from typing import NamedTuple

from wellsourced.errors import UnreadableFile
from wellsourced.readers import xml_records as xml
from wellsourced.readers.base import InMemoryFile
from wellsourced.readers.document_builder import bare_doi
from wellsourced.readers.jats import ROOTS as JATS_ROOTS
from wellsourced.readers.medline.documents import ROOTS as MEDLINE_ROOTS
from wellsourced.readers.medline.record import MedlineRecord, build_record, element_date
from wellsourced.readers.xml_records import Element, element_text

ENTRY_STATES = ("entrez", "pubmed")
"""What PubMed calls the days on which a record came in: it is out by then, whatever the issue says."""


class CitedWorks(NamedTuple):
    """What a reference list names.

    entries   works in the list, those without an id too
    pmids     digits alone, each once, in the order of the list
    dois      bare
    """

    entries: int = 0
    pmids: tuple[str, ...] = ()
    dois: tuple[str, ...] = ()


class CitedWorkLists(NamedTuple):
    """PMCID → what the reference list of its article names; and what is wrong with the answer, "" when it is whole."""

    works: dict[str, CitedWorks]
    fault: str = ""


class ReviewRecord(NamedTuple):
    """A record of PubMed, the works it cites, and the first day on which it was public; None: it does not say."""

    record: MedlineRecord
    cited: CitedWorks
    public: date | None


class ReviewRecords(NamedTuple):
    """What an answer of efetch holds, and what is wrong with it; "" when it is whole."""

    reviews: tuple[ReviewRecord, ...]
    fault: str = ""


def read_review_records(data: bytes) -> ReviewRecords:
    """The records of an answer of PubMed; of one that is cut off, those before the cut."""
    file = InMemoryFile("the answer of PubMed", data)
    found: list[ReviewRecord] = []
    try:
        xml.require_root(file, MEDLINE_ROOTS, "a set of PubMed records", "Try again.")
        found += (_build_review(element) for element in xml.iter_records(file, ("PubmedArticle",)))
    except UnreadableFile as error:
        return ReviewRecords(tuple(found), error.reason)
    return ReviewRecords(tuple(found))


def read_cited_works(data: bytes) -> CitedWorkLists:
    """The reference lists of an answer of PMC; of one that is cut off, those before the cut."""
    file = InMemoryFile("the answer of PMC", data)
    found: dict[str, CitedWorks] = {}
    try:
        xml.require_root(file, JATS_ROOTS, "articles of PMC", "Try again.")
        for article in xml.iter_records(file, ("article",)):
            ids = {
                one.get("pub-id-type", ""): element_text(one)
                for one in article.findall("front/article-meta/article-id")
            }
            number = next((ids[name] for name in ("pmcid", "pmc", "pmcaid") if ids.get(name)), "").removeprefix("PMC")
            found[f"PMC{number}"] = _collect_works(
                [(one.get("pub-id-type", ""), element_text(one)) for one in entry.iter("pub-id")]
                for entry in article.iter("ref")
            )
    except UnreadableFile as error:
        return CitedWorkLists(found, error.reason)
    return CitedWorkLists(found)


def _build_review(element: Element) -> ReviewRecord:
    listed = element.find("PubmedData")
    entries = [] if listed is None else list(listed.iter("Reference"))
    cited = _collect_works(
        [(one.get("IdType", ""), element_text(one)) for one in entry.iter("ArticleId")] for entry in entries
    )
    return ReviewRecord(build_record(element), cited, _first_public_day(element))


def _collect_works(entries: Iterable[Iterable[tuple[str, str]]]) -> CitedWorks:
    count, pmids, dois = 0, [], []
    for entry in entries:
        count += 1
        for kind, id in entry:
            if kind in ("pubmed", "pmid") and id.isdecimal():
                pmids.append(id)
            elif kind == "doi" and (doi := bare_doi(id)):
                dois.append(doi)
    return CitedWorks(count, tuple(dict.fromkeys(pmids)), tuple(dict.fromkeys(dois)))


def _first_public_day(element: Element) -> date | None:
    """The first of the days on which it was there: on screen, in PubMed, in print; of a month or year, its first."""
    places = [*element.iterfind("MedlineCitation/Article/ArticleDate")]
    places += element.iterfind("MedlineCitation/Article/Journal/JournalIssue/PubDate")
    places += (
        one for one in element.iterfind("PubmedData/History/PubMedPubDate") if one.get("PubStatus") in ENTRY_STATES
    )
    dates = map(element_date, places)
    # A month may have meant its last day: "2019" comes behind "2019-09-03", and "2019-06" before it.
    for one in sorted(filter(None, dates), key=lambda one: one + "-99-99"[len(one) - 4 :]):
        with suppress(ValueError):
            return date.fromisoformat(one + "-01-01"[len(one) - 4 :])
    return None
