"""A library is searched where nothing can be written: on a disk that is mounted so, in folders of somebody else."""

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.hashed_encoder import HashedEncoder
from tests.sources.corpus import document
from wellsourced.sources.library import Library
from wellsourced.storage.sqlite_database import SqliteDatabase, connect_for_reading, stamp_database

ROOT = Path(__file__).parents[2]
UNPRIVILEGED = ("setpriv", "--inh-caps=-all", "--bounding-set=-all") if os.geteuid() == 0 else ()
"""Root may write whatever the modes say; without its capabilities it is a user like any other."""

READER = """
import asyncio, sys
from pathlib import Path
import tantivy
from tests.hashed_encoder import HashedEncoder
from wellsourced.sources.library import Library
from wellsourced.types import Query

async def main():
    library = Library.at(Path(sys.argv[1]), "mine", HashedEncoder())
    assert (await library.describe()).documents == 6, await library.describe()
    assert len((await library.search(Query(terms=("adults", "with", "gout")), 10)).hits) == 6
    assert len((await library.search(Query(terms=("trial AND gout",), kind="boolean"), 10)).hits) == 6
    assert (await library.frequencies(["gout"])).counts == {"gout": 6}
    assert (await library.open("doc:5")).text
    assert not await library.backlog(), await library.backlog()
    print("read", (await library.describe()).about, end="")
    library.close()

asyncio.run(main())
"""

WRITER = """
import os, sqlite3, sys
sql = sqlite3.connect(sys.argv[1], isolation_level=None)
sql.execute("UPDATE library SET about = 'written last'")
os._exit(0)
"""


async def fill(root: Path) -> None:
    Library.create(root, "mine", "own", HashedEncoder())
    library = Library.at(root, "mine", HashedEncoder(), write=True)
    await library.add([document(number) for number in range(6)])
    await library.embed_passages()
    library.close()


able = pytest.mark.skipif(
    bool(UNPRIVILEGED) and not shutil.which("setpriv"), reason="nothing here takes root its capabilities"
)


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    """The folder of a library of six documents."""
    root = tmp_path / "libraries"
    asyncio.run(fill(root))
    yield root
    for path in (root, *root.rglob("*")):
        path.chmod(0o700)


def read(root: Path, *prefix: str, about: str = "") -> None:
    command = [*prefix, sys.executable, "-c", READER, str(root)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"read {about}"), done.stderr


def lock_up(root: Path) -> None:
    """Its owner may read it and nothing else."""
    for path in (root, *root.rglob("*")):
        path.chmod(0o500 if path.is_dir() else 0o400)


@able
def test_a_library_in_folders_that_cannot_be_written_is_searched(root: Path) -> None:
    lock_up(root)
    read(root, *UNPRIVILEGED)


@able
def test_without_a_words_index_it_is_searched_all_the_same(root: Path) -> None:
    (root / "mine" / "words.sqlite3").unlink()
    lock_up(root)
    read(root, *UNPRIVILEGED)
    assert not (root / "mine" / "words.sqlite3").exists()


@able
def test_what_a_killed_process_left_in_the_log_is_read_too(root: Path) -> None:
    catalogue = root / "mine" / "catalogue.sqlite3"
    subprocess.run([sys.executable, "-c", WRITER, str(catalogue)], check=True)
    Path(f"{catalogue}-shm").unlink()
    lock_up(root)
    read(root, *UNPRIVILEGED, about="written last")
    assert stamp_database(catalogue).log > 0


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("mount"), reason="only root mounts disks")
def test_a_library_on_a_read_only_disk_is_searched(root: Path, tmp_path: Path) -> None:
    mounted = tmp_path / "disk"
    mounted.mkdir()
    if subprocess.run(["mount", "--bind", str(root), str(mounted)], capture_output=True, check=False).returncode:
        pytest.skip("this container mounts nothing")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", str(mounted)], check=True)
        with pytest.raises(OSError, match="Read-only"):
            (mounted / "x").touch()
        read(mounted)
        with closing(connect_for_reading(mounted / "mine" / "catalogue.sqlite3").sql) as sql:
            assert sql.execute("SELECT count(*) FROM documents").fetchone() == (6,)
        # Who may write there changes it, and whoever had it open sees that.
        # It is closed before the disk goes, also when this fails: a busy disk would stay, and spoil the next run.
        with closing(SqliteDatabase(mounted / "mine" / "catalogue.sqlite3")) as opened:
            assert opened.fetch_one("SELECT about FROM library") == ("",)
            with closing(sqlite3.connect(root / "mine" / "catalogue.sqlite3")) as sql:
                sql.execute("UPDATE library SET about = 'changed since'")
                sql.commit()
            assert opened.fetch_one("SELECT about FROM library") == ("changed since",)
    finally:
        subprocess.run(["umount", str(mounted)], check=True)


def test_a_transaction_that_fails_leaves_nothing_and_the_next_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite3"
    SqliteDatabase.create(path, "CREATE TABLE notes (text);")
    database = SqliteDatabase(path, write=True)
    with pytest.raises(ValueError), database.transaction() as sql:
        sql.execute("INSERT INTO notes VALUES ('lost')")
        raise ValueError
    with database.transaction() as sql:
        sql.execute("INSERT INTO notes VALUES ('kept')")
    assert database.fetch_all("SELECT text FROM notes") == [("kept",)]
    database.close()


def test_a_transaction_keeps_other_writers_out_from_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite3"
    SqliteDatabase.create(path, "CREATE TABLE notes (text);")
    database = SqliteDatabase(path, write=True)
    with (
        database.transaction(),
        closing(sqlite3.connect(path, timeout=0)) as other,
        pytest.raises(sqlite3.OperationalError, match="locked"),
    ):
        other.execute("BEGIN IMMEDIATE")
    database.close()


def test_a_file_that_is_no_database_is_not_taken_for_one_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"not a database, whatever it says" * 100)
    with pytest.raises(sqlite3.DatabaseError, match="not a database"):
        connect_for_reading(tmp_path / "x")
