"""Verdicts are remembered on disk, and the memory is never a reason to fail."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from wellsourced.judges.base import Pair
from wellsourced.judges.cache import CachedJudge
from wellsourced.judges.fake import FakeJudge
from wellsourced.types import Verdict

GOUT, STATIN = Pair("claim", "Gout hurts."), Pair("claim", "Statins lower LDL.")
VERDICTS = {
    GOUT.text: Verdict(label="supports", score=0.1 + 0.2, reason="the “words” – β", quote="Gout hurts."),
    STATIN.text: Verdict(label="contradicts", score=1 / 3),
}


def cached(path: Path, rows: int = 100) -> tuple[CachedJudge, FakeJudge]:
    told = FakeJudge(VERDICTS)
    return CachedJudge(told, path / "deep" / "verdicts.sqlite3", rows), told


def aside(judge: CachedJudge) -> bytes | None:
    """What was set aside."""
    path = Path(f"{judge.path}.corrupt")
    return path.read_bytes() if path.exists() else None


async def test_only_what_is_missing_is_asked_once_and_order_and_repeats_are_kept(tmp_path: Path) -> None:
    judge, told = cached(tmp_path)
    await judge.judge([GOUT])
    verdicts = await judge.judge([STATIN, GOUT, STATIN])
    assert told.asked == [GOUT, STATIN]
    assert verdicts == [VERDICTS[STATIN.text], VERDICTS[GOUT.text], VERDICTS[STATIN.text]]


async def test_a_later_process_finds_the_same_verdict_to_the_last_bit(tmp_path: Path) -> None:
    first, _ = cached(tmp_path)
    await first.judge([GOUT])
    later, told = cached(tmp_path)
    assert await later.judge([GOUT]) == [VERDICTS[GOUT.text]]
    assert told.asked == []


async def test_another_judge_is_not_given_this_ones_verdicts(tmp_path: Path) -> None:
    class Other(FakeJudge):
        name = "another"

    path = tmp_path / "verdicts.sqlite3"
    await CachedJudge(FakeJudge(VERDICTS), path).judge([GOUT])
    other = Other({GOUT.text: Verdict(label="silent", score=0.0)})
    assert [verdict.label for verdict in await CachedJudge(other, path).judge([GOUT])] == ["silent"]


async def test_claim_and_text_are_not_run_together(tmp_path: Path) -> None:
    judge, told = cached(tmp_path)
    told.verdicts = {"bc": VERDICTS[GOUT.text], "c": VERDICTS[STATIN.text]}
    one, other = await judge.judge([Pair("a", "bc"), Pair("ab", "c")])
    assert one != other


@pytest.mark.parametrize("content", [b"this is no database, " * 100, b"SQLite format 3\0" + b"\xff" * 5000])
async def test_a_corrupt_file_is_set_aside_and_the_next_one_works(tmp_path: Path, content: bytes) -> None:
    judge, told = cached(tmp_path)
    judge.path.parent.mkdir()
    judge.path.write_bytes(content)
    assert await judge.judge([GOUT]) == [VERDICTS[GOUT.text]]
    assert await judge.judge([GOUT]) == [VERDICTS[GOUT.text]]
    assert told.asked == [GOUT]
    assert aside(judge) == content


async def test_a_row_that_is_no_verdict_is_not_believed(tmp_path: Path) -> None:
    judge, told = cached(tmp_path)
    await judge.judge([GOUT])
    with closing(sqlite3.connect(judge.path)) as store, store:
        store.execute("UPDATE verdicts_2 SET label = 'certainly'")
    assert await judge.judge([GOUT]) == [VERDICTS[GOUT.text]]
    assert told.asked == [GOUT, GOUT]


async def test_where_nothing_can_be_written_the_judge_is_asked_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "deep").write_text("a file where the folder should be")
    judge, told = cached(tmp_path)
    assert await judge.judge([GOUT]) == [VERDICTS[GOUT.text]]
    assert told.asked == [GOUT]


async def test_while_another_process_writes_for_long_the_judge_is_asked_all_the_same(tmp_path: Path) -> None:
    judge, told = cached(tmp_path)
    await judge.judge([GOUT])
    judge.lock_timeout = 0.05
    with closing(sqlite3.connect(judge.path, isolation_level=None)) as store:
        store.execute("BEGIN EXCLUSIVE")
        assert await judge.judge([GOUT, STATIN]) == [VERDICTS[GOUT.text], VERDICTS[STATIN.text]]
    assert aside(judge) is None
    assert told.asked == [GOUT, STATIN]


async def test_the_oldest_verdicts_make_room(tmp_path: Path) -> None:
    judge, told = cached(tmp_path, rows=3)
    texts = [f"Text {number}." for number in range(5)]
    told.verdicts = dict.fromkeys(texts, VERDICTS[GOUT.text])
    for text in texts:
        await judge.judge([Pair("claim", text)])
    told.asked.clear()
    await judge.judge([Pair("claim", text) for text in texts])
    assert [pair.text for pair in told.asked] == texts[:2]


async def test_what_was_not_judged_is_asked_again(tmp_path: Path) -> None:
    judge, told = cached(tmp_path)
    told.verdicts = {GOUT.text: Verdict(label="unjudged", score=0.0, reason="the model was down")}
    await judge.judge([GOUT])
    told.verdicts = VERDICTS
    assert await judge.judge([GOUT]) == [VERDICTS[GOUT.text]]


async def test_nobody_but_its_owner_can_read_it(tmp_path: Path) -> None:
    judge, _ = cached(tmp_path)
    judge.path.parent.mkdir()
    judge.path.touch(0o644)
    await judge.judge([GOUT])
    assert judge.path.stat().st_mode & 0o777 == 0o600


async def test_a_file_of_an_earlier_version_is_used_on_without_its_verdicts(tmp_path: Path) -> None:
    judge, told = cached(tmp_path)
    judge.path.parent.mkdir()
    with closing(sqlite3.connect(judge.path)) as store, store:
        store.execute("CREATE TABLE verdicts_1 (pair BLOB, label TEXT)")
    assert await judge.judge([GOUT]) == await judge.judge([GOUT]) == [VERDICTS[GOUT.text]]
    assert told.asked == [GOUT]


WRITER = """
import asyncio, sys
from pathlib import Path
from wellsourced.judges.base import Pair
from wellsourced.judges.cache import CachedJudge
from wellsourced.judges.fake import FakeJudge
from wellsourced.types import Verdict
texts = [f"Text {number}." for number in range(60)]
told = FakeJudge(dict.fromkeys(texts, Verdict(label="supports", score=0.5)))
judge = CachedJudge(told, Path(sys.argv[1]))
for text in texts:
    [verdict] = asyncio.run(judge.judge([Pair("claim", text)]))
    assert verdict.score == 0.5
"""


def test_two_processes_share_one_cache(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.sqlite3"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path)]) for _ in range(2)]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0]
    with closing(sqlite3.connect(path)) as store:
        assert store.execute("SELECT count(*), count(DISTINCT pair) FROM verdicts_2").fetchone() == (60, 60)
