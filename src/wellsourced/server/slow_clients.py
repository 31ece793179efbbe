"""Connections on which no whole request comes: uvicorn waits for its headers as long as a client likes.

What else a slow client can do is for the proxy in front of the server, or needs a token.
"""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 10.0
"""Until the headers of a request are complete, from its first byte or from the connection on."""


class SlowClientProtocol(H11Protocol):
    """HTTP/1.1 that closes a connection whose client takes too long to say what it wants."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the headers of the first request."""
        super().connection_made(transport)
        self._timer = self.loop.call_later(HEADER_SECONDS, transport.close)

    def data_received(self, data: bytes) -> None:
        """Read what came. Bytes that come one by one do not prolong the time for headers."""
        super().data_received(data)
        is_waiting = self.conn.their_state is h11.IDLE and not self.transport.is_closing()
        if is_waiting and self._timer is None:
            self._timer = self.loop.call_later(HEADER_SECONDS, self.transport.close)
        elif not is_waiting:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody waits any more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _stop_waiting(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = None
