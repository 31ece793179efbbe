"""Europe PMC, live: PubMed's abstracts, preprints, and the full text of what is open.

Developer's guide: https://europepmc.org/RestfulWebService; fields of queries: https://europepmc.org/searchsyntax; of
records in the form “core”: https://europepmc.org/docs/EBI_Europe_PMC_Web_Service_Reference.pdf, appendix 4.
"""

import re
from collections.abc import Mapping
from datetime import date
from typing import NamedTuple
from urllib.parse import quote

from wellsourced.citations.people import format_group, format_person
from wellsourced.errors import NotFoundError, SourceRefused, UnreadableFile
from wellsourced.http import Client, Response
from wellsourced.query_language import TranslatedQuery
from wellsourced.readers.base import InMemoryFile
from wellsourced.readers.html_text import parse_abstract
from wellsourced.readers.jats import read_jats
from wellsourced.readers.xml_records import strip_markup
from wellsourced.sources.live_search import RelaxingSource, translate_for_europe_pmc
from wellsourced.sources.service_answers import (
    HOUR,
    MAX_QUERY_CHARACTERS,
    AnswerPage,
    AnswerPart,
    describe_unreadable_records,
    fetch_records,
)
from wellsourced.text.dates import MONTH_ABBREVIATIONS, month_number
from wellsourced.text.tokens import tokenize
from wellsourced.types import Document, Notice, NoticeKind, Query, Reference, Retraction, SourceKind
from wellsourced.worker_pool import run_in_reader_thread

EARLIEST_DATE = date(1600, 1, 1)
ARTICLE_LIMIT = 32 * 1024 * 1024

SERVICE = "Europe PMC"

NOTICE_KINDS: dict[str, tuple[NoticeKind, str]] = {
    "retraction in": ("retraction", ""),
    "retracted and republished in": ("retraction", "republished in a corrected version"),
    "partial retraction in": ("concern", "retracted in part"),
    "expression of concern in": ("concern", ""),
    "erratum in": ("correction", ""),
    "corrected and republished in": ("correction", "republished in a corrected version"),
    "republished in": ("republication", ""),
}
"""What links to a notice about the work itself say; "… of", "… for" and "… from" stand in the notice."""


class EuropePmcRecord(NamedTuple):
    """A record in the form “core”; its source MED is PubMed, PMC what is there alone, PPR a preprint.

    names     everything that its document may be called, in small letters
    is_open   its full text is open
    """

    document: Document
    names: set[str]
    is_open: bool


def build_reference(record: AnswerPart, kind: SourceKind) -> Reference:
    """The card of a record, known by its abstract."""
    pmid, doi, own = _pmid_of(record), record.text("doi"), _own_id(record)
    headings = sorted(record.parts("meshHeadingList.meshHeading"), key=lambda one: one.text("majorTopic_YN") != "Y")
    return Reference(
        id=f"pubmed:{pmid}" if pmid else f"doi:{doi}" if doi else f"europe_pmc:{own}",
        title=strip_markup(record.text("title")),
        url=f"https://europepmc.org/article/{own}",
        kind=kind,
        published=_publication_date(record),
        authors=_author_names(record),
        journal=record.text("journalInfo.journal.title"),
        volume=record.text("journalInfo.volume"),
        issue=record.text("journalInfo.issue"),
        pages=record.text("pageInfo"),
        doi=doi,
        pmid=pmid,
        pmcid=record.text("pmcid"),
        mesh=tuple(name for one in headings if (name := one.text("descriptorName"))),
        publication_types=tuple(filter(None, record.texts("pubTypeList.pubType"))),
        retraction=build_retraction(record),
        depth="abstract",
    )


def _own_id(record: AnswerPart) -> str:
    return f"{record.text('source', must=True)}/{record.text('id', must=True)}"


def _pmid_of(record: AnswerPart) -> str:
    pmid = record.text("pmid")
    return pmid if pmid.isdecimal() else record.text("id") if record.text("source") == "MED" else ""


def _author_names(record: AnswerPart) -> tuple[str, ...]:
    # The list keeps groups and full names apart; the string is all that preprints have.
    listed = tuple(name for one in record.parts("authorList.author") if (name := _author_name(one)))
    return listed or tuple(name.strip(" .") for name in record.text("authorString").split(",") if name.strip(" ."))


def _author_name(author: AnswerPart) -> str:
    family = author.text("lastName")
    if family and (given := author.text("firstName") or author.text("initials")):
        return format_person(family, given)
    return author.text("fullName") or format_group(author.text("collectiveName"))


def _publication_date(record: AnswerPart) -> str:
    """The day on which it first appeared; the month or year in print where a first of the month stands for that."""
    day, printed = record.text("firstPublicationDate"), parse_printed_date(record.text("journalInfo.dateOfPublication"))
    if not re.fullmatch(r"[12]\d{3}-\d\d-\d\d", day):
        year = record.text("pubYear")
        return year if re.fullmatch(r"[12]\d{3}", year) else ""
    # A journal dated "2020 May" appears as 2020-05-01: the month is known, and the day was made up.
    made_up = printed and day.startswith(printed) and not record.text("electronicPublicationDate")
    return printed if made_up else day


def build_retraction(record: AnswerPart) -> Retraction:
    """ "true" when the record says so. Its silence proves nothing: a retraction may be newer than the record."""
    links = record.parts("commentCorrectionList.commentCorrection")
    notices = [notice for link in links for notice in _build_notices(link)]
    is_retracted = any(notice.kind == "retraction" for notice in notices)
    # The type alone may say it, when the link to the notice is not in the record yet.
    if not is_retracted and "retracted publication" in map(str.lower, record.texts("pubTypeList.pubType")):
        notices.insert(0, Notice(kind="retraction", source=SERVICE))
        is_retracted = True
    return Retraction(
        status="true" if is_retracted else "unknown",
        as_of=_parse_day(record.text("dateOfRevision")),
        notices=tuple(notices),
    )


def _build_notices(link: AnswerPart) -> list[Notice]:
    """A later or earlier publication on the same work: an erratum, a retraction, a comment."""
    # Comments and other links say nothing about whether the work stands.
    if (told := NOTICE_KINDS.get(link.text("type").strip().lower())) is None:
        return []
    number = link.text("id")
    id = f"pubmed:{number}" if link.text("source") == "MED" and number else ""
    kind, reason = told
    published = parse_printed_date(link.text("reference"))
    return [Notice(kind=kind, source=SERVICE, id=id, published=published, reason=reason)]


_PRINTED_DATE = re.compile(rf"(?:^|[.:] ?)([12]\d{{3}})\b(?: ({'|'.join(MONTH_ABBREVIATIONS)})\b(?: (\d{{1,2}})\b)?)?")


def parse_printed_date(reference: str) -> str:
    """The date in "J Clin Oncol. 2020 May 3;38(13):1504" or "2020 May", as precise as it is; "" when there is none."""
    found = _PRINTED_DATE.search(reference)
    if not found:
        return ""
    year, month, day = found.groups()
    parts = [year, f"{month_number(month):02}" if month else "", f"{int(day):02}" if day else ""]
    return "-".join(filter(None, parts))


def _parse_day(printed: str) -> date | None:
    try:
        return date.fromisoformat(printed[:10])
    except ValueError:
        return None


class EuropePmc(RelaxingSource):
    """A source. A work is known by its PMID, else its DOI, as in its own record.

    A search gives abstracts, and `open` the abstract that a hit was cut from. The full text of a work with a PMC id
    opens under that id ("pmc:PMC3258128", see `Reference.pmcid`) where it is open, and its abstract where it is not.

    email   told to the service
    """

    name, service, any_word = "europe_pmc", SERVICE, "TITLE_ABS:{}"
    about = "abstracts of biomedical literature, preprints, and full text where it is open"

    def __init__(self, client: Client, url: str, email: str = "") -> None:
        super().__init__(client, url)
        self._email = email

    def translate(self, expression: str) -> TranslatedQuery:
        return translate_for_europe_pmc(expression)

    def build_expression(self, query: Query) -> str:
        if query.kind == "boolean":
            return self.translate(query.text).text
        if query.kind == "text" and len(query.terms) == 1:
            return " ".join(self.content_words(query.text))
        return " AND ".join(phrase for term in query.terms if (phrase := _phrase_expression(term)))

    async def count(self, query: Query) -> int:
        if not (asked := self.build_expression(query)):
            return 0
        reply = await self._send_request({"query": limit_to_dates(asked, query), "resultType": "idlist", "pageSize": 1})
        if (found := _parse_page(reply).total) < 0:
            raise SourceRefused(f"{SERVICE} did not give the number of records: its answer has an unknown form.")
        return found

    async def fetch_document(self, document_id: str) -> Document:
        """The document of an id "pubmed:…", "doi:…", "europe_pmc:PPR/PPR1234" or "pmc:PMC…". Raises NotFoundError."""
        asked = build_id_expression(document_id)
        _, records = await self._fetch_records(asked, 1, []) if asked else (0, [])
        # The service searches and does not look up: the best hit for an unknown id is another work.
        if not records or document_id.lower() not in records[0].names:
            raise NotFoundError(f"{SERVICE} has no record {document_id!r}. Ids look like pubmed:31234567.")
        # Only under its PMC id: the offsets of a hit in an abstract must stay those of the abstract.
        if document_id.startswith("pmc:") and records[0].is_open:
            return await self._fetch_full_text(records[0].document)
        return records[0].document

    async def fetch_documents(
        self, expression: str, query: Query, limit: int, notes: list[str]
    ) -> tuple[int, list[Document]]:
        if not expression:
            return 0, []
        most = limit + len(query.exclude)
        total, records = await self._fetch_records(limit_to_dates(expression, query), most, notes)
        return total, [record.document for record in records if record.document.text]

    async def _fetch_records(self, expression: str, most: int, notes: list[str]) -> tuple[int, list[EuropePmcRecord]]:
        asked: dict[str, str | int] = {"query": expression, "resultType": "core"}

        async def fetch_page(cursor: str, size: int) -> AnswerPage:
            return _parse_page(await self._send_request(asked | {"pageSize": size, "cursorMark": cursor}))

        total, records, faults = await fetch_records(fetch_page, "*", most, self._read_record, SERVICE)
        notes += describe_unreadable_records(SERVICE, faults, records, "record")
        return total, records

    async def _send_request(self, fields: Mapping[str, str | int]) -> Response:
        asked = {**fields, "format": "json", **({"email": self._email} if self._email else {})}
        # A longer address is refused by servers on the way; a body may be as long as it wants.
        if len(str(fields["query"])) > MAX_QUERY_CHARACTERS:
            return await self._client.post(f"{self._url}/searchPOST", data=asked, fresh=HOUR, check=_parse_page)
        return await self._client.get(f"{self._url}/search", asked, fresh=HOUR, check=_parse_page)

    def _read_record(self, record: AnswerPart) -> EuropePmcRecord:
        text, sections = parse_abstract(record.text("title"), record.text("abstractText"))
        card = build_reference(record, self.kind)
        names = (f"europe_pmc:{_own_id(record)}", f"pubmed:{card.pmid}", f"doi:{card.doi}", f"pmc:{card.pmcid}")
        document = Document(reference=card, text=text, sections=sections)
        return EuropePmcRecord(document, {name.lower() for name in names}, record.text("isOpenAccess") == "Y")

    async def _fetch_full_text(self, abstract: Document) -> Document:
        """The whole article under its PMC id, with the card of its record; the abstract where it is not to be had."""
        card = abstract.reference
        try:
            reply = await self._client.get(
                f"{self._url}/{quote(card.pmcid, safe='')}/fullTextXML", fresh=HOUR, limit=ARTICLE_LIMIT
            )
        # Marked as open and not given: publishers withdraw the XML, and the abstract still stands.
        except NotFoundError:
            return abstract
        whole = await run_in_reader_thread(self._parse_full_text, reply.content, card.pmcid)
        update = {
            "id": f"pmc:{card.pmcid}",
            "depth": "full text",
            "url": f"https://europepmc.org/article/PMC/{card.pmcid}",
        }
        return whole.model_copy(update={"reference": card.model_copy(update=update)})

    def _parse_full_text(self, content: bytes, pmcid: str) -> Document:
        try:
            read = read_jats(InMemoryFile(f"the full text of {pmcid}", content), self.kind)
            return next(item for item in read if isinstance(item, Document))
        except (UnreadableFile, StopIteration) as error:
            reason = error.reason if isinstance(error, UnreadableFile) else "it contains no article"
            raise SourceRefused(f"{SERVICE} returned an unreadable full text of {pmcid} ({reason})") from error


def _phrase_expression(term: str) -> str:
    """Several words as one phrase; one word alone is found in its other forms too."""
    plain = tokenize(term)
    return f'"{" ".join(plain)}"' if len(plain) > 1 else "".join(plain)


def limit_to_dates(expression: str, query: Query) -> str:
    """Within the dates of the query, by the day on which a work first appeared.

    Of a work of which the month or the year is known alone, that is the first: both first days before `since` count.
    """
    if query.since is None and query.as_of is None:
        return expression
    since, as_of = query.since or EARLIEST_DATE, query.as_of or date(3000, 12, 31)
    # A work dated by its year alone counts from 1 January, and would be lost to a search from March of that year.
    firsts = [] if since == EARLIEST_DATE else [since.replace(day=1), since.replace(month=1, day=1)]
    days = [f"FIRST_PDATE:[{since} TO {as_of}]", *(f"FIRST_PDATE:{day}" for day in firsts)]
    return f"({expression}) AND ({' OR '.join(days)})"


def build_id_expression(document_id: str) -> str:
    """The query for one record by the id of its document; "" for what is no id of this source."""
    kind, _, id = document_id.partition(":")
    if kind == "pubmed" and re.fullmatch(r"[1-9][0-9]{0,11}", id):
        return f"EXT_ID:{id} AND SRC:MED"
    if kind == "pmc" and re.fullmatch(r"PMC[1-9][0-9]{0,11}", id):
        return f"PMCID:{id}"
    if kind == "doi" and id:
        escaped = id.replace("\\", "\\\\").replace('"', '\\"')
        return f'DOI:"{escaped}"'
    if kind == "europe_pmc" and (known := re.fullmatch(r"([A-Z]{2,4})/([A-Za-z0-9.-]{1,40})", id)):
        return f"EXT_ID:{known[2]} AND SRC:{known[1]}"
    return ""


def _parse_page(reply: Response) -> AnswerPage:
    """One page of an answer; -1 records match where it is not said how many."""
    page = AnswerPart.of(reply, SERVICE)
    # Errors come with status 200: without a list it did not search, which is not the same as having found nothing.
    if page.find("resultList.result") is None:
        raise SourceRefused(f"{SERVICE} did not search ({page.text('errMsg') or 'its answer has no list of results'})")
    return AnswerPage(page.number("hitCount", -1), page.records("resultList.result"), page.text("nextCursorMark"))
