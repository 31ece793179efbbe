"""A process that fills a library from files of many kinds is killed, again and again, and nothing is lost or doubled.

Four times at each commit, fifty times at night.
"""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.ingest.mixed import mixed
from wellsourced.ingest import ingest_files, verify_library
from wellsourced.sources.library import Library, delete_library_folder

ROOT = Path(__file__).parents[2]
FEW, MANY = 4, 50
TABLES = ("documents", "files", "faults", "withdrawn")


def adder(root: Path, folder: Path) -> "subprocess.Popen[str]":
    """A process that adds the folder, in a process of its own, as often as it is told to."""
    command = [sys.executable, "-m", "tests.sources.corpus", str(root), "mine", str(folder)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def added(adding: "subprocess.Popen[str]", kill_after: float | None = None) -> bool:
    """Let it begin to add, kill it so many seconds later, or not at all; whether it had come to its end."""
    assert adding.stdin and adding.stdout
    print("go", file=adding.stdin, flush=True)
    said = adding.stdout.readline().split()
    assert said[0] == "adding", said
    if kill_after is not None:
        time.sleep(kill_after)
        with suppress(ProcessLookupError):
            os.kill(int(said[1]), signal.SIGKILL)
    rest = list(iter(adding.stdout.readline, "ended\n"))
    assert "crashed\n" not in rest
    return "added\n" in rest


def content(root: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of a catalogue, without the times at which, and the number of times that, files were read."""
    with closing(sqlite3.connect(root / "mine" / "catalogue.sqlite3")) as sql:
        found = {}
        for table in TABLES:
            columns = [row[1] for row in sql.execute(f"PRAGMA table_info({table})") if row[1] not in ("at", "tries")]
            rows = sql.execute(f"SELECT {', '.join(columns)} FROM {table} ORDER BY 1, 2")  # noqa: S608
            found[table] = rows.fetchall()
        return found


async def sound(root: Path) -> None:
    """What is in is whole and can be found; the next writer finishes what was begun."""
    library = Library.at(root, "mine", write=True)
    await library.maintain()
    assert await library.find_unsearchable() == await library.find_damaged() == []
    library.close()


@pytest.mark.slow
@pytest.mark.parametrize("wanted", [FEW, pytest.param(MANY, marks=pytest.mark.nightly)])
async def test_a_mixed_ingestion_that_is_killed_at_random_instants_ends_as_one_that_was_not(
    tmp_path: Path, wanted: int
) -> None:
    folder, luck = mixed(tmp_path / "files"), random.Random(7)  # noqa: S311 - nothing is kept secret with it
    whole, root = tmp_path / "whole", tmp_path / "killed"
    Library.create(whole, "mine", "research")
    library = Library.at(whole, "mine", write=True)
    ended = await ingest_files(library, [folder])
    assert (ended.failed, ended.removed) == (0, 99)
    assert (await verify_library(library)).is_sound
    library.close()
    expected = content(whole)

    kills = finished = 0
    Library.create(root, "mine", "research")
    with adder(root, folder) as adding:
        began = time.monotonic()
        assert added(adding)
        seconds = time.monotonic() - began
        while kills < wanted:
            if content(root) == expected:
                delete_library_folder(root, "mine")
                Library.create(root, "mine", "research")
            if added(adding, luck.uniform(0, 0.8 * seconds)):
                finished += 1
                assert content(root) == expected
            else:
                kills += 1
                await sound(root)
        assert added(adding)
    assert content(root) == expected
    await sound(root)
    assert finished <= 2 * wanted + 4, "the kills came too late to prove anything"
    print(f"{kills} kills, {finished} ingestions that came to their end in spite of them, {seconds:.1f} s for one")
