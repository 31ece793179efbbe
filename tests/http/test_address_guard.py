"""Addresses from data lead to the public internet or nowhere, whatever they are called and wherever they redirect."""

# ruff: noqa: S104 (nothing is bound to 0.0.0.0: it is asked for)

import asyncio
import shutil
import ssl
import subprocess
from pathlib import Path

import httpx2
import pytest

from tests.servers.base import Asked, Said, Served, serving
from tests.servers.internet import Internet
from tests.tables import each_row
from wellsourced.errors import ForbiddenAddress, SourceError, SourceRefused, SourceUnavailable
from wellsourced.http import Client
from wellsourced.http.address_guard import is_disguised_address, is_public_address, resolve_host
from wellsourced.http.request import RequestSpec, build_request
from wellsourced.http.response import RawResponse
from wellsourced.http.transport import _build_redirect

PUBLIC = "93.184.216.34"
PUBLIC_6 = "2606:2800:220:1:248:1893:25c8:1946"

PRIVATE = (
    "127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
    "169.254.169.254", "169.254.0.1", "100.64.0.1", "100.100.100.200", "192.0.0.192", "192.0.2.1", "198.18.0.1",
    "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "168.63.129.16",
    "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "2001:db8::1", "100::1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1", "2002:7f00:1::", "2001:0:7f00:1::", "localhost", "", "2130706433", "0x7f.1", "127.1",
)  # fmt: skip


@each_row("address", PRIVATE)
def test_an_address_of_the_own_network_is_not_public(address: str) -> None:
    assert not is_public_address(address)


@each_row("address", ["2002:808:808::1", "2002:5db8:d822::", "2001:0:808:808::1"])
def test_a_tunnel_is_not_public_even_if_it_says_that_it_ends_at_a_public_address(address: str) -> None:
    assert not is_public_address(address)


@each_row("address", ["3fff::1", "3fff:fff:ffff::1"])
async def test_an_address_that_nobody_on_the_internet_has_is_not_followed(address: str) -> None:
    with serving(lambda _: Said(b"internal")) as served:
        internet = Internet({address: port_of(served)}, {"manual.example": [[address]]})
        async with Client(resolver=internet.resolve, network=internet) as client:
            with pytest.raises(ForbiddenAddress, match="is not on the public internet"):
                await client.follow("http://manual.example/")
    assert (served.asked, internet.connected) == ([], [])


@each_row("address", [PUBLIC, "8.8.8.8", "172.32.0.1", "100.128.0.1", PUBLIC_6, "64:ff9b::808:808"])
def test_an_address_of_the_world_is_public(address: str) -> None:
    assert is_public_address(address)


@each_row("host", ["2130706433", "0x7f000001", "0x7f.1", "127.1", "0177.0.0.1", "8.8.8.010", "1.2.3.4."])
def test_a_number_in_disguise_is_seen(host: str) -> None:
    assert is_disguised_address(host)


@each_row("host", ["8.8.8.8", "example.org", "example.org.", "xn--mnchen-3ya.de", "a1", "1e100.net", "::1"])
def test_an_ordinary_name_is_not_taken_for_a_disguise(host: str) -> None:
    assert not is_disguised_address(host)


@each_row(
    "host",
    [
        "127.0.0.1", "localhost", "LOCALHOST", "localhost.", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
        "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "127.1", "127.0.0.1.", "[64:ff9b::7f00:1]", "[::]",
        "0.0.0.0",
        "１２７.0.0.1", "127。0。0。1", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "169.254.169.254", "10.0.0.1", "[fe80::1]", "[fd00:ec2::254]",
    ],
)  # fmt: skip
async def test_no_spelling_of_an_own_address_is_followed(host: str) -> None:
    async def system(name: str, port: int) -> list[str]:
        # What the libraries of this machine make of a name; a name of the world is none of this test's business.
        found = await resolve_host(name, port)
        assert all(not is_public_address(address) for address in found)
        return found

    with serving(lambda _: Said(b"internal")) as served:
        port = served.url.rpartition(":")[2]
        async with Client(attempts=1, resolver=system) as client:
            with pytest.raises(SourceError) as caught:
                await client.follow(f"http://{host}:{port}/")
    reasons = ("is not followed", "has no valid host", "not a valid address", "Cannot resolve")
    assert any(reason in str(caught.value) for reason in reasons)
    assert served.asked == []


@each_row("url", ["http://example.org@{}/", "http://{}@example.org/", "http://user:password@{}/"])
async def test_an_address_that_looks_like_another_is_not_followed(url: str) -> None:
    with serving(lambda _: Said(b"internal")) as served:
        async with Client() as client:
            with pytest.raises(ForbiddenAddress, match="it contains a name or password") as caught:
                await client.follow(url.format(served.url.removeprefix("http://")))
    assert "password@" not in str(caught.value)
    assert served.asked == []


@each_row("addresses", [["127.0.0.1"], [PUBLIC, "127.0.0.1"], ["::ffff:10.0.0.1"], [PUBLIC_6, "fd00::1"]])
async def test_a_name_that_leads_home_is_not_followed(addresses: list[str]) -> None:
    with serving(lambda _: Said(b"internal")) as served:
        internet = Internet({}, {"evil.example": [addresses]})
        async with Client(resolver=internet.resolve, network=internet) as client:
            with pytest.raises(ForbiddenAddress, match="is not on the public internet"):
                await client.follow(f"http://evil.example:{served.url.rpartition(':')[2]}/")
    assert (served.asked, internet.connected) == ([], [])


async def test_the_connection_goes_to_the_address_that_was_judged() -> None:
    with serving(lambda _: Said(b"page", headers={"Connection": "close"})) as served:
        internet = Internet({PUBLIC: port_of(served)}, {"evil.example": [[PUBLIC], ["127.0.0.1"]]})
        async with Client(resolver=internet.resolve, network=internet) as client:
            assert (await client.follow("http://evil.example/")).content == b"page"
            assert (internet.looked_up, internet.connected) == (["evil.example"], [PUBLIC])
            with pytest.raises(ForbiddenAddress):
                await client.follow("http://evil.example/")
    assert served.asked[0].headers["Host"] == "evil.example"
    assert internet.connected == [PUBLIC]


async def test_the_next_address_of_a_name_is_tried() -> None:
    with serving(lambda _: Said(b"page")) as served:
        internet = Internet({PUBLIC: port_of(served)}, {"two.example": [[PUBLIC_6, PUBLIC]]})
        async with Client(resolver=internet.resolve, network=internet) as client:
            await client.follow("http://two.example/")
    assert internet.connected == [PUBLIC_6, PUBLIC]


async def test_an_unknown_name_is_unavailable() -> None:
    internet = Internet({}, {})
    async with Client(resolver=internet.resolve, network=internet, attempts=1) as client:
        with pytest.raises(SourceUnavailable, match=r"Cannot reach nowhere\.example"):
            await client.follow("http://nowhere.example/")


@each_row("target", ["http://127.0.0.1:{}/", "http://home.example:{}/", "//localhost:{}/", "http://2130706433:{}/"])
async def test_a_redirect_home_is_not_followed(target: str) -> None:
    with serving(lambda _: Said(b"internal")) as inner:
        location = target.format(port_of(inner))
        with serving(lambda _: Said(status=302, headers={"Location": location})) as served:
            names = {"page.example": [[PUBLIC]], "home.example": [["127.0.0.1"]], "localhost": [["127.0.0.1"]]}
            internet = Internet({PUBLIC: port_of(served)}, names)
            async with Client(resolver=internet.resolve, network=internet) as client:
                with pytest.raises(ForbiddenAddress):
                    await client.follow("http://page.example/")
    assert inner.asked == []


@each_row("target", ["file:///etc/passwd", "data:text/html,x", "ftp://example.org/", "gopher://127.0.0.1/"])
async def test_a_redirect_to_another_scheme_is_not_followed(target: str) -> None:
    with serving(lambda _: Said(status=302, headers={"Location": target})) as served:
        async with Client() as client:
            with pytest.raises(ForbiddenAddress, match="only http and https are"):
                await client.get(served.url)


async def test_a_server_of_the_settings_may_be_at_home_but_cannot_send_anybody_elsewhere_there(tmp_path: Path) -> None:
    with serving(lambda _: Said(b"internal")) as inner:
        away = Said(status=307, headers={"Location": inner.url})
        with serving(lambda _: away) as served:
            async with Client() as client:
                for ask in (
                    client.get(served.url),
                    client.post(served.url, data={"a": 1}),
                    client.download(served.url, tmp_path / "file", limit=100),
                ):
                    with pytest.raises(ForbiddenAddress, match="to trust it, add “127"):
                        await ask
    assert inner.asked == []
    assert len(served.asked) == 3


async def test_who_was_sent_away_is_not_sent_back_home() -> None:
    targets: list[str] = []
    with serving(lambda _: Said(status=302, headers={"Location": targets[0]})) as other:

        def answer(asked: Asked) -> Said:
            return Said(b"admin") if asked.path == "/admin" else Said(status=302, headers={"Location": other.url})

        with serving(answer) as served:
            targets.append(f"{served.url}/admin")
            async with Client(trusted=frozenset({other.url.removeprefix("http://")})) as client:
                with pytest.raises(ForbiddenAddress):
                    await client.get(f"{served.url}/")
    assert [asked.path for asked in served.asked] == ["/"]


async def test_a_trusted_place_is_followed_and_no_other_port_of_it() -> None:
    with serving(lambda _: Said(b"yes")) as served, serving(lambda _: Said(b"no")) as other:
        async with Client(trusted=frozenset({served.url.removeprefix("http://")})) as client:
            assert (await client.follow(served.url)).content == b"yes"
            with pytest.raises(ForbiddenAddress):
                await client.follow(other.url)


async def test_a_connection_that_the_settings_opened_is_not_lent_to_data() -> None:
    with serving(lambda _: Said(b"internal")) as served:
        async with Client() as client:
            await client.get(served.url)
            with pytest.raises(ForbiddenAddress):
                await client.follow(served.url)
    assert len(served.asked) == 1


async def test_cookies_of_one_site_are_not_shown_to_another() -> None:
    def answer(asked: Asked) -> Said:
        if asked.path == "/doi":
            return Said(status=302, headers={"Location": "http://journal.example/a", "Set-Cookie": "who=me"})
        return Said(asked.headers.get("Cookie", "none").encode())

    with serving(answer) as served:
        names = {"doi.example": [[PUBLIC]], "journal.example": [[PUBLIC]]}
        internet = Internet({PUBLIC: port_of(served)}, names)
        async with Client(resolver=internet.resolve, network=internet) as client:
            assert (await client.follow("http://doi.example/doi")).content == b"none"


def test_a_server_of_the_settings_cannot_step_down_from_https() -> None:
    answer = RawResponse(build_request(RequestSpec("GET", "https://a.example/x"), "agent"), 302, httpx2.Headers(), b"")
    with pytest.raises(ForbiddenAddress, match="redirects from https to http"):
        _build_redirect(answer, "http://a.example/y", False, httpx2.Cookies())
    assert _build_redirect(answer, "http://b.example/y", True, httpx2.Cookies()).url == "http://b.example/y"
    assert _build_redirect(answer, "/y", False, httpx2.Cookies()).url == "https://a.example/y"


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate that nobody vouches for, with its key."""
    openssl = shutil.which("openssl")
    if not openssl:
        pytest.skip("openssl is not on this machine")
    path = tmp_path / "both.pem"
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2"]
    subprocess.run([*command, "-keyout", path, "-out", tmp_path / "cert.pem"], check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + (tmp_path / "cert.pem").read_bytes())
    return path


async def test_a_server_that_cannot_prove_who_it_is_gets_nothing(certificate: Path) -> None:
    heard: list[bytes] = []

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.read(100))
        writer.close()

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server = await asyncio.start_server(listen, "127.0.0.1", 0, ssl=context)
    async with server:
        port = server.sockets[0].getsockname()[1]
        async with Client() as client:
            with pytest.raises(SourceRefused, match="has no valid certificate"):
                await client.get(f"https://127.0.0.1:{port}/")
            assert len(client.ledger.contacts) == 1
    assert heard == []


def port_of(served: Served) -> int:
    return int(served.url.rpartition(":")[2])
