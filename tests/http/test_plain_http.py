"""Over plain HTTP, which anybody on the way can read, another machine is asked for bare addresses alone."""

import pytest
from pydantic import SecretStr

from tests.servers.base import Asked, Said, serving
from tests.servers.internet import Internet
from wellsourced.errors import InsecureUrlError
from wellsourced.http import Client

PUBLIC = "93.184.216.34"
URL = "http://example.test/page"


def port_of(url: str) -> int:
    return int(url.rpartition(":")[2])


async def test_words_and_keys_are_sent_to_no_other_machine() -> None:
    with serving(lambda _: Said(b"ok")) as served:
        internet = Internet({"example.test": port_of(served.url)}, {})
        async with Client(network=internet) as client:
            with pytest.raises(InsecureUrlError, match=r"example\.test was not asked.*https://"):
                await client.get(URL, {"q": "gout"})
            with pytest.raises(InsecureUrlError):
                await client.get(URL, headers={"X-Key": SecretStr("k")})
            with pytest.raises(InsecureUrlError):
                await client.post(URL, json={"ask": "gout"})
            with pytest.raises(InsecureUrlError):
                await client.open_provider_client().post(URL, json={})
            assert internet.connected == []
            assert client.ledger.contacts == []
            assert (await client.get(URL)).content == b"ok"
    assert len(served.asked) == 1


async def test_a_server_of_this_machine_is_told_everything() -> None:
    with serving(lambda _: Said(b"ok")) as served:
        async with Client() as client:
            await client.get(served.url, {"q": "gout"}, headers={"X-Key": SecretStr("k")})
            await client.open_provider_client().post(served.url.replace("127.0.0.1", "localhost"), json={})
    assert len(served.asked) == 2


async def test_a_page_from_data_is_asked_for_with_the_query_that_it_has() -> None:
    with serving(lambda _: Said(b"ok")) as served:
        internet = Internet({PUBLIC: port_of(served.url)}, {"example.test": [[PUBLIC]]})
        async with Client(network=internet, resolver=internet.resolve) as client:
            assert (await client.follow(f"{URL}?id=7")).content == b"ok"


async def test_nothing_that_was_said_follows_a_redirect_to_plain_http_elsewhere() -> None:
    def sent_on(_: Asked) -> Said:
        return Said(b"", status=307, headers={"Location": URL})

    with serving(sent_on) as served:
        internet = Internet({PUBLIC: port_of(served.url)}, {"example.test": [[PUBLIC]]})
        async with Client(resolver=internet.resolve) as client:
            with pytest.raises(InsecureUrlError):
                await client.post(served.url, json={"ask": "gout"})
    assert len(served.asked) == 1
