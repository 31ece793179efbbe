"""The seam to everything that turns bytes into documents, and what every reader needs: safe bytes, plain words.

A reader yields each Document that it can read and an UnreadablePart for each part that it cannot, in the order of the
file, so that one broken line or article costs nothing but itself.
"""

import bz2
import functools
import gzip
import hashlib
import io
import os
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from wellsourced.errors import InaccessibleFile, UnreadableFile
from wellsourced.types import Document, ReadingDepth, Reference, SourceKind

SUFFIXES = (
    *(".pdf", ".docx", ".md", ".markdown", ".txt", ".text", ".html", ".htm"),
    *(".json", ".jsonl", ".jsonl.gz", ".csv", ".tsv", ".nxml", ".xml", ".xml.gz", ".xml.bz2"),
)
"""The names that can be read, as they end."""

MB = 1024 * 1024
RECORD_LIMIT = 64 * MB
"""Bytes that one line or one record may unpack to."""

FILE_LIMIT = 256 * MB
"""Bytes that a file which is read whole may unpack to."""

RATIO_LIMIT = 200
"""How far an archive that unpacks to more than RECORD_LIMIT may do so; text and XML reach 20, gzip itself 1,030."""


class UnreadablePart(NamedTuple):
    """A part of a file that cannot be read; everything else in it goes in.

    where    "line 17", "article 3", "after 120 documents"
    reason   what is wrong there
    remedy   what its owner can do
    """

    where: str
    reason: str
    remedy: str


class DeletedDocuments(NamedTuple):
    """Documents that the publisher of a file has withdrawn: they are to be removed wherever they are stored.

    ids   of documents, as other files gave them: "pubmed:31234567"
    """

    ids: tuple[str, ...]


DocumentStream = Iterator[Document | UnreadablePart | DeletedDocuments]


class InMemoryFile(NamedTuple):
    """A file that lies in memory: the answer of a server. `name` is what messages call it."""

    name: str
    data: bytes

    def __str__(self) -> str:
        return self.name


File = Path | InMemoryFile
"""What a reader reads."""


class DocumentReader(Protocol):
    """Reads one file; `kind` is what the library that it goes into holds, and what every Reference will say.

    Lazy, and in constant memory for formats of many records. Raises UnreadableFile when nothing of the file can be
    read, at the first step of the iteration; a fault behind the first document comes as a last UnreadablePart.
    """

    def __call__(self, path: File, kind: SourceKind) -> DocumentStream: ...


def salvage_documents(read: Callable[[File, SourceKind], DocumentStream]) -> DocumentReader:
    """Keep what was whole before a fault that ends a file; a file that gives nothing at all is UnreadableFile.

    A fault of the disk or the network is no fault of the file: it is raised wherever it comes.
    """

    @functools.wraps(read)
    def reader(path: File, kind: SourceKind) -> DocumentStream:
        told = documents = 0
        try:
            for item in read(path, kind):
                told += 1
                documents += isinstance(item, Document)
                yield item
        except UnreadableFile as error:
            if not told or isinstance(error, InaccessibleFile):
                raise
            yield UnreadablePart(f"after {documents} documents", error.reason, error.remedy)
        else:
            if not told:
                raise UnreadableFile(
                    str(path), "it holds no document", "Leave it out, or see whether it was written to the end."
                )

    return reader


BYTES_READ: ContextVar[Callable[[int], None]] = ContextVar("bytes_read", default=lambda _: None)
"""Who wants to know how far into its file a reader is, in bytes on the disk. Called often and from any thread."""


def _open_error(path: Path, error: OSError) -> InaccessibleFile:
    return InaccessibleFile(path, f"it cannot be opened ({error.strerror or error})", "Check that you may read it.")


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
        self._bytes = _decompressing_stream(self._file)
        self._packed_size = _file_size(path) if self._bytes is not self._file else 0

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
            remedy = "Fetch or pack it again."
            raise UnreadableFile(self.path, f"the archive is truncated or damaged ({error})", remedy) from error
        except OSError as error:
            if error.errno is None:  # bz2 says so of bytes that are none of its own
                raise UnreadableFile(self.path, "the archive is damaged", "Fetch or pack it again.") from error
            raise _open_error(self.path, error) from error
        buffer[: len(read)] = read
        BYTES_READ.get()(self._file.tell())
        self._charge_allowance(len(read))
        return len(read)

    def _charge_allowance(self, read: int) -> None:
        self._since_renewal += read
        self._total += read
        if self._since_renewal > self.allowance:
            reason = f"one part of it is larger than {self.allowance // MB} MB"
            raise UnreadableFile(self.path, reason, "Split it into smaller parts.")
        if self._packed_size and self._total > max(RECORD_LIMIT, RATIO_LIMIT * self._packed_size):
            reason = f"the archive unpacks to more than {RATIO_LIMIT} times its size, which no text does"
            raise UnreadableFile(self.path, reason, "If it is sound, unpack it yourself and add the unpacked file.")

    def close(self) -> None:
        self._bytes.close()
        self._file.close()
        super().close()


def _decompressing_stream(file: io.BufferedReader) -> gzip.GzipFile | bz2.BZ2File | io.BufferedReader:
    """By its first bytes, whatever its name is."""
    start = file.peek(3)[:3]
    if start[:2] == b"\x1f\x8b":
        return gzip.GzipFile(fileobj=file)
    return bz2.BZ2File(file) if start == b"BZh" else file


def _file_size(file: File) -> int:
    return len(file.data) if isinstance(file, InMemoryFile) else file.stat().st_size


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


def read_whole_text(path: File) -> str:
    """The text of a file that is read in one piece: UTF-8, or UTF-16 when it begins like it.

    Raises UnreadableFile, naming the first byte that is not text.
    """
    with DecompressedFile(path, FILE_LIMIT) as unpacked:
        data = unpacked.readall() or b""
    encoding = detect_encoding(data)
    try:
        return normalize_line_ends(data.decode(encoding).removeprefix("\ufeff"))
    except UnicodeDecodeError as error:
        reason = f"it is not {encoding.upper()} text: the byte at offset {error.start} fits no character"
        raise UnreadableFile(str(path), reason, "Save it as UTF-8.") from error


def detect_encoding(data: bytes) -> str:
    """By its byte order mark; without one, Latin letters in UTF-16 show as a zero in every second byte."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    start = data[:4096]
    if len(start) >= 4 and start[1::2].count(0) > len(start) * 0.4:
        return "utf-16-le"
    if len(start) >= 4 and start[0::2].count(0) > len(start) * 0.4:
        return "utf-16-be"
    return "utf-8"


def normalize_line_ends(text: str) -> str:
    """The same words with one kind of line end and no NUL: all that is ever changed in a source."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\x00", "")


def replace_surrogates(words: str) -> str:
    """The words, a question mark for every half of a character: such halves can be neither printed nor stored."""
    return words.encode("utf-8", "replace").decode("utf-8")


def file_id(path: File) -> str:
    """ "file:heart-failure-1a2b3c4d": the name, and a hash of the whole path, since two folders may hold one name.

    A file that is moved is a new document; front matter that gives an id or a DOI keeps it the same.
    """
    place = Path(path.name) if isinstance(path, InMemoryFile) else path.resolve()
    slug = re.sub(r"[^\w]+", "-", path.name.split(".")[0].lower()).strip("-_") or "unnamed"
    digest = hashlib.sha256(os.fsencode(place)).hexdigest()[:8]
    return f"file:{slug[:60]}-{digest}"


def file_title(path: File) -> str:
    """What a file without a title is called."""
    return " ".join(path.name.split(".")[0].replace("_", " ").split()) or path.name


def parse_iso_date(value: object) -> str:
    """A date as precise as it is given, in ISO 8601: 2022, "2022-05", "2022-05-03T10:00" → "2022-05-03"; else ""."""
    match = re.match(r"[12][0-9]{3}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?(?![0-9])", str(value).strip())
    return match.group() if match else ""


def build_reference(
    fields: Mapping[str, object], *, id: str, title: str, kind: SourceKind, depth: ReadingDepth
) -> Reference:
    """The card of a document from fields under the names that people give them."""
    return Reference(
        id=id,
        title=title,
        kind=kind,
        depth=depth,
        url=_first_value(fields, "url", "link"),
        doi=bare_doi(_first_value(fields, "doi")),
        published=_first_date(fields, "published", "date", "publication_date", "year"),
        organisation=_first_value(fields, "organisation", "organization", "publisher", "source"),
        authors=_list_values(fields, "authors", "author"),
        journal=_first_value(fields, "journal"),
        publication_types=_list_values(fields, "publication_types", "publication_type"),
    )


def bare_doi(doi: str) -> str:
    """A DOI without the address or the word in front of it."""
    return re.sub(r"^(https?://(dx\.)?doi\.org/|doi:\s*)", "", doi.strip(), flags=re.IGNORECASE)


def _first_value(fields: Mapping[str, object], *names: str) -> str:
    for name in names:
        value = fields.get(name)
        if isinstance(value, str | int) and str(value).strip():
            return normalize_line_ends(str(value).strip())
    return ""


def _first_date(fields: Mapping[str, object], *names: str) -> str:
    return next((date for name in names if (date := parse_iso_date(fields.get(name)))), "")


def _list_values(fields: Mapping[str, object], *names: str) -> tuple[str, ...]:
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value.strip():
            return tuple(part.strip() for part in normalize_line_ends(value).split(";") if part.strip())
        if isinstance(value, list):
            return tuple(normalize_line_ends(part.strip()) for part in value if isinstance(part, str) and part.strip())
    return ()
