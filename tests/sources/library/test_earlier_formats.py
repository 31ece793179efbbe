"""A library of an earlier version is brought up to date from its catalogue alone."""

import asyncio
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np

from tests.hashed_encoder import HashedEncoder
from tests.sources.corpus import document, word
from tests.storage.test_sqlite_database import UNPRIVILEGED, able, lock_up
from wellsourced import config
from wellsourced.errors import NextStep
from wellsourced.events import Event, Progress
from wellsourced.sources.library import Library
from wellsourced.sources.library.embedded_engine import EmbeddedEngine
from wellsourced.sources.library.reader import list_former_index
from wellsourced.types import Query

FIFTH_CATALOGUE = """
DROP TRIGGER changes_stored;
DROP TRIGGER changes_removed;
DROP TABLE changes;
"""
"""What makes a catalogue of now into one of the fifth format."""

FOURTH_CATALOGUE = f"""
{FIFTH_CATALOGUE}
ALTER TABLE library DROP COLUMN engine;
ALTER TABLE library DROP COLUMN owner;
"""
"""What makes a catalogue of now into one of the fourth format."""

FOURTH_TABLE = """
ALTER TABLE passages ADD COLUMN start_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE passages ADD COLUMN end_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE passages ADD COLUMN section TEXT NOT NULL DEFAULT 'Methods';
ALTER TABLE passages ADD COLUMN stands_for_document INTEGER NOT NULL DEFAULT 1;
"""
"""What makes a table of passages of now into one of the fourth format."""

THIRD_CATALOGUE = f"""
{FOURTH_CATALOGUE}
DROP TABLE totals;
DROP TRIGGER documents_added;
DROP TRIGGER documents_deleted;
DROP TRIGGER documents_moved;
DROP INDEX documents_by_year;
CREATE INDEX documents_counted ON documents (state, passages, year);
"""
"""… into one of the third format."""

THIRD_TABLE = """
ATTACH ? AS now;
CREATE TABLE passages (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL,
    document_id TEXT NOT NULL, document_hash INTEGER NOT NULL, start_at INTEGER NOT NULL, end_at INTEGER NOT NULL,
    section TEXT NOT NULL, stands_for_document INTEGER NOT NULL, text_hash INTEGER NOT NULL,
    kind TEXT NOT NULL, earliest INTEGER NOT NULL, latest INTEGER NOT NULL, publication_types TEXT NOT NULL
);
CREATE TABLE vectors (number INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE signs (number INTEGER PRIMARY KEY, signs BLOB NOT NULL);
INSERT INTO passages SELECT number, id, document_id, document_hash, 0, 10, '', 0,
    text_hash, 'own', earliest, latest, '[]' FROM now.passages;
"""
"""The table of passages as the third format had it, from one of now."""


async def made_with_vectors_in_the_table(root: Path) -> Path:
    """A library as the third format left it, whose last passage has no vector."""
    Library.create(root, "mine", "own", HashedEncoder())
    library = Library.at(root, "mine", HashedEncoder(), write=True)
    await library.add([document(number) for number in range(30)])
    await library.embed_passages()
    assert isinstance(library._engine, EmbeddedEngine)
    mapped = library._engine.table.map_vectors()
    assert mapped
    numbers = mapped.numbers_at(np.arange(29)).tolist()
    vectors = [(number, mapped.vectors[row].tobytes(), b"signs") for row, number in enumerate(numbers)]
    library.close()
    folder = root / "mine"
    with closing(sqlite3.connect(folder / "passages.sqlite3")) as sql, sql:
        attach, script = THIRD_TABLE.split(";", 1)
        sql.execute(attach, (str(folder / "spans.sqlite3"),))
        sql.executescript(script)
        sql.executemany("INSERT INTO vectors VALUES (?, ?)", (one[:2] for one in vectors))
        sql.executemany("INSERT INTO signs VALUES (?, ?)", (one[::2] for one in vectors))
    for name in ("spans.sqlite3", "passages.vectors", "passages.signs"):
        (folder / name).unlink()
    with closing(sqlite3.connect(folder / "catalogue.sqlite3")) as sql, sql:
        sql.executescript(THIRD_CATALOGUE)
        sql.execute("UPDATE library SET format = 3, vectors = 29")
    return folder


async def made_with_lance(root: Path) -> Path:
    """A library as the second format left it: a catalogue in which all is indexed, and tables that nobody reads now."""
    Library.create(root, "mine", "own", HashedEncoder())
    library = Library.at(root, "mine", HashedEncoder(), write=True)
    await library.add([document(number) for number in range(30)])
    await library.embed_passages()
    library.close()
    folder = root / "mine"
    for path in (*(folder / "passages.tantivy").iterdir(), *folder.glob("spans.sqlite3*")):
        path.unlink()
    (folder / "passages.tantivy").rmdir()
    (folder / "passages.lance").mkdir()
    (folder / "passages.lance" / "data").write_bytes(b"as it was")
    with closing(sqlite3.connect(folder / "catalogue.sqlite3")) as sql, sql:
        sql.executescript(THIRD_CATALOGUE)
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


async def test_vectors_in_the_table_of_passages_are_carried_over_and_none_is_computed_again(tmp_path: Path) -> None:
    folder = await made_with_vectors_in_the_table(tmp_path)
    library = Library.at(tmp_path, "mine", HashedEncoder(), write=True)
    assert (await library.describe())[2:5] == (30, 30, 29)
    await library.maintain()
    assert sorted(path.name for path in folder.glob("*passages.*")) == [
        "passages.signs",
        "passages.tantivy",
        "passages.vectors",
    ]
    assert (await found(library, 7))[0] == "doc:7"
    assert await library.find_unsearchable() == []
    assert await library.embed_passages() == 1
    await library.add([document(3, edition=1)])
    assert (await library.describe())[2:5] == (30, 30, 29)
    library.close()


async def test_a_library_of_the_fourth_format_is_searched_as_it_is_and_written_as_it_is_now(tmp_path: Path) -> None:
    Library.create(tmp_path, "mine", "own", HashedEncoder())
    library = Library.at(tmp_path, "mine", HashedEncoder(), write=True)
    await library.add([document(number) for number in range(30)])
    await library.embed_passages()
    library.close()
    for name, script in (("catalogue.sqlite3", FOURTH_CATALOGUE), ("spans.sqlite3", FOURTH_TABLE)):
        with closing(sqlite3.connect(tmp_path / "mine" / name)) as sql, sql:
            sql.executescript(script)
    with closing(sqlite3.connect(tmp_path / "mine" / "catalogue.sqlite3")) as sql, sql:
        sql.execute("UPDATE library SET format = 4")
    reader = Library.at(tmp_path, "mine", HashedEncoder())
    (hit, *_) = (await reader.search(Query(terms=(word(7),)), 5)).hits
    assert (hit.passage.reference.id, hit.passage.section, hit.passage.stands_for_document) == ("doc:7", "", False)
    writer = Library.at(tmp_path, "mine", HashedEncoder(), write=True)
    await writer.add([document(3, edition=1), document(100)])
    assert await writer.embed_passages() == 2
    assert await writer.find_unsearchable() == []
    writer.close()
    assert (await found(reader, 100))[0] == "doc:100"
    with closing(sqlite3.connect(tmp_path / "mine" / "spans.sqlite3")) as sql:
        assert "section" not in {row[1] for row in sql.execute("PRAGMA table_info(passages)")}
    reader.close()


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
    tasks = [event.task for event in told if isinstance(event, Progress)]
    assert tasks == ["indexing", "indexing"], "its passages, and its words, which somebody had asked for"
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


async def test_a_catalogue_that_did_not_list_its_changes_is_searched_by_boolean_queries(tmp_path: Path) -> None:
    Library.create(tmp_path, "mine", "own")
    library = Library.at(tmp_path, "mine", write=True)
    await library.add([document(number) for number in range(30)])
    library.close()
    with closing(sqlite3.connect(tmp_path / "mine" / "catalogue.sqlite3")) as sql, sql:
        sql.executescript(FIFTH_CATALOGUE)
        sql.execute("UPDATE library SET format = 5")
    library = Library.at(tmp_path, "mine", write=True)
    both = Query(terms=(f"{word(7)} OR {word(8)}",), kind="boolean")
    assert await library.count(both) == 2
    await library.remove(["doc:7"])
    assert await library.count(both) == 1
    library.close()
