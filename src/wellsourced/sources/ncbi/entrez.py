"""A database of NCBI as documents: found by a query, fetched in batches, each known by the id inside its own record."""

import re
from collections.abc import Awaitable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from lxml import etree

from wellsourced.errors import NotFoundError, SourceError, SourceRefused, SourceUnavailable, UnreadableFile
from wellsourced.readers.base import DocumentReader, InMemoryFile, UnreadablePart
from wellsourced.readers.reader_thread import run_in_reader_thread
from wellsourced.sources.live_search import RecentDocuments, relax_query
from wellsourced.sources.ncbi.eutils import HOUR, EsearchResult, Eutils, HistorySession, parse_xml
from wellsourced.sources.query_translation import translate_for_pubmed
from wellsourced.text.lexicon import STOP_WORDS
from wellsourced.text.tokens import tokenize
from wellsourced.types import Document, Query, SourceKind

MAX_RECORDS = 10_000
"""Records of one search that can be had: PubMed's own limit."""

ENOUGH_RECORDS = 5
"""When fewer records have all words of a question, those that have some of them are asked for as well."""


class FetchedRecords(NamedTuple):
    """What came of asking for records.

    documents   by their ids, in the order asked for
    missing     ids of documents that were asked for and not given
    faults      what was wrong with the answers, a sentence each
    """

    documents: dict[str, Document]
    missing: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


class FoundDocuments(NamedTuple):
    """What a search found, the most relevant first, and what a reader should know of it, a sentence each."""

    documents: list[Document]
    notes: tuple[str, ...] = ()


class EntrezDatabase:
    """One database of NCBI.

    db       its name there: "pubmed"
    title    what messages call it: "PubMed"
    prefix   what stands before the number of a record in the id of its document: "pubmed:", "pmc:PMC"
    batch    records asked for at a time
    """

    def __init__(
        self, eutils: Eutils, db: str, title: str, prefix: str, batch: int, reader: DocumentReader, kind: SourceKind
    ) -> None:
        self._eutils, self._db, self._title, self._prefix = eutils, db, title, prefix
        self._batch, self._reader, self._kind = batch, reader, kind
        self._recent_documents = RecentDocuments(10 * batch)

    async def count(self, query: Query, narrowed: str = "") -> int:
        """How many records match a query and the filter `narrowed`; nothing is fetched."""
        term = _apply_filter(build_expression(query), narrowed)
        if not term:
            return 0
        return (await self._eutils.search(self._db, term, 0, since=query.since, as_of=query.as_of, fresh=HOUR)).total

    async def find_documents(self, query: Query, most: int, narrowed: str = "") -> FoundDocuments:
        """The documents that match, the most relevant first; a few more than `most` where some may not count.

        Of a question in its own words, also those that have only some of them, when few have all. Of keywords those
        that have the most important ones, as many as enough records have. What was found and not given, and words
        that no record has, are told as notes.
        """
        notes = list(translate_for_pubmed(query.text).notes) if query.kind == "boolean" else []
        documents = await self._find_documents(query, most, narrowed, notes)
        return FoundDocuments(documents, tuple(notes))

    async def _find_documents(self, query: Query, most: int, narrowed: str, notes: list[str]) -> list[Document]:
        asked = await relax_query(query, lambda one: self.count(one, narrowed), min(ENOUGH_RECORDS, most))
        total, documents = await self._search_documents(
            _apply_filter(build_expression(asked.query), narrowed), asked.query, most, notes
        )
        if said := asked.describe_relaxation(self._title, total):
            notes.append(said)
        weaker = _apply_filter(build_any_word_expression(query), narrowed)
        if not weaker or total >= min(ENOUGH_RECORDS, most):
            return documents
        try:
            _, others = await self._search_documents(weaker, query, most, notes)
        except SourceError as error:
            if not documents:
                raise
            notes.append(str(error).rstrip("."))
            return documents
        known = {document.reference.id for document in documents}
        more = [document for document in others if document.reference.id not in known]
        if more:
            notes.append(
                f"{self._title} has {total} with all words of the question; with some of them, {len(more)} were taken"
            )
        return documents + more

    async def fetch_records(self, document_ids: Sequence[str]) -> FetchedRecords:
        """The documents of these ids, with or without what stands before the number; any other id is missing."""
        numbers = {id: self.record_number(id) for id in document_ids}
        gathered = await self.fetch_numbers(list(dict.fromkeys(filter(None, numbers.values()))))
        return gathered._replace(missing=gathered.missing + tuple(id for id, number in numbers.items() if not number))

    async def fetch_numbers(self, ids: Sequence[str], session: HistorySession | None = None) -> FetchedRecords:
        """The records of these ids (digits alone), each under its own; what a first answer lacks is asked for again.

        session   where NCBI keeps just these ids, in this order
        Raises when nothing could be had for another reason than that there is no such record.
        """
        documents: dict[str, Document] = {}
        faults: list[str] = []
        try:
            # What NCBI keeps is forgotten after some hours, at times sooner; the ids still stand.
            with suppress(SourceRefused):
                if session is None and len(ids) > self._batch:
                    session = await self._eutils.post_ids(self._db, ids)
                if session:
                    await self._add_answers(documents, faults, self._fetch_from_history(session, len(ids)))
            if session is None:
                await self._add_answers(documents, faults, self._fetch_by_ids(ids))
            lost = [id for id in ids if self._prefix + id not in documents]
            if lost and (session or faults):
                faults.clear()
                await self._add_answers(documents, faults, self._fetch_by_ids(lost))
        except SourceError as error:
            if not documents:
                raise
            faults.append(str(error))
        return self._build_result(ids, documents, faults)

    async def open(self, document_id: str) -> Document:
        """The document of that id, remembered or fetched. Raises NotFoundError."""
        if known := self._recent_documents.get(document_id):
            return known
        number = self.record_number(document_id)
        gathered = await self.fetch_numbers([number]) if number else FetchedRecords({})
        if document_id not in gathered.documents:
            raise NotFoundError(
                f"{self._title} has no record {document_id!r}. Its ids are like {self._prefix}31234567."
            )
        return gathered.documents[document_id]

    def record_number(self, document_id: str) -> str:
        """The digits of an id of this database, with or without what stands before them; "" when it is none."""
        digits = document_id.strip().removeprefix(self._prefix)
        return digits if re.fullmatch(r"[1-9][0-9]{0,11}", digits) else ""

    async def _search_documents(
        self, term: str, query: Query, most: int, notes: list[str]
    ) -> tuple[int, list[Document]]:
        """How many match, and the first of them; what is to be told of them is added to `notes`."""
        if not term:
            return 0, []
        dated = query.since is not None or query.as_of is not None
        # NCBI knows several dates of a record and does not know what is excluded: some of these will not count.
        reserve = len(query.exclude) + (most // 4 if dated else 0)
        searched = await self._eutils.search(
            self._db, term, min(most + reserve, MAX_RECORDS), since=query.since, as_of=query.as_of, history=True
        )
        notes += self._describe_search(searched, most)
        if not searched.ids:
            return searched.total, []
        gathered = await self.fetch_numbers(searched.ids, searched.session)
        if not gathered.documents:
            raise SourceUnavailable(
                f"{self._title} found {searched.total} records and gave none of them. Ask again later."
            )
        notes += self._describe_missing(gathered)
        return searched.total, list(gathered.documents.values())

    def _describe_search(self, searched: EsearchResult, most: int) -> Iterator[str]:
        if searched.unknown:
            yield f"{self._title} has no record with {', '.join(f'“{phrase}”' for phrase in searched.unknown)}"
        if searched.total > len(searched.ids) and most > len(searched.ids):
            yield f"{self._title} found {searched.total:,} records and gives only the first {len(searched.ids):,}"

    def _describe_missing(self, gathered: FetchedRecords) -> Iterator[str]:
        yield from (fault.rstrip(".") for fault in gathered.faults)
        if missing := gathered.missing:
            shown = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
            yield f"{self._title} did not give {len(missing)} of the records that it found: {shown}"

    def _build_result(
        self, ids: Sequence[str], documents: dict[str, Document], faults: Sequence[str]
    ) -> FetchedRecords:
        if faults and not documents:
            raise SourceUnavailable(f"{self._title} gave no record that can be read ({faults[0]}). Ask again later.")
        self._recent_documents.keep(documents.values())
        asked = list(dict.fromkeys(self._prefix + id for id in ids))
        given = {id: documents[id] for id in asked if id in documents}
        return FetchedRecords(given, tuple(id for id in asked if id not in documents), tuple(faults))

    def _fetch_from_history(self, session: HistorySession, count: int) -> Iterable[Awaitable[bytes]]:
        return (
            self._eutils.fetch_from_history(self._db, session, start, min(self._batch, count - start))
            for start in range(0, count, self._batch)
        )

    def _fetch_by_ids(self, ids: Sequence[str]) -> Iterable[Awaitable[bytes]]:
        starts = range(0, len(ids), self._batch)
        return (self._eutils.fetch(self._db, ids[start : start + self._batch]) for start in starts)

    async def _add_answers(
        self, documents: dict[str, Document], faults: list[str], answers: Iterable[Awaitable[bytes]]
    ) -> None:
        for answer in answers:
            try:
                data = await answer
            except NotFoundError:
                continue
            read, wrong = await run_in_reader_thread(self._parse_answer, data)
            documents.update((document.reference.id, document) for document in read)
            faults += wrong

    def _parse_answer(self, data: bytes) -> tuple[list[Document], list[str]]:
        documents: list[Document] = []
        faults: list[str] = []
        try:
            for item in self._reader(InMemoryFile(f"the answer of {self._title}", data), self._kind):
                if isinstance(item, Document):
                    documents.append(item)
                elif isinstance(item, UnreadablePart):
                    faults.append(f"the answer of {self._title}, {item.where}: {item.reason}")
        except UnreadableFile as error:
            faults += [] if _is_empty_set(data) else [f"the answer of {self._title}: {error.reason}"]
        return documents, faults


def build_expression(query: Query) -> str:
    """What is asked: a Boolean expression; of words and terms all, without what NCBI takes for syntax.

    Raises BadQuery for an expression that cannot be read.
    """
    if query.kind == "boolean":
        return translate_for_pubmed(query.text).text
    terms = [plain for term in query.terms if (plain := _strip_syntax(term))]
    return terms[0] if len(terms) == 1 else " AND ".join(f"({term})" for term in terms)


def build_any_word_expression(query: Query) -> str:
    """Any of the content words of a question in its own words; "" for any other query, and for a single word."""
    if query.kind != "text" or len(query.terms) != 1:
        return ""
    content = list(dict.fromkeys(word for word in tokenize(_strip_syntax(query.text)) if word not in STOP_WORDS))
    return " OR ".join(content) if len(content) > 1 else ""


def _strip_syntax(words: str) -> str:
    """Without brackets, quotation marks, wildcards, the colon of ranges and the words that are operators."""
    return " ".join(re.sub(r"[][()\"“”*?:#|&]|\b(?i:and|or|not)\b", " ", words).split())


def _apply_filter(term: str, narrowed: str) -> str:
    return f"({term}) AND ({narrowed})" if term and narrowed else term


def _is_empty_set(data: bytes) -> bool:
    """Whether an answer is whole and holds no record: what NCBI says of ids that do not exist."""
    try:
        return not len(parse_xml(data))
    except etree.XMLSyntaxError:
        return False
