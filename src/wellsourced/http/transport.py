"""What leaves this machine: one request after another, each in its turn, within its limits, and in the ledger: every
host that was contacted, when, with how many bytes, and for how long.
"""

import asyncio
import ssl
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from threading import Lock
from typing import NamedTuple, NoReturn

import httpcore2
import httpx2

from wellsourced.errors import (
    ForbiddenAddress,
    InsecureUrlError,
    NextStep,
    OfflineError,
    SettingsError,
    SourceUnavailable,
)
from wellsourced.http.failures import (
    RedirectLoop,
    ResponseTooLarge,
    RetryableError,
    describe_failure,
    shareable_cause,
)
from wellsourced.http.pacing import MAX_RETRY_AFTER, Clock, RateLimiter, parse_retry_after, send_with_retries
from wellsourced.http.request import Request, host_and_port
from wellsourced.http.response import RawResponse

MAX_REDIRECTS = 10
REDIRECT_STATUSES = {301, 302, 303, 307, 308}
MAX_CONNECTIONS = 200
"""Open at once: many more than one slow host can take from the others."""

CONNECT_SECONDS = 15.0
"""Until a connection is made: who is patient with an answer need not be so with a machine that is switched off."""

EXCERPT_BYTES = 4096
"""Bytes that are read of an answer that is a refusal."""


class Contact(NamedTuple):
    """One request that left this machine. Neither secrets nor the words that were asked are in it.

    host             with its port when it is not the usual one
    path             of the address, without its query
    status           of HTTP; 0 when there was no answer
    sent, received   bytes of the bodies, as they travelled, and of the query
    seconds          until the whole answer was here
    """

    when: datetime
    method: str
    host: str
    path: str
    status: int
    sent: int
    received: int
    seconds: float


class Ledger:
    """Keeps what it is told, and passes it on to who keeps it for longer. Safe to use from several threads.

    Every redirect and every attempt that failed is a contact of its own. What the cache of answers gave is none, and
    an address that was refused is none, though its name may have been looked up.
    """

    def __init__(self, keep: Callable[[Contact], None] = lambda _: None) -> None:
        self.contacts: list[Contact] = []
        self._persist = keep
        self._lock = Lock()

    def record(self, contact: Contact) -> None:
        """One more request was made. Raises SourceUnavailable when it cannot be kept: what left is never left out."""
        with self._lock:
            # First in memory: a disk that is full hides nothing from who looks at this run.
            self.contacts.append(contact)
            try:
                self._persist(contact)
            except OSError as error:
                reason = error.strerror or "the disk refused it"
                raise SourceUnavailable(
                    f"{contact.host} was asked, but the ledger cannot be written ({reason}): free space or permit "
                    "it, then try again"
                ) from error


class LedgerEntry:
    """A line of the ledger while its request is under way.

    response   the answer as soon as it begins
    """

    def __init__(self, ledger: Ledger, clock: Clock, asking: Request, seconds: float) -> None:
        self.response = httpx2.Response(0, request=asking.sent)
        self._ledger = ledger
        self._clock = clock
        self._asking = asking
        self._seconds = seconds
        self._when, self._began = datetime.fromtimestamp(clock.wall(), UTC), clock.steady()

    def record(self) -> None:
        """Write it down: the answer is here, or will never be."""
        request = self._asking.sent
        self._ledger.record(
            Contact(
                when=self._when,
                method=request.method,
                host=self._asking.host,
                path=self._asking.redact(request.url.path),
                status=self.response.status_code,
                sent=len(request.content) + len(request.url.query),
                received=self.response.num_bytes_downloaded,
                seconds=self._clock.steady() - self._began,
            )
        )

    def fail(self, error: BaseException) -> NoReturn:
        """Write it down, and raise the error in words for the user."""
        self.record()
        reason = describe_failure(error, self._asking.host, self._seconds)
        # What has no words of ours, such as an interruption, goes on as what it is.
        if reason is error:
            raise error
        raise reason from shareable_cause(error)


ReadBody = Callable[[httpx2.Response, asyncio.Timeout], Awaitable[bytes]]
"""Takes in the body of a good answer; it may put the deadline off. Raises SourceRefused when it is too large."""

BuildHeaders = Callable[[], Mapping[str, str]]
"""Finds out, before an attempt, what else it has to say."""

SendOnce = Callable[[Request], Awaitable[RawResponse]]
"""Sends a request once."""

OpenStream = Callable[[LedgerEntry], httpx2.AsyncByteStream | None]
"""The body of an answer that has begun, as a stream; None where all of it is waited for."""


@cache
def open_tls(certificates: Path | None = None) -> ssl.SSLContext:
    """What is trusted, read once in a process: some twenty milliseconds. Raises SettingsError.

    certificates   a PEM file of authorities that are trusted, too

    An environment that sets a proxy or a certificate store would redirect what leaves without the settings' word.
    """
    context = httpx2.create_ssl_context(trust_env=False)
    if certificates:
        try:
            context.load_verify_locations(certificates)
        except OSError as error:
            raise SettingsError(
                f"{certificates} is not a PEM file of certificates. Check network.certificates."
            ) from error
    return context


class Transport:
    """Sends requests; everything that the client sends goes through here.

    tls     which certificates are trusted; None: the public ones
    pools   connections of two kinds, by whether the address came from data: one that was opened for a server of the
            settings is never used for the other kind, since nobody judged where it leads
    """

    def __init__(
        self,
        *,
        offline: bool,
        asked_offline: str = "",
        ledger: Ledger,
        pace: RateLimiter,
        network: httpcore2.AsyncNetworkBackend | None,
        guard: httpcore2.AsyncNetworkBackend,
        clock: Clock,
        attempts: int,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._offline = offline
        self._asked_offline = asked_offline
        self._ledger = ledger
        self._pace = pace
        self._clock = clock
        self._attempts = attempts
        self.pools = {
            from_data: httpcore2.AsyncConnectionPool(
                ssl_context=tls or open_tls(), max_connections=MAX_CONNECTIONS, network_backend=backend
            )
            for from_data, backend in ((False, network), (True, guard))
        }

    async def close(self) -> None:
        for pool in self.pools.values():
            await pool.aclose()

    async def send_with_redirects(
        self,
        asking: Request,
        *,
        from_data: bool,
        seconds: float,
        take: ReadBody,
        anew: BuildHeaders = dict,
        redirects: int = MAX_REDIRECTS,
    ) -> RawResponse:
        """Send a request, and what its redirects ask for. Raises what `Client.get` and `Client.follow` promise.

        from_data   the address is nobody's choice: it is judged before a connection is made. So is every redirect to
                    another host than the one that the settings name, and what comes after it
        seconds     for one attempt, from its turn until the whole answer is here
        anew        headers that are found out again before every attempt
        redirects   how many are followed, at most
        """
        home, judged = host_and_port(asking.sent.url), from_data
        cookies = httpx2.Cookies()
        for _ in range(redirects + 1):
            # Who has been elsewhere does not come back as a friend of the house.
            judged = judged or asking.host != home
            exchange = partial(self.send_once, judged=judged, seconds=seconds, take=take)
            answer = await self.send_with_retries(asking, exchange, anew)
            location = answer.headers.get("Location")
            if answer.status not in REDIRECT_STATUSES or not location:
                return answer
            asking = _build_redirect(answer, location, from_data, cookies)
        raise RedirectLoop(f"{home} redirects in a circle: stopped after {redirects} steps")

    async def send_with_retries(self, asking: Request, exchange: SendOnce, anew: BuildHeaders = dict) -> RawResponse:
        """Return the final response. Raises OfflineError, InsecureUrlError, SourceRefused, SourceUnavailable."""

        async def send_and_check() -> RawResponse:
            # Every attempt takes a turn of its own, or retries would hurry a host that is in trouble.
            await self._pace.wait_for_turn(asking.sent.url)
            answer = await exchange(asking.with_headers(anew()))
            if answer.status == 429 or answer.status >= 500:
                raise self._build_overload_error(answer)
            return answer._replace(request=asking)

        if self._offline and asking.sent.url.netloc.decode() != self._asked_offline:
            raise OfflineError(f"{asking.host} was not asked: offline mode is on.", next_step=NextStep("go online"))
        if asking.needs_https:
            raise InsecureUrlError(
                f"{asking.host} was not asked: plain HTTP would send your words or API key unencrypted. Set its "
                "address to https://…."
            )
        return await send_with_retries(send_and_check, self._attempts, self._clock)

    def _build_overload_error(self, answer: RawResponse) -> RetryableError:
        host, status = answer.request.host, answer.status
        wait = parse_retry_after(answer.headers, self._clock.wall())
        if wait:
            self._pace.pause_host(answer.request.sent.url, min(wait, MAX_RETRY_AFTER))
        reason = "has had too many requests" if status == 429 else "is unavailable"
        remedy = f"try again in {wait:.0f} seconds" if wait else "try again later"
        return RetryableError(f"{host} {reason} ({status}): {remedy}{answer.body_excerpt}", wait, status)

    async def send_once(
        self, asking: Request, *, judged: bool, seconds: float, take: ReadBody, open_stream: OpenStream = lambda _: None
    ) -> RawResponse:
        """One request and its answer, written into the ledger however it ends.

        open_stream   gives the body of a good answer that is handed on as it comes, and writes it down at its end
        """
        entry = LedgerEntry(self._ledger, self._clock, asking, seconds)
        try:
            async with asyncio.timeout(seconds) as deadline:
                response = entry.response = await self._send(asking.sent, judged)
                if response.is_success and (stream := open_stream(entry)):
                    return RawResponse(asking, response.status_code, response.headers, b"", stream)
                content = await read_body(response, deadline, take)
        except ForbiddenAddress:
            raise  # nothing was sent
        except BaseException as error:
            entry.fail(error)
        entry.record()
        return RawResponse(asking, response.status_code, response.headers, content)

    async def _send(self, request: httpx2.Request, judged: bool) -> httpx2.Response:
        """Send it, and return when the answer begins."""
        url = httpcore2.URL(
            scheme=request.url.raw_scheme, host=request.url.raw_host, port=request.url.port, target=request.url.raw_path
        )
        patience = {"timeout": {"connect": CONNECT_SECONDS}}
        raw = httpcore2.Request(
            request.method, url, headers=request.headers.raw, content=request.content, extensions=patience
        )
        answer = await self.pools[judged].handle_async_request(raw)
        return httpx2.Response(
            answer.status, headers=answer.headers, stream=_ResponseBody(answer.stream), request=request
        )


class _ResponseBody(httpx2.AsyncByteStream):
    """What arrives, closed in the end whatever was read of it."""

    def __init__(self, stream: object) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if isinstance(self._stream, AsyncIterable):
            async for piece in self._stream:
                yield piece

    async def aclose(self) -> None:
        close = getattr(self._stream, "aclose", None)
        if close is not None:
            await close()


async def read_body(response: httpx2.Response, deadline: asyncio.Timeout, take: ReadBody) -> bytes:
    """The body of a good answer, as `take` takes it in; the beginning of another. It is closed."""
    try:
        return await (take if response.is_success else read_excerpt)(response, deadline)
    finally:
        await response.aclose()


def limited_reader(limit: int) -> ReadBody:
    """Takes in at most `limit` bytes, unpacked, and hangs up on more: what is announced is not even begun."""

    async def read_limited(response: httpx2.Response, _: asyncio.Timeout) -> bytes:
        length = response.headers.get("Content-Length", "")
        if length.isdecimal() and int(length) > limit:
            raise build_size_error(response, limit)
        content = bytearray()
        async with aclosing(response.aiter_bytes()) as pieces:
            async for piece in pieces:
                content += piece
                if max(len(content), response.num_bytes_downloaded) > limit:
                    raise build_size_error(response, limit)
        return bytes(content)

    return read_limited


def build_size_error(response: httpx2.Response, limit: int) -> ResponseTooLarge:
    """It is not read further."""
    return ResponseTooLarge(
        f"{host_and_port(response.request.url)} sends more than {limit:,} bytes: the answer was not read"
    )


async def read_excerpt(response: httpx2.Response, _: asyncio.Timeout) -> bytes:
    """The beginning of what a server says to a request that it does not answer."""
    content = b""
    async with aclosing(response.aiter_bytes()) as pieces:
        async for piece in pieces:
            content += piece
            if len(content) >= EXCERPT_BYTES:
                break
    return content[:EXCERPT_BYTES]


def _build_redirect(answer: RawResponse, location: str, from_data: bool, cookies: httpx2.Cookies) -> Request:
    """The request that a redirect asks for, with the cookies that were set on the way: some sites circle without."""
    old = answer.request
    new = old.build_redirect(answer.status, location)
    # Where the settings say https, an answer that anybody on the way can change is not what was asked for. A link in a
    # page may have been http to begin with, and many registered addresses of articles still are.
    if not from_data and old.sent.url.scheme == "https" and new.sent.url.scheme == "http":
        raise ForbiddenAddress(f"{old.host} redirects from https to http, which is not followed")
    cookies.extract_cookies(httpx2.Response(answer.status, headers=answer.headers, request=old.sent))
    cookies.set_cookie_header(new.sent)
    return new
