"""Replies are remembered on disk, by what makes a call the same call."""

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.models.engines import ScriptedEngine
from wellsourced.models.base import EngineReply, RenderedPrompt
from wellsourced.models.language_model import CallCache, build_call_key
from wellsourced.prompts.planning import DecompositionReply, KeywordsReply

KEY, OTHER = b"k" * 32, b"o" * 32
KEPT = EngineReply(DecompositionReply(questions=("Wie β?",)), 12, 3)


async def test_what_was_kept_is_found_again_by_a_later_process_and_nothing_else_is(tmp_path: Path) -> None:
    first, later = (CallCache(tmp_path / "calls.sqlite", 1_000_000) for _ in range(2))
    await first.store(KEY, KEPT)
    await first.close()
    assert (await later.find(KEY, DecompositionReply), await later.find(OTHER, DecompositionReply)) == (KEPT, None)
    await later.close()


async def test_an_entry_that_is_no_reply_is_forgotten(tmp_path: Path) -> None:
    cache = CallCache(tmp_path / "calls.sqlite", 1_000_000)
    await cache.store(KEY, KEPT)
    with closing(sqlite3.connect(tmp_path / "calls.sqlite")) as store, store:
        store.execute("UPDATE entries_1 SET meta = '[1, 2'")
    assert await cache.find(KEY, DecompositionReply) is None
    await cache.store(KEY, KEPT)
    assert await cache.find(KEY, DecompositionReply) == KEPT
    await cache.close()


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
