"""Archives of many files, unpacked so that none of them can land outside its folder or fill the disk.

Whatever a publisher packs is data: a name that leads out of the folder, a link or a device makes the whole archive
suspect, and it is refused. Only the files that are wanted are written; pictures and programs stay where they are.
"""

import errno
import gzip
import os
import re
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from wellsourced.errors import InaccessibleFile, SourceUnavailable, UnreadableFile

ARCHIVES = (".tar.gz", ".tgz", ".tar", ".zip")

MB = 1024 * 1024
MEMBER_LIMIT = 256 * MB
"""Bytes of one file: what the readers read in one piece."""

MAX_MEMBERS = 10_000_000
MAX_RATIO, FREE_BYTES = 200, 64 * MB
"""An archive may unpack to so many times its size, or to so much whatever its size; text and XML reach 20."""

PIECE_BYTES = MB

OnProgress = Callable[[int], None]


class ArchiveMember(NamedTuple):
    """One file in an archive. `odd` says what else it is than a plain file or folder, "" when nothing."""

    name: str
    size: int
    folder: bool
    special_kind: str
    open: Callable[[], IO[bytes] | None]


def is_archive(path: Path) -> bool:
    """Whether it has to be unpacked, by its name."""
    return path.name.lower().endswith(ARCHIVES)


def unpack_archive(
    archive: Path, into: Path, wanted: str, heard: OnProgress = lambda _: None, *, limit: int | None = None
) -> Path:
    """The folder of the files of an archive, made when it is not there yet, whole or not at all.

    `wanted` is a regular expression over the paths of files in it. An archive that has changed since is unpacked anew.
    `heard` is told how far into the archive it is, in bytes. `limit` is how many bytes may come out of it; None:
    MEMBER_LIMIT of one file, and of all together what the archive's own size allows.
    Raises UnreadableFile for one that is damaged or suspect, InaccessibleFile when the system does not give it,
    SourceUnavailable when the disk is full.
    """
    folder, mark = into / _archive_stem(archive), _archive_stamp(archive)
    marked = into / f".{folder.name}.unpacked"
    if folder.is_dir() and marked.exists() and marked.read_text() == mark:
        return folder
    made = into / f".{folder.name}.{os.getpid()}.new"
    try:
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(parents=True)
        _unpack_members(archive, made, re.compile(wanted, re.IGNORECASE), heard, limit)
        marked.unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)
        marked.write_text(mark)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise SourceUnavailable(
                f"{folder} cannot be written: the disk is full. Free space and add it again."
            ) from error
        raise _suspect_archive(archive, f"it cannot be unpacked ({error.strerror or error})") from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return folder


def _archive_stamp(archive: Path) -> str:
    try:
        found = archive.stat()
    except OSError as error:
        raise InaccessibleFile(archive, f"it cannot be opened ({error.strerror})", "Check its permissions.") from error
    return f"{found.st_size} {found.st_mtime_ns}"


def _archive_stem(archive: Path) -> str:
    name = archive.name
    suffix = next(suffix for suffix in ARCHIVES if name.lower().endswith(suffix))
    return name[: -len(suffix)] or "unpacked"


def _unpack_members(archive: Path, into: Path, wanted: re.Pattern[str], heard: OnProgress, limit: int | None) -> None:
    allowed = max(FREE_BYTES, MAX_RATIO * archive.stat().st_size)
    member_limit = MEMBER_LIMIT if limit is None else limit
    allowed = allowed if limit is None else min(allowed, limit)
    read_members = _read_zip_members if archive.name.lower().endswith(".zip") else _read_tar_members
    for number, member in enumerate(read_members(archive, heard), 1):
        target = into.joinpath(*_member_path(archive, member))
        if member.folder or not wanted.fullmatch(member.name):
            continue
        if member.size > member_limit:
            raise _suspect_archive(archive, f"its file {member.name[:200]} is larger than {member_limit // MB} MB")
        allowed -= member.size
        if allowed < 0 or number > MAX_MEMBERS:
            raise _suspect_archive(archive, f"it unpacks to more than {MAX_RATIO} times its size, or to too many files")
        target.parent.mkdir(parents=True, exist_ok=True)
        _write_member(archive, member, target)


def _member_path(archive: Path, member: ArchiveMember) -> tuple[str, ...]:
    """The path of a member, one name after the other. Raises UnreadableFile for one that is suspect."""
    path = PurePosixPath(member.name)
    if member.special_kind:
        raise _suspect_archive(archive, f"its file {member.name[:200]} is {member.special_kind}")
    if path.is_absolute() or ".." in path.parts or "\\" in member.name or "\0" in member.name:
        raise _suspect_archive(archive, f"its file {member.name[:200]} would be written outside its folder")
    return path.parts


def _write_member(archive: Path, member: ArchiveMember, target: Path) -> None:
    """Not more of it than was announced, and never over what is there."""
    source = member.open()
    if source is None:
        raise _suspect_archive(archive, f"its file {member.name[:200]} cannot be read")
    left = member.size
    with source, target.open("xb") as file:
        while True:
            with _explain_archive_errors(archive):
                piece = source.read(min(PIECE_BYTES, left + 1))
            if not piece:
                return
            left -= len(piece)
            if left < 0:
                raise _suspect_archive(archive, f"its file {member.name[:200]} is larger than it says")
            file.write(piece)


DAMAGE_ERRORS = (tarfile.TarError, zipfile.BadZipFile, zlib.error, gzip.BadGzipFile, EOFError, RuntimeError)
"""What archives raise that were cut short, changed, or packed with a password."""


@contextmanager
def _explain_archive_errors(archive: Path) -> Iterator[None]:
    try:
        yield
    except DAMAGE_ERRORS as error:
        reason = f"the archive is incomplete or damaged ({error})"
        raise UnreadableFile(archive, reason, "Download or pack it again.") from error


def _read_tar_members(archive: Path, heard: OnProgress) -> Iterator[ArchiveMember]:
    """Read in one pass: of a large archive, nothing but the member at hand is in memory."""
    with archive.open("rb") as file, _explain_archive_errors(archive):
        packed = file.peek(2)[:2] == b"\x1f\x8b"
        stream = gzip.GzipFile(fileobj=file) if packed else file
        with tarfile.open(fileobj=stream, mode="r|") as tar:
            while info := tar.next():
                heard(file.tell())
                odd = "" if info.isreg() or info.isdir() else "a link or a device"
                yield ArchiveMember(info.name, info.size, info.isdir(), odd, partial(tar.extractfile, info))
                # tarfile remembers every member, which of millions is gigabytes.
                tar.members.clear()  # type: ignore[attr-defined]
        # The checksum of a gzip stands at its end, where tarfile does not look.
        if len(stream.read(FREE_BYTES)) == FREE_BYTES:
            raise _suspect_archive(archive, "it contains data after its end")


def _read_zip_members(archive: Path, heard: OnProgress) -> Iterator[ArchiveMember]:
    with _explain_archive_errors(archive), zipfile.ZipFile(archive) as packed:
        for info in packed.infolist():
            mode = info.external_attr >> 16
            plain = stat.S_IFMT(mode) in (0, stat.S_IFREG, stat.S_IFDIR)
            heard(info.header_offset)
            yield ArchiveMember(
                info.filename,
                info.file_size,
                info.is_dir(),
                "" if plain else "a link or a device",
                partial(packed.open, info),
            )


def _suspect_archive(archive: Path, reason: str) -> UnreadableFile:
    return UnreadableFile(archive, reason, "Check who made it before you use it.")
