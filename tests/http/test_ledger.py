"""Every byte that leaves or comes is written down; what the cache gave is not."""

import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.http.moments import Moments
from tests.servers.base import Said, serving
from wellsourced.errors import SourceUnavailable
from wellsourced.http import Client, Contact, Ledger

ONE = Contact(datetime(2026, 11, 21, tzinfo=UTC), "GET", "a", "/", 200, 1, 2, 0.5)


async def test_every_redirect_and_every_attempt_is_a_contact() -> None:
    said = [Said(b"busy", 503), Said(b"gone there", 302, headers={"Location": "/b?x=1"}), Said(b"whole")]
    with serving(lambda _: said.pop(0)) as served:
        async with Client(clock=Moments().clock) as client:
            await client.get(f"{served.url}/a", {"q": "äö"})
    rows = [(c.method, c.host, c.path, c.status, c.sent, c.received) for c in client.ledger.contacts]
    host = served.url.removeprefix("http://")
    query = len("q=%C3%A4%C3%B6")
    assert rows == [
        ("GET", host, "/a", 503, query, 4),
        ("GET", host, "/a", 302, query, 10),
        ("GET", host, "/b", 200, 3, 5),
    ]


async def test_the_time_is_that_of_the_whole_answer() -> None:
    with serving(lambda _: Said(b"ok", wait=0.2)) as served:
        async with Client() as client:
            before = datetime.now(UTC)
            await client.get(served.url)
            (contact,) = client.ledger.contacts
    assert 0.2 <= contact.seconds < 10
    assert before <= contact.when <= datetime.now(UTC)


async def test_an_answer_from_the_cache_is_no_contact(tmp_path: Path) -> None:
    with serving(lambda _: Said(b"ok")) as served:
        async with Client(cache=tmp_path) as client:
            for _ in range(5):
                await client.get(served.url, fresh=60)
            assert len(client.ledger.contacts) == 1


async def test_what_cannot_be_written_down_is_not_passed_over() -> None:
    def full(_: Contact) -> None:
        raise OSError(28, "No space left on device")

    with serving(lambda _: Said(b"ok")) as served:
        async with Client(ledger=Ledger(full)) as client:
            with pytest.raises(SourceUnavailable, match=r"the ledger cannot be written \(No space left"):
                await client.get(served.url)


def test_a_ledger_loses_nothing_between_threads() -> None:
    rows: list[int] = [0]

    def keep(_: Contact) -> None:
        before = rows[0]
        time.sleep(0.0001)
        rows[0] = before + 1

    ledger = Ledger(keep)
    threads = [threading.Thread(target=lambda: [ledger.record(ONE) for _ in range(25)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(ledger.contacts), rows) == (200, [200])
