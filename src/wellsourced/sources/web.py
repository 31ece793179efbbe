"""The web as a source: search engines name pages, the pages are read, and only their own words count.

What an engine says of a page is never evidence.
"""

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from email.utils import parsedate_to_datetime
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

from pydantic import SecretStr

from wellsourced.errors import NextStep, NotFoundError, SourceError, SourceRefused, SourceUnavailable, UnreadableFile
from wellsourced.http import Client, Response
from wellsourced.readers.html_pages import WebPage, parse_charset
from wellsourced.readers.worker.limits import PAGE_LIMITS
from wellsourced.readers.worker.process import WorkerJob, run_in_worker_process
from wellsourced.sources.base import SearchResult
from wellsourced.sources.live_search import LiveSource, build_hits
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


MAX_CHARACTERS, MAX_WORDS = 400, 50
"""Characters and words of a query that Brave takes; Tavily takes as many characters."""

MAX_RESULTS = 20
"""Results that Brave and Tavily give for one request."""

EARLIEST_DATE = date(1990, 1, 1)


class EngineResult(NamedTuple):
    """A page that an engine names. Its excerpt of the page is not taken over, so that nobody can quote it.

    published   the engine's date for the page, ISO 8601, often that of its last change; "" when it has none
    """

    url: str
    title: str = ""
    published: str = ""


class EngineAnswer(NamedTuple):
    """The pages that an engine names, best first, and what a reader should know of its search, a sentence each."""

    results: list[EngineResult]
    notes: tuple[str, ...] = ()


class SearchEngine(Protocol):
    """Gives at most `limit` pages, best first, of the dates of the query as far as it knows them.

    Raises SourceUnavailable or SourceRefused; no results only when it looked and found nothing.
    """

    @property
    def name(self) -> str: ...

    async def find(self, query: Query, limit: int) -> EngineAnswer: ...


class Brave:
    """Brave Search (https://api-dashboard.search.brave.com/app/documentation): an index of its own."""

    name = "brave"

    def __init__(
        self, client: Client, url: str, *, key: SecretStr | None = None, today: Callable[[], date] = date.today
    ) -> None:
        self._client, self._url, self._today = client, url, today
        self._headers = {"X-Subscription-Token": key} if key else {}

    async def find(self, query: Query, limit: int) -> EngineAnswer:
        """Its web results; news, videos and infoboxes are left out."""
        words, notes = _shorten_query(query.text, self.name)
        asked: dict[str, str | int | SecretStr] = {
            "q": words,
            "count": min(limit, MAX_RESULTS),
            "result_filter": "web",
            "text_decorations": "false",
        }
        # Brave takes both ends of a period or none.
        if query.since or query.as_of:
            asked["freshness"] = f"{query.since or EARLIEST_DATE}to{query.as_of or self._today()}"
        try:
            reply = await self._client.get(self._url, asked, headers=self._headers)
        except SourceRefused as error:
            # Brave says "unprocessable" to a key that it does not know.
            if error.status == 422 and "SUBSCRIPTION_TOKEN" in str(error):
                raise SourceRefused(
                    "Brave does not accept the API key. Check brave.key.", next_step=NextStep("set key", "brave")
                ) from error
            raise
        return EngineAnswer(_build_results(_result_list(reply.json(), "web", "results"), "page_age", limit), notes)


class Tavily:
    """Tavily (https://docs.tavily.com/documentation/api-reference/endpoint/search): a search made for programs."""

    name = "tavily"

    def __init__(self, client: Client, url: str, *, key: SecretStr | None = None) -> None:
        self._client, self._url = client, url
        self._headers = {"Authorization": SecretStr(f"Bearer {key.get_secret_value()}")} if key else {}

    async def find(self, query: Query, limit: int) -> EngineAnswer:
        """Its results, without the answer that it could write itself."""
        words, notes = _shorten_query(query.text, self.name)
        asked: dict[str, str | int | bool] = {
            "query": words,
            "max_results": min(limit, MAX_RESULTS),
            "include_answer": False,
            "include_raw_content": False,
        }
        asked |= {"start_date": str(query.since)} if query.since else {}
        asked |= {"end_date": str(query.as_of)} if query.as_of else {}
        try:
            reply = await self._client.post(self._url, json=asked, headers=self._headers)
        except SourceRefused as error:
            if error.status in (432, 433):
                raise SourceRefused("Tavily's plan is used up. Wait until next month, or upgrade it.") from error
            raise
        return EngineAnswer(_build_results(_result_list(reply.json(), "results"), "published_date", limit), notes)


class SearXNG:
    """A SearXNG server of one's own (https://docs.searxng.org/dev/search_api.html), which asks many engines.

    url   of the server, with or without /search
    """

    name = "searxng"

    def __init__(self, client: Client, url: str, *, today: Callable[[], date] = date.today) -> None:
        self._client, self._today = client, today
        self._url = url.rstrip("/").removesuffix("/search") + "/search"

    async def find(self, query: Query, limit: int) -> EngineAnswer:
        """The first page of its results. It knows no dates but "the last day, month, year"."""
        asked: dict[str, str | int | SecretStr] = {"q": query.text, "format": "json", "categories": "general"}
        if query.since and (within := _time_range((self._today() - query.since).days)):
            asked["time_range"] = within
        try:
            reply = await self._client.get(self._url, asked)
        except SourceRefused as error:
            if error.status == 403:
                raise SourceRefused(
                    "The SearXNG server does not return JSON (403). Add json to search.formats in its settings.yml."
                ) from error
            raise
        answer = reply.json()
        results = _build_results(_result_list(answer, "results"), "publishedDate", limit)
        return EngineAnswer(results, _describe_silent_engines(answer.get("unresponsive_engines"), bool(results)))


def _time_range(days: int) -> str:
    """The shortest range that SearXNG knows and that holds so many days; "" when none does."""
    return next((name for name, length in (("day", 0), ("month", 27), ("year", 364)) if days <= length), "")


def _describe_silent_engines(given: Any, found: bool) -> tuple[str, ...]:
    """Raises SourceUnavailable when nothing was found because nobody looked."""
    silent = [" ".join(map(str, one)) for one in given or () if isinstance(one, list)]
    # Nothing found because nobody looked is an outage, and must not read as silence of the web.
    if silent and not found:
        raise SourceUnavailable(f"No search engine of the SearXNG server answered: {', '.join(silent)}")
    return (f"these search engines of the SearXNG server did not answer: {', '.join(silent)}",) if silent else ()


def _shorten_query(text: str, engine: str) -> tuple[str, tuple[str, ...]]:
    """As much as an engine takes, and a note where that is not all: the words come most important first."""
    short = " ".join(text.split()[:MAX_WORDS])
    if len(short) > MAX_CHARACTERS:
        short = short[: MAX_CHARACTERS + 1].rpartition(" ")[0] or short[:MAX_CHARACTERS]
    if len(short) == len(" ".join(text.split())):
        return short, ()
    return short, (f"{engine} takes only the first {len(short.split())} words; the rest were left out",)


def _result_list(answer: Any, *names: str) -> list[Mapping[str, Any]]:
    """The list under these names; none where there is no such field. Raises SourceRefused for another shape."""
    for name in names:
        if not isinstance(answer, Mapping):
            raise _unexpected_answer()
        answer = answer.get(name) or {}
    if answer == {}:
        return []
    if not isinstance(answer, list) or not all(isinstance(one, Mapping) for one in answer):
        raise _unexpected_answer()
    return answer


def _unexpected_answer() -> SourceError:
    return SourceRefused("The search engine's answer has an unknown form. Check its address in the settings.")


def _build_results(given: list[Mapping[str, Any]], dated: str, limit: int) -> list[EngineResult]:
    results = (
        EngineResult(str(one.get("url") or ""), str(one.get("title") or ""), _parse_date(str(one.get(dated) or "")))
        for one in given
    )
    return [one for one in results if one.url][:limit]


def _parse_date(value: str) -> str:
    """A day, from ISO 8601 or as in e-mail; "" for anything else."""
    if match := re.match(r"[12][0-9]{3}-[0-9]{2}-[0-9]{2}", value):
        return match.group()
    try:
        return parsedate_to_datetime(value).date().isoformat()
    except ValueError:
        return ""


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
        raise SourceRefused(f"no answer within {limits.each:g} seconds") from error
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
            failures = "; ".join(f"{one.url} ({one.reason})" for one in explored.failed)
            raise SourceUnavailable(f"None of the pages from {self._engine.name} could be read: {failures}")
        notes = (*explored.notes, *(f"{one.url} was left out: {one.reason}" for one in explored.failed))
        return SearchResult(build_hits(explored.documents, query, limit), notes)

    async def fetch_document(self, document_id: str) -> Document:
        """The page of "url:https://…". Raises NotFoundError."""
        scheme, _, address = document_id.partition(":")
        # An address in another spelling would open a document under an id that no search gives it.
        if scheme != "url" or not address or _normalize_address(address) != address:
            raise NotFoundError(f"{document_id} is not a web page. An id is url: and an address.")
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
        late = f"not read within the {self._limits.together:g} seconds for all pages"
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
