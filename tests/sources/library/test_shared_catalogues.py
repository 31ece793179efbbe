"""One library of several hosts: its catalogue on PostgreSQL, its passages found by an engine that all of them ask. Each
host is a folder of libraries of its own.

Also run as a program, to be killed: python -m tests.sources.library.test_shared_catalogues ROOT URL STORE FIRST LAST
"""

import asyncio
import fcntl
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.exact_engine import ExactEngine, ExactStore
from tests.servers.postgres import Postgres
from tests.sources.corpus import document, text, word
from tests.sources.library.test_copying import check, make
from wellsourced import config
from wellsourced.errors import NotFoundError, SourceRefused, SourceUnavailable
from wellsourced.events import Event
from wellsourced.sources.library import Library, delete_library_folder, list_libraries
from wellsourced.sources.library.documents import SHARED_FILE, read_owner
from wellsourced.sources.library.engines import NewPassage, PassageCounts
from wellsourced.sources.library.shared_catalogues import adopt_shared_libraries, list_shared_libraries
from wellsourced.storage import postgres_schema
from wellsourced.storage.postgres import close_idle_connections
from wellsourced.text.dates import DayRange
from wellsourced.types import Query

ROOT = Path(__file__).parents[3]
AT = "exact://search.test:9200/all"
BATCH = 20


class FiledEngine(ExactEngine):
    """Its passages are in a file, so that several processes write to one engine."""

    def __init__(self, file: Path) -> None:
        super().__init__(ExactStore())
        self.file = file

    @contextmanager
    def _opened(self) -> Iterator[None]:
        with self.file.open("a+", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            rows = [json.loads(line) for line in file]
            self.store.passages = {row[0]: NewPassage(row[0], row[1], DayRange(*row[2]), row[3]) for row in rows}
            yield
            file.truncate(0)
            file.write("".join(json.dumps(one) + "\n" for one in self.store.passages.values()))

    async def replace(self, document_ids: Collection[str], passages: Sequence[NewPassage]) -> None:
        with self._opened():
            await super().replace(document_ids, passages)

    async def count(self) -> PassageCounts:
        with self._opened():
            return await super().count()

    async def count_by_document(self) -> dict[str, tuple[int, int]]:
        with self._opened():
            return await super().count_by_document()


class Hosts:
    """Hosts `a` and `b`, one database, and one engine; the library `trials` is made on `a`."""

    def __init__(self, folder: Path, url: str, stack: ExitStack) -> None:
        self.folder, self.url, self.store, self._stack = folder, url, ExactStore(), stack
        Library.create(folder / "a", "trials", "research", None, "about gout", AT, url)

    def open(self, host: str, *, write: bool = False) -> Library:
        root = self.folder / host
        adopt_shared_libraries(root, list_shared_libraries(self.url))
        library = Library.at(
            root, "trials", None, write=write, open_engine=lambda _: ExactEngine(self.store), database=self.url
        )
        return self._stack.enter_context(closing(library))


@pytest.fixture
def hosts(tmp_path: Path, database_url: str) -> Iterator[Hosts]:
    with ExitStack() as stack:
        yield Hosts(tmp_path, database_url, stack)


async def ids_of(library: Library, *words: str) -> list[str]:
    return [hit.passage.reference.id for hit in (await library.search(Query(terms=words), 10)).hits]


async def test_what_one_host_adds_another_finds_at_once_and_quotes_from_the_catalogue(hosts: Hosts) -> None:
    a, b = hosts.open("a", write=True), hosts.open("b")
    assert not (hosts.folder / "a" / "trials" / "catalogue.sqlite3").exists()
    for number in range(3):
        await a.add([document(number)])
        (hit,) = (await b.search(Query(terms=(word(number),)), 10)).hits
        assert hit.passage.text == text(number)
        boolean = Query(terms=(f"{word(number)} AND adult*",), kind="boolean")
        assert [one.passage.reference.id for one in (await b.search(boolean, 5)).hits] == [f"doc:{number}"]
    assert (await b.describe())[1:4] == ("research", 3, 3)
    await a.remove(["doc:1"])
    assert await ids_of(b, word(1)) == []
    # A word is changed in the database: the passage of it is no quote any more.
    with psycopg.connect(hosts.url) as sql:
        sql.execute(
            f'UPDATE "wellsourced_{read_owner(a.folder)}".documents'  # noqa: S608
            " SET text = replace(text, 'early', 'never') WHERE id = 'doc:2'"
        )
    found = await b.search(Query(terms=(word(2),)), 10)
    assert (found.hits, found.notes) == ([], ("left out, since their stored text is damaged: doc:2",))
    with pytest.raises(SourceRefused, match="the stored text of doc:2 is damaged"):
        await b.open("doc:2")


async def test_two_who_add_at_once_lose_nothing_and_are_named(hosts: Hosts) -> None:
    a, b = hosts.open("a", write=True), hosts.open("b", write=True)

    async def add(library: Library, first: int) -> None:
        for start in range(first, 60, 2 * BATCH // 2):
            await library.add_from(f"/in/{first}", [document(number) for number in range(start, start + BATCH, 2)])

    await asyncio.gather(add(a, 0), add(b, 1))
    reader = hosts.open("b")
    assert (await reader.describe()).documents == len(hosts.store.passages)
    assert await a.find_unsearchable() == await b.find_damaged() == []
    backlog = await hosts.open("c").backlog()
    assert backlog.writer.startswith(f"process {os.getpid()} on ")
    with pytest.raises(SourceUnavailable, match=f"The library trials is in use by process {os.getpid()} on "):
        delete_library_folder(hosts.folder / "c", "trials", hosts.url)
    for library in (a, b):
        library.close()
    assert (await hosts.open("c").backlog()).writer == ""


async def test_who_waits_too_long_for_his_turn_is_told_who_has_it(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_schema, "TURN_SECONDS", 0.2)
    a, b = hosts.open("a", write=True), hosts.open("b", write=True)
    async with a._take_turn():
        with pytest.raises(SourceUnavailable, match=f"^The library trials is in use by process {os.getpid()} on"):
            await b.add([document(1)])
    await b.add([document(1)])
    assert await ids_of(a, word(1)) == ["doc:1"]


def add_elsewhere(hosts: Hosts, first: int, last: int) -> "subprocess.Popen[str]":
    """A process on host `a` that adds these documents, some at a time; it says so after each."""
    given = map(str, (hosts.folder / "a", hosts.url, hosts.folder / "store", first, last))
    command = [sys.executable, "-m", "tests.sources.library.test_shared_catalogues", *given]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def open_filed(root: Path, url: str, store: Path) -> Library:
    return Library.at(root, "trials", None, write=True, open_engine=lambda _: FiledEngine(store), database=url)


@pytest.mark.slow
async def test_a_host_that_is_killed_while_it_adds_is_gone_on_with_by_another(hosts: Hosts) -> None:
    adding = add_elsewhere(hosts, 0, 4_000)
    hosts.open("b").close()
    b = open_filed(hosts.folder / "b", hosts.url, hosts.folder / "store")
    assert adding.stdout
    assert adding.stdout.readline() == "added\n"
    # Both at once, and the other dies in the middle of a batch.
    for start in range(5_000, 5_100, BATCH):
        await b.add([document(number) for number in range(start, start + BATCH)])
    adding.send_signal(signal.SIGKILL)
    said = len(adding.communicate()[0].splitlines())
    await b.maintain()
    hashes = b._catalogue.load_hashes()
    assert {f"doc:{number}" for number in range(5_000, 5_100)} <= hashes.keys()
    # Whole batches: those that it told of, and perhaps the one that it could not tell of.
    assert len(hashes) - 100 in {(said + 1) * BATCH, (said + 2) * BATCH}
    assert b._catalogue.count_pending()[:2] == (0, 0)
    assert await b.find_unsearchable() == await b.find_damaged() == []
    b.close()


async def test_a_database_that_goes_away_is_told_and_nothing_is_lost(hosts: Hosts, postgres: Postgres) -> None:
    a, b = hosts.open("a", write=True), hosts.open("b")
    await a.add([document(1)])

    class Breaking(ExactEngine):
        async def replace(self, document_ids: Collection[str], passages: Sequence[NewPassage]) -> None:
            await super().replace(document_ids, passages)
            postgres.stop()

    a._index.engine = a._engine = Breaking(hosts.store)
    try:
        with pytest.raises(SourceUnavailable, match=r"^PostgreSQL at 127.0.0.1 .* cannot be reached .* Try again"):
            await a.add([document(2)])
        with pytest.raises(SourceUnavailable, match="cannot be reached"):
            await b.search(Query(terms=(word(1),)), 10)
        # Libraries are known by what this host has seen of them.
        settings = config.load({"home": str(hosts.folder / "home"), "storage.url": hosts.url})
        (hosts.folder / "home").mkdir()
        (hosts.folder / "b").rename(hosts.folder / "home" / "libraries")
        assert config.library_names(settings) == ["trials"]
    finally:
        postgres.start()
        close_idle_connections()
    assert a._catalogue.count_pending().documents == 1
    a._engine = ExactEngine(hosts.store)
    await a.add([document(3)])
    assert [await ids_of(a, word(number)) for number in (1, 2, 3)] == [["doc:1"], ["doc:2"], ["doc:3"]]
    assert await a.find_unsearchable() == []


@pytest.mark.parametrize("at", [("", "url"), ("url", "")])
async def test_a_library_is_copied_into_the_database_and_out_of_it(
    tmp_path: Path, database_url: str, at: tuple[str, str]
) -> None:
    stores, engines = (ExactStore(), ExactStore()), [place and AT for place in at]
    old = await make(tmp_path, stores[0], engines[0], database=at[0] and database_url)
    Library.create(tmp_path, "new", "research", None, "about gout", engines[1], at[1] and database_url)
    shared = [(tmp_path / name / SHARED_FILE).exists() for name in ("old", "new")]
    assert shared == [bool(place) for place in at]

    def open_new() -> Library:
        return Library.at(
            tmp_path, "new", old.encoder, write=True, open_engine=lambda _: ExactEngine(stores[1]),
            database=database_url,
        )  # fmt: skip

    new = open_new()
    stores[1].away.add("replace half")
    if at[1]:
        with pytest.raises(SourceUnavailable):
            await new.copy_from(old)
        stores[1].away.clear()
        new.close()
        new = open_new()
    copied = await new.copy_from(old)
    assert copied.is_whole
    assert (copied.passages, copied.embedded, copied.differing) == (45, 40, ())
    await check(old, new)
    assert (await new.copy_from(old))[:4] == (0, 45, 45, 0)
    for library in (old, new):
        library.close()


async def test_a_library_moves_into_the_database_whenever_it_was_stopped(tmp_path: Path, database_url: str) -> None:
    store = ExactStore()
    old = await make(tmp_path, store, AT)
    damaged = 'UPDATE documents SET text = "other" WHERE id = "doc:7"'
    with closing(sqlite3.connect(tmp_path / "old" / "catalogue.sqlite3")) as sql, sql:
        sql.execute(damaged.replace('"', "'"))
    await old.add_from("/in/gone", [document(99)])

    class Stopped(Exception):
        pass

    def stop(_: Event) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        await old.share(database_url, stop)
    # Nobody sees it there yet, and what changes meanwhile changes there too.
    adopt_shared_libraries(tmp_path / "b", list_shared_libraries(database_url))
    assert list_libraries(tmp_path / "b") == []
    await old.remove(["doc:99"])
    await old.add_from("/in/second.jsonl", [document(12, edition=3)])
    expected = old._catalogue.load_hashes(), old.files(), old._catalogue.settings()
    reader = Library.at(tmp_path, "old", None, open_engine=lambda _: ExactEngine(store))
    assert await old.share(database_url)
    with pytest.raises(SourceUnavailable, match="The library old was moved to a database"):
        await reader.search(Query(terms=("gout",)), 5)
    for library in (old, reader):
        library.close()
    assert [one.name for one in (tmp_path / "old").glob("catalogue.*")] == [SHARED_FILE]
    adopt_shared_libraries(tmp_path / "b", list_shared_libraries(database_url))
    for root in (tmp_path, tmp_path / "b"):
        moved = Library.at(
            root, "old", None, write=True, open_engine=lambda _: ExactEngine(store), database=database_url
        )
        with closing(moved):
            assert (moved._catalogue.load_hashes(), moved.files()) == expected[:2]
            assert moved._catalogue.settings()._replace(generation=0, name="") == expected[2]._replace(
                generation=0, name=""
            )
            assert (await moved.find_damaged(), await moved.find_unsearchable()) == (["doc:7"], [])
            assert await ids_of(moved, word(12)) == ["doc:12"]
            assert not await moved.share(database_url)


async def test_names_are_known_to_all_hosts_and_deleted_for_all(hosts: Hosts) -> None:
    url, b = hosts.url, hosts.folder / "b"
    with pytest.raises(SourceRefused, match="The library trials exists already in PostgreSQL at 127"):
        Library.create(b, "trials", "research", None, "", AT, url)
    # A library without an engine lies on one host, and keeps its name there.
    Library.create(b, "trials", "research", None, "", "", url)
    Library.create(hosts.folder / "a", "mine", "own", None, "", AT, url)
    adopt_shared_libraries(b, {**list_shared_libraries(url), "../out": "a" * 32, "odd": "no-mark"})
    assert list_libraries(b) == ["mine", "trials"]
    assert (read_owner(b / "trials"), not (hosts.folder / "out").exists()) == ("", True)
    with pytest.raises(SourceRefused, match="The documents of the library mine are on PostgreSQL, and no database"):
        Library.at(b, "mine", None)
    with closing(hosts.open("a", write=True)) as library:
        with pytest.raises(SourceRefused, match="is shared by several hosts"):
            await library.move_to("")
        assert (await library.move_to("exact://other.test:9200/all")).is_whole
    reader = hosts.open("c")
    assert reader.engine_url == "exact://other.test:9200/all"
    delete_library_folder(hosts.folder / "a", "trials", url)
    with pytest.raises(NotFoundError, match="The tables of the library trials are not in PostgreSQL at 127"):
        await reader.search(Query(terms=("gout",)), 5)
    adopt_shared_libraries(hosts.folder / "c", list_shared_libraries(url))
    assert list_libraries(hosts.folder / "c") == ["mine"]
    Library.create(hosts.folder / "c", "trials", "own", None, "", AT, url)
    assert hosts.open("a").kind == "own"


async def _add(root: Path, url: str, store: Path, first: int, last: int) -> None:
    with closing(open_filed(root, url, store)) as library:
        for start in range(first, last, BATCH):
            await library.add([document(number) for number in range(start, start + BATCH)])
            print("added", flush=True)


if __name__ == "__main__":
    asyncio.run(_add(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])))
