"""Whatever a file does to the process that reads it, this one goes on, and says what became of the file."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.readers.workers import ODD
from tests.tables import each_row
from wellsourced.errors import InaccessibleFile, SettingsError, UnreadableFile
from wellsourced.readers.base import DeletedDocuments, UnreadablePart
from wellsourced.readers.registry import reader_for
from wellsourced.readers.worker.frames import decode_error, decode_item, encode_error
from wellsourced.readers.worker.limits import WorkerLimits
from wellsourced.readers.worker.process import Worker, WorkerJob, WorkerPool, stream_file
from wellsourced.readers.worker.serving import REFUSED_CALLS
from wellsourced.types import Document

SMALL = WorkerLimits(memory=150, seconds=1, silence=120, output=2)
DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    odd = Worker(ODD)
    yield odd
    odd.kill()


def done(worker: Worker, task: str, limits: WorkerLimits = SMALL) -> str:
    return worker.run_for_result(WorkerJob(task, {}, b"bytes", "a.pdf"), limits).decode()


@each_row(
    ("task", "reason"),
    [
        ("abort", r"its reader failed \(SIGABRT\)"),
        ("crash", r"its reader failed \(SIGSEGV\)"),
        ("hoard", "reading it needs more than 150 MB of memory"),
        ("exhaust c", "reading it needs more than 150 MB of memory"),
        ("spin", "reading it takes more than 1 seconds of processor time"),
        ("flood", "it contains more than 2 MB of text"),
    ],
)
def test_what_ends_a_worker_is_told_of_the_file_and_the_next_one_is_read(
    worker: Worker, task: str, reason: str
) -> None:
    with pytest.raises(UnreadableFile, match=f"a.pdf: {reason}"):
        done(worker, task)
    assert done(worker, "echo")


def test_a_worker_that_says_nothing_is_ended(worker: Worker) -> None:
    assert done(worker, "echo")
    with pytest.raises(UnreadableFile, match=r"its reader did not respond for 0\.3 seconds"):
        done(worker, "sleep", SMALL._replace(silence=0.3))


def test_a_worker_is_used_again_until_it_dies(worker: Worker) -> None:
    first = done(worker, "echo")
    assert done(worker, "echo") == first
    with pytest.raises(UnreadableFile):
        done(worker, "abort")
    assert done(worker, "echo") != first


def test_a_file_is_blamed_only_for_what_it_does_to_a_new_worker(worker: Worker) -> None:
    first = done(worker, "echo")
    psutil.Process(int(first)).kill()  # of something that was read before
    assert done(worker, "echo") != first


def test_what_was_given_before_a_worker_died_is_given_once(worker: Worker) -> None:
    done(worker, "echo")
    given: list[bytes] = []
    with pytest.raises(UnreadableFile):
        for frame in worker.run(WorkerJob("abort", {}, b"", "a.pdf"), SMALL):
            given += [frame.data]
    assert given == [b"before"]


@pytest.mark.skipif(sys.platform != "linux" or os.uname().machine != "x86_64", reason="the filter is for x86-64 Linux")
def test_a_worker_can_neither_connect_nor_write_nor_start_fork_or_signal_and_knows_no_key(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    worker.kill()
    assert done(worker, "look around") == ""
    assert REFUSED_CALLS


def test_what_is_no_text_costs_nothing_but_itself(worker: Worker) -> None:
    items = [decode_item(frame.data) for frame in worker.run(WorkerJob("halves", {}, b"", "a.jsonl"), SMALL)]
    assert [item.reference.id if isinstance(item, Document) else item[0] for item in items] == [
        "1", "document 2", "3",
    ]  # fmt: skip


@each_row(
    "name", [path.name for path in sorted(DATA.iterdir()) if path.suffix in (".md", ".xml", ".nxml", ".html", ".jsonl")]
)
def test_a_worker_gives_what_the_reader_gives(worker: Worker, name: str) -> None:
    path = DATA / name
    try:
        own = list(reader_for(path)(path, "research"))
    except UnreadableFile as error:
        with pytest.raises(UnreadableFile) as told:
            list(stream_file(path, "research", worker))
        assert (told.value.reason, told.value.remedy) == (error.reason, error.remedy)
    else:
        assert list(stream_file(path, "research", worker)) == own


@each_row(
    "error",
    [
        UnreadableFile("a", "it is odd", "Mend it."),
        InaccessibleFile("a", "it is away", "Wait."),
        SettingsError("install it"),
        FileNotFoundError(2, "No such file"),
    ],
)
def test_errors_cross_the_pipe_as_they_are(error: Exception) -> None:
    crossed = decode_error(encode_error(error), "a")
    assert (type(crossed), str(crossed)) == (type(error), str(error))


async def test_who_stops_waiting_ends_the_work() -> None:
    pool = WorkerPool()
    worker = Worker(ODD)
    pool.put_back(worker)
    pid = int(await pool.run(WorkerJob("echo", {}, b"", "a"), SMALL))
    worked = psutil.Process(pid)
    waiting = asyncio.ensure_future(pool.run(WorkerJob("sleep", {}, b"", "a"), SMALL))
    await asyncio.sleep(0.1)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await asyncio.to_thread(psutil.wait_procs, [worked], 20)
    assert not worked.is_running()
    pool.close()


async def test_the_loop_goes_on_while_a_worker_works() -> None:
    pool = WorkerPool()
    pool.put_back(Worker(ODD))
    await pool.run(WorkerJob("echo", {}, b"", "a"), SMALL)
    work = asyncio.ensure_future(pool.run(WorkerJob("spin", {}, b"", "a"), SMALL))
    turns = 0  # a loop that waits for the worker makes one or two, however busy the machine is
    while not work.done():
        await asyncio.sleep(0.005)
        turns += 1
    with pytest.raises(UnreadableFile, match="processor time"):
        work.result()
    assert turns > 10
    pool.close()


PARENT = """
import os, sys, threading
sys.path.insert(0, os.getcwd())
from wellsourced.readers.worker.limits import WorkerLimits
from wellsourced.readers.worker.process import Worker, WorkerJob
worker = Worker("tests.readers.odd_worker")
print(worker.run_for_result(WorkerJob("echo", {}, b"", "a"), WorkerLimits()).decode(), flush=True)
spin = WorkerJob("spin", {}, b"", "a")
threading.Thread(target=lambda: worker.run_for_result(spin, WorkerLimits()), daemon=True).start()
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends the children of a process that was killed")
def test_a_worker_ends_with_a_parent_that_is_killed() -> None:
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root
    ) as parent:
        assert parent.stdout
        worker = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
    worker.wait(5)


def test_deletions_come_in_their_order(worker: Worker, tmp_path: Path) -> None:
    article = (
        "<PubmedArticle><MedlineCitation><PMID>{}</PMID><Article><ArticleTitle>Gout.</ArticleTitle></Article>"
        "</MedlineCitation></PubmedArticle>"
    )
    deleted = "<DeleteCitation><PMID>1</PMID></DeleteCitation>"
    path = tmp_path / "a.xml"
    path.write_text(f"<PubmedArticleSet>{article.format(1)}{article.format(2)}{deleted}</PubmedArticleSet>")
    items = list(stream_file(path, "research", worker))
    assert [type(item) for item in items] == [Document, Document, DeletedDocuments]
    assert not any(isinstance(item, UnreadablePart) for item in items)
