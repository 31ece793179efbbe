"""The bytes of a gzip archive, unpacked by ISA-L where it is installed: several times as fast as by zlib.

Where ISA-L finds a fault, the standard library goes on in its place. It gives what is whole before the fault, which
ISA-L does not, and it judges what the fault is, so that both ways read the same.
"""

import gzip
import io
from typing import Any

try:
    from isal import igzip, isal_zlib
except ImportError:  # no build for this system
    HAS_ISAL = False
else:
    HAS_ISAL = True

BLOCK = 16 * 1024
"""Bytes that are read from the disk at once. ISA-L would read 512 KB, and progress would be told by as much."""


class GzipStream:
    """What a gzip archive of one or more members unpacks to, from its start. Raises what `gzip` raises."""

    def __init__(self, archive: io.BufferedReader) -> None:
        self._archive = archive
        self._is_trusted = not HAS_ISAL
        self._members = (
            igzip.IGzipFile(fileobj=_BlockReader(archive), mode="rb") if HAS_ISAL else _standard_library(archive)
        )
        self._given = 0

    def read1(self, size: int) -> bytes:
        """At most so many bytes; none at the end."""
        if self._is_trusted:
            return self._members.read1(size)
        try:
            data = self._members.read1(size)
        # Whether it is a fault, and which, the standard library says: both ways then read and report the same.
        except (EOFError, OSError, isal_zlib.error):
            return self._start_over(size)
        self._given += len(data)
        return data

    def _start_over(self, size: int) -> bytes:
        """Unpack the archive by the standard library, up to what has not been given yet."""
        self._archive.seek(0)
        self._members, self._is_trusted = _standard_library(self._archive), True
        surplus = self._given
        while True:
            data = self._members.read1(size)
            if len(data) > surplus or not data:
                return data[surplus:]
            surplus -= len(data)

    def close(self) -> None:
        """The archive itself stays open."""
        self._members.close()


def _standard_library(archive: io.BufferedReader) -> gzip.GzipFile:
    return gzip.GzipFile(fileobj=archive, mode="rb")


class _BlockReader(io.RawIOBase):
    """Reads no more of a file at once than one block."""

    def __init__(self, file: io.BufferedReader) -> None:
        super().__init__()
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._file.readinto(memoryview(buffer)[:BLOCK])
