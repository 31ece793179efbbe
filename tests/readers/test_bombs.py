"""Files that were made to do harm end within limits, each as a fault, and the sound file beside them goes in."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.readers.bombs import BOMBS, SLOW
from wellsourced.errors import UnreadableFile
from wellsourced.events import Event, FileFailed
from wellsourced.ingest import ingest_files
from wellsourced.readers.worker.limits import WorkerLimits
from wellsourced.readers.worker.process import SHARED_POOL, Worker, stream_file
from wellsourced.sources.library import Library
from wellsourced.types import Document

TIGHT = WorkerLimits(memory=250, seconds=1, silence=300, output=64)
KILLERS = ("a form that draws itself", "nested forms", "text operators")
SOUND = "# Gout\n\nColchicine shortens flares of gout.\n"


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with SHARED_POOL.lend() as lent:
        yield lent


@pytest.mark.parametrize("name", [name for name in BOMBS if name not in KILLERS])
def test_a_bomb_is_a_file_that_cannot_be_read_and_says_why(worker: Worker, tmp_path: Path, name: str) -> None:
    file, made = BOMBS[name]
    path = tmp_path / file
    path.write_bytes(made())
    given: list[object] = []
    try:
        given += stream_file(path, "own", worker, TIGHT)
    except UnreadableFile as error:
        assert error.reason and error.remedy
    else:
        assert given and not any(isinstance(item, Document) for item in given)


@pytest.mark.parametrize("name", SLOW)
def test_what_took_minutes_takes_seconds(worker: Worker, tmp_path: Path, name: str) -> None:
    file, made = SLOW[name]
    path = tmp_path / file
    path.write_bytes(made())
    try:
        list(stream_file(path, "own", worker, TIGHT._replace(seconds=20)))
    except UnreadableFile as error:
        assert "processor time" not in error.reason


@pytest.mark.parametrize(
    "name",
    [pytest.param(KILLERS[0], marks=pytest.mark.nightly), *KILLERS[1:]],  # by day a page that draws it is ended
)
def test_a_pdf_that_killed_the_process_is_ended_by_its_limits(worker: Worker, tmp_path: Path, name: str) -> None:
    """Read without a worker, each takes gigabytes, or minutes, and the process with it."""
    path = tmp_path / "a.pdf"
    path.write_bytes(BOMBS[name][1]())
    assert path.stat().st_size < 120_000
    with pytest.raises(
        UnreadableFile, match=r"it needs more than 250 MB of memory|it takes more than 1 seconds|broke down"
    ):
        list(stream_file(path, "own", worker, TIGHT))


async def test_bombs_keep_no_sound_file_out_and_are_not_tried_again_until_that_is_asked_for(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    for name in ("a form that draws itself", "gzip", "XML, laughs"):
        file, made = BOMBS[name]
        (folder / file).write_bytes(made())
    (folder / "zz.md").write_text(SOUND)
    Library.create(tmp_path / "libraries", "mine", "own")
    library = Library.at(tmp_path / "libraries", "mine", write=True)
    for again, failed in ((False, 3), (False, 3), (True, 3)):
        told: list[Event] = []
        began = time.process_time()
        ended = await ingest_files(library, [folder], told.append, again=again, limits=TIGHT)
        assert (ended.failed, ended.files + ended.skipped) == (failed, 1)
        failures = {event.path.name: event for event in told if isinstance(event, FileFailed)}
        assert set(failures) == {"self.pdf", "bomb.jsonl.gz", "laughs.xml"}
        assert not any(event.transient for event in failures.values())
        assert time.process_time() - began < 10
    assert (await library.describe()).documents == 1
    library.close()
