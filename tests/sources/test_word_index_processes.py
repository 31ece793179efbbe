"""The word index among processes: made by several at once, read while it is written, on a disk that is full or shut."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import gettempdir

import pytest

from tests.sources.corpus import document, word
from wellsourced.errors import SourceUnavailable
from wellsourced.sources.library import Library
from wellsourced.sources.library.word_index.index import INDEX_FILE, WordIndex
from wellsourced.types import Document, Reference

ROOT = Path(__file__).parents[2]
NOBODY = 65534

ASKER = """
import os, sys
from pathlib import Path
from wellsourced.errors import SourceError
from wellsourced.sources.library.word_index.index import WordIndex

if sys.argv[2:]:
    os.setuid(int(sys.argv[2]))
print("ready", flush=True)
for line in sys.stdin:
    index = WordIndex(Path(sys.argv[1]))
    try:
        with index.open_reader() as words:
            said = " ".join(str(int(words.find_matching(word).sum())) for word in line.split())
    except SourceError as error:
        said = f"{type(error).__name__}: {error}"
    index.close()
    print(said, flush=True)
"""
"""For each line of words that it reads, in how many documents each of them stands."""

WRITER = """
import asyncio, sys
from pathlib import Path
from tests.sources.corpus import document
from wellsourced.sources.library import Library

async def main():
    library = Library.at(Path(sys.argv[1]), "mine", write=True)
    for edition in range(1, 5):
        await library.add([document(number, edition) for number in range(60)])
        print(edition, flush=True)
    library.close()

asyncio.run(main())
"""
"""Replaces documents 0, 3, 6, … by four editions of them, all of one edition in one call."""


class Asker:
    """A process that asks the index of a library; as another user where the library may not be written."""

    def __init__(self, folder: Path, *user: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", ASKER, str(folder), *map(str, user)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        assert self._answer() == "ready"

    def ask(self, *words: str) -> None:
        assert self._process.stdin
        print(*words, file=self._process.stdin, flush=True)

    def _answer(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline().strip()

    def answer(self) -> str:
        return self._answer()

    def end(self) -> None:
        self._process.communicate()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A library of 60 documents as it was made before there were word indexes."""

    async def make() -> None:
        Library.create(tmp_path, "mine", "research")
        library = Library.at(tmp_path, "mine", write=True)
        await library.add([document(number) for number in range(60)])
        library.close()

    asyncio.run(make())
    assert not (tmp_path / "mine" / INDEX_FILE).exists()
    return tmp_path / "mine"


@pytest.fixture
def askers(folder: Path) -> Iterator[list[Asker]]:
    several = [Asker(folder) for _ in range(3)]
    yield several
    for one in several:
        one.end()


def test_processes_that_need_the_index_at_once_where_there_is_none_all_get_it(
    folder: Path, askers: list[Asker]
) -> None:
    for _ in range(60):
        for one in askers:
            one.ask("gout", word(7))
        assert [one.answer() for one in askers] == ["60 1"] * 3
        for file in folder.glob(f"{INDEX_FILE}*"):
            file.unlink()


@pytest.mark.nightly
def test_processes_that_find_it_damaged_at_once_all_get_another(folder: Path, askers: list[Asker]) -> None:
    for _ in range(30):
        for file in folder.glob(f"{INDEX_FILE}-*"):
            file.unlink()
        (folder / INDEX_FILE).write_bytes(b"not a database, but long enough to be read as one" * 100)
        for one in askers:
            one.ask("gout", word(7))
        assert [one.answer() for one in askers] == ["60 1"] * 3


def test_who_reads_while_documents_are_replaced_sees_each_of_them_once_and_editions_whole(
    folder: Path, askers: list[Asker]
) -> None:
    revised = [word(900_000 + edition) for edition in range(1, 5)]
    writing = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder.parent)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    answers: list[str] = []
    while writing.poll() is None:
        for one in askers:
            one.ask(*revised)
        answers += [one.answer() for one in askers]
    writing.communicate()
    assert writing.returncode == 0
    index = WordIndex(folder)
    with index.open_reader() as words:
        live = words.documents.live
        assert int(live.sum()) == int((words.find_matching("gout") & live).sum()) == 60
        assert [int((words.find_matching(one) & live).sum()) for one in revised] == [0, 0, 0, 20]
    index.close()
    assert answers
    assert {count for answer in answers for count in answer.split()} <= {"0", "20"}


def test_a_disk_without_room_is_told_and_leaves_the_index_as_it_was(folder: Path) -> None:
    index = WordIndex(folder)
    with index.open_reader() as words:
        assert int(words.find_matching("gout").sum()) == 60
    more = [
        Document(
            reference=Reference(id=f"doc:{number}"), text=f"gout {' '.join(map(word, range(number, number + 200)))}"
        )
        for number in range(100, 400)
    ]

    async def add() -> None:
        library = Library.at(folder.parent, "mine", write=True)
        await library.add(more)
        library.close()

    asyncio.run(add())
    pages = index._open_connection().execute("PRAGMA page_count").fetchone()[0]
    index._open_connection().execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(SourceUnavailable, match="disk is full"):
        index.update()
    assert index._open_connection().execute("SELECT count(*) FROM documents").fetchone() == (60,)
    index._open_connection().execute("PRAGMA max_page_count = 1000000")
    with index.open_reader() as words:
        assert int(words.find_matching("gout").sum()) == 360
    index.close()


def test_a_library_in_a_folder_that_may_not_be_written_is_searched(folder: Path) -> None:
    for one in (folder, *folder.rglob("*")):
        one.chmod(0o555 if one.is_dir() else 0o444)
    user = () if os.geteuid() else (NOBODY,)
    for above in folder.parents if user else ():
        if above.is_relative_to(gettempdir()):
            above.chmod(0o755)
    asking = Asker(folder, *user)
    asking.ask("gout", word(7))
    answer = asking.answer()
    asking.end()
    assert answer == "60 1"
    assert not (folder / INDEX_FILE).exists()
