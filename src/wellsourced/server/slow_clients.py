"""Connections whose clients keep the server waiting: how long that may last, and who goes first when there are many.

uvicorn waits for the rest of a request for as long as its client likes, and refuses everybody when it has too many
connections: some 1,500 half-sent headers would shut all others out.
"""

import asyncio
from collections import OrderedDict
from http import HTTPStatus
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from wellsourced.server import messages

HEADER_SECONDS = 10.0
"""Until the headers of a request are complete, from its first byte or from the connection on."""

SILENT_SECONDS = 20.0
"""Until the next bytes of a body."""

BODY_SECONDS, BYTES_PER_SECOND = 30.0, 20_000
"""Until a body is complete; and longer for as many bytes as came in."""

READING_SECONDS = 60.0
"""Until a client takes more of a response of which enough lies ready."""

MAX_WAITING = 2_000
"""Connections that wait for their client; beyond these, the one that was silent the longest is closed. Half as many as
the descriptors that `serve` asks for."""


class SlowClientProtocol(H11Protocol):
    """HTTP/1.1 that closes a connection whose client takes too long, and tells it so where it can."""

    max_waiting: ClassVar[int] = MAX_WAITING
    # Of all connections of this process: the longest silent first.
    waiting: ClassVar[OrderedDict["SlowClientProtocol", None]] = OrderedDict()

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._timer: asyncio.TimerHandle | None = None
        self._body_started = 0.0
        self._body_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the headers of the first request."""
        super().connection_made(transport)
        self._wait(HEADER_SECONDS)

    def data_received(self, data: bytes) -> None:
        """Read what came, and wait for the rest of the request, if there is more to come."""
        is_first = self.conn.their_state is h11.IDLE and self._timer is None
        self._body_bytes += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            self._stop_waiting()
        elif self.conn.their_state is h11.SEND_BODY:
            self._wait_for_body()
        # Bytes that come one by one do not prolong the time for headers.
        elif self.conn.their_state is h11.IDLE and is_first:
            self._wait(HEADER_SECONDS)
        elif self.conn.their_state is not h11.IDLE:
            self._stop_waiting()

    def _wait_for_body(self) -> None:
        now = self.loop.time()
        if not self._body_started:
            self._body_started, self._body_bytes = now, 0
        left = self._body_started + BODY_SECONDS + self._body_bytes / BYTES_PER_SECOND - now
        self._wait(max(0.0, min(SILENT_SECONDS, left)))

    def on_response_complete(self) -> None:
        """After a response the client may be silent as long as connections are kept alive."""
        super().on_response_complete()
        if not self.transport.is_closing() and self.conn.their_state is h11.IDLE:
            self._keep_last()

    def pause_writing(self) -> None:
        """The client does not take what lies ready."""
        super().pause_writing()
        self._set_timer(READING_SECONDS)

    def resume_writing(self) -> None:
        """The client took it."""
        super().resume_writing()
        if self not in self.waiting:
            self._set_timer(None)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody waits any more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self, seconds: float) -> None:
        self._set_timer(seconds)
        self._keep_last()

    def _keep_last(self) -> None:
        self.waiting[self] = None
        self.waiting.move_to_end(self)
        while len(self.waiting) > self.max_waiting:
            next(iter(self.waiting))._give_up()

    def _stop_waiting(self) -> None:
        self._body_started = 0.0
        self.waiting.pop(self, None)
        self._set_timer(None)

    def _set_timer(self, seconds: float | None) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = None if seconds is None else self.loop.call_later(seconds, self._give_up)

    def _give_up(self) -> None:
        """Close the connection; a client whose request has no response yet is told why."""
        self._stop_waiting()
        if self.transport.is_closing():
            return
        has_begun = bool(self.conn.trailing_data[0]) if self.conn.our_state is h11.IDLE else False
        if has_begun or self.conn.our_state is h11.SEND_RESPONSE:
            self._send_timeout()
        # What could not be sent must not keep the connection open.
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self.transport.close()

    def _send_timeout(self) -> None:
        status, body = HTTPStatus.REQUEST_TIMEOUT, messages.TOO_SLOW.encode()
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: text/plain; charset=utf-8\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
