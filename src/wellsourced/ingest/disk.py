"""Files as they lie on the disk, compared with what is known of them."""

import hashlib
import os
import stat
from pathlib import Path
from typing import NamedTuple

from wellsourced.errors import Unopened, Unreadable
from wellsourced.sources.base import FileState


class Stamp(NamedTuple):
    """What is another when a file was written to, or replaced, in between."""

    size: int
    mtime_ns: int
    inode: int


class Found(NamedTuple):
    """A file as it lies there: what its stamp is, and the sha256 of its bytes."""

    stamp: Stamp
    sha256: str


def known_as(path: Path) -> str:
    """The name of a file in a manifest."""
    return str(path.resolve())


def size(path: Path) -> int:
    """Bytes of a file, 0 when it is not there."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def stamp(path: Path) -> Stamp:
    """The stamp of a file. Raises Unreadable for what is no regular file, Unopened for what is not there now."""
    try:
        found = path.stat()
    except FileNotFoundError as error:
        raise Unopened(path, "there is no such file or folder", "Check how it is spelled.") from error
    except OSError as error:
        raise _unopened(path, error) from error
    if not stat.S_ISREG(found.st_mode):
        # A pipe would be waited for, a device never ends.
        raise Unreadable(path, "it is not a regular file", "Name a file or a folder of files.")
    return Stamp(found.st_size, found.st_mtime_ns, found.st_ino)


def look(path: Path, before: FileState | None) -> Found:
    """The file as it is now. Its bytes are read only if its size or the time of its last change is another."""
    now = stamp(path)
    if before and before.sha256 and (before.size, before.mtime_ns) == (now.size, now.mtime_ns):
        return Found(now, before.sha256)
    return Found(now, sha256(path))


def sha256(path: Path) -> str:
    """The hash of a file's bytes, in hex. Raises Unopened."""
    try:
        # A pipe in its place since it was looked at would be waited for.
        with open(path, "rb", opener=_without_waiting) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise _unopened(path, error) from error


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)


def _unopened(path: Path, error: OSError) -> Unopened:
    return Unopened(path, f"it cannot be opened ({error.strerror or error})", "Check that you may read it.")
