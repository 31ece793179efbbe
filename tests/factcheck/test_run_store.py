"""A run can be stopped at any moment, and goes on from what it knew."""

import sqlite3
import stat
from datetime import date
from pathlib import Path

import pytest

from tests.factcheck.fakes import Pairs, ToldTracer, opened, run_checkup, submitted, verdict
from wellsourced.errors import SourceUnavailable
from wellsourced.factcheck.resolve.base import TracedSource
from wellsourced.factcheck.run_store import RunStore, open_run_store
from wellsourced.types import CitedSource

CLAIMS = ("Colchicine shortens gout flares.", "Colchicine causes nausea.", "Colchicine cures gout.")
TEXT = submitted("\n".join(CLAIMS), 3)
SOURCES = (opened("1", "The first says so."), opened("2", "The second says so."), opened("3", fetched="dead"))
TOLD = {(CLAIMS[0], "first"): verdict("supports"), (CLAIMS[1], "second"): verdict("contradicts", quote="The second")}
DAY = date(2026, 11, 21)


class Killed(Exception):
    pass


class Stopping(ToldTracer):
    """Is killed when it is asked for the second source."""

    async def trace(self, cited: CitedSource) -> TracedSource:
        if cited.key == "2":
            raise Killed
        return await super().trace(cited)


async def test_a_run_that_was_killed_goes_on_and_comes_to_the_same(tmp_path: Path) -> None:
    whole = await run_checkup(TEXT, ToldTracer(*SOURCES), Pairs(TOLD), as_of=DAY)
    first = open_run_store(tmp_path, TEXT, "told")
    with pytest.raises(Killed):
        await run_checkup(TEXT, Stopping(*SOURCES), Pairs(TOLD), store=first, as_of=DAY)
    first.close()

    again, judge = ToldTracer(*SOURCES), Pairs(TOLD)
    second = open_run_store(tmp_path, TEXT, "told")
    done = await run_checkup(TEXT, again, judge, store=second, as_of=DAY)
    assert "1" not in again.asked
    assert not any("first" in pair.text for pair in judge.asked)
    assert f"3 verdicts are from the run that began on {DAY}" in done.notes
    assert done.model_copy(update={"notes": whole.notes, "run": whole.run}) == whole
    second.close()


async def test_a_run_that_came_to_its_end_is_made_anew(tmp_path: Path) -> None:
    for _ in range(2):
        store, tracer = open_run_store(tmp_path, TEXT, "told"), ToldTracer(*SOURCES)
        await run_checkup(TEXT, tracer, Pairs(TOLD), store=store)
        assert len(tracer.asked) == 3
        store.close()


async def test_a_fresh_run_forgets_what_a_stopped_one_came_to(tmp_path: Path) -> None:
    store = open_run_store(tmp_path, TEXT, "told")
    store.store_source(SOURCES[0])
    store.close()
    fresh = open_run_store(tmp_path, TEXT, "told", fresh=True)
    assert fresh.load_source("1") is None
    fresh.close()


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


async def test_what_may_be_reached_another_time_is_looked_for_again(
    tmp_path: Path,
) -> None:
    one = submitted(CLAIMS[0], 2)
    store = open_run_store(tmp_path, one, "told")
    store.store_source(opened("1", "The first says so."))
    store.store_source(opened("2", fetched="timeout"))
    store.close()
    later, judge = ToldTracer(*SOURCES), Pairs(TOLD)
    store = open_run_store(tmp_path, one, "told")
    done = await run_checkup(one, later, judge, store=store)
    assert later.asked == ["2"]
    assert [pair.text for pair in judge.asked] == ["The first says so.", "The second says so."]
    assert done.verdicts[0].label == "supports"
    store.close()


def test_nobody_else_can_read_what_is_under_review(tmp_path: Path) -> None:
    store = open_run_store(tmp_path / "checkups", TEXT, "told")
    store.store_source(SOURCES[0])
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "checkups").iterdir()}
    assert modes == {0o600}
    assert stat.S_IMODE((tmp_path / "checkups").stat().st_mode) == 0o700
    store.close()


def test_a_store_that_is_corrupt_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    path.write_bytes(b"this is no database" * 100)
    store = RunStore(path)
    store.store_source(SOURCES[0])
    assert (store.load_source("1"), store.load_document("1")) == ((SOURCES[0].traced, True), SOURCES[0].document)
    assert Path(f"{path}.corrupt").read_bytes().startswith(b"this is no database")
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
