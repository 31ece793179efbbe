"""What leaves this machine: one request after another, each in its turn, within its limits, and in the ledger."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from datetime import UTC, datetime
from functools import partial
from typing import NoReturn

import httpcore2
import httpx2

from wellsourced.errors import Forbidden, Offline, PlainHttp, Refused
from wellsourced.http.answer import Answer
from wellsourced.http.asking import Asking
from wellsourced.http.clock import Clock
from wellsourced.http.ledger import Contact, Ledger
from wellsourced.http.pace import Pace, place
from wellsourced.http.patience import LONGEST, Again, patiently, retry_after

REDIRECTS = 10
MOVED = {301, 302, 303, 307, 308}
CONNECTIONS = 200
"""Open at once: many more than one slow host can take from the others."""

EXCERPT = 4096
"""Bytes that are read of an answer that is a refusal."""

Take = Callable[[httpx2.Response, asyncio.Timeout], Awaitable[bytes]]
"""Takes in the body of a good answer; it may put the deadline off. Raises Refused when it is too large."""

Exchange = Callable[[Asking], Awaitable[Answer]]
"""Sends a request once."""


class TooLarge(Refused):
    """A body of more bytes than are wanted."""


class Circling(Refused):
    """One redirect after another, and no answer."""


Headers = Callable[[], Mapping[str, str]]
"""Finds out, before an attempt, what else it has to say."""


class Wire:
    """Sends requests; everything that the client sends goes through here.

    pools   connections of two kinds, by whether the address came from data: one that was opened for a server of the
            settings is never used for the other kind, since nobody judged where it leads
    """

    def __init__(
        self,
        *,
        offline: bool,
        ledger: Ledger,
        pace: Pace,
        network: httpcore2.AsyncNetworkBackend | None,
        guard: httpcore2.AsyncNetworkBackend,
        clock: Clock,
        attempts: int,
    ) -> None:
        self._offline = offline
        self._ledger = ledger
        self._pace = pace
        self._clock = clock
        self._attempts = attempts
        # An environment that sets a proxy or a certificate store would redirect what leaves without the settings' word.
        tls = httpx2.create_ssl_context(trust_env=False)
        self.pools = {
            False: httpcore2.AsyncConnectionPool(ssl_context=tls, max_connections=CONNECTIONS, network_backend=network),
            True: httpcore2.AsyncConnectionPool(ssl_context=tls, max_connections=CONNECTIONS, network_backend=guard),
        }

    async def close(self) -> None:
        """Close every connection."""
        for pool in self.pools.values():
            await pool.aclose()

    async def ask(
        self,
        asking: Asking,
        *,
        from_data: bool,
        seconds: float,
        take: Take,
        anew: Headers = dict,
        redirects: int = REDIRECTS,
    ) -> Answer:
        """Send a request, and what its redirects ask for. Raises what `Client.get` and `Client.follow` promise.

        from_data   the address is nobody's choice: it is judged before a connection is made. So is every redirect to
                    another host than the one that the settings name, and what comes after it
        seconds     for one attempt, from its turn until the whole answer is here
        anew        headers that are found out again before every attempt
        redirects   how many are followed, at most
        """
        home, judged = place(asking.sent.url), from_data
        cookies = httpx2.Cookies()
        for _ in range(redirects + 1):
            # Who has been elsewhere does not come back as a friend of the house.
            judged = judged or asking.host != home
            exchange = partial(self.exchange, judged=judged, seconds=seconds, take=take)
            answer = await self.persist(asking, exchange, anew)
            location = answer.headers.get("Location")
            if answer.status not in MOVED or not location:
                return answer
            asking = _moved(answer, location, from_data, cookies)
        raise Circling(f"{home} redirects in a circle: the address was given up after {redirects} steps")

    async def persist(self, asking: Asking, exchange: Exchange, anew: Headers = dict) -> Answer:
        """What a request is answered in the end. Raises Offline, PlainHttp, Refused; Unavailable after all attempts."""

        async def once() -> Answer:
            await self._pace.turn(asking.sent.url)
            answer = await exchange(asking.with_headers(anew()))
            if answer.status == 429 or answer.status >= 500:
                raise self._overloaded(answer)
            return answer._replace(asking=asking)

        if self._offline:
            raise Offline(
                f"{asking.host} was not asked: nothing may leave this machine. Ask again without --offline, or set "
                "network.offline to false."
            )
        if asking.is_exposed:
            raise PlainHttp(
                f"{asking.host} was not asked: a key or your words would go there over plain HTTP, for anybody on the "
                "way to read. Name its address as https://… in the setting that has it (openai.url, searxng.url …)."
            )
        return await patiently(once, self._attempts, self._clock)

    def _overloaded(self, answer: Answer) -> Again:
        host, status = answer.asking.host, answer.status
        wait = retry_after(answer.headers, self._clock.wall())
        if wait:
            self._pace.hold(answer.asking.sent.url, min(wait, LONGEST))
        reason = "has had too many requests" if status == 429 else "cannot answer just now"
        remedy = f"ask again in {wait:.0f} seconds" if wait else "ask again later"
        return Again(f"{host} {reason} ({status}): {remedy}{answer.quoted}", wait, status)

    async def exchange(self, asking: Asking, *, judged: bool, seconds: float, take: Take) -> Answer:
        """One request and its answer, written into the ledger however it ends."""
        entry = self.entry(asking, seconds)
        try:
            async with asyncio.timeout(seconds) as deadline:
                response = entry.response = await self.send(asking.sent, judged)
                content = await taken(response, deadline, take)
        except Forbidden:
            raise  # nothing was sent
        except BaseException as error:
            entry.fail(error)
        entry.record()
        return Answer(asking, response.status_code, response.headers, content)

    def entry(self, asking: Asking, seconds: float) -> "Entry":
        """The line of the ledger for a request that is about to be sent."""
        return Entry(self._ledger, self._clock, asking, seconds)

    async def send(self, request: httpx2.Request, judged: bool) -> httpx2.Response:
        """Send it, and return when the answer begins."""
        url = httpcore2.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        raw = httpcore2.Request(request.method, url, headers=request.headers.raw, content=request.content)
        answer = await self.pools[judged].handle_async_request(raw)
        return httpx2.Response(answer.status, headers=answer.headers, stream=_Body(answer.stream), request=request)


class Entry:
    """A line of the ledger while its request is under way.

    response   the answer as soon as it begins
    """

    def __init__(self, ledger: Ledger, clock: Clock, asking: Asking, seconds: float) -> None:
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
                path=self._asking.hide(request.url.path),
                status=self.response.status_code,
                sent=len(request.content) + len(request.url.query),
                received=self.response.num_bytes_downloaded,
                seconds=self._clock.steady() - self._began,
            )
        )

    def fail(self, error: BaseException) -> NoReturn:
        """Write it down, and raise the error in words for the user."""
        self.record()
        reason = _reason(error, self._asking, self._seconds)
        if reason is error:
            raise error
        raise reason from _tellable(error)


class _Body(httpx2.AsyncByteStream):
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


async def taken(response: httpx2.Response, deadline: asyncio.Timeout, take: Take) -> bytes:
    """The body of a good answer, as `take` takes it in; the beginning of another. It is closed."""
    try:
        return await (take if response.is_success else excerpt)(response, deadline)
    finally:
        await response.aclose()


def reader(limit: int) -> Take:
    """Takes in at most `limit` bytes, unpacked, and hangs up on more: what is announced is not even begun."""

    async def take(response: httpx2.Response, _: asyncio.Timeout) -> bytes:
        length = response.headers.get("Content-Length", "")
        if length.isdecimal() and int(length) > limit:
            raise too_large(response, limit)
        content = bytearray()
        async with aclosing(response.aiter_bytes()) as pieces:
            async for piece in pieces:
                content += piece
                if max(len(content), response.num_bytes_downloaded) > limit:
                    raise too_large(response, limit)
        return bytes(content)

    return take


def too_large(response: httpx2.Response, limit: int) -> TooLarge:
    """It is not read further."""
    return TooLarge(f"{place(response.request.url)} sends more than {limit:,} bytes: it was not read to the end")


async def excerpt(response: httpx2.Response, _: asyncio.Timeout) -> bytes:
    """The beginning of what a server says to a request that it does not answer."""
    content = b""
    async with aclosing(response.aiter_bytes()) as pieces:
        async for piece in pieces:
            content += piece
            if len(content) >= EXCERPT:
                break
    return content[:EXCERPT]


def _moved(answer: Answer, location: str, from_data: bool, cookies: httpx2.Cookies) -> Asking:
    """The request that a redirect asks for, with the cookies that were set on the way: some sites circle without."""
    old = answer.asking
    new = old.redirected(answer.status, location)
    # Where the settings say https, an answer that anybody on the way can change is not what was asked for. A link in a
    # page may have been http to begin with, and many registered addresses of articles still are.
    if not from_data and old.sent.url.scheme == "https" and new.sent.url.scheme == "http":
        raise Forbidden(f"{old.host} redirects from https to http, which anybody on the way can change: not followed")
    cookies.extract_cookies(httpx2.Response(answer.status, headers=answer.headers, request=old.sent))
    cookies.set_cookie_header(new.sent)
    return new


def _reason(error: BaseException, asking: Asking, seconds: float) -> BaseException:
    """The same failure in words for the user. No text of a library is quoted: it might hold a key."""
    host = asking.host
    match error:
        case TimeoutError():
            return Again(f"{host} did not answer in full within {seconds:g} seconds: ask again later, or allow it more")
        case httpcore2.LocalProtocolError() | httpcore2.UnsupportedProtocol():
            return Refused(f"{host} cannot be asked this: a header, perhaps the key, holds what no header can carry")
        case httpcore2.ConnectError() if _caused_by(error, ssl.SSLCertVerificationError):
            return Refused(f"{host} could not prove who it is (its certificate is not valid): nothing was sent to it")
        case httpcore2.ConnectError() if _caused_by(error, socket.gaierror):
            return Again(f"{host} is not a name that is known here: check the address and the network connection")
        case httpcore2.ConnectError() | httpcore2.ConnectTimeout():
            return Again(f"{host} could not be reached: check the network connection, or ask again later")
        case httpcore2.NetworkError() | httpcore2.ProtocolError() | httpcore2.TimeoutException():
            return Again(f"{host} broke off before its answer was whole: ask again later")
        case httpx2.DecodingError():
            return Refused(f"{host} sent a body that cannot be unpacked")
    return error


def _tellable(error: BaseException) -> BaseException | None:
    """The failure behind a reason, unless it quotes what was sent."""
    return None if isinstance(error, httpcore2.LocalProtocolError) else error


def _caused_by(error: BaseException | None, kind: type[BaseException]) -> bool:
    while error is not None and not isinstance(error, kind):
        error = error.__cause__ or error.__context__
    return error is not None
