"""Europe PMC, live: PubMed's abstracts, preprints, and the full text of what is open.

Developer's guide: https://europepmc.org/RestfulWebService; fields of queries: https://europepmc.org/searchsyntax.
"""

import re
from collections.abc import Mapping
from datetime import date
from urllib.parse import quote

from wellsourced.errors import NotFoundError, SourceRefused, SourceUnavailable, UnreadableFile
from wellsourced.http import Client, Response
from wellsourced.readers.abstract import parse_abstract
from wellsourced.readers.base import InMemoryFile
from wellsourced.readers.jats.articles import read_jats
from wellsourced.readers.reader_thread import run_in_reader_thread
from wellsourced.sources.base import SearchResult, SourceInfo
from wellsourced.sources.europe_pmc_records import (
    SERVICE,
    EuropePmcPage,
    EuropePmcRecord,
    build_reference,
    document_ids_of,
)
from wellsourced.sources.live_search import RecentDocuments, build_hits, relax_query
from wellsourced.sources.query_translation import translate_for_europe_pmc
from wellsourced.sources.service_answers import (
    MAX_QUERY_CHARACTERS,
    describe_unreadable_records,
    parse_answer,
    parse_records,
)
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.tokens import tokenize
from wellsourced.types import Document, Query, SourceKind

URL = "https://www.ebi.ac.uk/europepmc/webservices/rest"

PAGE_SIZE = 100
"""Records asked for at a time; the service allows 1,000, with megabytes to wait for."""

ENOUGH_RECORDS = 5
"""When fewer records have all words of a question, those that have some of them in title or abstract are asked for."""

EARLIEST_DATE = date(1600, 1, 1)

HOUR = 3_600.0
"""Seconds for which an answer may be used again."""

MB = 1024 * 1024
ARTICLE_LIMIT = 32 * MB


class EuropePmc:
    """A source. A work is known by its PMID, else its DOI, as in its own record.

    Boolean queries are written in its own language; what that cannot say is told. Of keywords, the count is asked
    first, and the least important are dropped, which is told too, until there are enough records.

    A search gives abstracts, and `open` the abstract that a hit was cut from. The full text of a work with a PMC id
    opens under that id ("pmc:PMC3258128", see `Reference.pmcid`) where it is open, and its abstract where it is not.

    email   told to the service
    """

    name = "europe_pmc"

    def __init__(self, client: Client, url: str = URL, email: str = "", kind: SourceKind = "research") -> None:
        self._client, self._url, self._email, self._kind = client, url.rstrip("/"), email, kind
        self._recent_documents = RecentDocuments()

    async def describe(self) -> SourceInfo:
        """What it is. It is not asked for that."""
        about = "abstracts of biomedical literature, preprints, and full text where it is open"
        return SourceInfo(self.name, self._kind, about=about, live=True, asks=("text", "boolean"))

    async def search(self, query: Query, limit: int) -> SearchResult:
        """Passages of the abstracts that Europe PMC finds most relevant."""
        if limit < 1:
            return SearchResult([])
        notes = list(translate_for_europe_pmc(query.text).notes) if query.kind == "boolean" else []
        asked = await relax_query(query, self.count, min(ENOUGH_RECORDS, limit))
        total, documents = await self._fetch_documents(build_expression(asked.query), query, limit, notes)
        if said := asked.describe_relaxation(SERVICE, total):
            notes.append(said)
        weaker = build_any_word_expression(query)
        if weaker and len(documents) < min(ENOUGH_RECORDS, limit):
            notes.append(f"{SERVICE}: {len(documents)} records have all words of the question; more have some of them")
            documents += (await self._fetch_documents(weaker, query, limit, notes))[1]
        once = list({document.reference.id: document for document in documents}.values())
        self._recent_documents.keep(once)
        return SearchResult(build_hits(once, query, limit), tuple(notes))

    async def count(self, query: Query) -> int:
        """How many records match; none of them is fetched."""
        if not (asked := build_expression(query)):
            return 0
        reply = await self._send_request({"query": limit_to_dates(asked, query), "resultType": "idlist", "pageSize": 1})
        if (found := _parse_page(reply).hit_count) < 0:
            raise SourceRefused(
                f"{SERVICE} did not say how many records there are: its answer has another form than it had."
            )
        return found

    async def open(self, document_id: str) -> Document:
        """The document of an id "pubmed:…", "doi:…", "europe_pmc:PPR/PPR1234" or "pmc:PMC…". Raises NotFoundError."""
        if known := self._recent_documents.get(document_id):
            return known
        asked = build_id_expression(document_id)
        _, records = await self._fetch_records(asked, 1, []) if asked else (0, [])
        if not records or document_id.lower() not in document_ids_of(records[0]):
            raise NotFoundError(f"{SERVICE} has no record {document_id!r}. Its ids are like pubmed:31234567.")
        document = self._build_document(records[0])
        if document_id.startswith("pmc:") and records[0].is_open_access == "Y":
            document = await self._fetch_full_text(document)
        self._recent_documents.keep([document])
        return document

    async def _fetch_documents(
        self, expression: str, query: Query, limit: int, notes: list[str]
    ) -> tuple[int, list[Document]]:
        """How many match, and the first of them; what is to be told of them is added to `notes`."""
        if not expression:
            return 0, []
        most = limit + len(query.exclude)
        total, records = await self._fetch_records(limit_to_dates(expression, query), most, notes)
        return total, [self._build_document(record) for record in records if record.title or record.abstract_text]

    async def _fetch_records(self, expression: str, most: int, notes: list[str]) -> tuple[int, list[EuropePmcRecord]]:
        """How many there are, and the first of them, page by page.

        A page without records, or without another cursor, is the last.
        """
        records: list[EuropePmcRecord] = []
        faults: list[str] = []
        cursor, following, total = "", "*", 0
        while following not in ("", cursor) and len(records) < most:
            cursor = following
            page = await self._fetch_page(expression, min(most - len(records), PAGE_SIZE), cursor)
            total = page.hit_count
            read, wrong = parse_records(page.raw_records, EuropePmcRecord)
            records, faults = records + read, faults + wrong
            following = page.next_cursor_mark if page.raw_records else ""
        notes += describe_unreadable_records(SERVICE, faults)
        if faults and not records:
            raise SourceUnavailable(f"{SERVICE} gave no record that can be read ({faults[0]}). Ask again later.")
        return total, records

    async def _fetch_page(self, expression: str, size: int, cursor: str) -> EuropePmcPage:
        asked: dict[str, str | int] = {"query": expression, "resultType": "core"}
        return _parse_page(await self._send_request(asked | {"pageSize": size, "cursorMark": cursor}))

    async def _send_request(self, fields: Mapping[str, str | int]) -> Response:
        asked = {**fields, "format": "json", **({"email": self._email} if self._email else {})}
        if len(str(fields["query"])) > MAX_QUERY_CHARACTERS:
            return await self._client.post(f"{self._url}/searchPOST", data=asked, fresh=HOUR, check=_parse_page)
        return await self._client.get(f"{self._url}/search", asked, fresh=HOUR, check=_parse_page)

    def _build_document(self, record: EuropePmcRecord) -> Document:
        text, sections = parse_abstract(record.title, record.abstract_text)
        return Document(reference=build_reference(record, self._kind, "abstract"), text=text, sections=sections)

    async def _fetch_full_text(self, abstract: Document) -> Document:
        """The whole article under its PMC id, with the card of its record; the abstract where it is not to be had."""
        card = abstract.reference
        try:
            reply = await self._client.get(
                f"{self._url}/{quote(card.pmcid, safe='')}/fullTextXML", fresh=HOUR, limit=ARTICLE_LIMIT
            )
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
            read = read_jats(InMemoryFile(f"the full text of {pmcid}", content), self._kind)
            return next(item for item in read if isinstance(item, Document))
        except (UnreadableFile, StopIteration) as error:
            reason = error.reason if isinstance(error, UnreadableFile) else "it holds no article"
            raise SourceRefused(f"{SERVICE} gave a full text of {pmcid} that cannot be read ({reason})") from error


def build_expression(query: Query) -> str:
    """What is asked: a Boolean expression; of a question all its content words; of terms each as a phrase.

    Raises BadQuery for an expression that cannot be read.
    """
    if query.kind == "boolean":
        return translate_for_europe_pmc(query.text).text
    if query.kind == "text" and len(query.terms) == 1:
        return " ".join(_content_words(query.text))
    return " AND ".join(phrase for term in query.terms if (phrase := _phrase_expression(term)))


def _phrase_expression(term: str) -> str:
    """Several words as one phrase; one word alone is found in its other forms too."""
    plain = tokenize(term)
    return f'"{" ".join(plain)}"' if len(plain) > 1 else "".join(plain)


def build_any_word_expression(query: Query) -> str:
    """Any content word of a question in title or abstract; "" for any other query, and for a single word."""
    content = _content_words(query.text) if query.kind == "text" and len(query.terms) == 1 else []
    return " OR ".join(f"TITLE_ABS:{word}" for word in content) if len(content) > 1 else ""


def _content_words(text: str) -> list[str]:
    """Its words, without those that mean nothing to a search, among them "not"."""
    return list(
        dict.fromkeys(word for word in tokenize(text[:MAX_QUERY_CHARACTERS]) if word not in STOP_WORDS | {"not"})
    )


def limit_to_dates(expression: str, query: Query) -> str:
    """Within the dates of the query, by the day on which a work first appeared.

    Of a work of which the month or the year is known alone, that is the first: both first days before `since` count.
    """
    if query.since is None and query.as_of is None:
        return expression
    since, as_of = query.since or EARLIEST_DATE, query.as_of or date(3000, 12, 31)
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


def _parse_page(reply: Response) -> EuropePmcPage:
    page = parse_answer(reply, EuropePmcPage, SERVICE)
    if page.result_list is None:
        raise SourceRefused(f"{SERVICE} did not search ({page.err_msg or 'it gave no list of results'})")
    return page
