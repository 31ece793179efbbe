"""What the libraries of model providers are handed to send with, so that they have no way out of their own.

They build their requests themselves, and read the answers; in between is the wire that everything else goes by:
offline refuses, the ledger knows, hosts are not hurried, and what failed and may pass is sent again.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial

import httpx2

from wellsourced.errors import SourceRefused, SourceUnavailable
from wellsourced.http.failures import RetryableError
from wellsourced.http.request import DEFAULT_HEADERS, Request, parse_url
from wellsourced.http.response import RawResponse, media_type
from wellsourced.http.transport import REDIRECT_STATUSES, LedgerEntry, Transport, limited_reader

KEY_HEADERS = {"authorization", "x-api-key", "api-key", "x-goog-api-key"}
"""Headers whose values may not be told."""

ALLOWED_HEADERS = KEY_HEADERS | {
    "accept",
    "content-type",
    "content-length",
    "host",
    "anthropic-version",
    "anthropic-beta",
    "openai-beta",
}
"""Headers that are sent. The others describe this machine, or were put into the environment for another program."""

STREAMED_TYPES = {"text/event-stream", "application/x-ndjson"}
"""Media types that are told piece by piece."""

MAX_TIMEOUTS = 2
"""Attempts that may run out of time: who has been waited for so long twice is not waited for again."""

STREAM_TIMEOUT_FACTOR = 10
"""Times the seconds of one attempt, after which a stream that still has no end is given up."""

OnAttempt = Callable[[], None]
"""Called before a request is sent, each time that it is; what it raises is raised in place of sending it."""

_ON_ATTEMPT: ContextVar[OnAttempt | None] = ContextVar("on_attempt", default=None)


@contextmanager
def watch_attempts(on_attempt: OnAttempt) -> Iterator[None]:
    """Call this before every attempt inside, in tasks that are started inside too."""
    token = _ON_ATTEMPT.set(on_attempt)
    try:
        yield
    finally:
        _ON_ATTEMPT.reset(token)


def build_provider_client(wire: Transport, *, seconds: float, limit: int, agent: str) -> httpx2.AsyncClient:
    """A client that sends over this wire alone, and closes it."""
    transport = ProviderTransport(wire, seconds=seconds, limit=limit, agent=agent)
    # The time-out is the wire's; this one is what libraries read off a client to plan with.
    return httpx2.AsyncClient(transport=transport, trust_env=False, follow_redirects=False, timeout=seconds + 1)


class ProviderTransport(httpx2.AsyncBaseTransport):
    """Takes a whole answer in before it is handed on, so that one that breaks off can be asked for again.

    An answer that is told piece by piece is handed on as it comes; broken off, it is an SourceUnavailable.

    seconds   for one attempt; of a stream, for each piece
    limit     bytes of an answer, unpacked

    Raises what `Client.get` raises, but hands answers of 4xx on, for the library to understand. A redirect is
    SourceRefused wherever it leads.
    """

    def __init__(self, wire: Transport, *, seconds: float, limit: int, agent: str) -> None:
        self._transport = wire
        self._seconds = seconds
        self._limit = limit
        self._agent = agent

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        # The address is the library's, made of a setting: it has to be one that we would ask ourselves.
        parse_url(str(request.url))
        await request.aread()
        sent = httpx2.Request(
            request.method, request.url, headers=self._allowed_headers(request), content=request.content or None
        )
        secrets = tuple(value for name, value in sent.headers.items() if name in KEY_HEADERS and value)
        answer = await self._transport.send_with_retries(
            Request(sent, sent, secrets, has_content=True), partial(self._send_attempt, [])
        )
        if answer.status in REDIRECT_STATUSES:
            raise SourceRefused(
                f"{answer.request.host} redirects ({answer.status}), which is not followed: check its address"
            )
        if answer.stream:
            return httpx2.Response(answer.status, headers=answer.headers, stream=answer.stream)
        # The body is unpacked by now, so the headers that tell how it was packed would mislead the library.
        headers = {"Content-Type": answer.headers.get("Content-Type", "")}
        return httpx2.Response(answer.status, headers=headers, content=answer.content)

    async def _send_attempt(self, timeouts: list[RetryableError], asking: Request) -> RawResponse:
        """Send it once. Raises SourceUnavailable, after which it is not tried again, for one time-out too many.

        timeouts   of the attempts before it
        """
        if on_attempt := _ON_ATTEMPT.get():
            on_attempt()
        try:
            return await self._transport.send_once(
                asking,
                judged=False,
                seconds=self._seconds,
                take=limited_reader(self._limit),
                open_stream=self._open_stream,
            )
        except RetryableError as error:
            if isinstance(error.__cause__, TimeoutError):
                timeouts.append(error)
            if len(timeouts) >= MAX_TIMEOUTS:
                raise SourceUnavailable(error.message) from error
            raise

    async def aclose(self) -> None:
        await self._transport.close()

    def _allowed_headers(self, request: httpx2.Request) -> dict[str, str]:
        said = {name: value for name, value in request.headers.items() if name in ALLOWED_HEADERS}
        return {**said, "User-Agent": self._agent, "Accept-Encoding": DEFAULT_HEADERS["Accept-Encoding"]}

    def _open_stream(self, entry: LedgerEntry) -> "StreamedBody | None":
        return StreamedBody(entry, self._seconds) if media_type(entry.response.headers) in STREAMED_TYPES else None


class StreamedBody(httpx2.AsyncByteStream):
    """An answer as it comes. It is in the ledger when it has ended, broken off, or been closed.

    Raises SourceUnavailable when a piece does not come in time or the connection breaks.
    """

    def __init__(self, entry: LedgerEntry, seconds: float) -> None:
        self._entry = entry
        self._seconds = seconds
        self._ended = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        pieces = self._entry.response.aiter_raw()
        until = asyncio.get_running_loop().time() + STREAM_TIMEOUT_FACTOR * self._seconds
        try:
            while (piece := await self._next_piece(pieces, until)) is not None:
                yield piece
        except RetryableError as error:
            # What was handed on cannot be taken back: whoever reads it asks again.
            raise SourceUnavailable(error.message) from error

    async def aclose(self) -> None:
        await self._entry.response.aclose()
        if not self._ended:
            self._ended = True
            self._entry.record()

    async def _next_piece(self, pieces: AsyncIterator[bytes], until: float) -> bytes | None:
        try:
            async with asyncio.timeout_at(min(until, asyncio.get_running_loop().time() + self._seconds)):
                return await anext(pieces, None)
        except BaseException as error:
            self._ended = True
            self._entry.fail(error)
