"""What every place of a library's catalogue keeps: a file of SQLite, and a schema on PostgreSQL."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pytest

from tests.servers.opensearch.fixtures import address_of
from tests.servers.opensearch.node import Node
from tests.sources.corpus import document, text, word
from wellsourced import config
from wellsourced.config.libraries import create_library, delete_library, move_library, prepare_engine
from wellsourced.errors import NotFoundError, SourceRefused, SourceUnavailable
from wellsourced.events import ignore_event
from wellsourced.sources.base import FileFault, FileState
from wellsourced.sources.library.documents import DocumentChange, DocumentStore, StoredDocument
from wellsourced.sources.library.shared_catalogues import (
    adopt_shared_libraries,
    create_shared_catalogue,
    list_shared_libraries,
)
from wellsourced.types import Document, Query, Reference

Open = Callable[[], DocumentStore]
"""Opens the catalogue once more, as another process would."""


@pytest.fixture(params=["sqlite", "postgres"])
def open_catalogue(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    folder = tmp_path / "mine"
    if request.param == "sqlite":
        folder.mkdir()
        DocumentStore.create(folder, "mine", "research", "", "about gout")
        return lambda: DocumentStore(folder, write=True)
    url = request.getfixturevalue("database_url")
    create_shared_catalogue(url, "mine", "research", "", "about gout", "")
    adopt_shared_libraries(tmp_path, list_shared_libraries(url))
    return lambda: DocumentStore(folder, write=True, database=url)


def store(catalogue: DocumentStore, documents: Sequence[Document], file: str = "", year: int | None = None) -> None:
    catalogue.store_documents((StoredDocument.from_document(one), 2, year, file) for one in documents)


IDS = ["doc:%s?", "x' --", "ü—漢字", 'a "b" OR c#d', "a,b}", "\\u0041"]


def test_what_is_stored_is_loaded_as_it_was_by_ids_that_are_data(open_catalogue: Open) -> None:
    catalogue = open_catalogue()
    given = [Document(reference=Reference(id=id, title="50 % ?"), text=f"It's {id} “said”.\n?") for id in IDS]
    store(catalogue, given, "/in/ü?.jsonl", 2020)
    loaded = open_catalogue().load_documents([*IDS, "nobody", "a\0b"])
    assert loaded.damaged == []
    assert {id: record.to_document() for id, record in loaded.records.items()} == {one.id: one for one in given}
    assert catalogue.load_document(IDS[0]) == StoredDocument.from_document(given[0])
    assert catalogue.load_document("a\0b") is None
    assert [*catalogue.list_states("", 10)] == sorted(IDS, key=str.encode) == [*catalogue.list_states("", 99)]
    assert [one.id for one in catalogue.list_references(sorted(IDS, key=str.encode)[3], 9)] == sorted(IDS)[4:]
    assert sorted(catalogue.ids_of_file("/in/ü?.jsonl")) == sorted(IDS)
    assert {one.id for one in catalogue.sample_documents(50)} == {*IDS}
    assert catalogue.load_hashes() == {one.id: StoredDocument.from_document(one).hash for one in given}


def test_states_totals_and_changes_are_of_one_kind(open_catalogue: Open) -> None:
    catalogue = open_catalogue()
    assert (catalogue.last_change(), catalogue.counts()) == (DocumentChange(0, ""), (0, 0, 0, 0))
    store(catalogue, [document(number) for number in range(6)], "/in/a", 2019)
    store(catalogue, [document(number) for number in (6, 7)], "/in/b", 2021)
    assert catalogue.counts() == (8, 16, 2019, 2021)
    assert catalogue.count_pending() == (8, 0, 0, 0)
    assert catalogue.set_state([f"doc:{number}" for number in range(8)], "indexed") == 8
    assert catalogue.count_pending() == (0, 0, 0, 16)
    store(catalogue, [document(0, edition=1)], "/in/b", 2022)
    assert catalogue.remove(["doc:1", "doc:2", "doc:nobody"]) == 2
    assert catalogue.counts() == (6, 12, 2019, 2022)
    assert catalogue.count_pending() == (1, 2, 0, 10)
    assert (catalogue.ids_in_state("pending"), sorted(catalogue.ids_in_state("removing"))) == (
        ["doc:0"],
        ["doc:1", "doc:2"],
    )
    states = catalogue.find_states(["doc:0", "doc:1", "doc:9"])
    assert states["doc:1"] == (None, 2, "/in/a")
    assert states["doc:0"] == (StoredDocument.from_document(document(0, edition=1)).hash, 2, "/in/b")
    catalogue.delete_removed_documents(["doc:1", "doc:3"])
    assert catalogue.count_pending() == (1, 1, 0, 10)
    assert catalogue.expected_passages().keys() == {f"doc:{number}" for number in range(3, 8)}
    changes = catalogue.list_changes(0, 99)
    assert [one.id for one in changes[:8]] == [f"doc:{number}" for number in range(8)]
    assert sorted(one.id for one in changes[8:]) == ["doc:0", "doc:1", "doc:2"]
    assert [one.number for one in changes] == sorted({one.number for one in changes})
    assert catalogue.list_changes(changes[9].number, 1) == [changes[9]]
    assert catalogue.last_change() == changes[-1]


def test_a_work_is_found_by_every_id_of_its_card_and_pages_by_their_address(open_catalogue: Open) -> None:
    catalogue = open_catalogue()
    card = Reference(id="pmc:PMC77", pmcid="PMC77", pmid="12", doi="10.1000/Gout-12", title="A \0 trial")
    abstract = Reference(id="pubmed:12", pmid="12", doi="10.1000/Gout-12")
    page = Reference(id="url:https://x.test/a", url="https://x.test/a", title="Gout")
    store(catalogue, [Document(reference=one, text="It fell.") for one in (abstract, card, page)])
    for given in ("doi:10.1000/GOUT-12", "pmc:pmc77"):
        assert catalogue.find_identified([given]) == "pmc:PMC77"
    assert catalogue.find_identified(["nct:NCT1", "pubmed:12"]) == "pubmed:12"
    assert catalogue.find_identified(["pmc:PMC7", "doi:%", "a\0b", "doi:?"]) == ""
    assert catalogue.load_addresses() == [("https://x.test/a", "url:https://x.test/a")]
    catalogue.set_state([card.id, page.id], "indexed")
    assert catalogue.list_titles()[-1] == "Gout"


def test_files_faults_and_withdrawals_are_kept(open_catalogue: Open) -> None:
    catalogue = open_catalogue()
    manifest = catalogue.manifest
    manifest.queue(["/b", "/a", "/a"])
    manifest.queue(["/a"])
    assert [(one.path, one.state, one.tries) for one in manifest.files()] == [("/a", "queued", 0), ("/b", "queued", 0)]
    assert catalogue.count_pending().files == 2
    store(catalogue, [document(1)], "/a")
    assert manifest.file("/a").state == "reading"  # type: ignore[union-attr]
    state = FileState("/a", 2**40, 2**60, "hash", 1, 2, faulty=2)
    faults = [FileFault("/a", f"row {n}", "no text?", "Give it one.", bool(n)) for n in range(2)]
    for _ in range(2):
        manifest.finish(state, faults, {"doc:9"})
    assert (manifest.file("/a"), manifest.faults("/a")) == (state, faults)
    assert manifest.unsettled_files() == manifest.files()
    assert catalogue.withdraw(["doc:1", "doc:8", "doc:8"], "/b") == 1
    assert catalogue.withdraw(["doc:8"], "/c") == 0
    assert manifest.find_withdrawals(["doc:1", "doc:8", "doc:0"]) == {"doc:1": "/b", "doc:8": "/c"}
    store(catalogue, [document(8)], "/a")
    manifest.finish(FileState("/b", 1, 1, "hash", 0, 0), (), {"doc:2"})
    assert manifest.find_withdrawals(["doc:1", "doc:8"]) == {}
    catalogue.remove(["doc:8"])
    assert manifest.file("/a").sha256 == ""  # type: ignore[union-attr]
    manifest.forget("/a")
    assert (manifest.file("/a"), manifest.faults("/a")) == (None, [])


def test_a_damaged_card_or_text_is_told_and_hides_no_other(open_catalogue: Open) -> None:
    catalogue = open_catalogue()
    sound, damaged = (StoredDocument.from_document(document(number)) for number in (1, 2))
    catalogue.store_documents([(sound, 1, None, ""), (damaged._replace(reference="{no card"), 1, None, "")])
    assert catalogue.load_documents(["doc:1", "doc:2"]) == ({"doc:1": sound}, ["doc:2"])
    assert [one.id for one in catalogue.list_references("", 9)] == ["doc:1", "doc:2"]
    assert catalogue.find_identified(["doi:10.1/x"]) == ""
    with pytest.raises(SourceRefused, match="the stored text of doc:2 is damaged"):
        catalogue.load_document("doc:2")


def test_what_fails_in_the_middle_has_not_happened(open_catalogue: Open) -> None:
    catalogue = open_catalogue()
    before = catalogue.last_change(), catalogue.counts(), catalogue.generation()
    twice = [StoredDocument.from_document(document(1))] * 2
    with pytest.raises(SourceRefused):
        catalogue.store_documents((record, 1, None, "") for record in twice)
    assert (catalogue.last_change(), catalogue.counts(), catalogue.generation()) == before
    catalogue.publish_changes(3)
    catalogue.set_encoder("hashed")
    catalogue.set_engine("opensearch://h:1/x", 4)
    settings = open_catalogue().settings()
    assert (settings.generation, settings.vectors, settings.engine) == (before[2] + 3, 4, "opensearch://h:1/x")
    assert (settings.encoder, settings.about, len(settings.owner)) == ("hashed", "about gout", 32)


async def test_many_may_read_at_once(open_catalogue: Open) -> None:
    catalogue = open_catalogue()
    store(catalogue, [document(number) for number in range(50)])
    found = await asyncio.gather(
        *(asyncio.to_thread(catalogue.load_documents, [f"doc:{number}"]) for number in range(50))
    )
    assert [len(one.records) for one in found] == [1] * 50


async def delete_once_free(settings: config.Settings, name: str) -> None:
    """Delete a library: PostgreSQL lets go of a lock a moment after its connection was closed."""
    for _ in range(100):
        with suppress(SourceUnavailable):
            await delete_library(settings, name)
            return
        await asyncio.sleep(0.1)
    await delete_library(settings, name)


@pytest.mark.opensearch
async def test_two_homes_share_a_library_on_a_real_engine(node: Node, tmp_path: Path, database_url: str) -> None:
    a, b = (config.load({"home": str(tmp_path / host), "storage.url": database_url}) for host in "ab")
    url = address_of([node], f"contract-{uuid4().hex[:12]}")
    create_library(a, "trials", "research", lexical=True, engine=url)
    await prepare_engine(a, "trials")
    for settings, number in ((a, 1), (b, 2), (a, 3)):
        async with config.open_library(settings, "trials", write=True) as library:
            await library.add([document(number)])
        async with config.open_library(b if settings is a else a, "trials") as library:
            (hit, *_) = (await library.search(Query(terms=(word(number),)), 5)).hits
            assert hit.passage.text == text(number)
            assert await library.find_unsearchable() == []
    # One that was on this host moves there, index and documents.
    create_library(b, "mine", "own", lexical=True)
    async with config.open_library(b, "mine", write=True) as library:
        await library.add([document(4)])
    moved = await move_library(b, "mine", url.replace("contract", "moved"), ignore_event)
    assert moved.is_shared
    assert config.library_names(a) == config.library_names(b) == ["mine", "trials"]
    async with config.open_library(a, "mine") as library:
        assert (await library.search(Query(terms=(word(4),)), 5)).hits[0].passage.text == text(4)
    for settings, name in ((a, "mine"), (b, "trials")):
        await delete_once_free(settings, name)
    assert config.library_names(a) == config.library_names(b) == []


def test_a_folder_without_a_catalogue_is_no_library(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        DocumentStore(tmp_path)
