"""A large file: whole and right, or not there at all; and nothing is brought twice."""

# ruff: noqa: ASYNC240 (a test may wait for its own disk)

import errno
import hashlib
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.http.moments import Moments
from tests.servers.base import Asked, Said, serving
from tests.servers.files import Filing
from wellsourced.errors import NotFoundError, SourceRefused, SourceUnavailable
from wellsourced.http import Client
from wellsourced.http.download import PartialFile

MB = 1024 * 1024
CONTENT = bytes(range(256)) * 4 * 1024 * 3  # 3 MB
LIMIT = 10 * MB


@pytest.fixture
def to(tmp_path: Path) -> Path:
    return tmp_path / "library" / "baseline.xml.gz"


def left(to: Path) -> set[str]:
    return {path.name for path in to.parent.iterdir()}


async def test_a_file_is_in_its_place_when_it_is_whole(to: Path) -> None:
    heard: list[tuple[int, int]] = []
    with serving(Filing(CONTENT)) as served:
        async with Client() as client:
            path = await client.download(served.url, to, limit=LIMIT, heard=lambda *both: heard.append(both))
    assert (path, to.read_bytes() == CONTENT, left(to)) == (to, True, {to.name})
    assert heard[-1] == (len(CONTENT), len(CONTENT))
    assert [done for done, _ in heard] == sorted({done for done, _ in heard})
    assert served.asked[0].headers["Accept-Encoding"] == "identity"


async def test_a_download_that_is_cut_goes_on_where_it_was(to: Path) -> None:
    filing = Filing(CONTENT, cuts=(MB, MB))
    with serving(filing) as served:
        async with Client(clock=Moments().clock) as client:
            await client.download(served.url, to, limit=LIMIT)
            assert sum(contact.received for contact in client.ledger.contacts) == len(CONTENT)
    assert to.read_bytes() == CONTENT
    assert [asked.headers.get("Range") for asked in served.asked] == [None, f"bytes={MB}-", f"bytes={2 * MB}-"]
    assert served.asked[1].headers["If-Range"] == '"1"'


async def test_a_download_goes_on_in_another_process(to: Path) -> None:
    filing = Filing(CONTENT, cuts=(MB, 10, 10))
    with serving(filing) as served:
        async with Client(clock=Moments().clock, attempts=1) as client:
            with pytest.raises(SourceUnavailable, match="broke off its answer"):
                await client.download(served.url, to, limit=LIMIT)
        assert left(to) == {f"{to.name}.part", f"{to.name}.part.json"}
        async with Client() as client:
            await client.download(served.url, to, limit=LIMIT)
            assert sum(contact.received for contact in client.ledger.contacts) < len(CONTENT) - MB + 1
    assert (to.read_bytes() == CONTENT, left(to)) == (True, {to.name})


async def test_a_line_that_breaks_often_is_no_reason_to_give_up_while_it_brings_something(to: Path) -> None:
    filing = Filing(CONTENT * 3, cuts=(MB,) * 8)
    with serving(filing) as served:
        async with Client(clock=Moments().clock, attempts=2) as client:
            await client.download(served.url, to, limit=LIMIT)
    assert to.read_bytes() == CONTENT * 3


async def test_another_edition_is_not_appended_to_the_first(to: Path) -> None:
    filing = Filing(CONTENT, cuts=(MB,))
    with serving(filing) as served:
        async with Client(attempts=1) as client:
            filing.cuts = [MB, MB]
            with pytest.raises(SourceUnavailable):
                filing.cuts = [10]
                await client.download(served.url, to, limit=LIMIT)
            filing.content, filing.tag = CONTENT[::-1], '"2"'
            await client.download(served.url, to, limit=LIMIT)
    assert to.read_bytes() == CONTENT[::-1]


@pytest.mark.parametrize(("tag", "ranges"), [("", True), ('W/"1"', True), ('"1"', False)])
async def test_where_the_rest_cannot_be_had_all_is_fetched_again(to: Path, tag: str, ranges: bool) -> None:
    # Without a tag, or with a weak one, nobody knows whether the rest belongs to the same bytes: it is not asked for.
    filing = Filing(CONTENT, tag=tag, ranges=ranges, cuts=(MB,))
    with serving(filing) as served:
        async with Client(clock=Moments().clock) as client:
            await client.download(served.url, to, limit=LIMIT)
    assert to.read_bytes() == CONTENT
    assert [bool(asked.headers.get("Range")) for asked in served.asked] == [False, not ranges]


async def test_a_part_that_is_whole_already_is_put_in_place(to: Path) -> None:
    part = build_part_question(to)
    with serving(Filing(CONTENT)) as served:
        to.parent.mkdir()
        part.path.write_bytes(CONTENT)
        part.metadata_path.write_text(f'{{"url": "{served.url}", "edition": "\\"1\\""}}')
        async with Client() as client:
            await client.download(served.url, to, limit=LIMIT)
    assert (to.read_bytes() == CONTENT, len(served.asked)) == (True, 1)


async def test_a_part_that_is_longer_than_the_file_is_thrown_away(to: Path) -> None:
    part = build_part_question(to)
    with serving(Filing(CONTENT)) as served:
        to.parent.mkdir()
        part.path.write_bytes(CONTENT + b"more")
        part.metadata_path.write_text(f'{{"url": "{served.url}", "edition": "\\"1\\""}}')
        async with Client() as client:
            await client.download(served.url, to, limit=LIMIT)
    assert (to.read_bytes() == CONTENT, len(served.asked)) == (True, 2)


async def test_a_server_that_has_no_part_of_nothing_is_not_asked_forever(to: Path) -> None:
    with serving(lambda _: Said(status=416)) as served:
        async with Client() as client:
            with pytest.raises(SourceRefused, match=r"\(416\)"):
                await client.download(served.url, to, limit=LIMIT)
    assert len(served.asked) == 1


@pytest.mark.parametrize("card", ["", "[]", "{", '{"url": "http://other/", "edition": "\\"1\\""}'])
async def test_a_part_of_unknown_origin_is_not_gone_on_with(to: Path, card: str) -> None:
    part = build_part_question(to)
    to.parent.mkdir()
    part.path.write_bytes(b"something else")
    part.metadata_path.write_text(card)
    with serving(Filing(CONTENT)) as served:
        async with Client() as client:
            await client.download(served.url, to, limit=LIMIT)
    assert to.read_bytes() == CONTENT


async def test_the_wrong_part_of_a_file_is_not_taken(to: Path) -> None:
    said = [
        Said(CONTENT[:MB], 200, headers={"ETag": '"1"'}, length=len(CONTENT)),
        Said(CONTENT[5 : 5 - MB], 206, headers={"Content-Range": f"bytes 5-{len(CONTENT) - MB + 4}/{len(CONTENT)}"}),
        Said(CONTENT, 200, headers={"ETag": '"1"'}),
    ]
    with serving(lambda _: said.pop(0)) as served:
        async with Client(clock=Moments().clock) as client:
            await client.download(served.url, to, limit=LIMIT)
    assert to.read_bytes() == CONTENT


async def test_a_rest_that_ends_too_early_is_not_taken_for_the_whole(to: Path) -> None:
    said = [
        Said(CONTENT[:MB], 200, headers={"ETag": '"1"'}, length=len(CONTENT)),
        Said([CONTENT[MB:-9]], 206, headers={"Content-Range": f"bytes {MB}-{len(CONTENT) - 1}/{len(CONTENT)}"}),
    ]
    with serving(lambda asked: said.pop(0) if said else Filing(CONTENT)(asked)) as served:
        async with Client(clock=Moments().clock) as client:
            await client.download(served.url, to, limit=LIMIT)
    assert to.read_bytes() == CONTENT
    assert served.asked[-1].headers["Range"] == f"bytes={len(CONTENT) - 9}-"


@pytest.mark.parametrize("kind", ["md5", "sha1", "sha256"])
async def test_a_file_with_its_checksum_is_taken_and_not_fetched_again(to: Path, kind: str) -> None:
    checksum = f"{kind}:{hashlib.new(kind, CONTENT).hexdigest().upper()}"
    with serving(Filing(CONTENT)) as served:
        async with Client() as client:
            for _ in range(2):
                await client.download(served.url, to, limit=LIMIT, checksum=checksum)
    assert len(served.asked) == 1


async def test_a_file_with_another_checksum_is_thrown_away(to: Path) -> None:
    to.parent.mkdir()
    to.write_bytes(b"the old one")
    with serving(Filing(CONTENT)) as served:
        async with Client() as client:
            with pytest.raises(SourceUnavailable, match="with another checksum than"):
                await client.download(served.url, to, limit=LIMIT, checksum=f"md5:{'0' * 32}")
    assert (to.read_bytes(), left(to)) == (b"the old one", {to.name})


async def test_a_checksum_of_an_unknown_kind_is_refused_before_anything_is_asked(to: Path) -> None:
    with serving(Filing(CONTENT)) as served:
        async with Client() as client:
            with pytest.raises(SourceRefused, match="is not a supported checksum"):
                await client.download(served.url, to, limit=LIMIT, checksum="crc32:1234")
    assert served.asked == []


@pytest.mark.parametrize("announced", [True, False])
async def test_a_file_that_is_too_large_is_not_kept(to: Path, announced: bool) -> None:
    body = CONTENT if announced else [CONTENT[start : start + MB] for start in range(0, len(CONTENT), MB)]
    with serving(lambda _: Said(body)) as served:
        async with Client() as client:
            with pytest.raises(SourceRefused, match="sends more than 2,097,152 bytes"):
                await client.download(served.url, to, limit=2 * MB)
            assert client.ledger.contacts[0].received <= 3 * MB
    assert left(to) == set()


async def test_a_file_that_is_not_there_is_not_found_and_what_was_here_stays(to: Path) -> None:
    to.parent.mkdir()
    to.write_bytes(b"the old one")
    with serving(lambda _: Said(status=404)) as served:
        async with Client() as client:
            with pytest.raises(NotFoundError):
                await client.download(served.url, to, limit=LIMIT)
    assert to.read_bytes() == b"the old one"


async def test_a_file_that_drips_is_given_up_and_one_that_is_only_long_is_not(to: Path) -> None:
    def slowly(pieces: int, size: int) -> Iterator[bytes]:
        for _ in range(pieces):
            time.sleep(0.15)
            yield bytes(size)

    with serving(lambda asked: Said(slowly(10, 100 if asked.path == "/drip" else 70_000))) as served:
        async with Client(attempts=1, timeout=1.0) as client:
            with pytest.raises(SourceUnavailable, match="did not answer within"):
                await client.download(f"{served.url}/drip", to, limit=LIMIT)
            await client.download(f"{served.url}/long", to, limit=LIMIT)
    assert to.stat().st_size == 700_000


async def test_a_redirect_to_a_mirror_keeps_the_range(to: Path) -> None:
    filing = Filing(CONTENT, cuts=(MB,))

    def answer(asked: Asked) -> Said:
        return filing(asked) if asked.path == "/mirror" else Said(status=302, headers={"Location": "/mirror"})

    with serving(answer) as served:
        async with Client(clock=Moments().clock) as client:
            await client.download(f"{served.url}/file", to, limit=LIMIT)
    assert to.read_bytes() == CONTENT
    assert [asked.headers.get("Range") for asked in served.asked if asked.path == "/mirror"] == [None, f"bytes={MB}-"]


async def test_a_folder_that_cannot_be_written_to_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with serving(Filing(CONTENT)) as served:
        async with Client() as client:
            with pytest.raises(SourceRefused, match="cannot be written"):
                await client.download(served.url, tmp_path / "file" / "deeper", limit=LIMIT)


async def test_a_full_disk_is_told_with_its_remedy(to: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this machine has no /dev/full")
    to.parent.mkdir()
    build_part_question(to).path.symlink_to(full)
    with serving(Filing(CONTENT)) as served:
        async with Client() as client:
            with pytest.raises(SourceUnavailable, match="free space and try again") as caught:
                await client.download(served.url, to, limit=LIMIT)
    cause = caught.value.__cause__
    assert isinstance(cause, OSError)
    assert cause.errno == errno.ENOSPC


def build_part_question(to: Path) -> PartialFile:
    return PartialFile(to.with_name(f"{to.name}.part"), to.with_name(f"{to.name}.part.json"))
