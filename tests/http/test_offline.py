"""Offline means offline: the interpreter itself says which sockets were touched."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.servers.base import Said, serving
from wellsourced.errors import OfflineError
from wellsourced.http import Client

_watching: list[list[str]] = []


def _hear(event: str, _: object) -> None:
    if event.startswith("socket."):
        for heard in _watching:
            heard.append(event)


# There is no way to take an audit hook back: it is one for all tests, and silent when nobody watches.
sys.addaudithook(_hear)


@contextmanager
def sockets() -> Iterator[list[str]]:
    """Everything that touches a socket or looks a name up, from here on."""
    heard: list[str] = []
    _watching.append(heard)
    try:
        yield heard
    finally:
        _watching.remove(heard)


async def test_offline_no_socket_is_opened_and_no_name_looked_up(tmp_path: Path) -> None:
    with serving(lambda _: Said(b"ok")) as served, sockets() as heard:
        async with Client(offline=True, cache=tmp_path) as client:
            for url in (served.url, "http://example.org/a", "https://localhost/", "http://[2001:db8::1]/"):
                for ask in (
                    client.get(url, fresh=60),
                    client.post(url, data={"a": 1}),
                    client.follow(url),
                    client.download(url, tmp_path / "file", limit=100),
                ):
                    with pytest.raises(OfflineError, match="offline mode is on"):
                        await ask
        assert heard == []
        assert client.ledger.contacts == []
    assert served.asked == []


async def test_online_the_same_watch_sees_the_socket() -> None:
    with serving(lambda _: Said(b"ok")) as served, sockets() as heard:
        async with Client() as client:
            await client.get(served.url)
        assert {"socket.__new__", "socket.connect"} <= set(heard)
