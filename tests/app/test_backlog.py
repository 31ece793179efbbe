"""A library that holds less than it was given says so, whoever asks it, and with the command that finishes it."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.conftest import Run
from tests.sources.corpus import document, write
from wellsourced import config
from wellsourced.errors import NextStep
from wellsourced.pipeline.ask import answer_question
from wellsourced.sources.library import Library
from wellsourced.sources.library.reader import LOCK_FILE
from wellsourced.storage.private_files import WriterLock, find_writer_pid
from wellsourced.types import Question

ROOT = Path(__file__).parents[2]
FINISHES = "Run: wellsourced library add mine"
OWN = ("--set", "guidelines=false")

KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from wellsourced.ingest import ingest_files
from wellsourced.sources.library import Library

async def kill(cuts, before):
    "The process is killed when its documents are stored and before they can be found, as by a power cut."
    os.kill(os.getpid(), signal.SIGKILL)

async def main():
    library = Library.at(Path(sys.argv[1]), "mine", write=True)
    library._index.index_passages = kill
    await ingest_files(library, [Path(name) for name in sys.argv[2:]])

asyncio.run(main())
"""


@pytest.fixture
def killed(home: Path, tmp_path: Path) -> Path:
    """The root of a library whose first addition, of two files, was killed between the texts and the index."""
    root = home / "libraries"
    Library.create(root, "mine", "own")
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    write(files[0], range(3))
    write(files[1], range(3, 5))
    command = [sys.executable, "-c", KILLED, str(root), *map(str, files)]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == -signal.SIGKILL
    return root


def test_after_an_addition_that_was_killed_every_command_says_so_and_the_named_one_finishes_it(
    run: Run, killed: Path
) -> None:
    waiting = "3 stored documents not searchable yet, 2 files not read yet"
    lacks = f"the last addition is incomplete: {waiting}"
    step = {"kind": "resume files", "value": "mine"}
    asked = json.loads(run(*OWN, "ask", "--json", "Were adults with gout enrolled in a trial?").stdout)
    assert asked["gaps"] == [{"source": "mine", "status": "incomplete", "reason": lacks, "next_step": step}]
    doctor = {row["topic"]: row for row in json.loads(run(*OWN, "doctor", "--json").stdout)["findings"]}
    assert not doctor["library mine"]["ok"]
    assert (lacks in doctor["library mine"]["says"], doctor["library mine"]["next_step"]) == (True, FINISHES)
    says = f"{lacks}. {FINISHES}"
    assert says in " ".join(run(*OWN, "search", "--source", "mine", "gout").stdout.split())
    for words in (("library", "list"), ("library", "list", "mine"), ("search", "gout")):
        assert says[1:] in " ".join(run(*OWN, *words).stdout.split())

    assert run("library", "add", "mine").exit_code == 0
    assert json.loads(run(*OWN, "ask", "--json", "Were adults with gout enrolled in a trial?").stdout)["gaps"] == []
    doctor = {row["topic"]: row for row in json.loads(run(*OWN, "doctor", "--json").stdout)["findings"]}
    assert doctor["library mine"]["ok"]
    assert doctor["library mine"]["says"].startswith("5 documents")


async def test_who_asks_while_another_process_fills_a_library_is_told_by_which(killed: Path) -> None:
    lock = WriterLock(killed / "mine" / LOCK_FILE, "the library")
    async with config.open_context(config.load({"guidelines": False, "encoder": "none"})) as context:
        (gap,) = (await answer_question(Question(text="Were adults with gout enrolled?"), context)).gaps
    assert f"process {os.getpid()} is adding files (3 stored documents" in gap.reason
    lock.close()
    assert find_writer_pid(killed / "mine" / LOCK_FILE) == 0


async def test_documents_that_wait_without_a_file_are_finished_by_the_same_command(run: Run, killed: Path) -> None:
    library = Library.at(killed, "mine", write=True)
    for file in library.files():
        await library.forget_file(file.path)
    library.close()
    done = await asyncio.to_thread(run, "library", "add", "mine")
    assert done.exit_code == 0, done.output
    finished = Library.at(killed, "mine")
    assert not await finished.backlog()
    assert len(await finished.find_unsearchable()) == 0


async def test_what_the_search_table_lost_is_told_with_the_command_that_mends_it(home: Path) -> None:
    Library.create(home / "libraries", "mine", "own")
    library = Library.at(home / "libraries", "mine", write=True)
    await library.add([document(number) for number in range(4)])
    await library._engine.drop(vectors=False)
    library.close()
    async with config.open_context(config.load({"guidelines": False, "encoder": "none"})) as context:
        (gap,) = context.setup_gaps
    assert gap.status == "incomplete"
    assert (gap.reason, gap.next_step) == ("4 passages not indexed correctly", NextStep("rebuild library", "mine"))


async def test_a_library_that_was_filled_and_of_which_a_document_was_removed_lacks_nothing(
    home: Path, tmp_path: Path
) -> None:
    from wellsourced.ingest import ingest_files

    Library.create(home / "libraries", "mine", "own")
    library = Library.at(home / "libraries", "mine", write=True)
    write(tmp_path / "a.jsonl", range(3))
    await ingest_files(library, [tmp_path / "a.jsonl"])
    await library.remove(["doc:1"])
    library.close()
    assert not await Library.at(home / "libraries", "mine").backlog()
