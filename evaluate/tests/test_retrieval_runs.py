"""What was measured is kept line by line, and goes on only where it is the same run."""

from pathlib import Path
from typing import Any

import pytest

from tests.tables import each_row
from wellsourced.errors import SourceRefused, UnreadableFile
from wellsourced_evaluate.record_log import RecordLog
from wellsourced_evaluate.retrieval import RETRIEVAL_LOG, QueryResult, RunHeader, hash_code, hash_folder, read_run

ONE = QueryResult(query="q1", status="ok", measures={"nDCG@10": 0.5}, ms=3.2, ranked=("d1", "d2"))
NONE = QueryResult(query="q2", status="empty", measures={"nDCG@10": 0.0}, ms=1.0)
DOWN = QueryResult(query="q3", status="failed", errors=("pubmed: no answer within 30 s",))


def header(**settings: Any) -> RunHeader:
    return RunHeader(
        wellsourced="0.1.0", code="abc", versions={}, corpus={"name": "c"}, topics={}, depth=400, settings=settings
    )


def written(path: Path, *results: QueryResult) -> None:
    kept = RecordLog(path, header(encoder="none"), RETRIEVAL_LOG, fresh=False)
    for result in results:
        kept.add(result)
    kept.close()


def test_what_was_kept_is_read_back(tmp_path: Path) -> None:
    written(tmp_path / "run.jsonl", ONE, NONE, DOWN)
    run = read_run(tmp_path / "run.jsonl")
    assert run.header == header(encoder="none")
    assert run.results == {"q1": ONE, "q2": NONE, "q3": DOWN}


def test_each_result_is_on_the_disk_before_the_next_query(tmp_path: Path) -> None:
    kept = RecordLog(tmp_path / "run.jsonl", header(), RETRIEVAL_LOG, fresh=False)
    kept.add(ONE)
    assert list(read_run(tmp_path / "run.jsonl").results) == ["q1"]
    kept.close()


def test_a_run_that_was_killed_in_the_middle_of_a_line_goes_on_behind_the_last_whole_one(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    written(path, ONE, NONE)
    path.write_bytes(path.read_bytes()[:-15])
    again = RecordLog(path, header(encoder="none"), RETRIEVAL_LOG, fresh=False)
    assert list(again.records) == ["q1"]
    again.add(NONE)
    again.close()
    assert read_run(path).results == {"q1": ONE, "q2": NONE}


def test_what_failed_is_measured_again_and_its_last_line_counts(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    written(path, ONE, DOWN)
    again = RecordLog(path, header(encoder="none"), RETRIEVAL_LOG, fresh=False)
    assert list(again.records) == ["q1"]
    mended = DOWN.model_copy(update={"status": "ok", "measures": {"nDCG@10": 1.0}, "errors": ()})
    again.add(mended)
    again.close()
    assert read_run(path).results["q3"] == mended


def test_the_results_of_another_run_are_not_mixed_with_these_unless_they_are_thrown_away(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    written(path, ONE)
    with pytest.raises(SourceRefused, match="encoder: none → minilm"):
        RecordLog(path, header(encoder="minilm"), RETRIEVAL_LOG, fresh=False)
    assert list(read_run(path).results) == ["q1"]
    fresh = RecordLog(path, header(encoder="minilm"), RETRIEVAL_LOG, fresh=True)
    fresh.close()
    assert read_run(path).results == {}
    assert read_run(path).header.settings == {"encoder": "minilm"}


@each_row("content", ["", "notes of mine\n", '{"some": "json"}\n', '{"wellsourced": "0.1.0"'])
def test_a_file_of_something_else_is_refused_and_left_as_it_is(tmp_path: Path, content: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UnreadableFile, match="it holds no results of an evaluation"):
        read_run(path)
    if content:
        with pytest.raises(UnreadableFile):
            RecordLog(path, header(), RETRIEVAL_LOG, fresh=False)
    assert path.read_text(encoding="utf-8") == content


def test_a_header_that_was_itself_cut_off_is_no_run_yet(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    written(path)
    path.write_bytes(path.read_bytes()[:40])
    written(path, ONE)
    assert read_run(path).results == {"q1": ONE}


def test_what_ends_a_line_in_unicode_alone_ends_none_in_the_file(tmp_path: Path) -> None:
    odd = ONE.model_copy(update={"notes": ("one line\u2028another\u2029a third\x85a fourth",)})
    written(tmp_path / "run.jsonl", odd, NONE)
    assert read_run(tmp_path / "run.jsonl").results == {"q1": odd, "q2": NONE}


def test_the_code_is_its_sources_and_data_and_what_vanishes_meanwhile_is_no_error(tmp_path: Path) -> None:
    def hash_it() -> bytes:
        told: list[bytes] = []
        hash_folder(tmp_path, told.append)
        return b"|".join(told)

    (tmp_path / "b").mkdir()
    (tmp_path / "a.py").write_bytes(b"1")
    (tmp_path / "b" / "t.tsv").write_bytes(b"2")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.pyc.4711").write_bytes(b"3")
    # A name that is listed and cannot be opened any more.
    (tmp_path / "c.tsv").symlink_to(tmp_path / "gone")
    assert hash_it() == b"a.py\x001|b/t.tsv\x002"
    assert len(hash_code()) == 12 and hash_code() == hash_code()
