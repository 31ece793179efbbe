"""How much an answer may cost: bytes, packed and unpacked, and seconds."""

import gzip
import time
from collections.abc import Iterator

import pytest

from tests.servers.base import Said, serving
from wellsourced.errors import SourceRefused, SourceUnavailable
from wellsourced.http import Client

MB = 1024 * 1024
TEN_GB = 10 * 1024 * MB


class Endless:
    """Pieces of a body without an end; `sent` counts what somebody took."""

    def __init__(self, piece: bytes, wait: float = 0.0) -> None:
        self.piece, self.wait, self.sent = piece, wait, 0

    def __iter__(self) -> Iterator[bytes]:
        while self.sent < TEN_GB:
            time.sleep(self.wait)
            self.sent += len(self.piece)
            yield self.piece


async def test_ten_gigabytes_cost_the_limit_and_no_more() -> None:
    body = Endless(bytes(64 * 1024))
    with serving(lambda _: Said(body)) as served:
        async with Client() as client:
            with pytest.raises(SourceRefused, match="sends more than 1,048,576 bytes"):
                await client.get(served.url, limit=MB)
            received = client.ledger.contacts[0].received
    assert MB < received < 2 * MB
    # What the sockets on both sides held when the connection was closed is lost; nothing more is sent.
    assert body.sent < 16 * MB


async def test_ten_gigabytes_that_are_announced_are_not_begun() -> None:
    with serving(lambda _: Said(b"x" * 1000, length=TEN_GB)) as served:
        async with Client() as client:
            with pytest.raises(SourceRefused, match="sends more than"):
                await client.get(served.url)
            assert client.ledger.contacts[0].received == 0
    assert len(served.asked) == 1


async def test_a_small_body_that_unpacks_to_much_is_stopped_at_the_limit() -> None:
    bomb = gzip.compress(bytes(64 * MB), compresslevel=9)
    with serving(lambda _: Said(bomb, headers={"Content-Encoding": "gzip"})) as served:
        async with Client() as client:
            with pytest.raises(SourceRefused, match="sends more than 2,097,152 bytes"):
                await client.get(served.url, limit=2 * MB)
            assert client.ledger.contacts[0].received <= len(bomb) < MB


async def test_a_bomb_in_a_bomb_is_stopped_too() -> None:
    bomb = gzip.compress(gzip.compress(bytes(64 * MB), compresslevel=9), compresslevel=9)
    with serving(lambda _: Said(bomb, headers={"Content-Encoding": "gzip, gzip"})) as served:
        async with Client() as client:
            with pytest.raises(SourceRefused, match="sends more than"):
                await client.get(served.url, limit=2 * MB)


async def test_a_body_of_exactly_the_limit_is_taken() -> None:
    with serving(lambda _: Said(bytes(MB))) as served:
        async with Client() as client:
            assert len((await client.get(served.url, limit=MB)).content) == MB
            with pytest.raises(SourceRefused):
                await client.get(served.url, limit=MB - 1)


async def test_a_server_that_hangs_is_given_up_in_time() -> None:
    with serving(lambda _: Said(b"late", wait=1.5)) as served:
        async with Client(attempts=1, timeout=0.3) as client:
            began = time.monotonic()
            with pytest.raises(SourceUnavailable, match=r"did not answer within 0\.3 seconds"):
                await client.get(served.url)
            assert time.monotonic() - began < 1.4
            assert [contact.status for contact in client.ledger.contacts] == [0]


async def test_a_server_that_drips_is_given_up_in_time() -> None:
    with serving(lambda _: Said(Endless(b"x", wait=0.05))) as served:
        async with Client(attempts=1, timeout=0.5) as client:
            began = time.monotonic()
            with pytest.raises(SourceUnavailable, match="did not answer within"):
                await client.get(served.url)
            assert 0.4 < time.monotonic() - began < 5
            contact = client.ledger.contacts[0]
    assert (contact.status, 1 <= contact.received <= 10) == (200, True)


async def test_a_long_refusal_is_read_to_its_beginning_alone() -> None:
    body = Endless(b"no! " * 1024)
    with serving(lambda _: Said(body, 400)) as served:
        async with Client() as client:
            with pytest.raises(SourceRefused) as caught:
                await client.get(served.url)
    assert len(str(caught.value)) < 400
    assert body.sent < 16 * MB
