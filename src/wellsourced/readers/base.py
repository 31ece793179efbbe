"""The seam to everything that turns bytes into documents, and what every reader needs: safe bytes, plain words.

A reader yields each Document that it can read and an UnreadablePart for each part that it cannot, in the order of the
file, so that one broken line or article costs nothing but itself.
"""

import functools
import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import NamedTuple, Protocol, TypeVar

from wellsourced.errors import InaccessibleFile, UnreadableFile
from wellsourced.plugins import find_plugins
from wellsourced.types import Document, SourceKind

SUFFIXES = (
    *(".pdf", ".docx", ".pptx", ".xlsx", ".epub", ".md", ".markdown", ".txt", ".text", ".html", ".htm", ".zip"),
    *(".json", ".jsonl", ".jsonl.gz", ".csv", ".tsv", ".nxml", ".xml", ".xml.gz", ".xml.bz2"),
    *(".ris", ".nbib", ".bib"),
)
"""The names that can be read, as they end."""

_SAVE_AS_WORD = "Open it in a word processor and save it again as .docx."
_SAVE_AS_SLIDES = "Open it in a presentation program and save it again as .pptx."
_SAVE_AS_WORKBOOK = "Open it in a spreadsheet program and save it again as .xlsx."
REFUSED_SUFFIXES: Mapping[str, tuple[str, str]] = {
    ".doc": ("it has the old binary Word format", _SAVE_AS_WORD),
    ".docm": ("it is a Word file with macros, which is not supported", _SAVE_AS_WORD),
    ".rtf": ("it is an RTF file, which is not supported", _SAVE_AS_WORD),
    ".odt": ("it is an OpenDocument file, which is not supported", _SAVE_AS_WORD),
    ".ppt": ("it has the old binary PowerPoint format", _SAVE_AS_SLIDES),
    ".pptm": ("it is a PowerPoint file with macros, which is not supported", _SAVE_AS_SLIDES),
    ".odp": ("it is an OpenDocument file, which is not supported", _SAVE_AS_SLIDES),
    ".xls": ("it has the old binary Excel format", _SAVE_AS_WORKBOOK),
    ".xlsb": ("it has the binary Excel format", _SAVE_AS_WORKBOOK),
    ".xlsm": ("it is an Excel file with macros, which is not supported", _SAVE_AS_WORKBOOK),
    ".ods": ("it is an OpenDocument file, which is not supported", _SAVE_AS_WORKBOOK),
}
"""Names of documents that no reader of ours reads → (reason, remedy). In a folder they are told one by one."""

READER_NAMES = tuple(suffix.removeprefix(".") for suffix in SUFFIXES)
"""By which plugins would name our readers."""


def list_suffixes() -> tuple[str, ...]:
    """The names that can be read, as they end: ours, and those of readers that plugins add."""
    return (*SUFFIXES, *(f".{name}" for name in find_plugins("reader", READER_NAMES).plugins))


class UnreadablePart(NamedTuple):
    """A part of a file that cannot be read; everything else in it goes in.

    where    "line 17", "article 3", "after 120 documents"
    reason   what is wrong there
    remedy   what its owner can do
    """

    where: str
    reason: str
    remedy: str


class InvalidRecord(ValueError):
    """What is wrong with one line or row of a file, in words for its owner."""


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


Record = TypeVar("Record")

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
            # A disk that fails says nothing of the file: what was read before would pass for all of it.
            if not told or isinstance(error, InaccessibleFile):
                raise
            yield UnreadablePart(f"after {documents} documents", error.reason, error.remedy)
        # A file without any document is mostly one of another kind: silence would look like success.
        else:
            if not told:
                remedy = "Leave it out, or check whether it is complete."
                raise UnreadableFile(str(path), "it contains no document", remedy)

    return reader


WORDS_ID_PREFIXES = ("row:", "words:")
"""How the id of a record without one begins, which is the hash of its words."""


def build_documents(
    records: Iterable[tuple[str, Record | UnreadablePart]], build: Callable[[Record], Document], remedy: str
) -> DocumentStream:
    """A document for each (place, record), an UnreadablePart for one of which `build` raises InvalidRecord.

    Of two records with one id the first counts, and the other is told. Records of equal words and no id are one.
    """
    seen: set[str] = set()
    for where, record in records:
        try:
            if isinstance(record, UnreadablePart):
                yield record
                continue
            document = build(record)
            id = document.reference.id
            if id in seen and not id.startswith(WORDS_ID_PREFIXES):
                raise InvalidRecord(f"the id {id[:80]!r} already belongs to an earlier record")
        except InvalidRecord as fault:
            yield UnreadablePart(where, str(fault), remedy)
            continue
        if id not in seen:
            seen.add(id)
            yield document


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
    slug = re.sub(r"[^\w]+", "-", _file_stem(path).lower()).strip("-_") or "unnamed"
    digest = hashlib.sha256(os.fsencode(place)).hexdigest()[:8]
    return f"file:{slug[:60]}-{digest}"


def file_title(path: File) -> str:
    """What a file without a title is called."""
    return " ".join(_file_stem(path).replace("_", " ").split()) or path.name


def _file_stem(path: File) -> str:
    """The name without folders, which a file out of an archive has in its name, and without its ending."""
    return PurePath(path.name).name.split(".")[0]
