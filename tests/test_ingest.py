"""The path from files to a library: incremental, resumable, and nothing stored is ever lost."""

import asyncio
import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from math import inf
from pathlib import Path

import pytest

from tests.hashed_encoder import HashedEncoder
from tests.sources.corpus import document, text, word, write
from wellsourced.errors import NextStep, NotFoundError, SourceRefused, SourceUnavailable
from wellsourced.events import Event, FileFailed, FileRead, FileSkipped, IngestionCompleted, Progress
from wellsourced.ingest import ingest_files
from wellsourced.sources.library import Library
from wellsourced.types import Query

ROOT = Path(__file__).parents[1]
CORPUS = Path("tests/sources/corpus.py")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    Library.create(tmp_path / "libraries", "mine", "research")
    library = Library.at(tmp_path / "libraries", "mine", HashedEncoder(), write=True)
    yield library
    library.close()


def files(tmp_path: Path) -> Path:
    """A folder with a file of each of three formats."""
    folder = tmp_path / "files"
    folder.mkdir()
    write(folder / "trials.jsonl", range(40))
    (folder / "note.md").write_text(f"# Notes\n\nThe word is {word(1000)}.\n")
    (folder / "letter.txt").write_text(f"Dear colleague, the word is {word(2000)}.\n")
    return folder


async def found(library: Library, number: int) -> list[str]:
    hits = (await library.search(Query(terms=(word(number),)), 10)).hits
    return [hit.passage.reference.id for hit in hits if word(number) in hit.passage.text]


async def test_files_of_several_formats_go_in_and_can_be_found_by_word(library: Library, tmp_path: Path) -> None:
    told: list[Event] = []
    ended = await ingest_files(library, [files(tmp_path)], told.append)
    assert ended == IngestionCompleted(files=3, skipped=0, failed=0, documents=42, passages=42, removed=0) == told[-1]
    assert [event.documents for event in told if isinstance(event, FileRead)] == [1, 1, 40]
    assert await found(library, 7) == ["doc:7"]
    assert len(await found(library, 1000)) == len(await found(library, 2000)) == 1
    progress = [event for event in told if isinstance(event, Progress)][-1]
    size = sum(path.stat().st_size for path in (tmp_path / "files").iterdir())
    assert (progress.done, progress.total, progress.documents, progress.passages) == (size, size, 42, 42)


async def test_unchanged_files_are_not_read_again_even_when_they_were_touched(library: Library, tmp_path: Path) -> None:
    folder = files(tmp_path)
    await ingest_files(library, [folder])
    for _ in range(2):
        told: list[Event] = []
        ended = await ingest_files(library, [folder], told.append)
        assert (ended.files, ended.skipped, ended.removed) == (0, 3, 0)
        assert sum(isinstance(event, FileSkipped) for event in told) == 3
        os.utime(folder / "trials.jsonl", (0, 0))
    assert (await library.describe()).documents == 42


async def test_a_changed_file_replaces_what_changed_and_removes_what_it_no_longer_holds(
    library: Library, tmp_path: Path
) -> None:
    file = tmp_path / "trials.jsonl"
    write(file, range(40))
    await ingest_files(library, [file])
    await library.embed_passages()
    write(file, range(10, 50), edition=1)
    ended = await ingest_files(library, [file])
    assert (ended.documents, ended.removed) == (40, 10)
    assert await found(library, 3) == []
    assert await found(library, 45) == ["doc:45"]
    assert (await library.open("doc:12")).text == text(12, edition=1)
    assert len((await library.search(Query(terms=("revised",)), 50)).hits) >= 13
    assert await library.find_unsearchable() == []
    # Only what changed lost its vector: the multiples of three below 40, and what is new.
    assert (await library.describe()).vectors == 20


async def test_a_file_that_is_gone_from_the_disk_is_left_alone_in_the_library(library: Library, tmp_path: Path) -> None:
    folder = files(tmp_path)
    await ingest_files(library, [folder])
    (folder / "trials.jsonl").unlink()
    ended = await ingest_files(library, [folder])
    assert (ended.skipped, ended.removed) == (2, 0)
    assert await found(library, 7) == ["doc:7"]


async def test_a_file_that_moved_owns_its_documents_at_its_new_place(library: Library, tmp_path: Path) -> None:
    write(tmp_path / "old.jsonl", range(5))
    await ingest_files(library, [tmp_path / "old.jsonl"])
    moved = (tmp_path / "old.jsonl").rename(tmp_path / "new.jsonl")
    await ingest_files(library, [moved])
    write(moved, range(4))
    assert (await ingest_files(library, [moved])).removed == 1
    assert await found(library, 4) == []


async def test_what_was_removed_comes_back_when_its_file_is_added_again(library: Library, tmp_path: Path) -> None:
    write(tmp_path / "trials.jsonl", range(5))
    await ingest_files(library, [tmp_path / "trials.jsonl"])
    assert await library.remove(["doc:2"]) == 1
    assert await found(library, 2) == []
    await ingest_files(library, [tmp_path / "trials.jsonl"])
    assert await found(library, 2) == ["doc:2"]


async def test_what_cannot_be_read_is_told_and_everything_else_goes_in(library: Library, tmp_path: Path) -> None:
    folder = files(tmp_path)
    (folder / "broken.xml").write_text("<PubmedArticleSet><PubmedArticle>")
    (folder / "empty.jsonl").write_bytes(b"")
    with (folder / "trials.jsonl").open("a") as file:
        file.write("no json\n" * 9)
    whole = gzip.compress(
        "".join(json.dumps({"_id": f"z{n}", "text": word(5_000 + n)}) + "\n" for n in range(9_000)).encode()
    )
    (folder / "cut.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    told: list[Event] = []
    ended = await ingest_files(library, [folder], told.append)
    failures = [event for event in told if isinstance(event, FileFailed)]
    assert ended.failed == 2
    assert {event.path.name for event in failures} == {"broken.xml", "empty.jsonl", "trials.jsonl", "cut.jsonl.gz"}
    lines = [event.reason for event in failures if event.path.name == "trials.jsonl"]
    assert len(lines) == 6
    assert lines[0].startswith("line 41: ")
    assert lines[-1] == "4 more parts cannot be read"
    assert await found(library, 7) == ["doc:7"]
    assert await library.open("z0")


async def test_a_file_that_became_unreadable_loses_nothing_that_was_stored(library: Library, tmp_path: Path) -> None:
    file = tmp_path / "trials.jsonl"
    write(file, range(40))
    await ingest_files(library, [file])
    file.write_bytes(file.read_bytes()[:1500])
    told: list[Event] = []
    assert (await ingest_files(library, [file], told.append)).removed == 0
    assert any(isinstance(event, FileFailed) for event in told)
    assert await found(library, 39) == ["doc:39"]
    # The fault is told again until the file is mended.
    told.clear()
    await ingest_files(library, [file], told.append)
    assert any(isinstance(event, FileFailed) for event in told)


async def test_a_path_that_does_not_exist_and_a_pipe_do_not_keep_the_others_out(
    library: Library, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    write(tmp_path / "trials.jsonl", range(3))
    told: list[Event] = []
    paths = [tmp_path / name for name in ("nowhere", "pipe.txt", "trials.jsonl")]
    ended = await ingest_files(library, paths, told.append)
    assert (ended.failed, ended.files, ended.documents) == (2, 1, 3)
    failed = {event.path.name: event.reason for event in told if isinstance(event, FileFailed)}
    assert failed == {"nowhere": "no such file or folder", "pipe.txt": "it is not a regular file"}


async def test_an_ingestion_that_is_stopped_leaves_whole_documents_and_the_rest_resumes(
    library: Library, tmp_path: Path
) -> None:
    file = tmp_path / "trials.jsonl"
    write(file, range(2_500))

    def stop(event: Event) -> None:
        work.cancel()

    work = asyncio.ensure_future(ingest_files(library, [file], stop))
    with pytest.raises(asyncio.CancelledError):
        await work
    await library.maintain()
    assert await library.find_unsearchable() == []
    assert (await library.describe()).documents == 1_000
    for delay in (0.0, 0.01, 0.02, 0.04):
        work = asyncio.ensure_future(ingest_files(library, [file]))
        await asyncio.sleep(delay)
        work.cancel()
        await asyncio.wait([work])
        assert await library.find_unsearchable() == []
    write(file, range(2_500), edition=1)
    ended = await ingest_files(library, [file])
    assert ended.documents == 2_500
    assert (await library.describe()).documents == 2_500
    assert await library.find_unsearchable() == []


def chance(seed: int) -> random.Random:
    """Numbers that look like chance and are the same in every run."""
    return random.Random(seed)  # noqa: S311 - nothing is kept secret with them


def adder(root: Path, file: Path) -> "subprocess.Popen[str]":
    """A process that adds the file as often as it is told to."""
    command = [sys.executable, "-m", "tests.sources.corpus", str(root), "mine", str(file)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def added_until_killed(adding: "subprocess.Popen[str]", batches: float, seconds: float = 0) -> bool:
    """Let it begin to add the file, kill it so long after so many batches; whether it had come to the end."""
    assert adding.stdin and adding.stdout
    print("go", file=adding.stdin, flush=True)
    said = [adding.stdout.readline().split()]
    assert said[0][0] == "adding", said
    while len(said) <= batches and said[-1] != ["ended"]:
        said.append(adding.stdout.readline().split())
    if said[-1] != ["ended"]:
        time.sleep(seconds)
        with suppress(ProcessLookupError):
            os.kill(int(said[0][1]), signal.SIGKILL)
        said += [line.split() for line in iter(adding.stdout.readline, "ended\n")]
    return ["added"] in said


async def consistent(root: Path) -> int:
    """How many documents the library holds, after making sure that each of them, and nothing else, can be found."""
    reader = Library.at(root, "mine")
    before = {hit.passage.id for hit in (await reader.search(Query(terms=("gout", "flares")), 200)).hits}
    for id in {id.split("#")[0] for id in before}:
        assert (await reader.open(id)).text in (text(int(id[4:]), edition) for edition in (0, 1, 2))
    committed = (await reader.describe()).documents
    reader.close()
    library = Library.at(root, "mine", write=True)
    await library.maintain()
    assert await library.find_unsearchable() == []
    card = await library.describe()
    assert card.documents == card.passages == committed
    for number in chance(committed).sample(range(3_500), 25):
        try:
            held = [(await library.open(f"doc:{number}")).reference.id]
        except NotFoundError:
            held = []
        assert await found(library, number) == held
    library.close()
    return committed


@pytest.mark.slow
@pytest.mark.parametrize("kills", [6, pytest.param(60, marks=pytest.mark.nightly)])
async def test_killed_at_random_instants_a_library_holds_what_was_committed_and_resumes(
    tmp_path: Path, kills: int
) -> None:
    root, luck = tmp_path / "libraries", chance(20)
    Library.create(root, "mine", "research")
    editions = [tmp_path / f"trials-{edition}.jsonl" for edition in range(3)]
    for edition, path in enumerate(editions):
        write(path, range(edition * 250, 3_000 + edition * 250), edition)
    file = tmp_path / "trials.jsonl"
    cut_short, held = 0, set()
    with adder(root, file) as adding:
        for kill in range(kills):
            # Additions, replacements and removals: which of the editions is on the disk changes from time to time.
            file.write_bytes(editions[kill // 2 % 3].read_bytes())
            cut_short += not added_until_killed(adding, luck.randrange(33), luck.uniform(0, 0.05))
            held.add(await consistent(root))
        assert cut_short >= kills // 2, "the kills came too late to prove anything"
        assert len(held) > 1, "every kill left the same number of documents"
        assert added_until_killed(adding, inf)
    assert await consistent(root) == 3_000


def added_without_room(root: Path, file: Path, limit: int) -> "subprocess.CompletedProcess[str]":
    """Add the file in a process that can make no file larger than `limit` bytes."""
    command = [sys.executable, "-c", CRAMPED, str(root), str(file), str(limit)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)


async def test_on_a_full_disk_what_is_stored_stays_and_the_rest_goes_in_when_there_is_room(tmp_path: Path) -> None:
    root, file = tmp_path / "libraries", tmp_path / "trials.jsonl"
    Library.create(root, "mine", "research")
    write(file, range(3_000))
    for limit in (20_000, 60_000, 150_000, 400_000):
        done = added_without_room(root, file, limit)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("Unavailable: "), done.stdout
        assert "No stored document is lost" in done.stdout
    library = Library.at(root, "mine", write=True)
    await library.maintain()
    assert await library.find_unsearchable() == []
    assert 0 < (await library.describe()).documents < 3_000
    await ingest_files(library, [file])
    assert (await library.describe()).documents == 3_000
    assert await library.find_unsearchable() == []
    library.close()


CRAMPED = """
# A limit on the size of a file fails as a full disk does, and needs no right to mount one.
import asyncio, resource, sys
from pathlib import Path
from wellsourced.errors import NextStep, SourceUnavailable
from wellsourced.ingest import file_reading, ingest_files
from wellsourced.sources.library import Library

file_reading.MAX_DOCUMENTS = 200

async def main():
    library = Library.at(Path(sys.argv[1]), "mine", write=True)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
    try:
        await ingest_files(library, [Path(sys.argv[2])])
        print("all went in")
    except SourceUnavailable as error:
        print("Unavailable:", error)

asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("part", "harm"),
    [
        *product(("spans.sqlite3", "passages.tantivy"), ("truncate", "garble", "empty", "delete")),
        *product(("passages.vectors", "passages.signs"), ("truncate", "empty", "delete")),
    ],
)
async def test_a_damaged_search_index_says_so_and_is_made_again_from_the_catalogue(
    library: Library, tmp_path: Path, part: str, harm: str
) -> None:
    write(tmp_path / "trials.jsonl", range(300))
    await ingest_files(library, [tmp_path / "trials.jsonl"])
    await library.embed_passages()
    library.close()
    root = tmp_path / "libraries"
    for path in (root / "mine" / part, *(root / "mine" / part).rglob("*")):
        if path.is_file():
            damage(path, harm)
    damaged = Library.at(root, "mine", HashedEncoder(), write=True)
    with pytest.raises(SourceRefused, match=r"is (?:damaged|missing).* No document is lost") as refused:
        await damaged.search(Query(terms=(word(7),)), 5)
    assert refused.value.next_step == NextStep("rebuild library", "mine")
    assert (await damaged.open("doc:7")).text == text(7)
    await damaged.rebuild()
    assert await found(damaged, 7) == ["doc:7"]
    assert await damaged.find_unsearchable() == []
    await damaged.embed_passages()
    assert (await damaged.describe()).vectors == 300
    damaged.close()


async def test_a_rebuilt_library_keeps_its_vectors(library: Library, tmp_path: Path) -> None:
    await library.add([document(n) for n in range(100)])
    await library.embed_passages()
    await library.rebuild()
    assert (await library.describe()).vectors == 100
    assert await library.find_unsearchable() == []


@pytest.mark.parametrize("harm", ["truncate", "garble", "empty"])
async def test_a_damaged_catalogue_is_refused_with_the_remedy(library: Library, tmp_path: Path, harm: str) -> None:
    await library.add([document(n) for n in range(300)])
    library.close()
    damage(tmp_path / "libraries" / "mine" / "catalogue.sqlite3", harm)
    with pytest.raises(SourceRefused, match=r"catalogue\.sqlite3 is damaged.*add its files again"):
        await Library.at(tmp_path / "libraries", "mine").search(Query(terms=("gout",)), 5)


async def test_words_that_changed_in_the_catalogue_by_themselves_are_never_shown(
    library: Library, tmp_path: Path
) -> None:
    await library.add([document(1)])
    library.close()
    catalogue = tmp_path / "libraries" / "mine" / "catalogue.sqlite3"
    catalogue.write_bytes(catalogue.read_bytes().replace(b"were treated early", b"were treated badly"))
    reader = Library.at(tmp_path / "libraries", "mine")
    with pytest.raises(SourceRefused, match="doc:1 is damaged"):
        await reader.open("doc:1")
    assert (await reader.search(Query(terms=("gout",)), 5)).hits == []
    reader.close()


def damage(path: Path, harm: str) -> None:
    """What a bad disk or a careless hand does to a file."""
    data = path.read_bytes()
    if harm == "delete":
        path.unlink()
    elif harm == "garble":
        path.write_bytes(chance(1).randbytes(len(data)))
    else:
        path.write_bytes(data[: len(data) // 2] if harm == "truncate" else b"")


async def test_two_ingestions_of_one_library_at_once_are_not_possible(library: Library, tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailable, match="Wait until it ends"):
        Library.at(tmp_path / "libraries", "mine", write=True)


async def test_a_document_knows_the_file_that_it_is_from_and_one_that_came_by_itself_knows_none(
    library: Library, tmp_path: Path
) -> None:
    folder = files(tmp_path)
    await ingest_files(library, [folder])
    await library.add([document(5_000)])
    origin = await library.find_file("doc:7")
    assert origin and origin == library.file(str((folder / "trials.jsonl").resolve()))
    assert await library.find_file("doc:5000") is None
    assert await library.find_file("doc:none") is None
