"""What a request says and what a reply is, against a real server."""

import gzip

import pytest
from pydantic import SecretStr

from tests.servers.base import Asked, Said, serving
from tests.tables import each_row
from wellsourced.errors import ForbiddenAddress, NotFoundError, SourceRefused
from wellsourced.http import Client


def echo(asked: Asked) -> Said:
    return Said(f"{asked.method} {asked.path} {sorted(asked.fields.items())}".encode(), type="Text/Plain; charset=x")


async def test_parameters_join_those_that_the_address_has() -> None:
    with serving(echo) as served:
        async with Client() as client:
            reply = await client.get(f"{served.url}/find?db=pubmed", {"term": "aspirin & stroke", "retmax": 3})
    assert reply.text == "GET /find [('db', 'pubmed'), ('retmax', '3'), ('term', 'aspirin & stroke')]"
    assert (reply.status, reply.type) == (200, "text/plain")


async def test_a_form_is_posted_with_its_secrets() -> None:
    with serving(echo) as served:
        async with Client() as client:
            reply = await client.post(served.url, data={"id": "1,2", "api_key": SecretStr("a+b c")})
    assert reply.text == "POST / [('api_key', 'a+b c'), ('id', '1,2')]"


async def test_json_is_posted_with_its_secrets_and_headers() -> None:
    with serving(lambda _: Said(b"[]")) as served:
        async with Client(agent="wellsourced/9") as client:
            headers = {"Authorization": SecretStr("Bearer abc"), "X-Kind": "test"}
            await client.post(served.url, json={"query": "Köln", "key": SecretStr("abc")}, headers=headers)
    asked = served.asked[0]
    assert asked.body.decode() == '{"query": "Köln", "key": "abc"}'
    sent = {name: asked.headers[name] for name in ("Authorization", "X-Kind", "Content-Type", "User-Agent")}
    assert list(sent.values()) == ["Bearer abc", "test", "application/json", "wellsourced/9"]


@each_row(
    ("body", "kind", "text"),
    [
        ("Grüße".encode("latin-1"), "text/html; charset=ISO-8859-1", "Grüße"),
        ("Grüße".encode(), "text/html", "Grüße"),
        (b"caf\xe9", "text/plain; charset=no-such", "caf\ufffd"),
    ],
)
async def test_text_is_read_by_the_charset_that_the_server_names(body: bytes, kind: str, text: str) -> None:
    with serving(lambda _: Said(body, type=kind)) as served:
        async with Client() as client:
            assert (await client.get(served.url)).text == text


async def test_a_header_that_is_given_replaces_the_usual_one_however_it_is_spelled() -> None:
    with serving(lambda _: Said(b"")) as served:
        async with Client() as client:
            await client.get(served.url, headers={"accept": "application/json", "user-agent": "me"})
    sent = [(name.lower(), value) for name, value in served.asked[0].headers.items()]
    assert [value for name, value in sent if name in {"accept", "user-agent"}] == ["application/json", "me"]


async def test_a_packed_body_is_unpacked() -> None:
    packed = Said(gzip.compress(b'{"a": 1}'), headers={"Content-Encoding": "gzip"})
    with serving(lambda _: packed) as served:
        async with Client() as client:
            reply = await client.get(served.url)
    assert (reply.json(), reply.text) == ({"a": 1}, '{"a": 1}')


@each_row("body", [b"<html>busy</html>", b"", b"[" * 100_000])
async def test_what_should_be_json_and_is_not_is_refused(body: bytes) -> None:
    with serving(lambda _: Said(body, type="text/html")) as served:
        async with Client() as client:
            reply = await client.get(served.url)
    with pytest.raises(SourceRefused, match=r"127\.0\.0\.1 did not answer with JSON \(text/html\)"):
        reply.json()


async def test_a_body_that_cannot_be_unpacked_is_refused() -> None:
    with serving(lambda _: Said(b"not gzip", headers={"Content-Encoding": "gzip"})) as served:
        async with Client() as client:
            with pytest.raises(SourceRefused, match="cannot be decompressed"):
                await client.get(served.url)


@each_row(
    ("status", "error", "sentence"),
    [
        (400, SourceRefused, "did not accept the request to /x (400); it said “Empty id list”"),
        (401, SourceRefused, "refused access (401): it may need an API key; it said “Empty id list”"),
        (404, NotFoundError, "has nothing at /x (404); it said “Empty id list”"),
        (410, NotFoundError, "has nothing at /x (410)"),
        (304, SourceRefused, "(304)"),
    ],
)
async def test_a_refusal_is_told_with_the_first_words_of_the_server(
    status: int, error: type[SourceRefused], sentence: str
) -> None:
    body = b"" if status == 304 else b"<html><b>Empty\x1b[31m</b>\n id <i>list</i></html>".replace(b"\x1b[31m", b"")
    with serving(lambda _: Said(body, status, "text/html")) as served:
        async with Client() as client:
            with pytest.raises(error) as caught:
                await client.get(f"{served.url}/x?term=secret+question")
    assert sentence in str(caught.value)
    assert str(caught.value).startswith(served.url.removeprefix("http://"))
    assert "question" not in str(caught.value)
    assert len(served.asked) == 1


async def test_what_a_terminal_would_obey_is_not_quoted() -> None:
    with serving(lambda _: Said(b"\x1b]0;gotcha\x07no", 400)) as served:
        async with Client() as client:
            with pytest.raises(SourceRefused) as caught:
                await client.get(served.url)
    assert str(caught.value).isprintable()


@each_row("url", ["file:///etc/passwd", "ftp://example.org/a", "data:text/plain,x", "javascript:0"])
async def test_another_scheme_than_http_is_forbidden(url: str) -> None:
    async with Client() as client:
        for ask in (client.get, client.follow):
            with pytest.raises(ForbiddenAddress, match="only http and https are"):
                await ask(url)


@each_row("url", ["http://[::1", "http://", "http:///path", "http://a b/", "http://\x00/", "http://ex\nample/"])
async def test_what_is_no_address_is_refused(url: str) -> None:
    async with Client() as client:
        with pytest.raises(SourceRefused):
            await client.get(url)


async def test_a_redirect_is_followed_with_its_cookie() -> None:
    def answer(asked: Asked) -> Said:
        if asked.path == "/old" and "seen=1" not in asked.headers.get("Cookie", ""):
            return Said(status=302, headers={"Location": "/old", "Set-Cookie": "seen=1"})
        return Said(b"here", status=200) if asked.path == "/new" else Said(status=301, headers={"Location": "/new"})

    with serving(answer) as served:
        async with Client() as client:
            reply = await client.get(f"{served.url}/old")
    assert (reply.content, reply.url) == (b"here", f"{served.url}/new")


async def test_who_is_redirected_asks_the_other_server_by_its_own_name() -> None:
    with serving(lambda _: Said(b"article")) as publisher:
        away = Said(status=302, headers={"Location": f"{publisher.url}/article"})
        with serving(lambda _: away) as resolver:
            names = [one.url.removeprefix("http://") for one in (resolver, publisher)]
            async with Client(trusted=frozenset(names)) as client:
                assert (await client.follow(f"{resolver.url}/doi")).content == b"article"
    assert [one.asked[0].headers["Host"] for one in (resolver, publisher)] == names


async def test_a_proxy_that_the_environment_names_sees_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda _: Said(b"by the proxy")) as proxy, serving(lambda _: Said(b"straight")) as served:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        async with Client() as client:
            assert (await client.get(served.url)).content == b"straight"
    assert proxy.asked == []


async def test_a_circle_of_redirects_ends() -> None:
    with serving(lambda _: Said(status=302, headers={"Location": "/again"})) as served:
        async with Client() as client:
            with pytest.raises(SourceRefused, match="redirects in a circle"):
                await client.get(served.url)
    assert len(served.asked) == 11


@each_row(("status", "method", "body"), [(303, "GET", b""), (302, "GET", b""), (307, "POST", b"id=1")])
async def test_a_redirect_keeps_the_form_only_where_it_says_so(status: int, method: str, body: bytes) -> None:
    def answer(asked: Asked) -> Said:
        return Said(status=status, headers={"Location": "/b"}) if asked.path == "/a" else Said(b"ok")

    with serving(answer) as served:
        async with Client() as client:
            await client.post(f"{served.url}/a", data={"id": 1})
    assert (served.asked[1].method, served.asked[1].body) == (method, body)
