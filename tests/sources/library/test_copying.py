"""One library copied into another, whatever finds their passages: all of it, whenever it was stopped, and verified."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.exact_engine import ExactEngine, ExactStore
from tests.hashed_encoder import HashedEncoder
from tests.sources.corpus import document, word
from tests.tables import each_row
from wellsourced.encoders.base import Role, Vectors
from wellsourced.errors import SourceRefused, SourceUnavailable
from wellsourced.events import Event, Progress
from wellsourced.sources.base import FileFault, FileState
from wellsourced.sources.library import Library
from wellsourced.sources.library.engines import EngineAddress
from wellsourced.types import Document, Query, Reference

ROOT = Path(__file__).parents[3]
URL = "exact://search.test:9200/all"
WITHOUT_VECTORS = 7
"""Documents that are added after vectors were computed."""


class SpentEncoder(HashedEncoder):
    """It encodes what is asked, and the few passages that have no vector yet: those that have one not again."""

    def encode(self, texts: Sequence[str], role: Role = "passage") -> Vectors:
        assert role == "query" or len(texts) <= WITHOUT_VECTORS
        return super().encode(texts, role)


def open_(root: Path, name: str, store: ExactStore, *, write: bool = True) -> Library:
    return Library.at(root, name, SpentEncoder(), write=write, open_engine=lambda _: ExactEngine(store))


async def make(root: Path, store: ExactStore, engine: str, size: int = 45, database: str = "") -> Library:
    """The library `old`, from two files, one of which had a fault and deletes a document; all but five have vectors."""
    Library.create(root, "old", "research", HashedEncoder(), "about gout", engine, database)
    library = Library.at(
        root, "old", HashedEncoder(), write=True, open_engine=lambda _: ExactEngine(store), database=database
    )
    await library.add_from("/in/first.jsonl", [document(number) for number in range(size - 5)])
    await library.withdraw("/in/first.jsonl", ["doc:gone"])
    fault = FileFault("/in/first.jsonl", "row 7", "no text", "Give it one.", False)
    await library.finish_file(FileState("/in/first.jsonl", 9, 9, "a", size - 5, size - 5, faulty=1), None, [fault])
    await library.embed_passages()
    await library.add_from("/in/second.jsonl", [document(number) for number in range(size - 5, size)])
    return library


async def check(old: Library, new: Library) -> None:
    """Both hold the same, and find the same."""
    assert new._catalogue.load_hashes() == old._catalogue.load_hashes()
    assert await new.find_unsearchable() == await new.find_damaged() == []
    assert new.files() == old.files()
    for file in ("/in/first.jsonl", "/in/second.jsonl"):
        assert sorted(new.ids_of_file(file)) == sorted(old.ids_of_file(file)) != []
    assert new.faults("/in/first.jsonl") == old.faults("/in/first.jsonl") != []
    assert (await new.describe())[1:8] == (await old.describe())[1:8]
    for number in (3, 17, 42):
        query = Query(terms=(word(number),))
        hits = [(await library.search(query, 10)).hits for library in (old, new)]
        assert [hit.passage for hit in hits[0]] == [hit.passage for hit in hits[1]]
        assert await new.count(query) == 1


@each_row("engines", [("", ""), ("", URL), (URL, "")])
async def test_all_of_it_is_copied_and_nothing_is_computed_again(tmp_path: Path, engines: tuple[str, str]) -> None:
    stores = ExactStore(), ExactStore()
    old = await make(tmp_path, stores[0], engines[0])
    Library.create(tmp_path, "new", "research", None, "about gout", engines[1])
    new = open_(tmp_path, "new", stores[1])
    told: list[Event] = []
    copied = await new.copy_from(old, told.append)
    assert copied[:5] == (45, 0, 45, 40, 40)
    assert copied.is_whole
    assert copied.same / copied.places > 0.9
    assert {(event.task, event.done, event.total) for event in told if isinstance(event, Progress)} >= {
        ("copying", 45, 45),
        ("copying", 40, 40),
    }
    await check(old, new)
    # Again there is nothing to do, and what has changed meanwhile comes after.
    assert (await new.copy_from(old))[:4] == (0, 45, 45, 0)
    await old.add_from("/in/second.jsonl", [document(3, edition=1), document(99)])
    assert (await new.copy_from(old))[:2] == (2, 44)
    assert (await new.copy_from(old)).is_whole
    for library in (old, new):
        library.close()


COPIER = """
import asyncio, os, signal, sys, warnings
from pathlib import Path
from tests.hashed_encoder import HashedEncoder
from wellsourced.sources.library import Library, copying

warnings.simplefilter("ignore", RuntimeWarning)
copying.BATCH_DOCUMENTS, copying.BATCH_VECTORS = 10, 10
root = Path(sys.argv[1])

async def kill(*given):
    os.kill(os.getpid(), signal.SIGKILL)

def copy(steps):
    "Copy, until so many steps were told; none: until documents are stored and cannot be found yet."
    def count_down(event):
        nonlocal steps
        steps -= 1
        if not steps:
            os.kill(os.getpid(), signal.SIGKILL)

    old, new = Library.at(root, "old", HashedEncoder()), Library.at(root, "new", HashedEncoder(), write=True)
    if not steps:
        new._index.index_passages = kill
    asyncio.run(new.copy_from(old, count_down))

for steps in (0, 3, 7):
    process = os.fork()
    if not process:
        try:
            copy(steps)
        finally:
            os._exit(0)
    print(os.WTERMSIG(os.waitpid(process, 0)[1]))
"""


async def test_a_copy_that_was_killed_is_gone_on_with(tmp_path: Path) -> None:
    old = await make(tmp_path, ExactStore(), "")
    Library.create(tmp_path, "new", "research", None, "about gout")
    command = [sys.executable, "-c", COPIER, str(tmp_path)]
    env = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    # One process for all, which forks before it has threads: importing takes longer than copying.
    killed = await asyncio.to_thread(subprocess.run, command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert killed.stdout.split() == [str(int(signal.SIGKILL))] * 3, killed.stderr
    new = open_(tmp_path, "new", ExactStore())
    copied = await new.copy_from(old)
    assert copied.is_whole
    assert copied.present > 0
    await check(old, new)
    for library in (old, new):
        library.close()


async def test_a_copy_whose_engine_goes_away_or_who_is_stopped_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wellsourced.sources.library.copying.BATCH_DOCUMENTS", 10)
    store = ExactStore()
    old = await make(tmp_path, ExactStore(), "")
    Library.create(tmp_path, "new", "research", None, "about gout", URL)
    new = open_(tmp_path, "new", store)

    def stop(event: Event) -> None:
        if isinstance(event, Progress) and event.done == 20:
            current.cancel()

    current = asyncio.ensure_future(new.copy_from(old, stop))
    with pytest.raises(asyncio.CancelledError):
        await current
    for away in ("replace half", "add_vectors", "load_vectors", "rank"):
        store.away = {away}
        with pytest.raises(SourceUnavailable):
            await new.copy_from(old)
    store.away = set()
    assert (await new.copy_from(old)).is_whole
    await check(old, new)
    for library in (old, new):
        library.close()


async def test_what_is_in_the_other_already_is_not_overwritten_nor_deleted(tmp_path: Path) -> None:
    old = await make(tmp_path, ExactStore(), "")
    Library.create(tmp_path, "new", "own")
    new = open_(tmp_path, "new", ExactStore())
    await new.add([Document(reference=Reference(id="mine"), text="A note.")])
    with pytest.raises(SourceRefused, match="new holds documents that old does not: mine"):
        await new.copy_from(old)
    assert (await new.describe()).documents == 1
    for library in (old, new):
        library.close()


async def test_vectors_of_another_encoder_are_left_where_they_are(tmp_path: Path) -> None:
    class Other(HashedEncoder):
        name = "other"

    old = await make(tmp_path, ExactStore(), "")
    Library.create(tmp_path, "new", "own", Other())
    new = Library.at(tmp_path, "new", Other(), write=True)
    await new.add([document(number) for number in range(3)])
    await new.embed_passages()
    copied = await new.copy_from(old)
    assert (copied.documents, copied.vectors, copied.embedded) == (42, 0, 3)
    assert new._settings.encoder == "other"
    for library in (old, new):
        library.close()


async def test_documents_that_are_damaged_are_named_and_the_others_are_copied(tmp_path: Path) -> None:
    old = await make(tmp_path, ExactStore(), "")
    with closing(sqlite3.connect(tmp_path / "old" / "catalogue.sqlite3")) as sql, sql:
        sql.execute("UPDATE documents SET text = 'Something else.' WHERE id = 'doc:9'")
    Library.create(tmp_path, "new", "research")
    new = open_(tmp_path, "new", ExactStore())
    copied = await new.copy_from(old)
    assert (copied.documents, copied.damaged, copied.differing, copied.is_whole) == (44, ("doc:9",), (), False)
    assert await new.find_damaged() == []
    for library in (old, new):
        library.close()


@each_row("engines", [("", URL), (URL, ""), (URL, "exact://other.test/all")])
async def test_a_library_is_moved_to_another_engine_and_who_reads_it_goes_along(
    tmp_path: Path, engines: tuple[str, str]
) -> None:
    stores = {url: ExactStore() for url in engines}

    def open_at(address: EngineAddress) -> ExactEngine:
        return ExactEngine(stores[address.url])

    (await make(tmp_path, stores[engines[0]], engines[0])).close()
    reader = Library.at(tmp_path, "old", HashedEncoder(), open_engine=open_at)
    writer = Library.at(tmp_path, "old", SpentEncoder(), write=True, open_engine=open_at)
    before = [hit.passage for hit in (await reader.search(Query(terms=(word(7),)), 10)).hits]
    # Cut off half-way it is searched where it was.
    stores[engines[1]].away = {"add_vectors"}
    if engines[1]:
        with pytest.raises(SourceUnavailable):
            await writer.move_to(engines[1])
        assert [hit.passage for hit in (await reader.search(Query(terms=(word(7),)), 10)).hits] == before
        stores[engines[1]].away = set()
    moved = await writer.move_to(engines[1])
    assert moved.is_whole
    assert (moved.passages, moved.embedded, moved.damaged) == (45, 40, ())
    assert [hit.passage for hit in (await reader.search(Query(terms=(word(7),)), 10)).hits] == before
    assert (reader.engine_url, writer.engine_url) == (engines[1], engines[1])
    assert stores[engines[0]].passages == {}
    assert (tmp_path / "old" / "passages.tantivy").exists() == (not engines[1])
    await writer.add([document(3, edition=1), document(99)])
    found = (await reader.search(Query(terms=(word(99),)), 10)).hits
    assert "doc:99" in [hit.passage.reference.id for hit in found]
    assert await writer.find_unsearchable() == []
    for library in (reader, writer):
        library.close()


async def test_what_cannot_be_moved_whole_stays_where_it_is(tmp_path: Path) -> None:
    library = await make(tmp_path, ExactStore(), "")
    library.close()
    with closing(sqlite3.connect(tmp_path / "old" / "catalogue.sqlite3")) as sql, sql:
        sql.execute("UPDATE documents SET text = 'Something else.' WHERE id = 'doc:9'")
    library = open_(tmp_path, "old", ExactStore())
    moved = await library.move_to(URL)
    assert (moved.is_whole, moved.damaged, library.engine_url) == (False, ("doc:9",), "")
    assert (await library.search(Query(terms=(word(7),)), 10)).hits[0].passage.reference.id == "doc:7"
    library.close()
