"""The bytes of a file, unpacked and never more than are allowed, and its text."""

import bz2
import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from wellsourced.errors import InaccessibleFile, UnreadableFile
from wellsourced.readers.base import File, InMemoryFile, UnreadablePart, normalize_line_ends

MB = 1024 * 1024
RECORD_LIMIT = 64 * MB
"""Bytes that one line or one record may unpack to."""

FILE_LIMIT = 256 * MB
"""Bytes that a file which is read whole may unpack to."""

RATIO_LIMIT = 200
"""How far an archive that unpacks to more than RECORD_LIMIT may do so; text and XML reach 20, gzip itself 1,030."""

BYTES_READ: ContextVar[Callable[[int], None]] = ContextVar("bytes_read", default=lambda _: None)
"""Who wants to know how far into its file a reader is, in bytes on the disk. Called often and from any thread."""


def _open_error(path: Path, error: OSError) -> InaccessibleFile:
    return InaccessibleFile(path, f"it cannot be opened ({error.strerror or error})", "Check its permissions.")


class DecompressedFile(io.RawIOBase):
    """The bytes of a file, unpacked where it is gzip or bzip2, and never more of them than were allowed.

    `renew_allowance` grants the allowance anew, after each record. Raises UnreadableFile for a damaged or truncated
    archive and for one that unpacks to more than is allowed: a small file cannot fill the memory.
    """

    def __init__(self, path: File, allowance: int) -> None:
        super().__init__()
        self.path, self.allowance = Path(str(path)), allowance
        self._since_renewal = self._total = 0
        self._file = _open_binary(path)
        # Files are renamed, and servers unpack on their way: the first bytes tell, and not the name.
        start = self._file.peek(3)[:3]
        self._bytes: gzip.GzipFile | bz2.BZ2File | io.BufferedReader = self._file
        if start[:2] == b"\x1f\x8b":
            self._bytes = gzip.GzipFile(fileobj=self._file, mode="rb")
        elif start == b"BZh":
            self._bytes = bz2.BZ2File(self._file)
        self._packed_size = 0
        if self._bytes is not self._file:
            self._packed_size = len(path.data) if isinstance(path, InMemoryFile) else path.stat().st_size

    def renew_allowance(self) -> None:
        """One record has ended; the next may be as large again."""
        self._since_renewal = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            # Not `read`: at the end of a truncated archive it would lose the whole bytes before the fault.
            read = self._bytes.read1(len(buffer))
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            remedy = "Download or pack it again."
            raise UnreadableFile(self.path, f"the archive is incomplete or damaged ({error})", remedy) from error
        except OSError as error:
            if error.errno is None:  # bz2 says so of bytes that are none of its own
                raise UnreadableFile(self.path, "the archive is damaged", "Download or pack it again.") from error
            raise _open_error(self.path, error) from error
        buffer[: len(read)] = read
        BYTES_READ.get()(self._file.tell())
        self._since_renewal += len(read)
        self._total += len(read)
        # By what comes out and not by what an archive says of itself: a bomb lies about its size.
        if self._since_renewal > self.allowance:
            reason = f"one part of it is larger than {self.allowance // MB} MB"
            raise UnreadableFile(self.path, reason, "Split it into smaller parts.")
        if self._packed_size and self._total > max(RECORD_LIMIT, RATIO_LIMIT * self._packed_size):
            reason = f"the archive unpacks to more than {RATIO_LIMIT} times its size, too much for text"
            raise UnreadableFile(self.path, reason, "If you trust it, unpack it and add the unpacked file.")
        return len(read)

    def close(self) -> None:
        self._bytes.close()
        self._file.close()
        super().close()


def _open_binary(path: File) -> io.BufferedReader:
    if isinstance(path, InMemoryFile):
        return io.BufferedReader(io.BytesIO(path.data))
    # A pipe or a device would block for ever, or never end.
    if path.exists() and not path.is_file():
        raise UnreadableFile(path, "it is not a regular file", "Name a file or a folder of files.")
    try:
        return path.open("rb")
    except OSError as error:
        raise _open_error(path, error) from error


def iter_lines(path: File) -> Iterator[tuple[int, bytes]]:
    """(number from 1, line) of every line that is not blank, without a byte order mark."""
    with DecompressedFile(path, RECORD_LIMIT) as unpacked, io.BufferedReader(unpacked, 1 << 18) as file:
        for number, line in enumerate(file, 1):
            unpacked.renew_allowance()
            if line.strip():
                yield number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line


def read_whole_bytes(path: File, limit: int = FILE_LIMIT) -> bytes:
    """All bytes of a file, unpacked; at most so many of them."""
    with DecompressedFile(path, limit) as unpacked:
        return unpacked.readall() or b""


def read_whole_text(path: File) -> str:
    """The text of a file that is read in one piece: UTF-8, or UTF-16 when it begins like it.

    Raises UnreadableFile, naming the first byte that is not text.
    """
    return _decode(path, read_whole_bytes(path))


def _decode(path: File, data: bytes) -> str:
    encoding = detect_encoding(data)
    try:
        return normalize_line_ends(data.decode(encoding).removeprefix("\ufeff"))
    except UnicodeDecodeError as error:
        reason = f"it is not {encoding.upper()} text: invalid byte at offset {error.start}"
        raise UnreadableFile(str(path), reason, SAVE_REMEDY) from error


MAX_HIGH_BYTES = 0.15
"""Share of accented letters in Latin script, at most: with more, it is another script or no text at all."""

_NO_TEXT = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")


def read_text_told(path: File) -> tuple[str, list[UnreadablePart]]:
    """The text of a file as people save it, and what is to be told where its encoding was guessed.

    Unicode as `read_whole_text` reads it; else UTF-8 with damaged letters ("\ufffd"), or Windows-1252, of which latin-1
    is a part. Raises UnreadableFile for what is neither.
    """
    return decode_text(path, read_whole_bytes(path))


def decode_text(path: File, data: bytes) -> tuple[str, list[UnreadablePart]]:
    """As `read_text_told`, of bytes that were read before."""
    try:
        return _decode(path, data), []
    except UnreadableFile:
        if detect_encoding(data) != "utf-8" or _NO_TEXT.search(data):
            raise
        high, damaged = sum(byte > 127 for byte in data), data.decode("utf-8", "replace")
        bad = damaged.count("\ufffd")
        # Whole letters of several bytes do not come about by chance.
        if bad * 4 < high - bad:
            text, reason = damaged, f"{bad} of its bytes are not UTF-8 and are shown as \ufffd"
        elif sum(byte >= 0xC0 for byte in data) > MAX_HIGH_BYTES * len(data):
            raise
        else:
            text, place = data.decode("cp1252", "replace"), damaged.index("\ufffd")
            reason = f"it is not UTF-8 (byte {place}) and was read as Windows-1252: accents may be wrong"
    return normalize_line_ends(text).removeprefix("\ufeff"), [UnreadablePart("the whole file", reason, SAVE_REMEDY)]


SAVE_REMEDY = "Save it as UTF-8."


def detect_encoding(data: bytes) -> str:
    """By its byte order mark; without one, Latin letters in UTF-16 show as a zero in every second byte."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    start = data[:4096]
    # Windows writes UTF-16 without a mark at times: read as UTF-8 it would be one long fault.
    if len(start) >= 4 and start[1::2].count(0) > len(start) * 0.4:
        return "utf-16-le"
    if len(start) >= 4 and start[0::2].count(0) > len(start) * 0.4:
        return "utf-16-be"
    return "utf-8"
