"""The web as a source."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from hashlib import sha256
from typing import NamedTuple

from wellsourced.errors import NotFoundError, SourceError, SourceRefused, SourceUnavailable, UnreadableFile
from wellsourced.http import Client, Response
from wellsourced.readers.html.web_page import WebPage, parse_charset
from wellsourced.readers.worker.limits import PAGE_LIMITS
from wellsourced.readers.worker.pool import run_in_worker_process
from wellsourced.readers.worker.process import WorkerJob
from wellsourced.sources.base import SearchResult
from wellsourced.sources.live_search import LiveSource, build_hits
from wellsourced.sources.web.search_engines import EngineResult, SearchEngine
from wellsourced.text.dates import is_eligible
from wellsourced.text.urls import normalize_url
from wellsourced.types import Document, Query, Reference

MB = 1024 * 1024


class PageLimits(NamedTuple):
    """What a page may cost.

    html, pdf   bytes; plain text may have as many as HTML
    each        seconds to fetch one page
    together    seconds for all pages of a search, fetched and read
    """

    html: int = 2 * MB
    pdf: int = 20 * MB
    each: float = 5.0
    together: float = 10.0


async def read_page(client: Client, result: EngineResult, limits: PageLimits, today: date) -> Document:
    """The document behind an address; its id is where it was found in the end. Raises what its server, or it, is.

    It is read by a worker, with limits: what is fetched is not parsed in this process.
    """
    reply = await _fetch_page(client, result.url, limits)
    named = parse_charset(reply.headers.get("Content-Type", ""))
    page = WebPage(url=reply.url, type=reply.type, charset=named, title=result.title, today=today)
    work = WorkerJob("page", page.model_dump(mode="json"), reply.content, reply.url)
    return Document.model_validate_json(await run_in_worker_process(work, PAGE_LIMITS))


async def _fetch_page(client: Client, url: str, limits: PageLimits) -> Response:
    try:
        async with asyncio.timeout(limits.each):
            reply = await client.follow(url, limit=limits.pdf, timeout=limits.each)
    except TimeoutError as error:
        raise SourceRefused(f"it did not come within {limits.each:g} seconds") from error
    # A PDF is larger than a page for the same words; the limit of the transfer is that of a PDF.
    if len(reply.content) > limits.html and reply.type != "application/pdf":
        raise SourceRefused(f"it is larger than {limits.html / MB:g} MB")
    return reply


MAX_PAGES = 10
"""Pages that are read for one search."""


class FailedPage(NamedTuple):
    """A page that an engine named and that could not be read, and why."""

    url: str
    reason: str


class PagesResult(NamedTuple):
    """What came of one search, the engine's best first; `notes` is what the engine had to say of it."""

    documents: tuple[Document, ...] = ()
    failed: tuple[FailedPage, ...] = ()
    notes: tuple[str, ...] = ()


class WebSource(LiveSource):
    """Pages that one engine names. What they say is text like any other: cut, dated, and never obeyed.

    limits   what one may cost
    today    the day on which a page is said to have been read

    A page that could not be read is told as a note, and `find_pages` gives them all.
    """

    kind = "web"
    asks = ("text",)

    def __init__(
        self,
        client: Client,
        engine: SearchEngine,
        *,
        limits: PageLimits = PageLimits(),  # noqa: B008 (a tuple)
        today: Callable[[], date] = date.today,
    ) -> None:
        super().__init__(client)
        self.name, self.about = engine.name, f"pages of the web, found by {engine.name}"
        self._engine, self._limits, self._today = engine, limits, today

    async def search(self, query: Query, limit: int) -> SearchResult:
        """Passages of the pages that the engine ranks first. Raises SourceUnavailable when none of them could be
        read."""
        if limit < 1:
            return SearchResult([])
        explored = await self.find_pages(query)
        if explored.failed and not explored.documents:
            raise SourceUnavailable(
                f"none of the pages found by {self._engine.name} could be read: {_list_failures(explored.failed)}"
            )
        notes = (*explored.notes, *(f"{one.url} is left out: {one.reason}" for one in explored.failed))
        return SearchResult(build_hits(explored.documents, query, limit), notes)

    async def fetch_document(self, document_id: str) -> Document:
        """The page of "url:https://…". Raises NotFoundError."""
        scheme, _, address = document_id.partition(":")
        # An address in another spelling would open a document under an id that no search gives it.
        if scheme != "url" or not address or _normalize_address(address) != address:
            raise NotFoundError(f"{document_id} is no page of the web: an id is url: and an address")
        document = await read_page(self._client, EngineResult(address), self._limits, self._today())
        return document.model_copy(update={"reference": document.reference.model_copy(update={"id": document_id})})

    async def find_pages(self, query: Query) -> PagesResult:
        """The pages themselves, whole, and those that could not be read."""
        answer = await self._engine.find(query, MAX_PAGES)
        explored = await self._read_pages(_select_results(answer.results, query))
        self.remember(explored.documents)
        return explored._replace(notes=answer.notes)

    async def _read_pages(self, results: Sequence[EngineResult]) -> PagesResult:
        """All at once. Who is not here when the time is up has failed."""
        if not results:
            return PagesResult()
        tasks = {one: asyncio.create_task(self._try_page(one)) for one in results}
        try:
            done, _ = await asyncio.wait(tasks.values(), timeout=self._limits.together)
        finally:
            # Also those that are done with: what was not read in time must not go on in the background.
            for task in tasks.values():
                task.cancel()
        late = f"it was not read within the {self._limits.together:g} seconds that all pages have"
        await asyncio.gather(*done)  # raises what is no page's fault, such as a missing extra
        ended = [task.result() if task in done else FailedPage(one.url, late) for one, task in tasks.items()]
        return PagesResult(
            tuple(_deduplicate_documents(one for one in ended if isinstance(one, Document))),
            tuple(one for one in ended if isinstance(one, FailedPage)),
        )

    async def _try_page(self, result: EngineResult) -> Document | FailedPage:
        try:
            return await read_page(self._client, result, self._limits, self._today())
        except UnreadableFile as error:
            return FailedPage(result.url, error.reason)
        except SourceError as error:
            return FailedPage(result.url, str(error))


def _normalize_address(url: str) -> str:
    """The address as ids have it; "" for none of the web."""
    try:
        return normalize_url(url)
    except ValueError:
        return ""


def _select_results(named: Iterable[EngineResult], query: Query) -> list[EngineResult]:
    """Each page once, without those that the query excludes or that the engine itself dates outside its limits."""
    kept: dict[str, EngineResult] = {}
    for one in named:
        key = _normalize_address(one.url)
        # A page that the engine does not date is read, and its own date decides.
        dated = query if one.published else query.model_copy(update={"since": None, "as_of": None})
        if key and is_eligible(dated, Reference(id=f"url:{key}", published=one.published)):
            kept.setdefault(key, one)
    return list(kept.values())


def _deduplicate_documents(documents: Iterable[Document]) -> list[Document]:
    """Without those that have the address, or the words, of an earlier one."""
    ids: set[str] = set()
    texts: set[bytes] = set()
    kept = []
    for one in documents:
        text = sha256(" ".join(one.text.split()).encode()).digest()
        if one.reference.id not in ids and text not in texts:
            kept.append(one)
        ids.add(one.reference.id)
        texts.add(text)
    return kept


def _list_failures(failed: Sequence[FailedPage]) -> str:
    return "; ".join(f"{one.url} ({one.reason})" for one in failed)
