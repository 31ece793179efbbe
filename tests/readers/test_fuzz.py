"""Broken files, many of them: documents, faults or a typed error; never anything else, and soon."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.readers.reading import read
from tests.readers.seeds import CONCEPTS, SEEDS
from tests.tables import each_row
from wellsourced.readers.base import UnreadablePart
from wellsourced.readers.concepts import CONCEPT_READERS
from wellsourced.readers.registry import READERS_BY_ROOT, READERS_BY_SUFFIX, reader_for
from wellsourced.types import Document

ROOT = Path(__file__).parents[2]
FEW, MANY = 60, 1_000
"""Mutations of each seed: at each commit, and at night."""


def fuzzed(count: int, *names: str) -> list[str]:
    """What came of so many mutations of each seed. A process reads them: it may crash, hang, or fill its memory."""
    command = [sys.executable, "-m", "tests.readers.fuzzing", "0", str(count), *names]
    patience = 60 + count * len(names)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=patience, check=False)
    said = done.stdout.splitlines()
    assert done.returncode == 0, f"mutation {said[-1:]}, exit {done.returncode}: {done.stderr[-3_000:]}"
    return [line for line in said if ":" in line]


@each_row("seeds", [SEEDS, CONCEPTS])
def test_a_broken_file_gives_what_is_whole_or_faults_or_a_typed_error(seeds: dict[str, object]) -> None:
    assert len(fuzzed(FEW, *seeds)) == len(seeds)


@pytest.mark.nightly
@pytest.mark.parametrize("name", [*SEEDS, *CONCEPTS])
def test_a_thousand_broken_files_of_a_kind_do_not_do_otherwise(name: str) -> None:
    print(*fuzzed(MANY, name))


@each_row("name", SEEDS)
def test_what_is_broken_was_sound(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(SEEDS[name]())
    assert documents_among(read(tmp_path / name))


def documents_among(items: list[Document | UnreadablePart]) -> list[Document]:
    return [item for item in items if isinstance(item, Document)]


def test_every_reader_is_fuzzed(tmp_path: Path) -> None:
    fuzzed_readers = set()
    for name, seed in SEEDS.items():
        (tmp_path / name).write_bytes(seed())
        fuzzed_readers.add(reader_for(tmp_path / name))
    assert fuzzed_readers == {*READERS_BY_SUFFIX.values(), *READERS_BY_ROOT.values()}, (
        "a reader has no seed in seeds.py"
    )
    unbroken = {ending for ending in CONCEPT_READERS if not any(name.lower().endswith(ending) for name in CONCEPTS)}
    assert not unbroken, "a reader of concepts has no seed in seeds.py"


@each_row(
    ("deed", "told"),
    [
        ("sum(iter(int, 1))", "exit -27"),
        ("ctypes.string_at(0)", "exit -11"),
        ("bytearray(4 * 1024**3)", "MemoryError"),
        ("1 / 0", "ZeroDivisionError"),
        ("iter([5])", "AssertionError"),
    ],
)
def test_a_reader_that_hangs_crashes_or_raises_something_else_would_be_seen(deed: str, told: str) -> None:
    setup = "import ctypes; from tests.readers import fuzzing; fuzzing.SECONDS = 1"
    code = f"{setup}; fuzzing.reader_for = lambda path: lambda *_: {deed}; fuzzing.main(0, 1, 'note.md')"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert told in f"exit {done.returncode} {done.stderr}"
