"""The client that libraries of model providers send with: nothing they do passes the wire by."""

import asyncio
import gzip
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import httpx2
import pytest

from tests.http.moments import Moments
from tests.http.test_offline import sockets
from tests.servers.base import Asked, Said, serving
from tests.tables import each_row
from wellsourced.errors import BudgetSpent, ForbiddenAddress, OfflineError, SourceRefused, SourceUnavailable
from wellsourced.http import Client
from wellsourced.http.provider_transport import watch_attempts

CHUNKED = {"Transfer-Encoding": "chunked"}


def chunk(piece: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(piece), piece)


def events(*pieces: bytes, whole: bool = True) -> Said:
    """A stream of events; one that is not whole ends without saying so."""
    return Said([*map(chunk, pieces), *([chunk(b"")] if whole else [])], type="text/event-stream", headers=CHUNKED)


class Script:
    """Says one thing after another, then "done"."""

    def __init__(self, *said: Said) -> None:
        self.said = list(said)

    def __call__(self, _: Asked) -> Said:
        return self.said.pop(0) if self.said else Said(b'"done"', type="application/json")


async def test_offline_nothing_is_sent_looked_up_or_written_down() -> None:
    with serving(lambda _: Said(b"ok")) as served, sockets() as heard:
        async with Client(offline=True) as client:
            for url in (served.url, "http://api.example.org/v1"):
                with pytest.raises(OfflineError, match="offline mode is on"):
                    await client.open_provider_client().post(url, json={})
        assert heard == []
        assert client.ledger.contacts == []
    assert served.asked == []


async def test_the_ledger_knows_whom_how_much_and_when_but_not_what() -> None:
    with serving(lambda _: Said(b'{"a": 1}', type="application/json")) as served:
        async with Client() as client:
            headers = {"Authorization": "Bearer sk-secret"}
            await client.open_provider_client().post(
                f"{served.url}/v1/chat?alt=sse", json={"ask": "aspirin"}, headers=headers
            )
        (contact,) = client.ledger.contacts
    assert (contact.method, contact.host, contact.path) == ("POST", served.url.removeprefix("http://"), "/v1/chat")
    assert (contact.status, contact.sent, contact.received) == (200, len(b'{"ask":"aspirin"}') + len("alt=sse"), 8)
    assert "aspirin" not in repr(contact)
    assert "sk-secret" not in repr(contact)


async def test_headers_that_describe_the_machine_stay_at_home() -> None:
    with serving(lambda _: Said(b"ok")) as served:
        async with Client(agent="wellsourced/1") as client:
            headers = {"X-Stainless-OS": "Linux", "X-Api-Key": "k", "Anthropic-Version": "2023-06-01", "Cookie": "a=b"}
            await client.open_provider_client().post(served.url, json={}, headers=headers)
    sent = {name.lower(): value for name, value in served.asked[0].headers.items()}
    assert (sent["x-api-key"], sent["anthropic-version"], sent["user-agent"]) == ("k", "2023-06-01", "wellsourced/1")
    assert not {"x-stainless-os", "cookie"} & set(sent)


async def test_the_pause_that_a_server_asks_for_is_kept() -> None:
    moments = Moments()
    with serving(Script(Said(status=429, headers={"Retry-After": "7"}))) as served:
        async with Client(clock=moments.clock) as client:
            assert (await client.open_provider_client().get(served.url)).json() == "done"
        assert [contact.status for contact in client.ledger.contacts] == [429, 200]
    assert moments.slept == [7.0]


async def test_after_all_attempts_it_is_unavailable_and_the_key_is_not_quoted() -> None:
    moments = Moments()
    with serving(lambda _: Said(b"overloaded, dear sk-secret", 529)) as served:
        async with Client(clock=moments.clock) as client:
            with pytest.raises(SourceUnavailable, match=r"is unavailable \(529\).*overloaded, dear …"):
                await client.open_provider_client(attempts=2).get(
                    served.url, headers={"Authorization": "Bearer sk-secret"}
                )
    assert len(served.asked) == 2


async def test_an_answer_that_breaks_off_is_asked_for_again() -> None:
    moments = Moments()
    with serving(Script(Said(b"half", length=8))) as served:
        async with Client(clock=moments.clock) as client:
            assert (await client.open_provider_client().get(served.url)).json() == "done"
    assert len(served.asked) == 2


async def test_a_refusal_is_handed_on_for_the_library_to_read() -> None:
    with serving(lambda _: Said(b'{"error": "no"}', 400, "application/json")) as served:
        async with Client() as client:
            answer = await client.open_provider_client().get(served.url)
    assert (answer.status_code, answer.json(), len(served.asked)) == (400, {"error": "no"}, 1)


@each_row("elsewhere", ["/other", "http://example.org/", "ftp://example.org/"])
async def test_a_redirect_is_followed_nowhere_even_if_the_library_would(elsewhere: str) -> None:
    with serving(lambda _: Said(status=307, headers={"Location": elsewhere})) as served:
        async with Client() as client:
            with pytest.raises(SourceRefused, match=r"redirects \(307\), which is not followed"):
                await client.open_provider_client().post(served.url, json={}, follow_redirects=True)
    assert len(served.asked) == 1


async def test_other_schemes_and_names_in_addresses_are_refused() -> None:
    async with Client() as client:
        with pytest.raises(ForbiddenAddress, match="contains a name or password"):
            await client.open_provider_client().get("http://api.openai.com@127.0.0.1/")


async def test_a_proxy_of_the_environment_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda _: Said(b"proxied")) as proxy, serving(lambda _: Said(b"direct")) as served:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("ALL_PROXY", proxy.url)
        async with Client() as client:
            assert (await client.open_provider_client().get(served.url)).content == b"direct"
    assert proxy.asked == []


async def test_a_stream_is_handed_on_as_it_comes_and_written_down_at_its_end() -> None:
    heard: list[bytes] = []

    def slowly() -> Iterator[bytes]:
        yield chunk(b"data: 1\n\n")
        while not heard:  # the server goes on only when the first piece was heard
            pass
        yield chunk(b"data: 2\n\n") + chunk(b"")

    with serving(lambda _: Said(slowly(), type="text/event-stream", headers=CHUNKED)) as served:
        async with Client() as client, client.open_provider_client().stream("POST", served.url, json={}) as answer:
            assert client.ledger.contacts == []
            async for piece in answer.aiter_bytes():
                heard += [piece]
        (contact,) = client.ledger.contacts
    assert b"".join(heard) == b"data: 1\n\ndata: 2\n\n"
    assert (contact.status, contact.received) == (200, 18)


async def test_a_packed_stream_is_unpacked() -> None:
    packed = gzip.compress(b"data: 1\n\n")
    said = Said([packed], type="text/event-stream", headers={"Content-Encoding": "gzip"})
    with serving(lambda _: said) as served:
        async with Client() as client, client.open_provider_client().stream("GET", served.url) as answer:
            assert b"".join([piece async for piece in answer.aiter_bytes()]) == b"data: 1\n\n"
        assert [contact.received for contact in client.ledger.contacts] == [len(packed)]


async def test_a_stream_that_breaks_off_is_unavailable_and_in_the_ledger_once() -> None:
    with serving(lambda _: events(b"data: 1\n\n", whole=False)) as served:
        async with Client() as client:
            with pytest.raises(SourceUnavailable, match="broke off its answer"):
                await client.open_provider_client().post(served.url, json={})
        assert [(contact.status, contact.received) for contact in client.ledger.contacts] == [(200, 9)]


async def test_a_stream_that_is_left_early_is_in_the_ledger() -> None:
    with serving(lambda _: events(b"data: 1\n\n", b"data: 2\n\n")) as served:
        async with Client() as client, client.open_provider_client().stream("GET", served.url) as answer:
            await anext(answer.aiter_bytes())
        assert [contact.status for contact in client.ledger.contacts] == [200]


async def test_a_stream_that_falls_silent_is_given_up() -> None:
    ended = asyncio.Event()

    def silent() -> Iterator[bytes]:
        yield chunk(b"data: 1\n\n")
        while not ended.is_set():
            pass

    with serving(lambda _: Said(silent(), type="text/event-stream", headers=CHUNKED)) as served:
        async with Client() as client:
            with pytest.raises(SourceUnavailable, match=r"did not answer within 0\.2 seconds"):
                await client.open_provider_client(seconds=0.2).get(served.url)
            ended.set()
        assert len(client.ledger.contacts) == 1


async def test_an_answer_that_takes_too_long_is_given_up_after_all_attempts() -> None:
    moments = Moments()
    with serving(lambda _: Said(b"late", wait=0.5)) as served:
        async with Client(clock=moments.clock) as client:
            with pytest.raises(SourceUnavailable, match=r"within 0\.1 seconds"):
                await client.open_provider_client(seconds=0.1, attempts=2).get(served.url)
        assert [contact.status for contact in client.ledger.contacts] == [0, 0]


async def test_who_was_waited_for_in_vain_twice_is_not_waited_for_a_third_time() -> None:
    with serving(lambda _: Said(b"late", wait=0.5)) as served:
        async with Client(clock=Moments().clock) as client:
            with pytest.raises(SourceUnavailable, match=r"within 0\.1 seconds"):
                await client.open_provider_client(seconds=0.1, attempts=9).get(served.url)
        assert len(served.asked) == len(client.ledger.contacts) == 2


async def test_every_attempt_is_told_before_it_is_sent_and_can_be_stopped() -> None:
    told: list[int] = []

    def on_attempt() -> None:
        told.append(len(served.asked))
        if len(told) == 3:
            raise BudgetSpent("calls", 2, 2)

    with serving(lambda _: Said(status=503)) as served:
        async with Client(clock=Moments().clock) as client:
            with watch_attempts(on_attempt), pytest.raises(BudgetSpent):
                await client.open_provider_client(attempts=5).get(served.url)
        assert told == [0, 1, 2]
        assert len(served.asked) == 2


async def test_a_machine_that_takes_no_connection_is_not_waited_for_as_long_as_one_that_thinks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("wellsourced.http.transport.CONNECT_SECONDS", 0.2)
    with ExitStack() as stack:
        full = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        async with Client() as client:
            carrier = client.open_provider_client(seconds=60, attempts=1)
            begun = time.monotonic()
            with pytest.raises(SourceUnavailable, match="Cannot reach"):
                await carrier.get(f"http://127.0.0.1:{full.getsockname()[1]}/")
            assert time.monotonic() - begun < 10


async def test_it_is_closed_with_the_client_that_gave_it() -> None:
    async with Client() as client:
        carrier = client.open_provider_client()
    assert isinstance(carrier, httpx2.AsyncClient)
    assert carrier.is_closed
