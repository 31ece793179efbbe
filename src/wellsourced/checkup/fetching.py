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

from wellsourced.checkup.cited_page import CitedPage
from wellsourced.checkup.hosts import unproxied
from wellsourced.checkup.page_signs import leads_home
from wellsourced.errors import SourceError
from wellsourced.http import Client, Failure, Reply, failure_of
from wellsourced.text.urls import normalised
from wellsourced.types import Document, Fetched

MB = 1024 * 1024
DAY = 86_400.0
HTML = {"text/html", "application/xhtml+xml"}
READ = {*HTML, "application/pdf", "text/plain"}
"""Media types that are read; what calls itself HTML is read as HTML or not at all."""

HTML_LIMIT = 10 * MB
"""Bytes of HTML that are read: nobody writes a page of more."""

ROBOTS_LIMIT = MB // 2
"""Bytes of a robots.txt that are read (RFC 9309 asks for as many)."""

REMEMBERED = 200
"""Pages that are kept in memory with their words; of all others the class is kept."""


SILENT: frozenset[Fetched] = frozenset({"timeout", "unknown host", "tls"})
"""Classes that tell of a host rather than of a page."""

PATIENCE = 3
"""Pages of one host that may end so, one after another, before the others are given up unasked."""


class Manners(NamedTuple):
    """How pages are asked for.

    seconds     patience with one request
    limit       bytes of one page, unpacked
    redirects   that are followed
    together    pages under way at once; `each` of them from one host
    robots      whether a site's robots.txt is asked first, and kept
    """

    seconds: float = 20.0
    limit: int = 20 * MB
    redirects: int = 5
    together: int = 16
    each: int = 4
    robots: bool = True


class Page(NamedTuple):
    """What came of one address.

    reason     why it is not "ok", in a sentence without a full stop
    url        the address that answered in the end
    document   its words; None when there are none to be had
    paywalled  whether the page says that it is sold; None: it does not say
    """

    fetched: Fetched
    reason: str = ""
    url: str = ""
    document: Document | None = None
    paywalled: bool | None = None


class Fetcher:
    """Fetches pages, each once.

    read   reads a reply, elsewhere: nothing that was fetched is parsed here
    """

    def __init__(
        self, client: Client, read: Callable[[Reply], Awaitable[CitedPage]], manners: Manners | None = None
    ) -> None:
        self._client, self._read, self._manners = client, read, manners or Manners()
        self._together = asyncio.Semaphore(self._manners.together)
        self._hosts: dict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(self._manners.each))
        self._turns: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        # Apart from the turns of pages: the address of a page can be that of its site.
        self._gates: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._known: dict[str, Page] = {}
        self._whole: OrderedDict[str, Page] = OrderedDict()
        self._robots: dict[str, RobotFileParser | None] = {}
        self._silence: Counter[str] = Counter()
        self._given_up: dict[str, Page] = {}

    async def fetch(self, url: str) -> Page:
        """The page at an address, its publisher's where a library's proxy stands before it. Raises nothing."""
        try:
            address = _address(url)
        except ValueError:
            return Page("malformed", f"“{_short(url)}” is no address of the web")
        async with self._turns[address]:
            if known := self._whole.get(address) or self._known.get(address):
                return known
            page = await self._in_turn(address)
            self._keep(address, page)
            return page

    def _keep(self, address: str, page: Page) -> None:
        if page.document is None:
            self._known[address] = page
            return
        self._whole[address] = page
        while len(self._whole) > REMEMBERED:
            self._whole.popitem(last=False)

    async def _in_turn(self, address: str) -> Page:
        # The host's turn comes first: who waits for a slow host must not take a place from the others.
        host = urlsplit(address).netloc
        async with self._hosts[host], self._together:
            if self._silence[host] >= PATIENCE:
                return self._given_up[host]._replace(url=address)
            if not await self._welcome(address):
                return Page("refused", f"{host} asks programs not to read this page (robots.txt)", address)
            page = await self._asked(address)
        self._note(host, page)
        return page

    def _note(self, host: str, page: Page) -> None:
        """Remember whether a host answers: ten thousand pages of one that does not would take days."""
        if page.fetched not in SILENT:
            self._silence[host] = 0
            return
        self._silence[host] += 1
        told = f"{page.reason}; so it was with {PATIENCE} pages of {host}, and no other was asked for"
        self._given_up[host] = page._replace(reason=told)

    async def _asked(self, address: str) -> Page:
        manners = self._manners
        try:
            reply = await self._client.follow(
                address, fresh=DAY, limit=manners.limit, timeout=manners.seconds, redirects=manners.redirects
            )
        except SourceError as error:
            return failed(error, address)
        return await self._judged(address, reply)

    async def _judged(self, address: str, reply: Reply) -> Page:
        """The class of an answer that says 200."""
        if not reply.content.strip():
            return Page("empty", "its server answers with nothing", reply.url)
        if reply.type not in READ:
            return Page("unsupported", f"{reply.type or 'what does not say its type'} is not read", reply.url)
        if reply.type in HTML and len(reply.content) > HTML_LIMIT:
            return Page("too large", f"it is HTML of more than {HTML_LIMIT // MB} MB", reply.url)
        return _classed(reply, await self._read(reply), home=leads_home(address, reply.url))

    async def _welcome(self, address: str) -> bool:
        """Whether the site's robots.txt, where it has one that can be read, allows this page."""
        if not self._manners.robots:
            return True
        parts = urlsplit(address)
        site = urlunsplit((parts.scheme, parts.netloc, "", "", ""))
        async with self._gates[site]:
            if site not in self._robots:
                self._robots[site] = await self._rules(site)
        rules = self._robots[site]
        return rules is None or rules.can_fetch("wellsourced", address)

    async def _rules(self, site: str) -> RobotFileParser | None:
        """What a site asks of programs; None where nothing of that can be had, as RFC 9309 has it for 4xx."""
        try:
            reply = await self._client.follow(
                f"{site}/robots.txt", fresh=DAY, limit=ROBOTS_LIMIT, timeout=self._manners.seconds
            )
        except SourceError:
            # A site that is down says so itself when the page is asked for.
            return None
        if reply.type in HTML or re.match(rb"\s*<", reply.content):
            return None
        rules = RobotFileParser()
        # RFC 9309: it is UTF-8, whatever its server says.
        rules.parse(reply.content.decode("utf-8", "replace").splitlines())
        return rules


def _classed(reply: Reply, read: CitedPage, *, home: bool) -> Page:
    """The class of a page that was read; `home`: asked for deep inside its site, it is the front of it."""
    signs, paywalled = read.signs, read.signs.paywalled
    if signs.walled:
        return Page("refused", f"it shows programs “{signs.walled}” and no text", reply.url, None, paywalled)
    if signs.gone or home:
        said = f"says “{signs.gone}”" if signs.gone else "leads to the front page of its site"
        return Page("soft 404", f"it answers, and {said}", reply.url)
    if read.unreadable:
        kind: Fetched = "refused" if signs.password else "empty" if reply.type in HTML else "unsupported"
        return Page(kind, read.unreadable, reply.url, None, paywalled)
    if read.document is None:
        return Page("unsupported", read.unsupported, reply.url, None, paywalled)
    if not read.document.text.strip():
        return Page("empty", "there is no text in it", reply.url, None, paywalled)
    return Page("ok", "", reply.url, read.document, paywalled)


def failed(error: SourceError, url: str = "") -> Page:
    """What a failure of the client is called here."""
    kind = failure_of(error)
    return Page(fetched_of(kind), str(error).rstrip("."), url)


def fetched_of(failure: Failure) -> Fetched:
    """The class of a failed request."""
    if failure == "damaged":
        return "unsupported"
    return failure


def _address(url: str) -> str:
    """What is asked for. Raises ValueError, also for a name before the host: it makes an address look like another."""
    behind = unproxied(url).url
    if "@" in urlsplit(behind).netloc:
        raise ValueError("it carries a name or a password")
    return normalised(behind)


def _short(url: str) -> str:
    """The beginning of an address, printable, and without what may be a password."""
    url = re.sub(r"//[^/@]*@", "//…@", url)
    return "".join(letter for letter in url[:80] if letter.isprintable())
