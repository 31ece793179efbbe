"""Keys go to the server they are for, and nowhere else: no message, no ledger, no other host."""

import json
import traceback

import pytest
from pydantic import SecretStr

from tests.http.moments import Moments
from tests.servers.base import Asked, Said, serving
from tests.tables import each_row
from wellsourced.errors import NotFoundError, SourceError, SourceRefused, SourceUnavailable
from wellsourced.http import Client, Contact

KEY = "k3y/with+signs=0123456789"
SECRET = SecretStr(KEY)
SPELLINGS = (KEY, "k3y%2Fwith%2Bsigns%3D0123456789", "k3y")


def told(error: BaseException) -> str:
    """All that a log would show."""
    return "".join(traceback.format_exception(error))


@each_row(
    ("status", "kind"), [(400, SourceRefused), (403, SourceRefused), (404, NotFoundError), (429, SourceUnavailable)]
)
async def test_a_message_never_shows_the_key_though_the_server_repeats_it(status: int, kind: type[SourceError]) -> None:
    def answer(asked: Asked) -> Said:
        body = {"error": "API key invalid", "api-key": asked.fields["api_key"], "address": asked.path}
        return Said(json.dumps(body).encode(), status, "application/json")

    with serving(answer) as served:
        async with Client(clock=Moments().clock) as client:
            with pytest.raises(kind) as caught:
                await client.get(f"{served.url}/{KEY}/x", {"api_key": SECRET}, headers={"X-Key": SECRET})
            kept = client.ledger.contacts
    assert "API key invalid" in str(caught.value)
    assert caught.value.status == status
    assert not any(spelling in told(caught.value) for spelling in SPELLINGS)
    assert not any(spelling in str(kept) for spelling in SPELLINGS)


async def test_a_wrong_key_is_named_as_what_to_check() -> None:
    with serving(lambda _: Said(b"", 401)) as served:
        async with Client() as client:
            with pytest.raises(SourceRefused, match=r"refused the request \(401\): check its API key"):
                await client.get(served.url, headers={"Authorization": SecretStr(f"Bearer {KEY}")})


@each_row("key", ["k3y-with-ünïcode", "k3y\r\nX-Injected: yes", "k3y\x00null"])
async def test_a_key_that_no_header_can_carry_is_not_shown_either(key: str) -> None:
    with serving(lambda _: Said(b"ok")) as served:
        async with Client() as client:
            with pytest.raises(SourceRefused, match="a header, perhaps the API key, has") as caught:
                await client.get(served.url, headers={"X-Key": SecretStr(key)})
    assert "k3y" not in told(caught.value)
    # What is behind it holds the key itself.
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
    assert served.asked == []


async def test_a_dead_host_does_not_bring_the_key_to_light() -> None:
    async with Client(clock=Moments().clock, attempts=1) as client:
        with pytest.raises(SourceUnavailable) as caught:
            await client.get("http://127.0.0.1:1/", {"api_key": SECRET}, headers={"X-Key": SECRET})
    assert not any(spelling in told(caught.value) for spelling in SPELLINGS)


async def test_the_ledger_knows_neither_the_question_nor_the_key() -> None:
    heard: list[Contact] = []
    with serving(lambda _: Said(b"12345")) as served:
        async with Client() as client:
            client.ledger._persist = heard.append
            await client.post(f"{served.url}/find?term=hiv", data={"term": "hiv", "api_key": SECRET})
    (contact,) = heard
    assert (contact.method, contact.path, contact.status, contact.received) == ("POST", "/find", 200, 5)
    assert contact.sent == len("term=hiv") + len("term=hiv&api_key=") + len(SPELLINGS[1])
    assert not any(word in str(contact) for word in ("hiv", *SPELLINGS))


@each_row("status", [302, 307, 308])
async def test_a_redirect_to_another_server_does_not_take_the_key_along(status: int) -> None:
    with serving(lambda _: Said(b"there")) as other:
        away = Said(status=status, headers={"Location": f"{other.url}/there"})
        with serving(lambda _: away) as served:
            async with Client(trusted=frozenset({other.url.removeprefix("http://")})) as client:
                headers = {"X-API-Key": SECRET, "Authorization": SecretStr(f"Bearer {KEY}"), "X-Plain": "yes"}
                reply = await client.get(served.url, {"api_key": SECRET}, headers=headers)
    assert reply.content == b"there"
    sent = {name.lower(): value for name, value in other.asked[0].headers.items()}
    assert sent["x-plain"] == "yes"
    assert not {"x-api-key", "authorization", "cookie"} & set(sent)
    assert KEY not in str(sent)


async def test_a_redirect_on_the_same_server_takes_the_key_along() -> None:
    def answer(asked: Asked) -> Said:
        return Said(status=302, headers={"Location": "/b"}) if asked.path == "/a" else Said(b"ok")

    with serving(answer) as served:
        async with Client() as client:
            await client.get(f"{served.url}/a", headers={"X-API-Key": SECRET})
    assert served.asked[1].headers["X-API-Key"] == KEY


async def test_a_redirect_that_would_carry_the_key_away_is_not_followed() -> None:
    with serving(lambda _: Said(b"caught")) as other:

        def answer(asked: Asked) -> Said:
            if asked.method == "POST":
                return Said(status=307, headers={"Location": other.url})
            return Said(status=302, headers={"Location": f"{other.url}/?api_key={SPELLINGS[1]}"})

        with serving(answer) as served:
            async with Client(trusted=frozenset({other.url.removeprefix("http://")})) as client:
                for ask in (
                    client.get(served.url, {"api_key": SECRET}),
                    client.post(served.url, data={"api_key": SECRET}),
                    client.post(served.url, json={"api_key": SECRET}),
                ):
                    with pytest.raises(SourceRefused, match=r"redirects to .*: the API key was not sent there"):
                        await ask
    assert other.asked == []
