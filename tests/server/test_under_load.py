"""A server that many ask at once, and that some hold up: turns, refusals, time-outs, and what it keeps open."""

import asyncio
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from http.client import HTTPResponse
from typing import Any, cast

import httpx
import pytest
import uvicorn

from tests.server.conftest import TOKEN, bearer
from wellsourced.context import Context
from wellsourced.server import slow_clients, work_queue
from wellsourced.server.open_contexts import OpenContexts
from wellsourced.server.problems import RefusedRequest
from wellsourced.server.slow_clients import SlowClientProtocol
from wellsourced.server.work_queue import WorkQueue


async def work(queue: WorkQueue, owner: str, done: list[str], patience: float | None = None) -> None:
    async with queue.take_turn(owner, patience):
        await asyncio.sleep(0)
        done.append(owner)


async def test_owners_take_turns_however_many_questions_one_of_them_sends() -> None:
    queue, done = WorkQueue(1), list[str]()
    await asyncio.gather(*(work(queue, owner, done) for owner in ("a", "a", "a", "a", "b", "c", "b")))
    assert done == ["a", "a", "b", "c", "a", "b", "a"]
    assert (queue.working, queue.waiting, queue.refused) == (0, 0, 0)


async def test_who_waits_too_long_is_told_when_to_come_back_and_takes_no_turn() -> None:
    queue, done = WorkQueue(1), list[str]()
    async with queue.take_turn("a"):
        with pytest.raises(RefusedRequest) as refused:
            await work(queue, "b", done, patience=0.01)
        cancelled = asyncio.create_task(work(queue, "c", done))
        await asyncio.sleep(0)
        cancelled.cancel()
        await asyncio.gather(cancelled, return_exceptions=True)
        assert queue.waiting == 0
    assert refused.value.status_code == 503 and refused.value.headers
    assert int(refused.value.headers["retry-after"]) >= 1
    await work(queue, "d", done)
    assert (done, queue.working) == (["d"], 0)


async def test_a_line_has_an_end_and_one_owner_cannot_fill_it() -> None:
    queue, done = WorkQueue(1), list[str]()
    async with queue.take_turn("a"):
        waiting = [asyncio.create_task(work(queue, "a", done)) for _ in range(work_queue.MAX_WAITING_PER_OWNER)]
        await asyncio.sleep(0)
        with pytest.raises(RefusedRequest):
            queue.refuse_if_full("a")
        queue.refuse_if_full("b")
        # Who has somebody waiting, and would wait for longer than clients do, is told at once.
        waiting.append(asyncio.create_task(work(queue, "b", done)))
        await asyncio.sleep(0)
        queue.refuse_if_full("b")
        with pytest.raises(RefusedRequest):
            queue.refuse_if_full("b", patience=1.0)
    await asyncio.gather(*waiting)
    assert queue.working == 0


async def test_a_context_is_closed_when_the_last_that_uses_it_has_ended() -> None:
    closed: list[int] = []
    number = iter(range(10))

    @asynccontextmanager
    async def open_context() -> AsyncIterator[Context]:
        mine = next(number)
        yield cast("Context", f"context {mine}")
        closed.append(mine)

    async with OpenContexts(open_context) as contexts:
        first = contexts.hold()
        again = contexts.hold(first)
        await contexts.reopen()
        await contexts.reopen()
        await asyncio.sleep(0.1)
        assert closed == [1]
        contexts.release(first)
        await asyncio.sleep(0.1)
        assert closed == [1]
        contexts.release(again)
        await asyncio.sleep(0.3)
        assert closed == [1, 0]
        assert contexts.hold().context == "context 2"
    assert closed == [1, 0, 2]


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """An application that answers with the body that it got."""
    if scope["type"] != "http":
        return
    body = b""
    while (message := await receive()).get("type") == "http.request":
        body += message["body"]
        if not message["more_body"]:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": body or b"nothing"})
            return


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The port of a server whose clients have a moment, and of whom eight may keep it waiting."""
    for name in ("HEADER_SECONDS", "SILENT_SECONDS"):
        monkeypatch.setattr(slow_clients, name, 0.5)
    monkeypatch.setattr(SlowClientProtocol, "max_waiting", 8)
    server = uvicorn.Server(uvicorn.Config(echo, port=0, http=SlowClientProtocol, log_level="critical", lifespan="off"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join()


def send_slowly(port: int, sent: bytes) -> socket.socket:
    opened = socket.create_connection(("127.0.0.1", port), 30)
    opened.sendall(sent)
    return opened


HALF_HEAD = b"GET / HTTP/1.1\r\nhost: localhost\r\nx-half: "
HALF_BODY = b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 90\r\n\r\n{"
WHOLE = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"


@pytest.mark.parametrize("sent", [HALF_HEAD, HALF_BODY])
def test_half_a_request_is_ended_and_told(hurried: int, sent: bytes) -> None:
    with send_slowly(hurried, sent) as opened:
        told = opened.recv(1_000)
        assert told.startswith(b"HTTP/1.1 408 Request Timeout\r\n") and b"took too long" in told
        assert opened.recv(1_000) == b""


def test_a_connection_on_which_nothing_was_begun_is_just_closed(hurried: int) -> None:
    with send_slowly(hurried, b"") as opened:
        assert opened.recv(1_000) == b""


def test_bytes_one_by_one_do_not_prolong_the_time_for_headers(hurried: int) -> None:
    with send_slowly(hurried, HALF_HEAD) as opened:
        opened.settimeout(0.1)
        told, begun = b"", time.monotonic()
        while not told and time.monotonic() - begun < 20:
            with suppress(TimeoutError):
                told = opened.recv(1_000)
            with suppress(OSError):
                opened.sendall(b"x")
        assert told.startswith(b"HTTP/1.1 408")


def read_response(opened: socket.socket) -> bytes:
    """The body of one response."""
    response = HTTPResponse(opened)
    response.begin()
    return response.read()


def test_whole_requests_on_one_connection_are_answered_and_the_next_half_is_ended(hurried: int) -> None:
    with send_slowly(hurried, WHOLE) as opened:
        assert read_response(opened) == b"nothing"
        opened.sendall(WHOLE)
        assert read_response(opened) == b"nothing"
        opened.sendall(HALF_HEAD)
        assert opened.recv(1_000).startswith(b"HTTP/1.1 408")


def test_slow_connections_shut_nobody_out(hurried: int) -> None:
    slow = [send_slowly(hurried, HALF_HEAD) for _ in range(30)]
    try:
        told = httpx.post(f"http://127.0.0.1:{hurried}/", content=b"here", timeout=30)
        assert (told.status_code, told.content) == (200, b"here")
        # The first ones made room for the last; what they had sent may not even have been read.
        with suppress(ConnectionResetError):
            assert slow[0].recv(1_000).startswith((b"HTTP/1.1 408", b""))
    finally:
        for opened in slow:
            opened.close()


@pytest.mark.slow
def test_a_server_tells_whether_it_is_ready_and_what_it_has_to_do(address: str, guarded: str) -> None:
    with httpx.Client(base_url=address, timeout=60) as client:
        assert client.get("/ready").json() == {"status": "ready"}
        for way in ("/health", "/ready", "/", "/api/v1/sources"):
            told = client.head(way)
            assert (told.status_code, told.content) == (200, b""), way
        client.post("/api/v1/search", json={"question": "Does Jane Roe have gout?"})
        told = client.get("/metrics")
        assert told.headers["content-type"].startswith("text/plain; version=0.0.4")
        assert 'wellsourced_responses_total{method="POST",route="/api/v1/search",status="200"}' in told.text
        assert "wellsourced_open_descriptors" in told.text
        assert "Roe" not in told.text and "gout" not in told.text
    assert httpx.get(f"{guarded}/ready").status_code == 200
    assert httpx.get(f"{guarded}/metrics").status_code == 401
    assert httpx.get(f"{guarded}/metrics", headers=bearer(TOKEN)).status_code == 200
