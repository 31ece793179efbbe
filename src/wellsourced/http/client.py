"""The client that every live source is handed."""

# ruff: noqa: ASYNC109 (a time-out that is an argument is part of what a request is; asyncio.timeout does the work)

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

import httpcore2
import httpx2

from wellsourced.http.answer import Answer
from wellsourced.http.asking import Asking, Given, Wording, asking, fields_of
from wellsourced.http.cache import Cache, Kept, conditions_of
from wellsourced.http.carrier import carrier
from wellsourced.http.clock import Clock
from wellsourced.http.download import download
from wellsourced.http.guard import Guarded, Resolve, resolve
from wellsourced.http.ledger import Ledger
from wellsourced.http.pace import Pace
from wellsourced.http.reply import Reply
from wellsourced.http.wire import REDIRECTS, Wire, reader
from wellsourced.privacy import Exit
from wellsourced.text.urls import hide_secrets

MB = 1024 * 1024
LIMIT = 64 * MB
"""Bytes of a body, unpacked, unless the caller allows another size."""


NAMED, FROM_DATA = "named", "from data"
"""Who chose an address: the settings, or whoever wrote what was read. An answer to one is no answer to the other."""


Check = Callable[[Reply], object]


def whatever(_: Reply) -> None:
    """Any answer is one."""


class Terms(NamedTuple):
    """How an answer may be had: `kind` is who chose the address; the rest as in `Client.get`."""

    kind: str
    limit: int
    seconds: float
    fresh: float = 0.0
    check: Check = whatever
    redirects: int = REDIRECTS


class Client:
    """One per kit.

    offline   refuse before a socket is opened or a name is looked up; what is still fresh in the cache can be used
    ledger    where every request is recorded
    cache     folder of the response cache; None keeps nothing
    paces     host, or "host:port" → requests a second, at most; others have `pace`, the user's own machine none
    trusted   hosts ("127.0.0.1:8080") that may be private although their address came from data: test servers
    agent     User-Agent
    timeout   seconds for one attempt, from first to last byte; the whole of a download may take longer
    attempts  how often a request is sent at most: connection errors, time-outs, 429 and 5xx are tried again
    exit      what becomes of words about people in all that is sent
    clock, resolver, network  the time, the addresses of a host and the connections, when they are not the system's
    """

    def __init__(
        self,
        *,
        offline: bool = False,
        ledger: Ledger | None = None,
        cache: Path | None = None,
        paces: Mapping[str, float] | None = None,
        pace: float = 5.0,
        trusted: frozenset[str] = frozenset(),
        agent: str = "wellsourced",
        timeout: float = 20.0,
        attempts: int = 3,
        exit: Exit | None = None,
        clock: Clock | None = None,
        resolver: Resolve = resolve,
        network: httpcore2.AsyncNetworkBackend | None = None,
    ) -> None:
        self.ledger = ledger or Ledger()
        self.exit = exit or Exit()
        self._agent = agent
        self._seconds = timeout
        self._clock = clock or Clock()
        self._cache = Cache(cache, self._clock) if cache else None
        self._wired = partial(
            Wire,
            offline=offline,
            ledger=self.ledger,
            network=network,
            guard=Guarded(trusted, resolver, network or httpcore2.AnyIOBackend()),
            clock=self._clock,
        )
        self._wire = self._wired(pace=Pace(paces or {}, pace, self._clock), attempts=attempts)
        self._carriers: list[httpx2.AsyncClient] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for handed_out in self._carriers:
            await handed_out.aclose()
        await self._wire.close()
        if self._cache:
            await self._cache.close()

    async def get(
        self,
        url: str,
        params: Given | None = None,
        *,
        headers: Given | None = None,
        fresh: float = 0.0,
        limit: int = LIMIT,
        timeout: float | None = None,
        check: Check = whatever,
    ) -> Reply:
        """Ask a server that the settings name.

        fresh   seconds for which a cached answer may be used without asking; after that it is revalidated where the
                server can do so. 0: never used unasked
        check   raises, and the answer is not kept, when it is an error in the clothes of an answer: it sees every
                answer that was not in the cache

        Raises Offline; NotFound (404, 410), Refused (other 4xx, a body larger than `limit`, a redirect loop) with the
        first words of what the server said; Unavailable (no connection, time-out, 429 and 5xx after all attempts).
        A redirect to another host counts as an address from data: Forbidden as for `follow`. IdentifyingRequest for a
        field that holds what may identify somebody, PlainHttp for anything but a bare address over plain HTTP to
        another machine.
        """
        wording = Wording("GET", url, params or {}, headers or {})
        return await self._reply(wording, Terms(NAMED, limit, timeout or self._seconds, fresh, check))

    async def post(
        self,
        url: str,
        params: Given | None = None,
        *,
        data: Given | None = None,
        json: Any = None,
        headers: Given | None = None,
        fresh: float = 0.0,
        limit: int = LIMIT,
        timeout: float | None = None,
        check: Check = whatever,
    ) -> Reply:
        """As `get`, with a form or with JSON. It is repeated after failures: use it for questions alone.

        A SecretStr may stand anywhere in the JSON.
        """
        wording = Wording("POST", url, params or {}, headers or {}, data or {}, json)
        return await self._reply(wording, Terms(NAMED, limit, timeout or self._seconds, fresh, check))

    async def follow(
        self,
        url: str,
        *,
        headers: Given | None = None,
        fresh: float = 0.0,
        limit: int = LIMIT,
        timeout: float | None = None,
        redirects: int = REDIRECTS,
    ) -> Reply:
        """Get an address that came from data: a search result, a record, a citation.

        redirects   how many are followed, at most

        Raises Forbidden for another scheme than http and https, and for every address (each redirect too, after its
        name was resolved) that is private, loopback, link-local or otherwise not public, unless it is `trusted`;
        IdentifyingRequest for one that carries what may identify somebody.
        """
        self.exit.check_address(url)
        if self.exit.show:
            self.exit.disclose(urlsplit(url).netloc, "a page", hide_secrets(url))
        wording = Wording("GET", url, headers=headers or {})
        terms = Terms(FROM_DATA, limit, timeout or self._seconds, fresh, redirects=redirects)
        return await self._reply(wording, terms)

    async def download(
        self,
        url: str,
        to: Path,
        *,
        limit: int,
        checksum: str = "",
        heard: Callable[[int, int], None] | None = None,
        timeout: float | None = None,
    ) -> Path:
        """Get a large file that the settings name: resumed where it was cut off (Range), in place only when whole.

        checksum  "md5:…", "sha1:…" or "sha256:…"; a file that is in place and has it is not fetched again
        heard     told how many bytes are here, and how many there will be (0: the server does not say)
        timeout   seconds in which 64 KB have to come

        Raises what `get` raises; Unavailable for a full disk and for a file with another checksum than promised;
        Refused for one larger than `limit`, and for a folder that cannot be written to.
        """
        request = asking(Wording("GET", url, headers={"Accept-Encoding": "identity"}), self._agent)
        seconds = timeout or self._seconds
        return await download(request, to, limit=limit, checksum=checksum, heard=heard, seconds=seconds).run(self._wire)

    def carrier(self, *, attempts: int = 3, seconds: float = 60.0, pace: float = 50.0) -> httpx2.AsyncClient:
        """A client for libraries that send what they have to say themselves; closed with this one.

        What it sends is refused offline, paced, sent again after failures that may pass, and in the ledger, like
        everything else; see `Carrier`.

        attempts   how often a request is sent at most
        seconds    for one attempt until the whole answer is here; of one told piece by piece: until the next piece
        pace       requests a second to each host, at most; the user's own machine has none
        """
        wire = self._wired(pace=Pace({}, pace, self._clock), attempts=attempts)
        self._carriers.append(carrier(wire, seconds=seconds, limit=LIMIT, agent=self._agent))
        return self._carriers[-1]

    async def _reply(self, wording: Wording, terms: Terms) -> Reply:
        request = asking(wording, self._agent)
        for value in fields_of(wording):
            self.exit.check_field(value, request.host)
        kept = await self._recall(request, terms)
        if kept and 0 <= self._clock.wall() - kept.asked < terms.fresh:
            return kept.reply
        answer = await self._ask(request, kept, terms)
        if kept and answer.status == 304 and kept.reply.url != answer.asking.url:
            # A redirect led elsewhere than last time: what stands there was not asked about.
            kept, answer = None, await self._ask(request, None, terms)
        reply = kept.reply if kept and answer.status == 304 else _reply(answer)
        terms.check(reply)
        await self._keep(request, reply, terms)
        return reply

    async def _ask(self, request: Asking, kept: Kept | None, terms: Terms) -> Answer:
        # What a condition means is defined for GET alone.
        conditions = kept.conditions if kept and request.sent.method == "GET" else {}
        return await self._wire.ask(
            request,
            from_data=terms.kind == FROM_DATA,
            seconds=terms.seconds,
            take=reader(terms.limit),
            anew=lambda: conditions,
            redirects=terms.redirects,
        )

    async def _recall(self, request: Asking, terms: Terms) -> Kept | None:
        kept = await self._cache.find(request.key(terms.kind)) if self._cache else None
        return kept if kept and len(kept.reply.content) <= terms.limit else None

    async def _keep(self, request: Asking, reply: Reply, terms: Terms) -> None:
        useful = terms.fresh > 0 or (request.sent.method == "GET" and conditions_of(reply))
        if self._cache and useful and not request.hides_in(reply.content):
            await self._cache.keep(request.key(terms.kind), reply)


def _reply(answer: Answer) -> Reply:
    """A good answer. Raises Refused, NotFound for another."""
    if not 200 <= answer.status < 300:
        raise answer.refusal()
    return Reply(answer.asking.url, answer.status, answer.type, answer.headers, answer.content)
