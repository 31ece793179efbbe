"""What a library knows of its files: faults told from a list, deletions that hold, files that change meanwhile."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.ingest.records import medline, text, word
from tests.readers.workers import BARE, ODD, shared_workers
from tests.sources.corpus import document, write
from tests.tables import each_row
from wellsourced.errors import NextStep, NotFoundError, SourceRefused
from wellsourced.events import Event, FileFailed, FileRead, IngestionCompleted
from wellsourced.ingest import file_ingestion as documents
from wellsourced.ingest import ingest_files, verify_library
from wellsourced.sources.library import Library
from wellsourced.storage import ingestion_progress as meter
from wellsourced.types import Document, Query, Reference

LINES = '{"_id": "a", "text": "Gout hurts."}\nno json\n'


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    monkeypatch.setattr(documents, "RETRY_PAUSE", 0.0)
    monkeypatch.setattr(meter, "INTERVAL", 0.0)
    Library.create(tmp_path / ".libraries", "mine", "research")
    library = Library.at(tmp_path / ".libraries", "mine", write=True)
    yield library
    library.close()


class Heard(list[Event]):
    """The events of one run."""

    def __call__(self, event: Event) -> None:
        self.append(event)

    @property
    def failures(self) -> list[tuple[str, str]]:
        return [(event.path.name, event.reason) for event in self if isinstance(event, FileFailed)]


async def added(library: Library, *paths: Path, again: bool = False) -> tuple[IngestionCompleted, Heard]:
    heard = Heard()
    return await ingest_files(library, paths, heard, again=again), heard


async def holds(library: Library, *numbers: int) -> list[int]:
    """Those of these PubMed records that are in the library and can be found."""
    found = []
    for number in numbers:
        hits = (await library.search(Query(terms=(word(number),)), 5)).hits
        by_word = {hit.passage.reference.id for hit in hits if word(number) in hit.passage.text}
        try:
            opened = {(await library.open(f"pubmed:{number}")).reference.id}
        except NotFoundError:
            opened = set()
        assert by_word == opened
        found += [number] if opened else []
    return found


async def test_faults_of_an_unchanged_file_are_told_from_the_list_and_nothing_is_read(
    library: Library, tmp_path: Path
) -> None:
    file, broken = tmp_path / "a.jsonl", tmp_path / "broken.xml"
    file.write_text(LINES)
    broken.write_text("<PubmedArticleSet><PubmedArticle>")
    first, told = await added(library, file, broken)
    assert (first.files, first.failed) == (1, 1)
    assert [name for name, _ in told.failures] == ["a.jsonl", "broken.xml"]
    again, told_again = await added(library, file, broken)
    assert (again.files, again.skipped, again.failed) == (0, 1, 1)
    assert told_again.failures == told.failures
    assert not any(isinstance(event, FileRead) for event in told_again)
    assert [state.tries for state in library.unsettled_files()] == [1, 1]


async def test_more_faults_than_anyone_reads_are_counted_and_a_bounded_number_is_kept(
    library: Library, tmp_path: Path
) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(LINES + "no json\n" * 499)
    _, told = await added(library, file)
    _, again = await added(library, file)
    assert again.failures == told.failures
    assert len(told.failures) == 6
    assert told.failures[-1][1] == "495 more parts cannot be read"
    state = library.file(str(file.resolve()))
    assert state and state.faulty == 500
    assert len(library.faults(state.path)) == 100


async def test_faulty_files_are_read_again_when_they_change_or_when_it_is_asked_for(
    library: Library, tmp_path: Path
) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(LINES)
    await added(library, file)
    ended, told = await added(library, file, again=True)
    assert (ended.files, len(told.failures)) == (1, 1)
    assert library.unsettled_files()[0].tries == 2
    file.write_text(LINES.replace("no json", '{"_id": "b", "text": "It passes."}'))
    ended, told = await added(library, file)
    assert (ended.documents, told.failures) == (2, [])
    assert library.unsettled_files() == []
    assert library.faults(str(file.resolve())) == []


async def test_a_file_that_is_written_to_while_it_is_read_is_read_again_at_the_end_of_the_run(
    library: Library, tmp_path: Path
) -> None:
    file = tmp_path / "a.jsonl"
    write(file, range(10))
    heard = Heard()

    def written_once(event: Event) -> None:
        heard(event)
        if len(heard) == 1:
            write(file, range(20))

    ended = await ingest_files(library, [file], written_once)
    assert (ended.files, ended.documents, ended.failed) == (1, 20, 0)
    assert heard.failures == []
    assert (await library.describe()).documents == 20


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        (lambda file: write(file, range(10)), "it changed while it was read"),
        (lambda file: file.unlink(missing_ok=True), "no such file or folder"),
    ],
)
async def test_a_file_that_never_comes_to_rest_is_told_and_what_it_gave_stays(
    library: Library, tmp_path: Path, harm: Callable[[Path], None], reason: str
) -> None:
    file, other = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    write(file, range(10))
    write(other, range(10, 12))
    heard = Heard()

    def harming(event: Event) -> None:
        heard(event)
        if not isinstance(event, FileFailed):
            harm(file)

    ended = await ingest_files(library, [tmp_path], harming)
    assert heard.failures == [("a.jsonl", reason)]
    assert (ended.files, ended.failed) == (1, 1)
    assert (await library.describe()).documents == 12
    assert await library.find_unsearchable() == []
    write(file, range(11))
    ended, told = await added(library, tmp_path)
    assert (ended.documents, told.failures, library.unsettled_files()) == (11, [], [])


async def test_a_file_that_the_system_does_not_give_is_tried_again_with_every_run(
    library: Library, tmp_path: Path
) -> None:
    link = tmp_path / "link.txt"
    # The first page of a process's memory can be named and never be read.
    link.symlink_to("/proc/self/mem")
    for tries in (1, 2):
        ended, told = await added(library, link)
        assert ended.failed == 1
        assert told.failures[0][1].startswith("it cannot be opened (Input/output error")
        assert [event.transient for event in told if isinstance(event, FileFailed)] == [True]
        assert library.unsettled_files()[0].tries == tries


async def test_records_that_an_update_file_deletes_are_removed_and_counted(library: Library, tmp_path: Path) -> None:
    medline(tmp_path / "pubmed26n0001.xml.gz", range(1, 6))
    medline(tmp_path / "pubmed26n1300.xml.gz", [2, 9], edition=1, deleted=[1, 4, 99])
    ended, _ = await added(library, tmp_path)
    assert (ended.files, ended.documents, ended.removed) == (2, 7, 2)
    assert await holds(library, 1, 2, 3, 4, 5, 9) == [2, 3, 5, 9]
    assert (await library.open("pubmed:3")).text.endswith(text(3))
    assert await library.find_unsearchable() == []


async def test_an_older_file_that_is_read_later_brings_back_neither_deleted_nor_revised_records(
    library: Library, tmp_path: Path
) -> None:
    baseline, updates = tmp_path / "pubmed26n0001.xml.gz", tmp_path / "pubmed26n1300.xml.gz"
    medline(updates, [3, 6], edition=1, deleted=[1, 4])
    await added(library, updates)
    medline(baseline, range(1, 7))
    ended, _ = await added(library, baseline)
    assert ended.documents == 2
    assert await holds(library, *range(1, 7)) == [2, 3, 5, 6]
    assert (await library.open("pubmed:3")).text.endswith(text(3, edition=1))
    medline(baseline, [1, 2, 3, 4, 7])
    await added(library, baseline)
    assert await holds(library, *range(1, 8)) == [2, 3, 6, 7]
    assert (await library.open("pubmed:3")).text.endswith(text(3, edition=1))


async def test_a_later_file_brings_a_deleted_record_back_and_an_older_deletion_is_not_heard_any_more(
    library: Library, tmp_path: Path
) -> None:
    for name, numbers, deleted in (("26n0001", [1, 2], []), ("26n1300", [], [1]), ("27n0001", [1], [])):
        medline(tmp_path / f"pubmed{name}.xml.gz", numbers, deleted=deleted)
    await added(library, tmp_path)
    assert await holds(library, 1, 2) == [1, 2]
    medline(tmp_path / "pubmed26n1300.xml.gz", [], deleted=[1, 2])
    ended, _ = await added(library, tmp_path)
    assert ended.removed == 1
    assert await holds(library, 1, 2) == [1]


async def test_a_deletion_that_its_file_takes_back_holds_no_longer(library: Library, tmp_path: Path) -> None:
    baseline, updates = tmp_path / "pubmed26n0001.xml.gz", tmp_path / "pubmed26n1300.xml.gz"
    medline(baseline, [1, 2])
    medline(updates, [3], deleted=[1])
    await added(library, tmp_path)
    medline(updates, [3])
    medline(baseline, [1, 2, 4])
    await added(library, updates)
    await added(library, baseline)
    assert await holds(library, 1, 2, 3, 4) == [1, 2, 3, 4]


async def test_a_record_and_its_deletion_in_one_file_are_taken_in_their_order(library: Library, tmp_path: Path) -> None:
    file = medline(tmp_path / "pubmed26n1300.xml", [1, 2], deleted=[1])
    await added(library, file)
    assert await holds(library, 1, 2) == [2]
    xml = file.read_text()
    deletion = xml[xml.index("<DeleteCitation>") : xml.index("</PubmedArticleSet>")]
    file.write_text(xml.replace(deletion, "").replace("<PubmedArticleSet>", f"<PubmedArticleSet>{deletion}"))
    await added(library, file)
    assert await holds(library, 1, 2) == [1, 2]


async def test_the_page_of_a_passage_comes_with_its_hit(library: Library) -> None:
    pages = tuple(range(0, 900, 300))
    work = Document(reference=Reference(id="work"), text="Gout hurts. " * 75, pages=pages)
    await library.add([work])
    assert await library.open("work") == work
    hit = (await library.search(Query(terms=("gout",)), 1)).hits[0].passage
    assert hit.page == work.page(hit.start, hit.end) != ""
    await library.add([document(1)])
    other = (await library.search(Query(terms=(word(1),)), 1)).hits[0].passage
    assert other.page == ""


@each_row("write", [True, False])
def test_a_library_of_another_format_is_refused_with_what_to_do(tmp_path: Path, write: bool) -> None:
    Library.create(tmp_path, "old", "research")
    with closing(sqlite3.connect(tmp_path / "old" / "catalogue.sqlite3")) as old, old:
        old.execute("UPDATE library SET format = 5")
    with pytest.raises(SourceRefused, match=r"format 5.*add its files again"):
        Library.at(tmp_path, "old", write=write)


async def test_a_file_that_was_touched_stays_known_with_its_faults(library: Library, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(LINES)
    _, told = await added(library, file)
    os.utime(file, (1, 1))
    _, again = await added(library, file)
    os.utime(file, (2, 2))
    _, third = await added(library, file)
    assert told.failures == again.failures == third.failures


async def test_a_reader_that_breaks_down_keeps_no_other_file_out(library: Library, tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", range(5))
    (tmp_path / "b.md").write_text("# Gout\n\nIt hurts.\n")
    with shared_workers(ODD):
        ended, told = await added(library, tmp_path)
    assert (ended.files, ended.failed) == (1, 1)
    assert told.failures == [("a.jsonl", "its reader failed (KeyError: 'a mistake of ours')")]
    ended, told = await added(library, tmp_path, again=True)
    assert (ended.documents, told.failures) == (5, [])


async def test_a_file_whose_reader_lacks_a_package_names_it_keeps_no_other_out_and_is_read_once_it_is_there(
    library: Library, tmp_path: Path
) -> None:
    page = "<title>Gout</title><ns>0</ns><id>1</id><revision><text>Colchicine shortens flares.</text></revision>"
    (tmp_path / "dump.xml").write_text(f"<mediawiki><page>{page}</page></mediawiki>")
    (tmp_path / "note.md").write_text("# Gout\n\nIt hurts.\n")
    with shared_workers(BARE):
        first, told = await added(library, tmp_path)
    assert (first.files, first.failed) == (1, 1)
    assert told.failures == [("dump.xml", "Reading Wikipedia dumps needs the extra “documents”")]
    steps = [event.next_step for event in told if isinstance(event, FileFailed)]
    assert steps == [NextStep("install extra", "documents")]
    # One command is one try, however often it looks whether a file comes back.
    assert [state.tries for state in library.unsettled_files()] == [1]
    assert [fault.transient for state in library.unsettled_files() for fault in library.faults(state.path)] == [True]
    again, _ = await added(library, tmp_path)
    assert (again.files, again.skipped, again.failed) == (1, 1, 0)


async def test_a_template_or_digest_that_changes_or_goes_is_seen_although_its_file_is_as_it_was(
    library: Library, tmp_path: Path
) -> None:
    table, template = tmp_path / "doses.csv", tmp_path / "doses.template.txt"
    table.write_text("drug,dose\nallopurinol,100 mg\n")
    template.write_text("{drug} is started at {dose}.")

    async def says() -> set[str]:
        await added(library, tmp_path)
        return {hit.passage.text for hit in (await library.search(Query(terms=("allopurinol",)), 5)).hits}

    assert await says() == {"allopurinol is started at 100 mg."}
    template.write_text("Begin {drug} with {dose} a day.")
    assert (await verify_library(library)).changed == (str(table),)
    assert await says() == {"Begin allopurinol with 100 mg a day."}
    assert (await verify_library(library)).same == 1
    template.unlink()
    assert await says() == {"drug: allopurinol; dose: 100 mg"}
    ended, _ = await added(library, tmp_path)
    assert (ended.files, ended.skipped) == (0, 1)
