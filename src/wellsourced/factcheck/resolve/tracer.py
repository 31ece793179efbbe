"""The tracer: each source that a text cites is identified, asked about retractions, and read."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple
from urllib.parse import quote

from wellsourced.citations.deduplication import merge_retractions
from wellsourced.citations.identifiers import ID_PREFIXES, document_ids
from wellsourced.errors import NotFoundError, SourceError
from wellsourced.factcheck.pages.addresses import AddressDescriber
from wellsourced.factcheck.pages.page_fetcher import FetchedPage, PageFetcher, fetch_outcome
from wellsourced.factcheck.resolve.base import ADDRESS_FAULTS, IdKind, TextOpener, TracedSource, WorkCatalogue
from wellsourced.factcheck.resolve.identifiers import SourceIds, extract_ids, parse_record_address
from wellsourced.factcheck.resolve.identity import WorkIdentity, identify_work
from wellsourced.http import Failure, classify_failure
from wellsourced.pipeline.retrieve.retractions import look_up_retractions
from wellsourced.sources.base import RetractionRegistry, Source
from wellsourced.text.tokens import content_stems, stem_coverage
from wellsourced.types import CitedSource, Document, FetchOutcome, Query, Reference, SourceResolution, SourceStanding

MAX_TRACES = 64
"""Sources that are traced at once. Fewer requests are under way: pages and services keep their own limits."""

PAGE_STANDING: dict[FetchOutcome, SourceStanding] = {
    **dict.fromkeys(("ok", "empty", "too large", "unsupported"), "found"),
    **dict.fromkeys(("dead", "soft 404", "unknown host", "malformed", "not asked"), "unmatched"),
    **dict.fromkeys(("refused", "server error", "timeout", "tls", "offline"), "unreachable"),
}
"""Of a source that is an address alone, what its page says of it. A page may have been there when it was cited."""

MIN_TITLE_COVERAGE = 0.34
"""Share of the words of a title that a page has at least when it is the page of that title."""

SERVICE_FAILURES: Mapping[Failure, Failure] = {
    "unknown host": "server error",
    "dead": "server error",
    "malformed": "refused",
}
"""What it says of a source that a service could not be asked: not that the source is gone, or its address none."""

OFFLINE_REASON = "no catalogue was asked"
"""Why nothing is known of a source, offline; what to do is said once, of all of them."""

MIN_ABSTRACT = 20
"""Characters of a record beside its title: one of fewer has no abstract."""

MIN_PAGE_TEXT = 1_500
"""Characters of a page from which it is more than a notice that stands before the text."""


class WorkText(NamedTuple):
    """The words of a work, or why there are none."""

    document: Document | None = None
    failure: Failure | None = None
    reason: str = ""


class LibraryCatalogue:
    """A library. It knows what was put into it and nothing else: its "no" is never final."""

    ids: Mapping[IdKind, bool] = {"doi": False, "pmid": False, "pmcid": False}
    has_title_search = True

    def __init__(self, source: Source) -> None:
        self._source = source

    @property
    def name(self) -> str:
        """As the library is called."""
        return self._source.name

    async def find_by_id(self, kind: IdKind, id: str) -> Reference:
        """The card of the document with that id. Raises NotFoundError."""
        return (await self._source.open(ID_PREFIXES[kind] + id)).reference

    async def find_by_citation(
        self, title: str, authors: Sequence[str], year: str, journal: str, limit: int
    ) -> list[Reference]:
        """The documents whose passages are found by the words of the title."""
        del authors, year, journal
        hits = (await self._source.search(Query(terms=(title,)), 4 * limit)).hits
        return list({hit.passage.reference.id: hit.passage.reference for hit in hits}.values())[:limit]

    async def find_page(self, address: str) -> Document | None:
        """The page of this address, however it is spelled; None where the library has none, or cannot be read."""
        try:
            return await self._source.open(f"url:{address}")
        except SourceError:
            return None

    async def open(self, document_id: str) -> Document:
        """A document, whole. Raises NotFoundError."""
        return await self._source.open(document_id)


class CatalogueTracer:
    """Asks the user's own libraries first, then the catalogues in their order, then the page itself.

    libraries    what is known on this machine: found and read without the network
    catalogues   who is asked for works by id and by title; openers, for their words (full text, else abstract)
    fetcher      reads pages; None: no page is asked for
    registries   who is asked which works were withdrawn, doubted or corrected
    addresses    what is known of an address
    resolver     leads from a DOI to the page of the work
    """

    name = "catalogues"

    def __init__(
        self,
        libraries: Sequence[Source],
        catalogues: Sequence[WorkCatalogue],
        openers: Sequence[TextOpener],
        fetcher: PageFetcher | None,
        registries: Sequence[RetractionRegistry] = (),
        addresses: AddressDescriber | None = None,
        *,
        resolver: str = "https://doi.org",
        today: Callable[[], date] = date.today,
    ) -> None:
        self._libraries = [LibraryCatalogue(library) for library in libraries]
        self._catalogues: list[WorkCatalogue] = [*self._libraries, *catalogues]
        self._openers = openers
        self._fetcher, self._registries = fetcher, registries
        self._addresses, self._today = addresses or AddressDescriber(), today
        self._resolver = resolver.rstrip("/")
        self._slots = asyncio.Semaphore(MAX_TRACES)

    async def trace(self, cited: CitedSource) -> TracedSource:
        """The source, found or not, and its words."""
        async with self._slots:
            who, page = await self._identify(cited, extract_ids(cited))
            words = await self._read_work(who.reference) if who.reference else WorkText()
            if who.reference and not words.document and not page:
                page = await self._fetch_landing_page(who.reference)
            return await self._build_source(cited, who, page, words)

    async def _identify(self, cited: CitedSource, ids: SourceIds) -> tuple[WorkIdentity, FetchedPage | None]:
        """The work, and its page, where one is named. Without an id a page that can be read says enough."""
        if ids.stated or ids.hinted_doi:
            who, page = await asyncio.gather(
                identify_work(cited, ids, self._catalogues, self._today()), self._fetch_cited_page(cited, ids)
            )
        else:
            page = await self._fetch_cited_page(cited, ids)
            # A page that can be read is the source itself: looking for its title would only find works that resemble
            # it.
            if (page and page.document) or not cited.title.strip():
                return _identify_by_page(cited, page, None), page
            who = await identify_work(cited, ids, self._catalogues, self._today())
        if page and not who.reference and not ids.stated:
            who = _identify_by_page(cited, page, who)
        return who, page

    async def _fetch_cited_page(self, cited: CitedSource, ids: SourceIds) -> FetchedPage | None:
        """The page that is named, unless its address is only that of a record, which is asked for itself."""
        record = parse_record_address(cited.url)
        if not cited.url or any(id in ids.stated.values() for id in (record.doi, record.pmid, record.pmcid) if id):
            return None
        for library in self._libraries:
            if document := await library.find_page(cited.url):
                return FetchedPage("ok", "", cited.url, document, library=library.name)
        return await self._fetcher.fetch(cited.url) if self._fetcher else None

    async def _fetch_landing_page(self, reference: Reference) -> FetchedPage | None:
        address = f"{self._resolver}/{quote(reference.doi, safe='/():;')}" if reference.doi else ""
        return await self._fetcher.fetch(address) if self._fetcher and address else None

    async def _read_work(self, reference: Reference) -> WorkText:
        ids = document_ids(reference)
        here = await _open_first(ids, self._libraries)
        return here if here.document else await _open_first(ids, self._openers)

    async def _build_source(
        self, cited: CitedSource, who: WorkIdentity, page: FetchedPage | None, words: WorkText
    ) -> TracedSource:
        """All that is known, with what is known of the work since it was published."""
        document = _fullest_document(words, page)
        fetched, why = _classify_fetch(cited, who, page, words)
        reference, notes = await self._check_registries(_merge_reference(who, document))
        shown = page if page and not page.library else None
        address = await self._addresses.describe(cited.url, shown) if cited.url else None
        traced = SourceResolution(
            key=cited.key,
            fetched=fetched,
            standing=who.standing,
            reason="; ".join(filter(None, (*_collect_reasons(who, fetched, why), *notes))),
            reference=reference,
            differing=who.differing,
            asked=tuple(dict.fromkeys((*who.asked, *((page.library or cited.url,) if page and cited.url else ())))),
            address=address,
        )
        return TracedSource(
            traced, document and document.model_copy(update={"reference": reference or document.reference})
        )

    async def _check_registries(self, reference: Reference | None) -> tuple[Reference | None, list[str]]:
        if reference is None:
            return None, []
        known = await look_up_retractions([reference], self._registries)
        retraction = known.retractions.get(reference.id, reference.retraction)
        notes = [f"it is {retraction.objection}"] if retraction.objection else []
        corrected = [notice for notice in retraction.notices if notice.kind == "correction"]
        if corrected and not notes:
            by = f" ({corrected[0].id})" if corrected[0].id else ""
            notes.append(f"a correction was published{by}")
        notes += [f"{gap.source}: {gap.reason}".rstrip(".") for gap in known.gaps]
        return reference.with_retraction(retraction), notes


async def _open_first(ids: Sequence[str], openers: Sequence[TextOpener]) -> WorkText:
    """The first of these ids that somebody has; of an id of a full text, more than an abstract if anybody has it."""
    failure = WorkText()
    for id in ids:
        abstract: Document | None = None
        for opener in openers:
            try:
                document = await opener.open(id)
            except NotFoundError:
                continue
            except SourceError as error:
                failure = WorkText(None, classify_failure(error), f"{opener.name} could not be asked: {error.phrase}")
                continue
            # A record without an abstract has no words that could say anything of a claim.
            if len(document.text) <= len(document.reference.title) + MIN_ABSTRACT:
                continue
            # Under the id of a full text an abstract is second best: another opener may have all of it.
            if document.reference.depth != "abstract" or not id.startswith("pmc:"):
                return WorkText(document)
            abstract = abstract or document
        if abstract:
            return WorkText(abstract)
    return failure


def _fullest_document(words: WorkText, page: FetchedPage | None) -> Document | None:
    """The full text; else the page, where it has more to say than the abstract; else the abstract."""
    own, shown = words.document, page.document if page else None
    if own is None or shown is None or own.reference.depth != "abstract":
        return own or shown
    return shown if len(shown.text) > len(own.text) else own


def _merge_reference(who: WorkIdentity, document: Document | None) -> Reference | None:
    """The work's card, with the depth to which it was read; of a page that is all there is, the page's."""
    if who.reference is None:
        return document.reference if document and who.standing == "found" else None
    if document is None:
        return who.reference.model_copy(update={"depth": "record"})
    work, own = who.reference, document.reference
    merged: dict[str, Any] = {name: getattr(own, name) for name in ("id", "depth", "kind", "accessed")}
    for name in ("doi", "pmid", "pmcid", "title", "published", "authors"):
        merged[name] = getattr(work, name) or getattr(own, name)
    merged["url"] = own.url or work.url
    merged["retraction"] = merge_retractions([work.retraction, own.retraction])
    return work.model_copy(update=merged)


def _classify_fetch(
    cited: CitedSource, who: WorkIdentity, page: FetchedPage | None, words: WorkText
) -> tuple[FetchOutcome, str]:
    """The class of the source's words: an address that leads nowhere stays a fault, whoever else has the words."""
    if page and cited.url and page.fetched in ADDRESS_FAULTS:
        return page.fetched, page.reason
    if words.document or (page and page.document):
        return "ok", ""
    if page:
        return page.fetched, page.reason
    if failure := words.failure or who.failure:
        return fetch_outcome(SERVICE_FAILURES.get(failure, failure)), words.reason
    if who.reference:
        return "empty", "no full text or abstract was found"
    return "not asked", ""


def _collect_reasons(who: WorkIdentity, fetched: FetchOutcome, why: str) -> list[str]:
    """What is wrong with the work and with its words, each once; offline, not of everybody who was not asked."""
    if fetched == "offline":
        return [who.reason if who.failure != "offline" and who.standing != "unreachable" else "", OFFLINE_REASON]
    return [who.reason, why if why not in who.reason else ""]


def _identify_by_page(cited: CitedSource, page: FetchedPage | None, who: WorkIdentity | None) -> WorkIdentity:
    """What a page says of a source that has no id, and that no catalogue has to know: a page, a leaflet, a report."""
    if page is None:
        return who or WorkIdentity("unmatched", "the reference has neither a title nor an id")
    standing, reason = PAGE_STANDING[page.fetched], page.reason
    # An address may have been given to another page since: the words of that must not be held against the claim.
    if page.document and not _is_about_title(cited, page.document):
        standing, reason = "unmatched", "the page does not match the title"
    elif who and standing == "unmatched" and who.standing in ("unreachable", "invented"):
        # The address leads nowhere; what the title leads to weighs more, as it does without an address.
        standing, reason = who.standing, who.reason
    return WorkIdentity(standing, reason, who.asked if who else ())


def _is_about_title(cited: CitedSource, document: Document) -> bool:
    if len(content_stems(cited.title)) < 4 or len(document.text) < MIN_PAGE_TEXT:
        return True
    return stem_coverage(cited.title, f"{document.reference.title} {document.text}") >= MIN_TITLE_COVERAGE
