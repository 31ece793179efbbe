"""What is answered without asking, what is asked about again, and what never is on the disk."""

# ruff: noqa: ASYNC240 (a test may wait for its own disk)

import asyncio
import stat
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.http.moments import Moments
from tests.servers.base import Asked, Said, serving
from tests.tables import each_row
from wellsourced.errors import OfflineError, SourceRefused, SourceUnavailable
from wellsourced.http import Client
from wellsourced.http.response import Response, ResponseCache

DAY = 86_400.0


class Editions:
    """A page that changes; with an ETag, a date, or nothing to ask by."""

    def __init__(self, **headers: str) -> None:
        self.headers = headers
        self.edition = 1
        self.bodies = 0

    def __call__(self, asked: Asked) -> Said:
        tag = {"ETag": f'"{self.edition}"'} if "tag" in self.headers else {}
        if tag and asked.headers.get("If-None-Match") == tag["ETag"]:
            return Said(b"", 304, headers=tag)
        if "Last_Modified" in self.headers and asked.headers.get("If-Modified-Since") == self.headers["Last_Modified"]:
            return Said(b"", 304)
        self.bodies += 1
        extra = {name.replace("_", "-"): value for name, value in self.headers.items() if name != "tag"}
        return Said(f"edition {self.edition}".encode(), type="text/plain; charset=utf-8", headers={**tag, **extra})


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


async def test_a_fresh_answer_is_used_without_asking_though_the_server_says_nothing(tmp_path: Path) -> None:
    moments, page = Moments(), Editions()
    with serving(page) as served:
        async with Client(cache=tmp_path, clock=moments.clock) as client:
            first = await client.get(served.url, fresh=DAY)
            moments.now += DAY - 1
            second = await client.get(served.url, fresh=DAY)
            assert len(client.ledger.contacts) == 1
    assert (first.content, first.text, first.type) == (second.content, second.text, second.type)
    assert second.headers["content-type"] == "text/plain; charset=utf-8"
    assert len(served.asked) == 1


async def test_how_old_an_answer_may_be_is_for_who_asks_to_say(tmp_path: Path) -> None:
    moments, page = Moments(), Editions(Cache_Control="max-age=99999")
    with serving(page) as served:
        async with Client(cache=tmp_path, clock=moments.clock) as client:
            await client.get(served.url, fresh=DAY)
            moments.now += 60
            await client.get(served.url, fresh=30)
            await client.get(served.url)
    assert len(served.asked) == 3


async def test_a_cache_outlives_the_client(tmp_path: Path) -> None:
    with serving(Editions()) as served:
        for _ in range(2):
            async with Client(cache=tmp_path / "new" / "http") as client:
                assert (await client.get(served.url, fresh=DAY)).text == "edition 1"
    assert len(served.asked) == 1


@each_row("headers", [{"tag": "yes"}, {"Last_Modified": "Sat, 21 Nov 2026 10:00:00 GMT"}])
async def test_a_stale_answer_is_asked_about_and_used_when_it_stands(tmp_path: Path, headers: dict[str, str]) -> None:
    moments, page = Moments(), Editions(**headers)
    with serving(page) as served:
        async with Client(cache=tmp_path, clock=moments.clock) as client:
            for _ in range(3):
                assert (await client.get(served.url, fresh=10)).text == "edition 1"
                moments.now += 11
            assert (await client.get(served.url)).status == 200
            assert [contact.status for contact in client.ledger.contacts] == [200, 304, 304, 304]
    assert page.bodies == 1


async def test_an_answer_that_stands_is_fresh_again(tmp_path: Path) -> None:
    moments, page = Moments(), Editions(tag="yes")
    with serving(page) as served:
        async with Client(cache=tmp_path, clock=moments.clock) as client:
            for wait in (11, 9, 0):
                await client.get(served.url, fresh=10)
                moments.now += wait
    assert len(served.asked) == 2


async def test_an_answer_that_does_not_stand_is_replaced(tmp_path: Path) -> None:
    page = Editions(tag="yes")
    with serving(page) as served:
        async with Client(cache=tmp_path) as client:
            await client.get(served.url)
            page.edition = 2
            assert (await client.get(served.url)).text == "edition 2"
            assert (await client.get(served.url)).text == "edition 2"
    assert page.bodies == 2


async def test_a_followed_page_is_asked_about_at_the_end_of_its_redirects(tmp_path: Path) -> None:
    page = Editions(tag="yes")
    targets = ["/a", "/a", "/b"]

    def answer(asked: Asked) -> Said:
        return Said(status=302, headers={"Location": targets.pop(0)}) if asked.path == "/doi" else page(asked)

    with serving(answer) as served:
        async with Client(cache=tmp_path, trusted=frozenset({served.url.removeprefix("http://")})) as client:
            for _ in range(2):
                assert (await client.follow(f"{served.url}/doi")).url == f"{served.url}/a"
            assert page.bodies == 1
            targets.append("/b")
            # The same tag stands at another address: that says nothing about what is there.
            assert (await client.follow(f"{served.url}/doi")).url == f"{served.url}/b"
    assert page.bodies == 2


async def test_a_posted_question_is_never_asked_with_a_condition(tmp_path: Path) -> None:
    moments, page = Moments(), Editions(tag="yes")
    with serving(page) as served:
        async with Client(cache=tmp_path, clock=moments.clock) as client:
            for _ in range(2):
                await client.post(served.url, data={"id": 1}, fresh=10)
                moments.now += 11
    assert [asked.headers.get("If-None-Match") for asked in served.asked] == [None, None]


async def test_what_the_server_does_not_want_stored_is_not(tmp_path: Path) -> None:
    with serving(Editions(Cache_Control="private, No-Store")) as served:
        async with Client(cache=tmp_path) as client:
            for _ in range(2):
                await client.get(served.url, fresh=DAY)
    assert len(served.asked) == 2
    assert bytes_of(tmp_path) == b""


async def test_refusals_and_failures_are_not_kept(tmp_path: Path) -> None:
    said = [Said(status=404), Said(status=500), Said(b"found")]
    with serving(lambda _: said.pop(0)) as served:
        async with Client(cache=tmp_path, attempts=1) as client:
            for error in (SourceRefused, SourceUnavailable):
                with pytest.raises(error):
                    await client.get(served.url, fresh=DAY)
            assert (await client.get(served.url, fresh=DAY)).content == b"found"


async def test_an_error_in_the_clothes_of_an_answer_is_not_kept(tmp_path: Path) -> None:
    said = [Said(b"<ERROR>Search Backend failed</ERROR>"), Said(b"<Count>3</Count>")]

    def check(reply: Response) -> None:
        if b"<ERROR>" in reply.content:
            raise SourceUnavailable("PubMed answered with an error")

    with serving(lambda _: said.pop(0)) as served:
        async with Client(cache=tmp_path) as client:
            with pytest.raises(SourceUnavailable, match="PubMed answered with an error"):
                await client.get(served.url, fresh=DAY, check=check)
            for _ in range(2):
                assert (await client.get(served.url, fresh=DAY, check=check)).content == b"<Count>3</Count>"
    assert said == []


async def test_different_questions_have_different_answers(tmp_path: Path) -> None:
    with serving(lambda asked: Said(f"{sorted(asked.fields.items())}{asked.headers.get('X-A')}".encode())) as served:
        async with Client(cache=tmp_path) as client:
            asks = [
                client.get(served.url, {"a": 1}, fresh=DAY),
                client.get(served.url, {"a": 2}, fresh=DAY),
                client.get(served.url, {"a": 2}, fresh=DAY, headers={"X-A": "1"}),
                client.post(served.url, data={"a": 1}, fresh=DAY),
                client.post(served.url, data={"a": 2}, fresh=DAY),
            ]
            assert len({(await ask).content for ask in asks}) == 3
            await client.post(served.url, data={"a": 2}, fresh=DAY)
    assert len(served.asked) == 5


async def test_no_key_is_in_any_file_and_requests_that_differ_in_it_alone_are_one(tmp_path: Path) -> None:
    keys = ("abcdef0123456789", "f00dfeedf00dfeed")
    with serving(Editions(tag="yes", Set_Cookie="session=0123cookie")) as served:
        for key in keys:
            async with Client(cache=tmp_path) as client:
                secret = SecretStr(key)
                await client.get(served.url, {"term": "x", "api_key": secret}, fresh=DAY)
                await client.get(served.url, headers={"X-API-Key": secret}, fresh=DAY)
                await client.post(served.url, data={"id": 1, "api_key": secret}, fresh=DAY)
                reply = await client.post(served.url, json={"q": {"key": secret}}, fresh=DAY)
                assert "key=" not in reply.url
    assert len(served.asked) == 4
    stored = bytes_of(tmp_path)
    assert b"edition 1" in stored
    assert all(secret not in stored for secret in (*map(str.encode, keys), b"0123cookie"))


async def test_an_answer_that_repeats_the_key_is_not_kept(tmp_path: Path) -> None:
    with serving(lambda asked: Said(f"you are {asked.fields['api_key']}".encode())) as served:
        async with Client(cache=tmp_path) as client:
            for _ in range(2):
                await client.get(served.url, {"api_key": SecretStr("abcdef0123456789")}, fresh=DAY)
    assert len(served.asked) == 2
    assert b"abcdef0123456789" not in bytes_of(tmp_path)


async def test_offline_a_fresh_answer_is_used_and_a_stale_one_is_not(tmp_path: Path) -> None:
    moments = Moments()
    with serving(Editions(tag="yes")) as served:
        async with Client(cache=tmp_path, clock=moments.clock) as client:
            await client.get(served.url, fresh=DAY)
        async with Client(cache=tmp_path, clock=moments.clock, offline=True) as client:
            assert (await client.get(served.url, fresh=DAY)).text == "edition 1"
            moments.now += DAY + 1
            with pytest.raises(OfflineError, match="offline mode is on"):
                await client.get(served.url, fresh=DAY)
            assert client.ledger.contacts == []
    assert len(served.asked) == 1


async def test_the_cache_is_for_its_owner_alone(tmp_path: Path) -> None:
    with serving(Editions()) as served:
        async with Client(cache=tmp_path) as client:
            await client.get(served.url, fresh=DAY)
            open_now = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert open_now == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}


async def test_a_corrupt_cache_is_set_aside_and_nothing_fails(tmp_path: Path) -> None:
    (tmp_path / "answers.sqlite").write_bytes(b"no database " * 1000)
    with serving(Editions()) as served:
        async with Client(cache=tmp_path) as client:
            for _ in range(3):
                assert (await client.get(served.url, fresh=DAY)).text == "edition 1"
    assert (tmp_path / "answers.sqlite.corrupt").exists()
    assert len(served.asked) == 1


async def test_a_cache_that_is_damaged_inside_is_set_aside_too(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    with serving(Editions()) as served:
        async with Client(cache=tmp_path) as client:
            await client.get(served.url, fresh=DAY)
        whole = path.read_bytes()
        path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
        async with Client(cache=tmp_path) as client:
            for _ in range(3):
                assert (await client.get(served.url, fresh=DAY)).text == "edition 1"
    assert path.with_name("answers.sqlite.corrupt").exists()
    assert len(served.asked) == 2


async def test_a_cache_that_cannot_be_written_is_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with serving(Editions()) as served:
        async with Client(cache=tmp_path / "file" / "http") as client:
            for _ in range(2):
                assert (await client.get(served.url, fresh=DAY)).text == "edition 1"
    assert len(served.asked) == 2


async def test_the_cache_keeps_to_its_room_and_forgets_what_was_used_longest_ago(tmp_path: Path) -> None:
    moments = Moments()
    cache = ResponseCache(tmp_path, moments.clock, room=80_000)
    for number in range(12):
        moments.now += 61
        await cache.store(bytes([number]), Response("http://a/", 200, "", {}, bytes(9_000)))
        await cache.find(bytes([0]))
    kept = [number for number in range(12) if await cache.find(bytes([number]))]
    assert kept == [0, 5, 6, 7, 8, 9, 10, 11]
    await cache.store(b"large", Response("http://a/", 200, "", {}, bytes(10_001)))
    assert await cache.find(b"large") is None
    await cache.close()


async def test_two_processes_share_a_cache(tmp_path: Path) -> None:
    with serving(Editions()) as served:
        async with Client(cache=tmp_path) as one, Client(cache=tmp_path) as other:
            for client in (one, other, one):
                assert (await client.get(served.url, fresh=DAY)).text == "edition 1"
            await asyncio.gather(*(c.get(f"{served.url}/{n}", fresh=DAY) for c in (one, other) for n in range(10)))
            asked = len(served.asked)
            await asyncio.gather(*(c.get(f"{served.url}/{n}", fresh=DAY) for c in (one, other) for n in range(10)))
    assert len(served.asked) == asked
