"""Europe PMC, live: PubMed's abstracts, preprints, and the full text of what is open.

Developer's guide: https://europepmc.org/RestfulWebService; fields of queries: https://europepmc.org/searchsyntax.
"""

import re
from collections.abc import Mapping
from datetime import date
from urllib.parse import quote

from wellsourced.errors import NotFoundError, SourceRefused, UnreadableFile
from wellsourced.http import Client, Response
from wellsourced.query_language import TranslatedQuery
from wellsourced.readers.abstract import parse_abstract
from wellsourced.readers.base import InMemoryFile
from wellsourced.readers.jats.articles import read_jats
from wellsourced.readers.reader_thread import run_in_reader_thread
from wellsourced.sources.europe_pmc_records import (
    SERVICE,
    EuropePmcPage,
    EuropePmcRecord,
    build_reference,
    document_ids_of,
)
from wellsourced.sources.live_search import RelaxingSource
from wellsourced.sources.query_translation import translate_for_europe_pmc
from wellsourced.sources.service_answers import (
    HOUR,
    MAX_QUERY_CHARACTERS,
    AnswerPage,
    describe_unreadable_records,
    fetch_records,
    parse_answer,
)
from wellsourced.text.tokens import tokenize
from wellsourced.types import Document, Query

EARLIEST_DATE = date(1600, 1, 1)

MB = 1024 * 1024
ARTICLE_LIMIT = 32 * MB


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
        if (found := _parse_page(reply).hit_count) < 0:
            raise SourceRefused(
                f"{SERVICE} did not say how many records there are: its answer has another form than it had."
            )
        return found

    async def fetch_document(self, document_id: str) -> Document:
        """The document of an id "pubmed:…", "doi:…", "europe_pmc:PPR/PPR1234" or "pmc:PMC…". Raises NotFoundError."""
        asked = build_id_expression(document_id)
        _, records = await self._fetch_records(asked, 1, []) if asked else (0, [])
        # The service searches and does not look up: the best hit for an unknown id is another work.
        if not records or document_id.lower() not in document_ids_of(records[0]):
            raise NotFoundError(f"{SERVICE} has no record {document_id!r}. Its ids are like pubmed:31234567.")
        document = self._build_document(records[0])
        # Only under its PMC id: the offsets of a hit in an abstract must stay those of the abstract.
        if document_id.startswith("pmc:") and records[0].is_open_access == "Y":
            return await self._fetch_full_text(document)
        return document

    async def fetch_documents(
        self, expression: str, query: Query, limit: int, notes: list[str]
    ) -> tuple[int, list[Document]]:
        if not expression:
            return 0, []
        most = limit + len(query.exclude)
        total, records = await self._fetch_records(limit_to_dates(expression, query), most, notes)
        return total, [self._build_document(record) for record in records if record.title or record.abstract_text]

    async def _fetch_records(self, expression: str, most: int, notes: list[str]) -> tuple[int, list[EuropePmcRecord]]:
        asked: dict[str, str | int] = {"query": expression, "resultType": "core"}

        async def fetch_page(cursor: str, size: int) -> AnswerPage:
            page = _parse_page(await self._send_request(asked | {"pageSize": size, "cursorMark": cursor}))
            return AnswerPage(page.hit_count, page.raw_records, page.next_cursor_mark)

        total, records, faults = await fetch_records(fetch_page, "*", most, EuropePmcRecord)
        notes += describe_unreadable_records(SERVICE, faults, records, "record")
        return total, records

    async def _send_request(self, fields: Mapping[str, str | int]) -> Response:
        asked = {**fields, "format": "json", **({"email": self._email} if self._email else {})}
        # A longer address is refused by servers on the way; a body may be as long as it wants.
        if len(str(fields["query"])) > MAX_QUERY_CHARACTERS:
            return await self._client.post(f"{self._url}/searchPOST", data=asked, fresh=HOUR, check=_parse_page)
        return await self._client.get(f"{self._url}/search", asked, fresh=HOUR, check=_parse_page)

    def _build_document(self, record: EuropePmcRecord) -> Document:
        text, sections = parse_abstract(record.title, record.abstract_text)
        return Document(reference=build_reference(record, self.kind, "abstract"), text=text, sections=sections)

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
            reason = error.reason if isinstance(error, UnreadableFile) else "it holds no article"
            raise SourceRefused(f"{SERVICE} gave a full text of {pmcid} that cannot be read ({reason})") from error


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


def _parse_page(reply: Response) -> EuropePmcPage:
    page = parse_answer(reply, EuropePmcPage, SERVICE)
    # Errors come with status 200: without a list it did not search, which is not the same as having found nothing.
    if page.result_list is None:
        raise SourceRefused(f"{SERVICE} did not search ({page.err_msg or 'it gave no list of results'})")
    return page
