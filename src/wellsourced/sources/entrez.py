"""PubMed and PMC, live, as NCBI's databases: documents found by a query, fetched in batches, known by their records'
ids.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import NamedTuple

from lxml import etree
from pydantic import SecretStr

from wellsourced.citations.deduplication import merge_retractions, title_retraction
from wellsourced.citations.identifiers import document_ids
from wellsourced.errors import NotFoundError, SourceError, SourceUnavailable, UnreadableFile
from wellsourced.http import Client
from wellsourced.query_language import TranslatedQuery
from wellsourced.readers.base import DocumentStream, File, InMemoryFile, UnreadablePart
from wellsourced.readers.jats import read_jats
from wellsourced.readers.medline import read_medline
from wellsourced.sources.base import IdMatches
from wellsourced.sources.eutils import EsearchResult, Eutils, parse_xml
from wellsourced.sources.live_search import RelaxingSource, translate_for_pubmed
from wellsourced.sources.service_answers import HOUR
from wellsourced.types import Document, Query, Reference, Retraction
from wellsourced.worker_pool import run_in_reader_thread

ID_TAGS = {"doi": "[aid]", "pubmed": "[pmid]", "pmc": "[pmcid]"}
"""How NCBI is asked for a record by an id, by the kind of the id."""

MAX_RECORDS = 10_000
"""Records of one search that can be had: PubMed's own limit."""


class FetchedRecords(NamedTuple):
    """What came of asking for records.

    documents   by their ids, in the order asked for
    missing     ids of documents that were asked for and not given
    faults      what was wrong with the answers, a sentence each
    """

    documents: dict[str, Document]
    missing: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


class NcbiSource(RelaxingSource, ABC):
    """A database of NCBI as a source, by its name there; PubMed and PMC are the two.

    A Boolean query goes out as it was typed; one of Ovid, or with a fault, is translated and repaired. Dates are asked
    for and compared with each record again; a record is known by the id that stands in it. What was changed, and what
    was found and could not be had, is said in notes.
    """

    any_word = "{}"

    prefix: str
    """What stands before the number of a record in the id of its document: "pubmed:", "pmc:PMC"."""

    filter = ""
    """What every search is narrowed to, in NCBI's own language."""

    batch: int
    """Records fetched with one request."""

    def __init__(self, client: Client, url: str, *, key: SecretStr | None = None, email: str = "") -> None:
        super().__init__(client, url)
        self._eutils = Eutils(client, url, key=key, email=email)

    @abstractmethod
    def read_records(self, answer: File) -> DocumentStream:
        """The documents of an answer."""

    def translate(self, expression: str) -> TranslatedQuery:
        return translate_for_pubmed(expression)

    def build_expression(self, query: Query) -> str:
        """A Boolean expression; of words and terms all, without what NCBI takes for syntax."""
        if query.kind == "boolean":
            return self.translate(query.text).text
        terms = [plain for term in query.terms if (plain := _strip_syntax(term))]
        return terms[0] if len(terms) == 1 else " AND ".join(f"({term})" for term in terms)

    async def count(self, query: Query) -> int:
        term = self._narrow(self.build_expression(query))
        if not term:
            return 0
        searched = await self._eutils.search(self.name, term, 0, since=query.since, as_of=query.as_of, fresh=HOUR)
        return searched.total

    async def fetch_records(self, document_ids: Sequence[str]) -> FetchedRecords:
        """The documents of these ids, with or without what stands before the number; any other id is missing."""
        numbers = {id: self.record_number(id) for id in document_ids}
        gathered = await self.fetch_numbers(list(dict.fromkeys(filter(None, numbers.values()))))
        return gathered._replace(missing=gathered.missing + tuple(id for id, number in numbers.items() if not number))

    async def fetch_numbers(self, ids: Sequence[str]) -> FetchedRecords:
        """The records of these ids (digits alone), each under its own; what a damaged answer lacks is asked for again.

        Raises when nothing could be had for another reason than that there is no such record.
        """
        documents: dict[str, Document] = {}
        faults: list[str] = []
        try:
            await self._fetch_batches(documents, faults, ids)
            lost = [id for id in ids if self.prefix + id not in documents]
            # An answer that was cut off loses records that exist.
            if lost and faults:
                faults.clear()
                await self._fetch_batches(documents, faults, lost)
        except SourceError as error:
            if not documents:
                raise
            faults.append(str(error))
        return self._build_result(ids, documents, faults)

    async def fetch_document(self, document_id: str) -> Document:
        """The record "pubmed:31234567" or "pmc:PMC8435807", or that of another of its ids. Raises NotFoundError."""
        number = self.record_number(document_id) or await self._search_number(document_id)
        gathered = await self.fetch_numbers([number]) if number else FetchedRecords({})
        for document in gathered.documents.values():
            # Compared with the ids in the record: NCBI may answer with another record than was asked for.
            if document_id.lower() in map(str.lower, document_ids(document.reference)):
                return document
        raise NotFoundError(f"{self.service} has no record {document_id!r}. Ids look like {self.prefix}31234567.")

    async def _search_number(self, document_id: str) -> str:
        """The number of the record with an id of another kind: "doi:…"; "" where there is none."""
        kind, _, id = document_id.partition(":")
        if kind not in ID_TAGS or kind == self.name:
            return ""
        words = id.replace('"', " ")
        return next(iter((await self._eutils.search(self.name, f'"{words}"{ID_TAGS[kind]}', 1)).ids), "")

    def record_number(self, document_id: str) -> str:
        """The digits of an id of this database, with or without what stands before them; "" when it is none."""
        digits = document_id.strip().removeprefix(self.prefix)
        return digits if re.fullmatch(r"[1-9][0-9]{0,11}", digits) else ""

    def _narrow(self, term: str) -> str:
        return f"({term}) AND ({self.filter})" if term and self.filter else term

    async def fetch_documents(
        self, expression: str, query: Query, limit: int, notes: list[str]
    ) -> tuple[int, list[Document]]:
        term = self._narrow(expression)
        if not term:
            return 0, []
        dated = query.since is not None or query.as_of is not None
        # NCBI knows several dates of a record and does not know what is excluded: some of these will not count.
        reserve = len(query.exclude) + (limit // 4 if dated else 0)
        searched = await self._eutils.search(
            self.name, term, min(limit + reserve, MAX_RECORDS), since=query.since, as_of=query.as_of
        )
        notes += self._describe_search(searched, limit)
        if not searched.ids:
            return searched.total, []
        gathered = await self.fetch_numbers(searched.ids)
        # Found and not given is an outage; an empty list would read as "PubMed knows nothing".
        if not gathered.documents:
            raise SourceUnavailable(
                f"{self.service} found {searched.total} records and returned none. Try again later."
            )
        notes += self._describe_missing(gathered)
        return searched.total, list(gathered.documents.values())

    def _describe_search(self, searched: EsearchResult, most: int) -> Iterator[str]:
        if searched.unknown:
            yield f"{self.service} has no record with {', '.join(f'“{phrase}”' for phrase in searched.unknown)}"
        if searched.total > len(searched.ids) and most > len(searched.ids):
            yield f"{self.service} found {searched.total:,} records and gives only the first {len(searched.ids):,}"

    def _describe_missing(self, gathered: FetchedRecords) -> Iterator[str]:
        yield from (fault.rstrip(".") for fault in gathered.faults)
        if missing := gathered.missing:
            shown = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
            yield f"{self.service} did not return {len(missing)} of the records it found: {shown}"

    def _build_result(
        self, ids: Sequence[str], documents: dict[str, Document], faults: Sequence[str]
    ) -> FetchedRecords:
        if faults and not documents:
            raise SourceUnavailable(f"{self.service} returned no readable record ({faults[0]}). Try again later.")
        self.remember(documents.values())
        asked = list(dict.fromkeys(self.prefix + id for id in ids))
        given = {id: documents[id] for id in asked if id in documents}
        return FetchedRecords(given, tuple(id for id in asked if id not in documents), tuple(faults))

    async def _fetch_batches(self, documents: dict[str, Document], faults: list[str], ids: Sequence[str]) -> None:
        for start in range(0, len(ids), self.batch):
            try:
                data = await self._eutils.fetch(self.name, ids[start : start + self.batch])
            except NotFoundError:
                continue
            read, wrong = await run_in_reader_thread(self._parse_answer, data)
            documents.update((document.reference.id, document) for document in read)
            faults += wrong

    def _parse_answer(self, data: bytes) -> tuple[list[Document], list[str]]:
        documents: list[Document] = []
        faults: list[str] = []
        try:
            for item in self.read_records(InMemoryFile(f"the answer of {self.service}", data)):
                if isinstance(item, Document):
                    documents.append(item)
                elif isinstance(item, UnreadablePart):
                    faults.append(f"the answer of {self.service}, {item.where}: {item.reason}")
        except UnreadableFile as error:
            faults += [] if _is_empty_set(data) else [f"the answer of {self.service}: {error.reason}"]
        return documents, faults


def _strip_syntax(words: str) -> str:
    """Without brackets, quotation marks, wildcards, the colon of ranges and the words that are operators."""
    return " ".join(re.sub(r"[][()\"“”*?:#|&]|\b(?i:and|or|not)\b", " ", words).split())


def _is_empty_set(data: bytes) -> bool:
    """Whether an answer is whole and holds no record: what NCBI says of ids that do not exist."""
    try:
        return not len(parse_xml(data))
    except etree.XMLSyntaxError:
        return False


class Pmc(NcbiSource):
    """PubMed Central as a source of full texts. An article that may not be given in full is known by its abstract."""

    name, service, prefix, batch = "pmc", "PMC", "pmc:PMC", 20
    about = "full text of free biomedical articles"

    filter = '"open access"[filter] OR "author manuscript"[filter]'
    """Of all others PMC gives no more than the abstract."""

    max_recent = 200
    max_documents = 20
    """An article has about 100 KB, and dozens of passages."""

    def read_records(self, answer: File) -> DocumentStream:
        for item in read_jats(answer, "research"):
            yield _correct_depth(item) if isinstance(item, Document) else item


def _correct_depth(document: Document) -> Document:
    """A publisher may forbid PMC to give more than the abstract."""
    if any(section.title.partition(" › ")[0] != "Abstract" for section in document.sections):
        return document
    return document.model_copy(update={"reference": document.reference.model_copy(update={"depth": "abstract"})})


MAX_IDS_A_REQUEST = 1_000
"""PMIDs that one query asks for."""


class PubMed(NcbiSource):
    """PubMed as a source of abstracts, whose records can also be asked for by their PMIDs."""

    name, service, prefix, batch = "pubmed", "PubMed", "pubmed:", 200
    about = "abstracts of biomedical literature, and chapters of GeneReviews and StatPearls"

    def read_records(self, answer: File) -> DocumentStream:
        return read_medline(answer, "research")

    async def match_ids(self, query: Query, ids: Sequence[str]) -> IdMatches:
        """How many records the query finds, and which of these PMIDs are among them: a request for each thousand."""
        term = self.build_expression(query)
        total = (await self._eutils.search(self.name, term, 0)).total
        found: set[str] = set()
        for start in range(0, len(ids), MAX_IDS_A_REQUEST):
            some = ids[start : start + MAX_IDS_A_REQUEST]
            among = " OR ".join(f"{id}[uid]" for id in some)
            found.update((await self._eutils.search(self.name, f"({term}) AND ({among})", len(some))).ids)
        return IdMatches(total, frozenset(found))


class PubMedRegistry:
    """A registry of retractions: what the records of works with a PMID say today."""

    name = "PubMed"

    def __init__(self, pubmed: PubMed, today: Callable[[], date] = date.today) -> None:
        self._pubmed, self._today = pubmed, today

    async def retractions(self, references: Sequence[Reference]) -> dict[str, Retraction]:
        """By the id of each reference whose record PubMed gives: "true" with its notices, or "false" as of today."""
        named = {
            reference.id: f"pubmed:{reference.pmid}" if reference.pmid else reference.id for reference in references
        }
        wanted = [id for id in named.values() if id.startswith("pubmed:")]
        documents = (await self._pubmed.fetch_records(wanted)).documents
        return {
            id: self._date_today(documents[record].reference) for id, record in named.items() if record in documents
        }

    def _date_today(self, reference: Reference) -> Retraction:
        # NLM links a record and the notices on it both ways, so that the record of today names every notice that PubMed
        # has: its silence counts, unlike that of an old copy.
        said = merge_retractions([reference.retraction, title_retraction(reference.title, self.name)])
        status = "true" if said.status == "true" else "false"
        return said.model_copy(update={"status": status, "as_of": self._today()})
