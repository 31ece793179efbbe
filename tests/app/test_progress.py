"""What is shown on stderr while something takes long."""

from pathlib import Path

import pytest

from wellsourced.app.progress import ProgressWatch
from wellsourced.events import AnswerChecked, Event, FileFailed, Progress, SearchPlanned
from wellsourced.presentation.progress import describe_event
from wellsourced.runs.table import RunStep
from wellsourced.types import Plan, Query, Search, Tier

READING = Progress(task="reading", done=500, total=1000, unit="bytes", documents=1_204, passages=3_000, rate=250)
FAILED = FileFailed(path=Path("a.xml"), reason="it is empty", remedy="Leave it out.")


def heard(capsys: pytest.CaptureFixture[str], *events: Event, shown: bool = True) -> str:
    watch = ProgressWatch(shown)
    for event in events:
        watch(event)
    watch.close()
    return capsys.readouterr().err


def test_a_line_shows_how_far_the_work_is_and_what_went_in(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Reading: 50%, 1,204 documents, 3,000 passages, 250 bytes/s, 0 min left …" in heard(capsys, READING)


def test_what_the_line_counts_is_not_said_twice() -> None:
    embedding = Progress(task="embedding", done=5, total=9, unit="passages", passages=5, rate=61.3)
    assert describe_event(embedding) == RunStep("step", "Embedding: 56%, 61 passages/s, 0 min left")
    downloading = Progress(task="downloading", done=2_000_000, total=0, unit="bytes")
    assert describe_event(downloading) == RunStep("step", "Downloading: 2.0 MB")


def test_where_nobody_looks_nothing_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert heard(capsys, READING, FAILED, shown=False) == ""


def test_files_that_failed_are_kept_for_the_end() -> None:
    watch = ProgressWatch(shown=False)
    watch(FAILED)
    watch(READING)
    assert watch.failures == [FAILED]


def test_a_step_is_one_line_that_is_cleared_in_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    plan = Plan(tiers=(Tier(name="all", searches=(Search(source="notes\x1b[2J", query=Query(terms=("gout",))),)),))
    shown = heard(capsys, SearchPlanned(plan=plan))
    assert "Searching notes�[2J …" in shown
    assert shown.endswith("…\r")
    assert describe_event(AnswerChecked(statements=(), dropped=())) == RunStep(
        "step", "Checked: 0 statements passed, 0 failed"
    )
