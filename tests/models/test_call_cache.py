"""Replies are remembered on disk, and the memory is never a reason to fail."""

import logging
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.http.moments import Moments
from tests.models.engines import ScriptedEngine
from wellsourced.models.base import RenderedPrompt
from wellsourced.models.call_cache import CachedReply, CallCache, build_call_key
from wellsourced.prompts.planning import DecompositionReply, KeywordsReply

KEY, OTHER = b"k" * 32, b"o" * 32
KEPT = CachedReply('{"questions":["Wie β?"]}', 12, 3)


def cache(folder: Path, limit: int = 1_000_000, moments: Moments | None = None) -> CallCache:
    return CallCache(folder / "deep" / "calls.sqlite3", limit, (moments or Moments()).clock)


def rows(cache: CallCache) -> int:
    with closing(sqlite3.connect(cache.path)) as store:
        return int(store.execute("SELECT count(*) FROM calls_1").fetchone()[0])


async def test_what_was_kept_is_found_again_by_a_later_process_and_nothing_else_is(tmp_path: Path) -> None:
    first = cache(tmp_path)
    assert await first.find(KEY) is None
    await first.store(KEY, KEPT)
    await first.close()
    later = cache(tmp_path)
    assert await later.find(KEY) == KEPT
    assert await later.find(OTHER) is None
    await later.close()


async def test_looking_makes_no_file(tmp_path: Path) -> None:
    one = cache(tmp_path)
    assert await one.find(KEY) is None
    assert not one.path.parent.exists()


async def test_what_is_forgotten_is_gone(tmp_path: Path) -> None:
    one = cache(tmp_path)
    await one.store(KEY, KEPT)
    await one.store(OTHER, KEPT)
    await one.delete(KEY)
    assert (await one.find(KEY), await one.find(OTHER)) == (None, KEPT)
    await one.close()


async def test_only_its_owner_may_read_the_file(tmp_path: Path) -> None:
    one = cache(tmp_path)
    one.path.parent.mkdir()
    one.path.touch(mode=0o644)
    await one.store(KEY, KEPT)
    files = list(one.path.parent.iterdir())
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    await one.close()


async def test_replies_that_were_used_longest_ago_make_room(tmp_path: Path) -> None:
    moments = Moments()
    one = cache(tmp_path, 10_000, moments)
    for number in range(9):
        moments.now += 100
        await one.store(bytes([number]) * 32, CachedReply("x" * 900, 1, 1))
    moments.now += 100
    assert await one.find(bytes([0]) * 32)
    moments.now += 100
    for number in (9, 10):
        await one.store(bytes([number]) * 32, CachedReply("x" * 900, 1, 1))
    found = [number for number in range(11) if await one.find(bytes([number]) * 32)]
    assert found == [0, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    await one.close()


async def test_a_reply_that_would_fill_the_cache_is_not_kept(tmp_path: Path) -> None:
    one = cache(tmp_path, 8_000)
    await one.store(KEY, CachedReply("x" * 950, 1, 1))
    assert await one.find(KEY) is None


@pytest.mark.parametrize("content", [b"this is no database, " * 100, b"SQLite format 3\0" + b"\xff" * 5000])
async def test_a_corrupt_file_is_thrown_away_and_told_and_the_next_one_works(
    tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    one = cache(tmp_path)
    one.path.parent.mkdir()
    one.path.write_bytes(content)
    with caplog.at_level(logging.INFO):
        assert await one.find(KEY) is None
    assert "is corrupt and is thrown away" in caplog.text
    assert not one.path.exists()
    await one.store(KEY, KEPT)
    assert await one.find(KEY) == KEPT
    await one.close()


async def test_where_nothing_can_be_written_nothing_is_found_and_nothing_fails(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "deep").write_text("a file where the folder should be")
    one = cache(tmp_path)
    with caplog.at_level(logging.INFO):
        await one.store(KEY, KEPT)
    assert await one.find(KEY) is None
    assert "not cached this time" in caplog.text


async def test_a_reply_is_found_while_another_process_writes(tmp_path: Path) -> None:
    moments = Moments()
    one = CallCache(tmp_path / "calls.sqlite3", 1_000_000, moments.clock, patience=0.05)
    await one.store(KEY, KEPT)
    moments.now += 1000
    with closing(sqlite3.connect(one.path, isolation_level=None)) as store:
        store.execute("BEGIN IMMEDIATE")
        assert await one.find(KEY) == KEPT
        await one.store(OTHER, KEPT)
        store.execute("ROLLBACK")
    assert await one.find(OTHER) is None
    assert one.path.exists()
    await one.close()


WRITER = """
import asyncio, sys
from pathlib import Path
from wellsourced.models.call_cache import CachedReply, CallCache
async def main():
    cache = CallCache(Path(sys.argv[1]), 1_000_000)
    for number in range(60):
        await cache.store(bytes([number]) * 32, CachedReply("{}", number, 1))
        assert (await cache.find(bytes([number]) * 32)).tokens_in == number
    await cache.close()
asyncio.run(main())
"""


def test_several_processes_share_one_cache(tmp_path: Path) -> None:
    one = cache(tmp_path)
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(one.path)]) for _ in range(2)]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0]
    assert rows(one) == 60


def test_a_call_is_the_same_only_if_engine_settings_words_and_form_are() -> None:
    engine, other, warmer = (ScriptedEngine(DecompositionReply()) for _ in range(3))
    other.name = "another"
    warmer.settings = "temperature=1"
    said = RenderedPrompt("ab", "c")
    keys = [
        build_call_key(engine, said, DecompositionReply),
        build_call_key(other, said, DecompositionReply),
        build_call_key(warmer, said, DecompositionReply),
        build_call_key(engine, RenderedPrompt("a", "bc"), DecompositionReply),
        build_call_key(engine, RenderedPrompt("ab", "d"), DecompositionReply),
        build_call_key(engine, said, KeywordsReply),
    ]
    assert len(set(keys)) == len(keys)
    assert build_call_key(engine, said, DecompositionReply) == keys[0]
