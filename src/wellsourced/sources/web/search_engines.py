"""Search engines: words in, addresses of pages out. What an engine says of a page is never evidence."""

import re
from collections.abc import Callable, Mapping
from datetime import date
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple, Protocol

from pydantic import SecretStr

from wellsourced.errors import SourceError, SourceRefused, SourceUnavailable
from wellsourced.http import Client
from wellsourced.types import Query

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
                raise SourceRefused("Brave does not know the key that it was given: check brave.key") from error
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
                raise SourceRefused("Tavily's plan is used up: wait for the next month, or enlarge it") from error
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
                    "the SearXNG server does not give JSON (403): add json to search.formats in its settings.yml"
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
        raise SourceUnavailable(f"none of the SearXNG server's engines answered: {', '.join(silent)}")
    return (f"of the SearXNG server's engines, these did not answer: {', '.join(silent)}",) if silent else ()


def _shorten_query(text: str, engine: str) -> tuple[str, tuple[str, ...]]:
    """As much as an engine takes, and a note where that is not all: the words come most important first."""
    short = " ".join(text.split()[:MAX_WORDS])
    if len(short) > MAX_CHARACTERS:
        short = short[: MAX_CHARACTERS + 1].rpartition(" ")[0] or short[:MAX_CHARACTERS]
    if len(short) == len(" ".join(text.split())):
        return short, ()
    return short, (f"{engine} was asked for the first {len(short.split())} words only, which is all it takes",)


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
    return SourceRefused(
        "the search engine's answer is of another shape than it promises: check its address in the settings"
    )


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
