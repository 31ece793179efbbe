"""What the libraries of model providers are handed to send with, so that they have no way out of their own.

They build their requests themselves, and read the answers; in between is the wire that everything else goes by:
offline refuses, the ledger knows, hosts are not hurried, and what failed and may pass is sent again.
"""

import asyncio
from collections.abc import AsyncIterator

import httpx2

from wellsourced.errors import Refused, Unavailable
from wellsourced.http.answer import Answer
from wellsourced.http.asking import USUAL, Asking, address
from wellsourced.http.patience import Again
from wellsourced.http.wire import MOVED, Entry, Wire, reader, taken

KEYS = {"authorization", "x-api-key", "api-key", "x-goog-api-key"}
"""Headers whose values may not be told."""

SAID = KEYS | {"accept", "content-type", "content-length", "host", "anthropic-version", "anthropic-beta", "openai-beta"}
"""Headers that are sent. The others describe this machine, or were put into the environment for another program."""

PIECEMEAL = {"text/event-stream", "application/x-ndjson"}
"""Media types that are told piece by piece."""

PATIENCE = 10
"""Times the seconds of one attempt, after which a stream that still has no end is given up."""


def carrier(wire: Wire, *, seconds: float, limit: int, agent: str) -> httpx2.AsyncClient:
    """A client that sends over this wire alone, and closes it."""
    transport = Carrier(wire, seconds=seconds, limit=limit, agent=agent)
    # The time-out is the wire's; this one is what libraries read off a client to plan with.
    return httpx2.AsyncClient(transport=transport, trust_env=False, follow_redirects=False, timeout=seconds + 1)


class Carrier(httpx2.AsyncBaseTransport):
    """Takes a whole answer in before it is handed on, so that one that breaks off can be asked for again.

    An answer that is told piece by piece is handed on as it comes; broken off, it is an Unavailable.

    seconds   for one attempt; of a stream, for each piece
    limit     bytes of an answer, unpacked

    Raises what `Client.get` raises, but hands answers of 4xx on, for the library to understand. A redirect is
    Refused wherever it leads.
    """

    def __init__(self, wire: Wire, *, seconds: float, limit: int, agent: str) -> None:
        self._wire = wire
        self._seconds = seconds
        self._limit = limit
        self._agent = agent

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send it, as often as need be."""
        address(str(request.url))
        await request.aread()
        sent = httpx2.Request(request.method, request.url, headers=self._said(request), content=request.content or None)
        answer = await self._wire.persist(Asking(sent, sent, _secrets(sent), speaks=True), self._exchange)
        if answer.status in MOVED:
            raise Refused(f"{answer.asking.host} redirects ({answer.status}), which is not followed: check its address")
        if answer.stream:
            return httpx2.Response(answer.status, headers=answer.headers, stream=answer.stream)
        headers = {"Content-Type": answer.headers.get("Content-Type", "")}
        return httpx2.Response(answer.status, headers=headers, content=answer.content)

    async def aclose(self) -> None:
        """Close every connection."""
        await self._wire.close()

    def _said(self, request: httpx2.Request) -> dict[str, str]:
        said = {name: value for name, value in request.headers.items() if name in SAID}
        return {**said, "User-Agent": self._agent, "Accept-Encoding": USUAL["Accept-Encoding"]}

    async def _exchange(self, asking: Asking) -> Answer:
        """One request, and the whole of its answer or its beginning."""
        entry = self._wire.entry(asking, self._seconds)
        try:
            async with asyncio.timeout(self._seconds) as deadline:
                response = entry.response = await self._wire.send(asking.sent, judged=False)
                if response.is_success and _type(response) in PIECEMEAL:
                    return Answer(asking, response.status_code, response.headers, b"", Pieces(entry, self._seconds))
                content = await taken(response, deadline, reader(self._limit))
        except BaseException as error:
            entry.fail(error)
        entry.record()
        return Answer(asking, response.status_code, response.headers, content)


class Pieces(httpx2.AsyncByteStream):
    """An answer as it comes. It is in the ledger when it has ended, broken off, or been closed.

    Raises Unavailable when a piece does not come in time or the connection breaks.
    """

    def __init__(self, entry: Entry, seconds: float) -> None:
        self._entry = entry
        self._seconds = seconds
        self._ended = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        pieces = self._entry.response.aiter_raw()
        until = asyncio.get_running_loop().time() + PATIENCE * self._seconds
        try:
            while (piece := await self._next(pieces, until)) is not None:
                yield piece
        except Again as error:
            # What was handed on cannot be taken back: whoever reads it asks again.
            raise Unavailable(error.sentence) from error

    async def aclose(self) -> None:
        """Hang up."""
        await self._entry.response.aclose()
        if not self._ended:
            self._ended = True
            self._entry.record()

    async def _next(self, pieces: AsyncIterator[bytes], until: float) -> bytes | None:
        try:
            async with asyncio.timeout_at(min(until, asyncio.get_running_loop().time() + self._seconds)):
                return await anext(pieces, None)
        except BaseException as error:
            self._ended = True
            self._entry.fail(error)


def _type(response: httpx2.Response) -> str:
    return response.headers.get("Content-Type", "").partition(";")[0].strip().lower()


def _secrets(request: httpx2.Request) -> tuple[str, ...]:
    return tuple(value for name, value in request.headers.items() if name in KEYS and value)
