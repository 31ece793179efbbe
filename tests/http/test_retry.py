"""What is tried again, how often, and after which pause."""

import socket
from email.utils import formatdate

import pytest

from tests.http.moments import Moments
from tests.servers.base import Asked, Said, serving
from tests.tables import each_row
from wellsourced.errors import NotFoundError, SourceRefused, SourceUnavailable
from wellsourced.http import Client


class Script:
    """Says one thing after another, then "done"."""

    def __init__(self, *said: Said) -> None:
        self.said = list(said)

    def __call__(self, _: Asked) -> Said:
        return self.said.pop(0) if self.said else Said(b"done")


async def test_a_server_that_fails_once_is_asked_again() -> None:
    moments = Moments()
    with serving(Script(Said(status=503))) as served:
        async with Client(clock=moments.clock) as client:
            assert (await client.get(served.url)).content == b"done"
    assert len(served.asked) == 2
    assert 0.5 <= moments.slept[0] <= 1.0


async def test_pauses_grow_and_are_not_the_same_for_everybody() -> None:
    moments = Moments()
    with serving(Script(*[Said(status=500)] * 10)) as served:
        async with Client(clock=moments.clock, attempts=5) as client:
            for _ in range(2):
                with pytest.raises(SourceUnavailable):
                    await client.get(served.url)
    first, second = moments.slept[:4], moments.slept[4:]
    assert all(low <= slept <= low + 0.5 for low, slept in zip((0.5, 1, 2, 4), first, strict=True))
    assert first != second


async def test_the_pause_that_a_server_asks_for_is_kept() -> None:
    moments = Moments()
    with serving(Script(Said(status=429, headers={"Retry-After": "7"}))) as served:
        async with Client(clock=moments.clock) as client:
            await client.get(served.url)
    assert moments.slept == [7.0]


async def test_a_pause_may_be_asked_for_as_a_date() -> None:
    moments = Moments()
    date = formatdate(moments.now + 9, usegmt=True)
    with serving(Script(Said(status=503, headers={"Retry-After": date}))) as served:
        async with Client(clock=moments.clock) as client:
            await client.get(served.url)
    assert moments.slept == [9.0]


@each_row("said", ["soon", "-4", "Tue, 99 Jan 2026", "٣"])
async def test_a_pause_that_cannot_be_read_is_like_none(said: str) -> None:
    moments = Moments()
    with serving(Script(Said(status=503, headers={"Retry-After": said.encode().decode("latin-1")}))) as served:
        async with Client(clock=moments.clock) as client:
            await client.get(served.url)
    assert len(moments.slept) == 1
    assert moments.slept[0] <= 1.0


async def test_who_asks_for_an_hour_is_left_to_the_user() -> None:
    moments = Moments()
    with serving(Script(Said(b"slow down", 429, headers={"Retry-After": "3600"}))) as served:
        async with Client(clock=moments.clock) as client:
            with pytest.raises(
                SourceUnavailable, match=r"too many requests \(429\): try again in 3600 seconds; it said “slow"
            ):
                await client.get(served.url)
    assert (len(served.asked), moments.slept) == (1, [])


async def test_all_attempts_together_end_in_one_sentence() -> None:
    moments = Moments()
    with serving(lambda _: Said(b"<h1>Down</h1>", 503)) as served:
        async with Client(clock=moments.clock, attempts=4) as client:
            with pytest.raises(SourceUnavailable) as caught:
                await client.get(served.url)
    host = served.url.removeprefix("http://")
    assert str(caught.value) == f"{host} is unavailable (503): try again later; it said “Down”"
    assert len(served.asked) == 4


@each_row(("status", "error"), [(400, SourceRefused), (403, SourceRefused), (404, NotFoundError)])
async def test_a_refusal_is_not_asked_again(status: int, error: type[SourceRefused]) -> None:
    with serving(lambda _: Said(status=status)) as served:
        async with Client() as client:
            with pytest.raises(error):
                await client.get(served.url)
    assert len(served.asked) == 1


async def test_a_dead_host_is_unavailable_after_all_attempts() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    moments = Moments()
    async with Client(clock=moments.clock) as client:
        with pytest.raises(SourceUnavailable, match=f"Cannot reach 127.0.0.1:{port}: no server is running there"):
            await client.get(f"http://127.0.0.1:{port}/")
        assert [contact.status for contact in client.ledger.contacts] == [0, 0, 0]
    assert len(moments.slept) == 2


async def test_an_answer_that_breaks_off_is_asked_for_again() -> None:
    moments = Moments()
    with serving(Script(Said(b"half", length=8))) as served:
        async with Client(clock=moments.clock) as client:
            assert (await client.get(served.url)).content == b"done"
    assert len(served.asked) == 2


async def test_an_answer_that_always_breaks_off_is_no_answer() -> None:
    moments = Moments()
    with serving(lambda _: Said(b"half", length=8)) as served:
        async with Client(clock=moments.clock) as client:
            with pytest.raises(SourceUnavailable, match="broke off its answer"):
                await client.get(served.url)
            assert [contact.received for contact in client.ledger.contacts] == [4, 4, 4]
