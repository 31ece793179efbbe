"""The words of sources that a check read, for later commands."""

import sqlite3
import stat
from pathlib import Path

import pytest

from tests.factcheck.fakes import Pairs, ToldTracer, opened, run_checkup, submitted, verdict
from wellsourced.errors import SourceRefused, SourceUnavailable
from wellsourced.factcheck.run_store import RunStore, open_run_store

CLAIMS = ("Colchicine shortens gout flares.", "Colchicine causes nausea.", "Colchicine cures gout.")
TEXT = submitted("\n".join(CLAIMS), 3)
SOURCES = (opened("1", "The first says so."), opened("2", "The second says so."), opened("3", fetched="dead"))
TOLD = {(CLAIMS[0], "first"): verdict("supports"), (CLAIMS[1], "second"): verdict("contradicts", quote="The second")}


async def test_a_check_that_is_made_again_keeps_the_words_that_it_read_itself(tmp_path: Path) -> None:
    for sources in (SOURCES, (opened("1", "Other words now."), opened("2", fetched="dead"), SOURCES[2])):
        store, tracer = open_run_store(tmp_path, TEXT, "told"), ToldTracer(*sources)
        await run_checkup(TEXT, tracer, Pairs(TOLD), store=store)
        assert tracer.asked == ["1", "2", "3"]
        assert [store.load_document(one.traced.key) for one in sources] == [one.document for one in sources]
        store.close()


def test_another_text_another_judge_and_other_sources_have_stores_of_their_own(tmp_path: Path) -> None:
    runs = (
        (TEXT, "told"),
        (TEXT, "another"),
        (submitted("Other words."), "told"),
        (submitted("\n".join(CLAIMS)), "told"),
    )
    stores = [open_run_store(tmp_path, text, made_by) for text, made_by in runs]
    assert len({store.path for store in stores}) == len(runs)
    for store in stores:
        store.close()


def test_nobody_else_can_read_what_is_under_review(tmp_path: Path) -> None:
    store = open_run_store(tmp_path / "checkups", TEXT, "told")
    store.store_source(SOURCES[0])
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "checkups").iterdir()}
    assert modes == {0o600}
    assert stat.S_IMODE((tmp_path / "checkups").stat().st_mode) == 0o700
    store.close()


def test_a_store_that_is_corrupt_is_told_and_the_next_check_replaces_it(tmp_path: Path) -> None:
    store = open_run_store(tmp_path, TEXT, "told")
    store.close()
    assert store.path
    store.path.write_bytes(b"this is no database" * 100)
    with pytest.raises(SourceRefused, match=r"is damaged .* Delete it, and check the text again\."):
        RunStore(store.path)
    store = open_run_store(tmp_path, TEXT, "told")
    store.store_source(SOURCES[0])
    assert store.load_document("1") == SOURCES[0].document
    store.close()


def test_a_store_that_another_process_holds_is_told(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    store = RunStore(path)
    store._connection.execute("PRAGMA busy_timeout=10")
    other = sqlite3.connect(path)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(SourceUnavailable, match="cannot be written"):
        store.store_source(SOURCES[0])
    other.close()
    store.close()


def test_a_home_that_is_no_folder_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    with pytest.raises(SourceUnavailable, match=r"cannot be created .*Choose another home"):
        RunStore(tmp_path / "home" / "run.sqlite")
