"""One page that a text cites: asked for, read, and put into a class. Whatever happens, a class comes out.

What a page says is text and nothing else: it is quoted or not, never obeyed.
"""

import asyncio
import re
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Awaitable, Callable
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit
from urllib.robotparser import RobotFileParser

from wellsourced.errors import SourceError
from wellsourced.factcheck.pages.cited_page import CitedPage, is_sent_to_front_page
from wellsourced.factcheck.resolve.identifiers import strip_proxy
from wellsourced.http import Client, Failure, Response, classify_failure
from wellsourced.text.urls import normalize_url
from wellsourced.types import Document, FetchOutcome

MB = 1024 * 1024
DAY = 86_400.0
HTML_TYPES = {"text/html", "application/xhtml+xml"}
READABLE_TYPES = {*HTML_TYPES, "application/pdf", "text/plain"}
"""Media types that are read; what calls itself HTML is read as HTML or not at all."""

HTML_LIMIT = 10 * MB
"""Bytes of HTML that are read: nobody writes a page of more."""

ROBOTS_LIMIT = MB // 2
"""Bytes of a robots.txt that are read (RFC 9309 asks for as many)."""

MAX_CACHED_PAGES = 200
"""Pages that are kept in memory with their words; of all others the class is kept."""

HOST_FAILURES: frozenset[FetchOutcome] = frozenset({"timeout", "unknown host", "tls"})
"""Classes that tell of a host rather than of a page."""

MAX_HOST_FAILURES = 3
"""Pages of one host that may end so, one after another, before the others are given up unasked."""


class FetchOptions(NamedTuple):
    """How pages are asked for.

    seconds     how long one request may take
    limit       bytes of one page, unpacked
    redirects   that are followed
    max_requests   pages under way at once; at most `max_per_host` of them from one host
    robots      whether a site's robots.txt is asked first, and kept
    """

    seconds: float = 20.0
    limit: int = 20 * MB
    redirects: int = 5
    max_requests: int = 16
    max_per_host: int = 4
    robots: bool = True


class FetchedPage(NamedTuple):
    """What came of one address.

    reason     why it is not "ok", in a sentence without a full stop
    url        the address that answered in the end
    document   its words; None when there are none to be had
    paywalled  whether the page says that it is sold; None: it does not say
    library    of the user's, that has the page: its address was not asked; "" for one that was
    """

    fetched: FetchOutcome
    reason: str = ""
    url: str = ""
    document: Document | None = None
    paywalled: bool | None = None
    library: str = ""


class PageFetcher:
    """Fetches pages, each once.

    read   reads a reply, elsewhere: nothing that was fetched is parsed here
    """

    def __init__(
        self, client: Client, read: Callable[[Response], Awaitable[CitedPage]], manners: FetchOptions | None = None
    ) -> None:
        self._client, self._read, self._manners = client, read, manners or FetchOptions()
        self._request_slots = asyncio.Semaphore(self._manners.max_requests)
        self._host_slots: dict[str, asyncio.Semaphore] = defaultdict(
            lambda: asyncio.Semaphore(self._manners.max_per_host)
        )
        self._address_locks: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        # Apart from the turns of pages: the address of a page can be that of its site.
        self._robots_locks: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._failures: dict[str, FetchedPage] = {}
        self._pages: OrderedDict[str, FetchedPage] = OrderedDict()
        self._robots: dict[str, RobotFileParser | None] = {}
        self._host_failures: Counter[str] = Counter()
        self._last_failures: dict[str, FetchedPage] = {}

    async def fetch(self, url: str) -> FetchedPage:
        """The page at an address, its publisher's where a library's proxy stands before it. Raises nothing."""
        try:
            address = _normalize_address(url)
        except ValueError:
            return FetchedPage("malformed", f"“{_shorten_address(url)}” is not a web address")
        async with self._address_locks[address]:
            if known := self._pages.get(address) or self._failures.get(address):
                return known
            page = await self._fetch_in_turn(address)
            (self._pages if page.document else self._failures)[address] = page
            while len(self._pages) > MAX_CACHED_PAGES:
                self._pages.popitem(last=False)
            return page

    async def _fetch_in_turn(self, address: str) -> FetchedPage:
        # The host's turn comes first: who waits for a slow host must not take a place from the others.
        host = urlsplit(address).netloc
        async with self._host_slots[host], self._request_slots:
            if self._host_failures[host] >= MAX_HOST_FAILURES:
                return self._last_failures[host]._replace(url=address)
            if not await self._may_fetch(address):
                return FetchedPage("refused", f"{host} does not allow programs to read this page (robots.txt)", address)
            page = await self._request_page(address)
        self._record_host_outcome(host, page)
        return page

    def _record_host_outcome(self, host: str, page: FetchedPage) -> None:
        """Remember whether a host answers: ten thousand pages of one that does not would take days."""
        if page.fetched not in HOST_FAILURES:
            self._host_failures[host] = 0
            return
        self._host_failures[host] += 1
        told = f"{page.reason}; after {MAX_HOST_FAILURES} such pages of {host}, the others were skipped"
        self._last_failures[host] = page._replace(reason=told)

    async def _request_page(self, address: str) -> FetchedPage:
        manners = self._manners
        try:
            reply = await self._client.follow(
                address, fresh=DAY, limit=manners.limit, timeout=manners.seconds, redirects=manners.redirects
            )
        except SourceError as error:
            return FetchedPage(fetch_outcome(classify_failure(error)), error.phrase, address)
        if not reply.content.strip():
            return FetchedPage("empty", "the answer is empty", reply.url)
        if reply.type not in READABLE_TYPES:
            return FetchedPage("unsupported", f"{reply.type or 'content without a type'} is not supported", reply.url)
        if reply.type in HTML_TYPES and len(reply.content) > HTML_LIMIT:
            return FetchedPage("too large", f"it is HTML of more than {HTML_LIMIT // MB} MB", reply.url)
        return _classify_page(reply, await self._read(reply), home=is_sent_to_front_page(address, reply.url))

    async def _may_fetch(self, address: str) -> bool:
        """Whether the site's robots.txt, where it has one that can be read, allows this page."""
        if not self._manners.robots:
            return True
        parts = urlsplit(address)
        site = urlunsplit((parts.scheme, parts.netloc, "", "", ""))
        async with self._robots_locks[site]:
            if site not in self._robots:
                self._robots[site] = await self._fetch_robots(site)
        rules = self._robots[site]
        return rules is None or rules.can_fetch("wellsourced", address)

    async def _fetch_robots(self, site: str) -> RobotFileParser | None:
        """What a site asks of programs; None where nothing of that can be had, as RFC 9309 has it for 4xx."""
        try:
            reply = await self._client.follow(
                f"{site}/robots.txt", fresh=DAY, limit=ROBOTS_LIMIT, timeout=self._manners.seconds
            )
        except SourceError:
            # A site that is down says so itself when the page is asked for.
            return None
        if reply.type in HTML_TYPES or re.match(rb"\s*<", reply.content):
            return None
        rules = RobotFileParser()
        # RFC 9309: it is UTF-8, whatever its server says.
        rules.parse(reply.content.decode("utf-8", "replace").splitlines())
        return rules


def _classify_page(reply: Response, read: CitedPage, *, home: bool) -> FetchedPage:
    """The class of a page that was read; `home`: asked for deep inside its site, it is the front of it."""
    signs, paywalled = read.signs, read.signs.paywalled
    if signs.walled:
        return FetchedPage("refused", f"it shows programs “{signs.walled}” and no text", reply.url, None, paywalled)
    if signs.gone or home:
        said = f"says “{signs.gone}”" if signs.gone else "leads to the front page of its site"
        return FetchedPage("soft 404", f"it answers, but {said}", reply.url)
    if read.unreadable:
        kind: FetchOutcome = "refused" if signs.password else "empty" if reply.type in HTML_TYPES else "unsupported"
        return FetchedPage(kind, read.unreadable, reply.url, None, paywalled)
    if read.document is None:
        return FetchedPage("unsupported", read.unsupported, reply.url, None, paywalled)
    if not read.document.text.strip():
        return FetchedPage("empty", "it contains no text", reply.url, None, paywalled)
    return FetchedPage("ok", "", reply.url, read.document, paywalled)


def fetch_outcome(failure: Failure) -> FetchOutcome:
    """The class of a failed request."""
    return "unsupported" if failure == "damaged" else failure


def _normalize_address(url: str) -> str:
    """What is asked for. Raises ValueError, also for a name before the host: it makes an address look like another."""
    behind = strip_proxy(url).url
    if "@" in urlsplit(behind).netloc:
        raise ValueError("it contains a name or password")
    return normalize_url(behind)


def _shorten_address(url: str) -> str:
    """The beginning of an address, printable, and without what may be a password."""
    url = re.sub(r"//[^/@]*@", "//…@", url)
    return "".join(letter for letter in url[:80] if letter.isprintable())
