"""Reviews of PubMed with the works that they cite: asked for, and read from its answers and those of PMC."""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import date
from typing import NamedTuple

from wellsourced.citations.identifiers import plain_doi
from wellsourced.config.network import connect_source, describe_missing_setup, open_client, url_host
from wellsourced.config.registry import Connection
from wellsourced.config.settings import Settings
from wellsourced.errors import NotFoundError, SettingsError, SourceError, UnreadableFile
from wellsourced.readers import xml_records as xml
from wellsourced.readers.base import InMemoryFile
from wellsourced.readers.jats import ROOTS as JATS_ROOTS
from wellsourced.readers.medline import ROOTS as MEDLINE_ROOTS
from wellsourced.readers.medline import MedlineRecord, build_record
from wellsourced.readers.xml_records import Element, element_date, element_text
from wellsourced.sources.eutils import Eutils
from wellsourced.sources.service_answers import DAY
from wellsourced.types import Query, Reference
from wellsourced.worker_pool import run_in_reader_thread

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


REVIEW_CARD = Reference(id="", kind="research", depth="abstract")


def _build_review(element: Element) -> ReviewRecord:
    listed = element.find("PubmedData")
    entries = [] if listed is None else list(listed.iter("Reference"))
    cited = _collect_works(
        [(one.get("IdType", ""), element_text(one)) for one in entry.iter("ArticleId")] for entry in entries
    )
    return ReviewRecord(build_record(element, REVIEW_CARD), cited, _first_public_day(element))


def _collect_works(entries: Iterable[Iterable[tuple[str, str]]]) -> CitedWorks:
    count, pmids, dois = 0, [], []
    for entry in entries:
        count += 1
        for kind, id in entry:
            if kind in ("pubmed", "pmid") and id.isdecimal():
                pmids.append(id)
            elif kind == "doi" and (doi := plain_doi(id)):
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


SERVICE = "PubMed"

REVIEWS = '("systematic review"[pt] OR "meta-analysis"[pt]) AND fha[filter] AND english[filter]'
"""What every search is narrowed to, in PubMed's language; "fha" is its filter for records with an abstract."""


class FetchedReviews(NamedTuple):
    """What came of asking for records.

    reviews   by their PMIDs; a reference list that PubMed lacks is that of PMC, where PMC has one
    missing   PMID → why it was not given
    notes     what went wrong with reference lists, a sentence each without a full stop
    """

    reviews: dict[str, ReviewRecord]
    missing: dict[str, str]
    notes: tuple[str, ...] = ()


class ReviewSearch:
    """PubMed, asked for reviews, behind the exit. Raises as a live source does."""

    def __init__(self, to: Connection) -> None:
        self._eutils = Eutils(to.client, to.url, key=to.key, email=to.email)
        self._host, self._exit = url_host(to.url), to.client.exit

    async def find_reviews(self, term: str, most: int, since: date | None, until: date | None) -> tuple[str, ...]:
        """PMIDs of the first reviews for an expression, as PubMed ranks them; "" for any. Kept for a day.

        Raises PersonalDataError besides, and then nothing was sent.
        """
        clear = self._exit.clear_query(Query(terms=(term,), kind="boolean"), SERVICE).text
        self._exit.disclose(self._host, SERVICE, clear)
        narrowed = f"({clear}) AND {REVIEWS}" if clear else REVIEWS
        return (await self._eutils.search("pubmed", narrowed, most, since=since, as_of=until, fresh=DAY)).ids

    async def fetch_reviews(self, pmids: Sequence[str]) -> FetchedReviews:
        """Their records. What an answer that was cut off lacks is asked for once more."""
        found, fault = await self._fetch_records(pmids)
        if fault and (lost := [pmid for pmid in pmids if pmid not in found]):
            again, fault = await self._fetch_records(lost)
            found |= again
        why = f"PubMed's answer is unreadable ({fault})" if fault else "PubMed returned no record"
        missing = {pmid: why for pmid in pmids if pmid not in found}
        # PubMed has the reference lists of some publishers alone; PMC has those of its own articles.
        bare = {
            one.record.reference.pmcid: pmid
            for pmid, one in found.items()
            if one.record.reference.pmcid and not one.cited.entries
        }
        try:
            listed = await self._fetch_cited_works(list(bare)) if bare else CitedWorkLists({})
        except SourceError as error:
            return FetchedReviews(found, missing, (f"reference lists of PMC: {error.phrase}",))
        found |= {bare[id]: found[bare[id]]._replace(cited=cited) for id, cited in listed.works.items() if id in bare}
        notes = (f"reference lists of PMC: {listed.fault}",) if listed.fault else ()
        return FetchedReviews(found, missing, notes)

    async def _fetch_records(self, pmids: Sequence[str]) -> tuple[dict[str, ReviewRecord], str]:
        try:
            data = await self._eutils.fetch("pubmed", pmids)
        except NotFoundError:
            return {}, ""
        read = await run_in_reader_thread(read_review_records, data)
        return {one.record.reference.pmid: one for one in read.reviews}, read.fault

    async def _fetch_cited_works(self, pmcids: Sequence[str]) -> CitedWorkLists:
        try:
            data = await self._eutils.fetch("pmc", [id.removeprefix("PMC") for id in pmcids])
        except NotFoundError:
            return CitedWorkLists({})
        return await run_in_reader_thread(read_cited_works, data)


@asynccontextmanager
async def open_review_search(settings: Settings) -> AsyncIterator[ReviewSearch]:
    """Open PubMed to be asked for reviews; closed in the end. Raises SettingsError."""
    if reason := describe_missing_setup("pubmed", settings):
        raise SettingsError(f"PubMed cannot be asked: {reason}.")
    async with open_client(settings) as client:
        yield ReviewSearch(connect_source(settings, client, "pubmed"))
