"""What a search gave is given to the next arm, and what was not searched is not made up."""

from pathlib import Path

import pytest

from tests.world import GUIDELINE, TRIAL
from wellsourced.errors import SourceRefused, SourceUnavailable, UnreadableFile
from wellsourced.sources.base import CountingSource
from wellsourced.sources.fake import FakeSource
from wellsourced.text.passages import cut_index_passages
from wellsourced.types import Query
from wellsourced_evaluate.questions.answer_run import RecordedSource
from wellsourced_evaluate.questions.retrieval_snapshot import RetrievalSnapshot, SnapshotHeader, replay_case

PASSAGES = [passage for one in (TRIAL, GUIDELINE) for passage in cut_index_passages(one)]
GOUT = Query(terms=("gout",))


def header(id: str = "one", sha256: str = "abc") -> SnapshotHeader:
    held = RecordedSource(name="notes", kind="own", documents=2, passages=len(PASSAGES), sha256=sha256)
    return SnapshotHeader(id=id, set="mine", sha256="def", regime="allowed", sources=(held,))


async def test_a_second_arm_gets_the_hits_of_the_first_and_its_source_is_not_asked(tmp_path: Path) -> None:
    path = tmp_path / "mine.allowed.snapshot"
    first = FakeSource("notes", passages=PASSAGES)
    snapshot = RetrievalSnapshot(path, header())
    with replay_case("q1") as case:
        given = await snapshot.wrap(first).search(GOUT, 10)
    snapshot.close()
    assert (case.replayed, case.missed) == (0, ["notes: gout"])
    with path.open("ab") as file:
        file.write(b'{"case":"q2","sou')
    second = FakeSource("notes", passages=PASSAGES[:1])
    snapshot = RetrievalSnapshot(path, header("two"))
    assert snapshot.header.id == "one"
    with replay_case("q1") as case:
        assert await snapshot.wrap(second).search(GOUT, 10) == given
        assert (await snapshot.wrap(second).search(GOUT, 1)).hits == given.hits[:1]
    assert (case.replayed, second.queries) == (2, [])
    with replay_case("q2") as other:
        await snapshot.wrap(second).search(GOUT, 10)
        await snapshot.wrap(second).search(GOUT, 10)
    assert (other.replayed, len(other.missed), len(second.queries)) == (1, 1, 1)
    snapshot.close()


async def test_a_search_that_went_less_deep_is_made_again(tmp_path: Path) -> None:
    source = FakeSource("notes", passages=PASSAGES)
    snapshot = RetrievalSnapshot(tmp_path / "s", header())
    with replay_case("q1") as case:
        await snapshot.wrap(source).search(GOUT, 1)
        assert len((await snapshot.wrap(source).search(GOUT, 2)).hits) == 2
    assert (case.replayed, len(case.missed)) == (0, 2)
    snapshot.close()


async def test_with_only_the_snapshot_another_search_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceRefused, match="There is no snapshot"):
        RetrievalSnapshot(tmp_path / "s", header(), only=True)
    RetrievalSnapshot(tmp_path / "s", header()).close()
    snapshot = RetrievalSnapshot(tmp_path / "s", header(), only=True)
    with replay_case("q1"), pytest.raises(SourceRefused, match="no search of notes for “gout”"):
        await snapshot.wrap(FakeSource("notes", passages=PASSAGES)).search(GOUT, 1)
    snapshot.close()


async def test_a_failure_is_not_recorded_and_a_source_keeps_what_it_can_do(tmp_path: Path) -> None:
    class Counting(FakeSource):
        async def count(self, query: Query) -> int:
            return len(query.terms)

    snapshot = RetrievalSnapshot(tmp_path / "s", header())
    broken = FakeSource("notes", failure=SourceUnavailable("away"))
    with replay_case("q1"), pytest.raises(SourceUnavailable):
        await snapshot.wrap(broken).search(GOUT, 1)
    counting = snapshot.wrap(Counting("notes", documents=[TRIAL], passages=PASSAGES))
    assert isinstance(counting, CountingSource)
    assert await counting.count(GOUT) == 1
    assert not isinstance(snapshot.wrap(broken), CountingSource)
    assert await counting.open(TRIAL.reference.id) == TRIAL
    with replay_case("q1") as case:
        await counting.search(GOUT, 1)
    assert len(case.missed) == 1
    snapshot.close()


def test_searches_of_other_libraries_and_what_is_no_snapshot_are_refused(tmp_path: Path) -> None:
    RetrievalSnapshot(tmp_path / "s", header()).close()
    with pytest.raises(SourceRefused, match=r"something else \(sources differ\)"):
        RetrievalSnapshot(tmp_path / "s", header(sha256="other"))
    held = RetrievalSnapshot(tmp_path / "s", header())
    with pytest.raises(SourceUnavailable, match="another process"):
        RetrievalSnapshot(tmp_path / "s", header())
    held.close()
    (tmp_path / "t").write_text('{"id": "q1"}\n', encoding="utf-8")
    with pytest.raises(UnreadableFile, match="no recorded searches"):
        RetrievalSnapshot(tmp_path / "t", header())
