"""Values are remembered on disk, and the memory is never a reason to fail."""

# ruff: noqa: ASYNC220, ASYNC240 (a test may wait for its own disk and processes)

import logging
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.http.moments import Moments
from tests.tables import each_row
from wellsourced.storage.sqlite_cache import CacheEntry, SqliteCache, hash_parts

KEY, OTHER = b"k" * 32, b"o" * 32
ENTRY = CacheEntry('["Wie β?"]', b"\xff\x00body")


def build_cache(folder: Path, max_bytes: int = 1_000_000, moments: Moments | None = None, **how: Any) -> SqliteCache:
    path = folder / "deep" / "cache.sqlite"
    return SqliteCache(path, max_bytes, what="values", wall=(moments or Moments()).clock.wall, **how)


def number_key(number: int) -> bytes:
    return bytes([number]) * 32


async def list_kept(cache: SqliteCache, numbers: range) -> list[int]:
    entries = await cache.find(*map(number_key, numbers))
    return [number for number in numbers if number_key(number) in entries]


async def test_what_was_stored_is_found_again_by_a_later_process_and_nothing_else_is(tmp_path: Path) -> None:
    moments = Moments()
    first = build_cache(tmp_path, moments=moments)
    await first.store({KEY: ENTRY})
    await first.close()
    stored_at = moments.now
    later = build_cache(tmp_path)
    assert await later.find(OTHER, KEY) == {KEY: ENTRY._replace(stored_at=stored_at)}
    await later.close()


async def test_looking_makes_no_file(tmp_path: Path) -> None:
    cache = build_cache(tmp_path)
    assert await cache.find(KEY) == {}
    assert not cache.path.parent.exists()


async def test_what_is_deleted_is_gone(tmp_path: Path) -> None:
    cache = build_cache(tmp_path)
    await cache.store({KEY: ENTRY, OTHER: ENTRY})
    await cache.delete(KEY)
    assert set(await cache.find(KEY, OTHER)) == {OTHER}
    await cache.close()


async def test_a_closed_cache_is_opened_again(tmp_path: Path) -> None:
    cache = build_cache(tmp_path)
    for _ in range(2):
        await cache.store({KEY: ENTRY})
        await cache.close()
    assert KEY in await cache.find(KEY)
    await cache.close()


async def test_only_its_owner_may_read_the_file(tmp_path: Path) -> None:
    cache = build_cache(tmp_path)
    cache.path.parent.mkdir()
    cache.path.touch(mode=0o644)
    await cache.store({KEY: ENTRY})
    assert {stat.S_IMODE(path.stat().st_mode) for path in cache.path.parent.iterdir()} == {0o600}
    await cache.close()


@each_row(("tracks_use", "kept"), [(True, [0, *range(3, 11)]), (False, list(range(2, 11)))])
async def test_what_was_used_or_else_stored_longest_ago_makes_room(
    tmp_path: Path, tracks_use: bool, kept: list[int]
) -> None:
    moments = Moments()
    cache = build_cache(tmp_path, 10_000, moments, tracks_use=tracks_use)
    for number in range(11):
        moments.now += 100
        await cache.store({number_key(number): CacheEntry("{}", b"x" * 898)})
        await cache.find(number_key(0))
    # A tenth is free again, so that the next one finds room without looking for the oldest.
    assert await list_kept(cache, range(11)) == kept
    await cache.close()


async def test_what_another_process_stored_counts_when_room_is_made(tmp_path: Path) -> None:
    caches = [build_cache(tmp_path, 10_000) for _ in range(2)]
    for number in range(12):
        await caches[number % 2].store({number_key(number): CacheEntry("{}", b"x" * 898)})
    assert len(await list_kept(caches[0], range(12))) in range(8, 11)
    for cache in caches:
        await cache.close()


async def test_an_entry_that_would_fill_the_cache_is_not_stored(tmp_path: Path) -> None:
    cache = build_cache(tmp_path, 8_000)
    await cache.store({KEY: CacheEntry("", b"x" * 950), OTHER: ENTRY})
    assert set(await cache.find(KEY, OTHER)) == {OTHER}
    await cache.close()


@each_row("content", [b"this is no database, " * 100, b"SQLite format 3\0" + b"\xff" * 5000])
async def test_a_corrupt_file_is_set_aside_and_the_next_one_works(
    tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    cache = build_cache(tmp_path)
    cache.path.parent.mkdir()
    cache.path.write_bytes(content)
    assert await cache.find(KEY) == {}
    assert "the cache of values is corrupt and is set aside" in caplog.text
    assert Path(f"{cache.path}.corrupt").read_bytes() == content
    await cache.store({KEY: ENTRY})
    assert KEY in await cache.find(KEY)
    await cache.close()


async def test_where_nothing_can_be_written_nothing_is_found_and_nothing_fails(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "deep").write_text("a file where the folder should be")
    cache = build_cache(tmp_path)
    with caplog.at_level(logging.INFO):
        await cache.store({KEY: ENTRY})
    assert await cache.find(KEY) == {}
    assert "values are not cached this time" in caplog.text


async def test_an_entry_is_found_while_another_process_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wellsourced.storage.sqlite_cache.LOCK_TIMEOUT", 0.05)
    moments = Moments()
    cache = build_cache(tmp_path, moments=moments)
    await cache.store({KEY: ENTRY})
    moments.now += 1000
    with closing(sqlite3.connect(cache.path, isolation_level=None)) as store:
        store.execute("BEGIN IMMEDIATE")
        assert KEY in await cache.find(KEY)
        await cache.store({OTHER: ENTRY})
        store.execute("ROLLBACK")
    assert await cache.find(OTHER) == {}
    assert not Path(f"{cache.path}.corrupt").exists()
    await cache.close()


WRITER = """
import asyncio, sys
from pathlib import Path
from wellsourced.storage.sqlite_cache import CacheEntry, SqliteCache
async def main():
    cache = SqliteCache(Path(sys.argv[1]), 1_000_000, what="values")
    for number in range(60):
        key = bytes([number]) * 32
        await cache.store({key: CacheEntry(str(number))})
        assert (await cache.find(key))[key].meta == str(number)
        await cache.close()
asyncio.run(main())
"""


async def test_several_processes_share_one_cache(tmp_path: Path) -> None:
    cache = build_cache(tmp_path)
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(cache.path)]) for _ in range(2)]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0]
    assert await list_kept(cache, range(60)) == list(range(60))
    await cache.close()


def test_parts_are_not_run_together() -> None:
    assert len({hash_parts("a", "bc"), hash_parts("ab", "c"), hash_parts("abc")}) == 3
