"""Verdicts are remembered on disk, and the memory is never a reason to fail."""

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.fake_judge import FakeJudge
from wellsourced.judges.base import Pair
from wellsourced.judges.layers import CachedJudge
from wellsourced.types import Verdict

GOUT, STATIN = Pair("claim", "Gout hurts."), Pair("claim", "Statins lower LDL.")
VERDICTS = {
    GOUT.text: Verdict(label="supports", score=0.1 + 0.2, reason="the “words” – β", quote="Gout hurts."),
    STATIN.text: Verdict(label="contradicts", score=1 / 3),
}


def cached(path: Path, max_bytes: int = 50_000) -> tuple[CachedJudge, FakeJudge]:
    told = FakeJudge(VERDICTS)
    return CachedJudge(told, path / "deep" / "verdicts.sqlite3", max_bytes), told


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


async def test_a_verdict_given_with_a_question_is_not_given_without_it(tmp_path: Path) -> None:
    class Told(FakeJudge):
        def for_question(self, question: str) -> FakeJudge:
            judge = FakeJudge({GOUT.text: VERDICTS[STATIN.text]})
            judge.name = f"{self.name}?{question}"
            return judge

    judge = CachedJudge(Told(VERDICTS), tmp_path / "verdicts.sqlite3")
    assert await judge.judge([GOUT]) == [VERDICTS[GOUT.text]]
    assert await judge.for_question("Does it hurt?").judge([GOUT]) == [VERDICTS[STATIN.text]]
    assert await judge.judge([GOUT]) == [VERDICTS[GOUT.text]]
    untold, _ = cached(tmp_path)
    assert untold.for_question("Does it hurt?") is untold


async def test_claim_and_text_are_not_run_together(tmp_path: Path) -> None:
    judge, told = cached(tmp_path)
    told.verdicts = {"bc": VERDICTS[GOUT.text], "c": VERDICTS[STATIN.text]}
    one, other = await judge.judge([Pair("a", "bc"), Pair("ab", "c")])
    assert one != other


async def test_a_row_that_is_no_verdict_is_not_believed(tmp_path: Path) -> None:
    judge, told = cached(tmp_path)
    await judge.judge([GOUT])
    with closing(sqlite3.connect(judge.cache.path)) as store, store:
        store.execute("UPDATE entries_1 SET meta = replace(meta, 'supports', 'certainly')")
    assert await judge.judge([GOUT]) == [VERDICTS[GOUT.text]]
    assert told.asked == [GOUT, GOUT]


async def test_where_nothing_can_be_written_the_judge_is_asked_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "deep").write_text("a file where the folder should be")
    judge, told = cached(tmp_path)
    assert await judge.judge([GOUT]) == [VERDICTS[GOUT.text]]
    assert told.asked == [GOUT]


async def test_the_oldest_verdicts_make_room(tmp_path: Path) -> None:
    judge, told = cached(tmp_path, max_bytes=1_600)
    texts = [f"Text {number}." for number in range(12)]
    told.verdicts = dict.fromkeys(texts, VERDICTS[GOUT.text])
    for text in texts:
        await judge.judge([Pair("claim", text)])
    told.asked.clear()
    await judge.judge([Pair("claim", text) for text in texts])
    assert [pair.text for pair in told.asked] == texts[:4]


async def test_what_was_not_judged_is_asked_again(tmp_path: Path) -> None:
    judge, told = cached(tmp_path)
    told.verdicts = {GOUT.text: Verdict(label="unjudged", score=0.0, reason="the model was down")}
    await judge.judge([GOUT])
    told.verdicts = VERDICTS
    assert await judge.judge([GOUT]) == [VERDICTS[GOUT.text]]
