"""A library of an earlier version is brought up to date from its catalogue alone."""

import asyncio
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from tests.hashed_encoder import HashedEncoder
from tests.sources.corpus import document, word
from tests.storage.test_sqlite_database import UNPRIVILEGED, able, lock_up
from wellsourced import config
from wellsourced.errors import NextStep
from wellsourced.events import Event, Progress
from wellsourced.sources.library import Library
from wellsourced.sources.library.reader import list_former_index
from wellsourced.types import Query


async def made_with_lance(root: Path) -> Path:
    """A library as the second format left it: a catalogue in which all is indexed, and tables that nobody reads now."""
    Library.create(root, "mine", "own", HashedEncoder())
    library = Library.at(root, "mine", HashedEncoder(), write=True)
    await library.add([document(number) for number in range(30)])
    await library.embed_passages()
    library.close()
    folder = root / "mine"
    for path in (*(folder / "passages.tantivy").iterdir(), *folder.glob("passages.sqlite3*")):
        path.unlink()
    (folder / "passages.tantivy").rmdir()
    (folder / "passages.lance").mkdir()
    (folder / "passages.lance" / "data").write_bytes(b"as it was")
    with closing(sqlite3.connect(folder / "catalogue.sqlite3")) as sql, sql:
        sql.execute("UPDATE library SET format = 2")
    return folder


async def found(library: Library, number: int) -> list[str]:
    hits = (await library.search(Query(terms=(word(number),)), 5)).hits
    return [hit.passage.reference.id for hit in hits]


async def test_whoever_writes_next_finds_all_of_it_again_and_computes_its_vectors_anew(tmp_path: Path) -> None:
    folder = await made_with_lance(tmp_path)
    library = Library.at(tmp_path, "mine", HashedEncoder(), write=True)
    await library.maintain()
    assert (await found(library, 7))[0] == "doc:7"
    assert await library.find_unsearchable() == []
    assert not (folder / "passages.lance").exists()
    assert (await library.describe()).vectors == 0
    assert await library.embed_passages() == 30
    library.close()


async def test_who_only_reads_is_told_that_nothing_can_be_searched_yet_and_what_to_do(tmp_path: Path) -> None:
    await made_with_lance(tmp_path)
    reader = Library.at(tmp_path, "mine", HashedEncoder())
    assert await found(reader, 7) == []
    assert (await reader.open("doc:7")).text == document(7).text
    backlog = await reader.backlog()
    assert backlog.describe() == "the last addition is incomplete: 30 stored documents not searchable yet"
    assert backlog.next_step("mine") == NextStep("resume files", "mine")
    reader.close()


async def test_whoever_asks_it_has_it_indexed_first(home: Path) -> None:
    folder = await made_with_lance(home / "libraries")
    told: list[Event] = []
    settings = config.load({"guidelines": False, "encoder": "none"})
    async with config.open_context(settings, emit=told.append) as context:
        assert context.setup_gaps == ()
        (library,) = context.sources
        assert (await library.search(Query(terms=(word(7),)), 5)).hits[0].passage.reference.id == "doc:7"
    assert [event.task for event in told if isinstance(event, Progress)] == ["indexing"]
    assert list_former_index(folder) == []


OPENER = """
import sys
from pathlib import Path
from wellsourced.errors import NextStep, SourceRefused
from wellsourced.events import Event, Progress
from wellsourced.sources.library import Library
from wellsourced.sources.library.reader import list_former_index
try:
    Library.at(Path(sys.argv[1]), "mine")
except SourceRefused as error:
    print(error)
"""


@able
def test_where_nothing_can_be_written_it_says_what_to_do(tmp_path: Path) -> None:
    folder = asyncio.run(made_with_lance(tmp_path))
    lock_up(tmp_path)
    try:
        command = [*UNPRIVILEGED, sys.executable, "-c", OPENER, str(tmp_path)]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    finally:
        for path in (tmp_path, *tmp_path.rglob("*")):
            path.chmod(0o700)
    assert f"{folder}: the library is from an earlier version" in told
    assert "Open it once from a writable disk." in told
