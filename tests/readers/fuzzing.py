"""Broken files for readers, and what reads them: a process of its own, that may be killed.

    python -m tests.readers.fuzzing FIRST COUNT NAME…

reads the mutations FIRST … FIRST+COUNT-1 of each seed file, says the number of each before it is read, and at the end
what came of them. It dies of what would hang or crash a library: of a signal after SECONDS of a processor, of memory
beyond MEMORY.
"""

import bz2
import contextlib
import functools
import gzip
import io
import random
import resource
import signal
import sys
import tempfile
import zipfile
from collections import Counter
from pathlib import Path

from tests.readers.reading import assert_sound
from tests.readers.seeds import CONCEPTS, SEEDS
from wellsourced.errors import UnreadableFile, WellsourcedError
from wellsourced.readers.base import DeletedDocuments, UnreadablePart
from wellsourced.readers.concepts import concept_reader_for
from wellsourced.readers.registry import reader_for
from wellsourced.text.passages import cut_passages
from wellsourced.types import Document

SECONDS = 20
MEMORY = 3 * 1024**3
TOKENS = (
    b"<", b">", b"&", b'"', b"'", b"]]>", b"{", b"[", b"(", b",", b"\n", b"\r", b"\t", b"\x00", b"\xff\xfe", b"\xc3",
)  # fmt: skip
NUMBERS = (b"-1", b"0", b"99999999999999999999", b"4294967296", b"1e999", b"NaN", b"-2147483649", b"0000000000001")
OPENERS = (
    b"[", b"{", b"<a>", b"<p>", b"(", b"> ", b"- ", b'{"a":', b"<<", b"*", b"`", b"<div>", b"<table><tr><td>", b"{{",
)  # fmt: skip


def mutated(data: bytes, chance: random.Random) -> bytes:
    """What disks, networks, editors and enemies do: a few changes, seldom many."""
    broken = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 3, 8, 30))):
        if not broken:
            break
        at = chance.randrange(len(broken))
        length = chance.choice((1, 1, 2, 4, 16, 200, 4_000))
        piece = bytes(broken[at : at + length])
        chance.choice(CHANGES)(broken, at, piece, chance)
    return bytes(broken)


def flip(broken: bytearray, at: int, _: bytes, chance: random.Random) -> None:
    broken[at] ^= 1 << chance.randrange(8)


def drop(broken: bytearray, at: int, piece: bytes, _: random.Random) -> None:
    del broken[at : at + len(piece)]


def double(broken: bytearray, at: int, piece: bytes, chance: random.Random) -> None:
    broken[at:at] = piece * chance.choice((1, 2, 50))


def splice(broken: bytearray, at: int, piece: bytes, chance: random.Random) -> None:
    other = chance.randrange(len(broken))
    broken[other : other + len(piece)] = piece


def noise(broken: bytearray, at: int, piece: bytes, chance: random.Random) -> None:
    broken[at : at + len(piece)] = chance.randbytes(len(piece))


def token(broken: bytearray, at: int, _: bytes, chance: random.Random) -> None:
    broken[at:at] = chance.choice(TOKENS)


def number(broken: bytearray, at: int, _: bytes, chance: random.Random) -> None:
    """In place of a number, if there is one near."""
    end = next((place for place in range(at, min(at + 2_000, len(broken))) if chr(broken[place]).isdigit()), at)
    broken[end : end + 1] = chance.choice(NUMBERS)


def nest(broken: bytearray, at: int, _: bytes, chance: random.Random) -> None:
    broken[at:at] = chance.choice(OPENERS) * chance.choice((20, 300, 5_000))


def truncated_file_error(broken: bytearray, at: int, _: bytes, chance: random.Random) -> None:
    del broken[at:]


MAIN_PARTS = {"word/document.xml", "ppt/slides/slide1.xml", "xl/worksheets/sheet1.xml", "EPUB/text/ch001.xhtml"}
"""What is broken most often in a package."""

CHANGES = (flip, flip, drop, double, splice, noise, token, token, number, nest, truncated_file_error)


@functools.cache
def sound(name: str) -> bytes:
    return {**SEEDS, **CONCEPTS}[name]()


def broken_file(name: str, number: int) -> bytes:
    """The mutation of this number of a seed; of a packed seed, sometimes of what is inside."""
    data, chance = sound(name), random.Random(f"{name}-{number}")  # noqa: S311 (nothing secret here)
    if chance.random() < 0.7:
        if name.endswith((".docx", ".pptx", ".xlsx", ".epub", ".zip")):
            return repacked(data, chance)
        if name.endswith(".gz"):
            return gzip.compress(mutated(gzip.decompress(data), chance), 1)
        if name.endswith(".bz2"):
            return bz2.compress(mutated(bz2.decompress(data), chance), 1)
    return mutated(data, chance)


def repacked(data: bytes, chance: random.Random) -> bytes:
    """A zip with one of its parts mutated, the main one most often."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        names = old.namelist()
        main = [name for name in names if name in MAIN_PARTS]
        chosen = {chance.choice((*names, *main * len(names))) for _ in range(chance.choice((1, 1, 3)))}
        for name in names:
            part = old.read(name)
            if name in chosen and chance.random() < 0.1:
                continue
            new.writestr(name, mutated(part, chance) if name in chosen else part)
    return file.getvalue()


def outcome(path: Path) -> str:
    """What came of a file; whatever is neither a sound document nor a typed error is raised."""
    items = documents = 0
    try:
        for item in reader_for(path)(path, "guideline"):
            items += 1
            if isinstance(item, Document):
                documents += 1
                assert_sound(item)
                assert list(item.pages) == sorted(item.pages)
                assert all(one.text == item.text[one.start : one.end] for one in cut_passages(item))
                item.model_dump_json()
            else:
                assert isinstance(item, UnreadablePart | DeletedDocuments)
    except UnreadableFile as error:
        assert error.reason
        assert error.remedy
        return "unreadable" if not documents else "documents and an error"
    except WellsourcedError:
        return "typed error"
    return "documents" if documents == items else "documents and faults" if documents else "faults"


def rows_read(path: Path) -> str:
    """As `outcome`, of a file of terms."""
    rows = faults = 0
    try:
        for row in concept_reader_for(path)(path):
            assert isinstance(row, tuple)
            repr(row).encode()
            rows, faults = rows + 1, faults + isinstance(row, UnreadablePart)
    except UnreadableFile as error:
        assert error.reason
        assert error.remedy
        return "rows and an error" if rows else "unreadable"
    return "rows and faults" if faults else "rows"


def main(first: int, count: int, *names: str) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            outcomes = Counter(one(Path(folder) / name, number) for number in range(first, first + count))
            told = ", ".join(f"{count} {what}" for what, count in outcomes.most_common())
            print(f"{name}: {told}", flush=True)


def one(path: Path, number: int) -> str:
    """What came of one mutation. Without a handler the signal ends the process, native code or not."""
    print(path.name, number, flush=True)
    path.write_bytes(broken_file(path.name, number))
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return rows_read(path) if path.name in CONCEPTS else outcome(path)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
