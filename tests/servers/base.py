"""A real HTTP server on loopback, in a thread of its own; what it says is decided by one function per server."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple, cast
from urllib.parse import parse_qs, urlsplit


class Asked(NamedTuple):
    """A request as it came in. `fields` are those of the query string and of a form in the body, last one first."""

    method: str
    path: str
    fields: dict[str, str]
    headers: Mapping[str, str]
    body: bytes


class Said(NamedTuple):
    """What is answered.

    body    bytes, or pieces of bytes that are sent as they come, without a Content-Length
    length  a Content-Length to claim instead of the true one: the connection ends before it is reached
    wait    seconds before anything is said
    """

    body: bytes | Iterable[bytes] = b""
    status: int = 200
    type: str = "application/xml"
    headers: Mapping[str, str] = {}
    length: int = 0
    wait: float = 0.0


class Served(NamedTuple):
    """A server that is running: its address without a slash at the end, and what it was asked so far."""

    url: str
    asked: list[Asked]


@contextmanager
def serving(answer: Callable[[Asked], Said]) -> Iterator[Served]:
    """Serve on a free port of 127.0.0.1 until the block ends."""
    asked: list[Asked] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 30
        disable_nagle_algorithm = True

        def _serve(self) -> None:
            split = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            form = body.decode() if "form-urlencoded" in self.headers.get("Content-Type", "") else ""
            fields = {**parse_qs(split.query, keep_blank_values=True), **parse_qs(form, keep_blank_values=True)}
            headers = cast("Mapping[str, str]", self.headers)
            request = Asked(self.command, split.path, {k: v[-1] for k, v in fields.items()}, headers, body)
            asked.append(request)
            said = answer(request)
            time.sleep(said.wait)
            self._say(said)

        do_GET = do_POST = do_HEAD = do_PUT = do_DELETE = _serve  # noqa: N815 (names that http.server looks for)

        def _say(self, said: Said) -> None:
            pieces = [said.body] if isinstance(said.body, bytes) else said.body
            self.send_response(said.status)
            self.send_header("Content-Type", said.type)
            for name, value in said.headers.items():
                self.send_header(name, value)
            if isinstance(said.body, bytes):
                self.send_header("Content-Length", str(said.length or len(said.body)))
            if not isinstance(said.body, bytes) or said.length:
                self.close_connection = True
                self.send_header("Connection", "close")
            self.end_headers()
            try:
                for piece in pieces:
                    self.wfile.write(piece)
            except (BrokenPipeError, ConnectionResetError):
                pass  # who asked has heard enough

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: a test that fails shows `asked`."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield Served(f"http://127.0.0.1:{server.server_address[1]}", asked)
    finally:
        server.shutdown()
        server.server_close()
