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

from wellsourced.http.address_guard import PublicNetworkBackend, ResolveHost, resolve_host
from wellsourced.http.download import Download, OnDownloadProgress
from wellsourced.http.pacing import Clock, RateLimiter
from wellsourced.http.provider_transport import build_provider_client
from wellsourced.http.request import FieldValues, Request, RequestSpec, build_request, list_texts
from wellsourced.http.response import CachedResponse, RawResponse, Response, ResponseCache, conditional_headers
from wellsourced.http.transport import MAX_REDIRECTS, Ledger, Transport, limited_reader, open_tls
from wellsourced.privacy.privacy_filter import PrivacyFilter
from wellsourced.text.urls import hide_secrets

MB = 1024 * 1024
MAX_BODY_BYTES = 64 * MB
"""Bytes of a body, unpacked, unless the caller allows another size."""

FROM_SETTINGS, FROM_DATA = "named", "from data"
"""Who chose an address: the settings, or whoever wrote what was read. An answer to one is no answer to the other."""

CheckResponse = Callable[[Response], object]


def accept_any(_: Response) -> None:
    """Any answer is one."""


class RequestOptions(NamedTuple):
    """How an answer may be had: `origin` is who chose the address; the rest as in `Client.get`."""

    origin: str
    limit: int
    seconds: float
    fresh: float = 0.0
    check: CheckResponse = accept_any
    redirects: int = MAX_REDIRECTS


class Client:
    """One per context.

    offline   refuse before a socket is opened or a name is looked up; what is still fresh in the cache can be used
    ledger    where every request is recorded
    cache     folder of the response cache; None keeps nothing
    paces     host, or "host:port" → requests a second, at most; others have `pace`, the user's own machine none
    trusted   hosts ("127.0.0.1:8080") that may be private although their address came from data: test servers
    agent     User-Agent
    timeout   seconds for one attempt, from first to last byte; the whole of a download may take longer
    attempts  how often a request is sent at most: connection errors, time-outs, 429 and 5xx are tried again
    exit      what becomes of words about people in all that is sent
    certificates   a PEM file of authorities that are trusted beside the public ones; SettingsError for another file
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
        exit: PrivacyFilter | None = None,
        certificates: Path | None = None,
        clock: Clock | None = None,
        resolver: ResolveHost = resolve_host,
        network: httpcore2.AsyncNetworkBackend | None = None,
    ) -> None:
        self.ledger = ledger or Ledger()
        self.exit = exit or PrivacyFilter()
        self._agent = agent
        self._seconds = timeout
        self._clock = clock or Clock()
        self._cache = ResponseCache(cache, self._clock) if cache else None
        self._build_transport = partial(
            Transport,
            offline=offline,
            ledger=self.ledger,
            network=network,
            guard=PublicNetworkBackend(trusted, resolver, network or httpcore2.AnyIOBackend()),
            clock=self._clock,
            tls=open_tls(certificates) if certificates else None,
        )
        self._transport = self._build_transport(pace=RateLimiter(paces or {}, pace, self._clock), attempts=attempts)
        self._provider_clients: list[httpx2.AsyncClient] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for handed_out in self._provider_clients:
            await handed_out.aclose()
        await self._transport.close()
        if self._cache:
            await self._cache.close()

    async def get(
        self,
        url: str,
        params: FieldValues | None = None,
        *,
        headers: FieldValues | None = None,
        fresh: float = 0.0,
        limit: int = MAX_BODY_BYTES,
        check: CheckResponse = accept_any,
    ) -> Response:
        """Ask a server that the settings name.

        fresh   seconds for which a cached answer may be used without asking; after that it is revalidated where the
                server can do so. 0: never used unasked
        check   raises, and the answer is not kept, when it is an error in the clothes of an answer: it sees every
                answer that was not in the cache

        Raises OfflineError; NotFoundError (404, 410), SourceRefused (other 4xx, a body larger than `limit`, a redirect
        loop) with the first words of what the server said; SourceUnavailable (no connection, time-out, 429 and 5xx
        after all attempts). A redirect to another host counts as an address from data: ForbiddenAddress as for
        `follow`. PersonalDataError for a field that holds what may identify somebody, InsecureUrlError for anything
        but a bare address over plain HTTP to another machine.
        """
        options = RequestOptions(FROM_SETTINGS, limit, self._seconds, fresh, check)
        return await self._fetch_response(RequestSpec("GET", url, params or {}, headers or {}), options)

    async def post(
        self,
        url: str,
        *,
        data: FieldValues | None = None,
        json: Any = None,
        headers: FieldValues | None = None,
        fresh: float = 0.0,
        check: CheckResponse = accept_any,
    ) -> Response:
        """As `get`, with a form or with JSON. It is repeated after failures: use it for questions alone.

        A SecretStr may stand anywhere in the JSON.
        """
        wording = RequestSpec("POST", url, headers=headers or {}, form=data or {}, json=json)
        return await self._fetch_response(
            wording, RequestOptions(FROM_SETTINGS, MAX_BODY_BYTES, self._seconds, fresh, check)
        )

    async def follow(
        self,
        url: str,
        *,
        fresh: float = 0.0,
        limit: int = MAX_BODY_BYTES,
        timeout: float | None = None,
        redirects: int = MAX_REDIRECTS,
    ) -> Response:
        """Get an address that came from data: a search result, a record, a citation.

        redirects   how many are followed, at most

        Raises ForbiddenAddress for another scheme than http and https, and for every address (each redirect too, after
        its name was resolved) that is private, loopback, link-local or otherwise not public, unless it is `trusted`;
        PersonalDataError for one that carries what may identify somebody.
        """
        self.exit.check_address(url)
        if self.exit.show:
            self.exit.disclose(urlsplit(url).netloc, "a page", hide_secrets(url))
        options = RequestOptions(FROM_DATA, limit, timeout or self._seconds, fresh, redirects=redirects)
        return await self._fetch_response(RequestSpec("GET", url), options)

    async def download(
        self,
        url: str,
        to: Path,
        *,
        limit: int,
        checksum: str = "",
        heard: OnDownloadProgress = lambda _done, _total: None,
    ) -> Path:
        """Get a large file that the settings name: resumed where it was cut off (Range), in place only when whole.

        checksum  "md5:…", "sha1:…" or "sha256:…"; a file that is in place and has it is not fetched again
        heard     told how many bytes are here, and how many there will be (0: the server does not say)

        64 KB have to come within the time-out of one attempt. Raises what `get` raises; SourceUnavailable for a full
        disk and for a file with another checksum than promised; SourceRefused for one larger than `limit`, and for a
        folder that cannot be written to.
        """
        request = build_request(RequestSpec("GET", url, headers={"Accept-Encoding": "identity"}), self._agent)
        return await Download(request, to, limit, checksum, heard, self._seconds).run(self._transport)

    def open_provider_client(
        self, *, attempts: int = 3, seconds: float = 60.0, pace: float = 50.0, asked_offline: str = ""
    ) -> httpx2.AsyncClient:
        """A client for libraries that send what they have to say themselves; closed with this one.

        What it sends is refused offline, paced, sent again after failures that may pass, and in the ledger, like
        everything else; see `ProviderTransport`.

        attempts   how often a request is sent at most
        seconds    for one attempt until the whole answer is here; of one told piece by piece: until the next piece
        pace       requests a second to each host, at most; the user's own machine has none
        asked_offline   the only host and port that is asked in offline mode, too; "": none
        """
        pacing = RateLimiter({}, pace, self._clock)
        wire = self._build_transport(pace=pacing, attempts=attempts, asked_offline=asked_offline)
        self._provider_clients.append(
            build_provider_client(wire, seconds=seconds, limit=MAX_BODY_BYTES, agent=self._agent)
        )
        return self._provider_clients[-1]

    async def _fetch_response(self, wording: RequestSpec, terms: RequestOptions) -> Response:
        request = build_request(wording, self._agent)
        for value in list_texts(wording):
            self.exit.check_field(value, request.host)
        kept = await self._cache.find(request.cache_key(terms.origin)) if self._cache else None
        kept = kept if kept and len(kept.response.content) <= terms.limit else None
        if kept and 0 <= self._clock.wall() - kept.validated_at < terms.fresh:
            return kept.response
        answer = await self._send_request(request, kept, terms)
        if kept and answer.status == 304 and kept.response.url != answer.request.url:
            # A redirect led elsewhere than last time: what stands there was not asked about.
            kept, answer = None, await self._send_request(request, None, terms)
        reply = kept.response if kept and answer.status == 304 else _build_response(answer)
        terms.check(reply)
        useful = terms.fresh > 0 or (request.sent.method == "GET" and conditional_headers(reply))
        if self._cache and useful and not request.contains_secret(reply.content):
            # Without a key in it: an answer that repeats one was left out by `contains_secret`.
            await self._cache.store(request.cache_key(terms.origin), reply)
        return reply

    async def _send_request(self, request: Request, kept: CachedResponse | None, terms: RequestOptions) -> RawResponse:
        # What a condition means is defined for GET alone.
        conditions = conditional_headers(kept.response) if kept and request.sent.method == "GET" else {}
        return await self._transport.send_with_redirects(
            request,
            from_data=terms.origin == FROM_DATA,
            seconds=terms.seconds,
            take=limited_reader(terms.limit),
            anew=lambda: conditions,
            redirects=terms.redirects,
        )


def _build_response(answer: RawResponse) -> Response:
    """A good answer. Raises SourceRefused, NotFoundError for another."""
    if not 200 <= answer.status < 300:
        raise answer.to_error()
    return Response(answer.request.url, answer.status, answer.type, answer.headers, answer.content)
