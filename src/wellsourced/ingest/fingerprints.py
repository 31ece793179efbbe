"""Files on the disk, compared with what was recorded when they were last read; and a whole library with its files.

A digest or a template beside a file is part of it: were it not, a template that was mended would change nothing until
its table changes too.
"""

import asyncio
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple

from wellsourced.errors import InaccessibleFile, UnreadableFile
from wellsourced.events import Emit, ignore_event
from wellsourced.readers.file_listing import companion_files
from wellsourced.sources.base import FileState, IncrementalIndex
from wellsourced.storage.ingestion_progress import ProgressMeter

PIECE_BYTES = 4 * 1024 * 1024
"""Bytes that are read at a time."""


class FileStamp(NamedTuple):
    """What is another when a file, or one that belongs to it, was written to or replaced in between.

    size       bytes of all of them
    mtime_ns   when the last of them was changed
    inode      of the file itself
    """

    size: int
    mtime_ns: int
    inode: int


class FileFingerprint(NamedTuple):
    """A file as it lies there: what its stamp is, and the sha256 of its bytes."""

    stamp: FileStamp
    sha256: str


def manifest_path(path: Path) -> str:
    """The name of a file in a manifest."""
    return str(path.resolve())


def stamp_file(path: Path) -> FileStamp:
    """The stamp of a file. Raises UnreadableFile when it is no regular file, InaccessibleFile when it is gone."""
    try:
        found = path.stat()
    except FileNotFoundError as error:
        raise InaccessibleFile(path, "no such file or folder", "Check the spelling.") from error
    except OSError as error:
        raise _open_error(path, error) from error
    if not stat.S_ISREG(found.st_mode):
        # A pipe would be waited for, a device never ends.
        raise UnreadableFile(path, "it is not a regular file", "Name a file or a folder of files.")
    all_of_it = [found, *_stat_existing(companion_files(path))]
    return FileStamp(sum(one.st_size for one in all_of_it), max(one.st_mtime_ns for one in all_of_it), found.st_ino)


def _stat_existing(paths: list[Path]) -> Iterator[os.stat_result]:
    for path in paths:
        # One that has just gone is seen by its size, which is missing.
        with suppress(FileNotFoundError):
            yield path.stat()


def fingerprint_file(path: Path, before: FileState | None) -> FileFingerprint:
    """The file as it is now. Its bytes are read only if its size or the time of its last change is another."""
    now = stamp_file(path)
    # Hashing a library of a terabyte takes hours; a file that keeps size and time over a change is found by `verify`.
    if before and before.sha256 and (before.size, before.mtime_ns) == (now.size, now.mtime_ns):
        return FileFingerprint(now, before.sha256)
    return FileFingerprint(now, hash_file(path))


def hash_file(path: Path, heard: Callable[[int], None] = lambda _: None) -> str:
    """The hash of a file's bytes, and of those of the files that belong to it, in hex.

    `heard` is told how many bytes of the file itself were read. Raises InaccessibleFile.
    """
    digest = hashlib.sha256()
    try:
        for read in _hash_pieces(path, digest):
            heard(read)
        for other in companion_files(path):
            for _ in _hash_pieces(other, digest):
                pass
    except OSError as error:
        raise _open_error(path, error) from error
    return digest.hexdigest()


def _hash_pieces(path: Path, digest: "hashlib._Hash") -> Iterator[int]:
    """The bytes of a file into the digest; how many of them so far."""
    # A pipe in its place since it was looked at would be waited for.
    flags = os.O_NONBLOCK | os.O_CLOEXEC
    with open(path, "rb", opener=lambda name, mode: os.open(name, mode | flags)) as file:
        while piece := file.read(PIECE_BYTES):
            digest.update(piece)
            yield file.tell()


def _open_error(path: Path, error: OSError) -> InaccessibleFile:
    return InaccessibleFile(path, f"it cannot be opened ({error.strerror or error})", "Check its permissions.")


class LibraryVerification(NamedTuple):
    """What was compared and what is not as it was.

    same                files that are as they were read
    changed, missing    files that are not
    unsettled           files that were not read to their end
    unsearchable        documents whose passages are not in the search index as they should be
    damaged             documents whose words are no longer what was stored
    """

    same: int
    changed: tuple[str, ...]
    missing: tuple[str, ...]
    unsettled: tuple[str, ...]
    unsearchable: tuple[str, ...]
    damaged: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        """Whether everything is as it was."""
        return not any(self[1:])


async def verify_library(library: IncrementalIndex, emit: Emit = ignore_event) -> LibraryVerification:
    """Hash every file that the library was filled from again, and look through all that it holds; change nothing."""
    # Documents that came without a file, as the guidelines do, are filed under a name that is no path.
    known = [file for file in library.files() if Path(file.path).is_absolute()]
    files = [file for file in known if file.state == "done" and file.sha256]
    meter = ProgressMeter(emit, sum(file.size for file in files), "verifying")
    found: dict[str, list[str]] = {"same": [], "changed": [], "missing": []}
    for file in files:
        outcome = await asyncio.to_thread(_compare_file, file, meter.set_position)
        found[outcome].append(file.path)
        meter.finish_file(file.size)
    meter.report()
    unsettled = tuple(file.path for file in known if file not in files)
    unsearchable, damaged = await library.find_unsearchable(), await library.find_damaged()
    changed, missing = tuple(found["changed"]), tuple(found["missing"])
    return LibraryVerification(len(found["same"]), changed, missing, unsettled, tuple(unsearchable), tuple(damaged))


def _compare_file(file: FileState, heard: Callable[[int], None]) -> Literal["same", "changed", "missing"]:
    path = Path(file.path)
    try:
        # By its bytes, whatever its size and time say: a disk may have changed them without a word.
        if stamp_file(path).size != file.size:
            return "changed"
        return "same" if hash_file(path, heard) == file.sha256 else "changed"
    except (UnreadableFile, OSError):
        return "missing"
