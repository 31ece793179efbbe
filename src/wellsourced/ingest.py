"""The other path: files → reader → documents → library. Incremental, resumable, and safe to stop at any moment.

A file that is as it was (size and time of change, or else sha256) costs nothing. Of one that has changed, only the
documents that have changed are written, and those that it no longer holds are removed. A file that was cut short is
read again from its beginning, which writes only what is not there yet. A file that is gone from the disk is left
alone in the library, and so are the documents of one that can no longer be read.
"""

import asyncio
import hashlib
import stat
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from wellsourced.errors import Unreadable
from wellsourced.events import FileFailed, FileRead, FileSkipped, Ingested, Progress, Tell, unheard
from wellsourced.readers import BYTES_READ, Faulty, files_under, reader_for
from wellsourced.sources.base import FileState, Shelf
from wellsourced.types import Document, Kind

DOCUMENTS, CHARACTERS = 1_000, 4_000_000
"""A batch: so many documents, or fewer of so many characters together."""

NAMED = 5
"""Faulty parts of one file that are named; the others are counted."""

INTERVAL = 0.1
"""Seconds between two events of progress, at least."""


class Batch(NamedTuple):
    """What a reader gave next. The last one is `final`."""

    documents: list[Document]
    faults: list[Faulty]
    final: bool


class Total(NamedTuple):
    """What came of all files so far, or of one; as the fields of Ingested."""

    files: int = 0
    skipped: int = 0
    failed: int = 0
    documents: int = 0
    passages: int = 0
    removed: int = 0

    def plus(self, other: "Total") -> "Total":
        """Both together."""
        return Total(*(mine + its for mine, its in zip(self, other, strict=True)))


class Meter:
    """Tells how far the reading is, not more often than anyone can look."""

    def __init__(self, tell: Tell, total: int) -> None:
        self.tell, self.total = tell, total
        self.bytes = self.documents = self.passages = 0
        self._here = 0
        self._began = time.monotonic()
        self._told = 0.0

    def at(self, position: int) -> None:
        """So far into the file at hand, in bytes; heard at the next occasion to tell."""
        self._here = position

    def end(self, size: int) -> None:
        """The file at hand, of so many bytes, is done with."""
        self.bytes += size
        self._here = 0
        self.add()

    def add(self, *, documents: int = 0, passages: int = 0) -> None:
        """So much more has been read."""
        self.documents += documents
        self.passages += passages
        if time.monotonic() - self._told >= INTERVAL:
            self.say()

    def say(self) -> None:
        """Where it stands now."""
        self._told = time.monotonic()
        done = self.bytes + self._here
        rate = done / max(self._told - self._began, 1e-9)
        self.tell(
            Progress(
                task="reading",
                done=done,
                total=self.total,
                unit="bytes",
                documents=self.documents,
                passages=self.passages,
                rate=rate,
            )
        )


async def ingest(library: Shelf, paths: Sequence[Path], tell: Tell = unheard) -> Ingested:
    """Add the files named, and those below the folders named, to a library that is open for writing.

    What has been told by FileRead is stored and can be searched by word. Files, and parts of files, that cannot be
    read are told by FileFailed, and everything else goes in; `failed` counts the files that gave nothing.
    Raises Unavailable when the disk is full: what went in stays in.
    """
    files = await asyncio.to_thread(files_under, paths)
    kind = (await library.card()).kind
    meter = Meter(tell, sum(_size(path) for path in files))
    total = Total()
    for path in files:
        total = total.plus(await _file(library, path, kind, meter))
    await library.maintain()
    meter.say()
    ended = Ingested(**total._asdict())
    tell(ended)
    return ended


async def _file(library: Shelf, path: Path, kind: Kind, meter: Meter) -> Total:
    try:
        before = library.file(_known_as(path))
        state = await asyncio.to_thread(_state, path, before)
        if before and before.sha256 == state.sha256:
            await _skip(library, before, state)
            meter.tell(FileSkipped(path=path))
            return Total(skipped=1)
        return await _read(library, path, kind, state, meter)
    except Unreadable as error:
        meter.tell(FileFailed(path=path, reason=error.reason, remedy=error.remedy))
        return Total(failed=1)
    finally:
        meter.end(_size(path))


async def _skip(library: Shelf, before: FileState, state: FileState) -> None:
    # Touched but not changed: remembered, so that its bytes need not be read next time.
    if before != state:
        await library.finish(state, kept=None)


async def _read(library: Shelf, path: Path, kind: Kind, state: FileState, meter: Meter) -> Total:
    BYTES_READ.set(meter.at)
    batches = _batches(iter(reader_for(path)(path, kind)))
    seen: set[str] = set()
    faults, passages = 0, 0
    while not (batch := await asyncio.to_thread(next, batches)).final:
        added = await library.add_from(state.path, batch.documents)
        seen.update(document.reference.id for document in batch.documents)
        faults += _tell_faults(path, batch.faults, faults, meter.tell)
        passages += added.passages
        meter.add(documents=added.documents, passages=added.passages)
    if faults > NAMED:
        reason = f"{faults - NAMED} more parts of it cannot be read"
        meter.tell(FileFailed(path=path, reason=reason, remedy="Mend them as those above, and add the file again."))
    # What a faulty part held may be in the library already: nothing is removed for its sake, and the file is read
    # again next time, so that its faults are told again.
    removed = 0 if faults else await library.finish(state._replace(documents=len(seen), passages=passages), seen)
    meter.tell(FileRead(path=path, documents=len(seen), passages=passages))
    return Total(files=1, documents=len(seen), passages=passages, removed=removed)


def _batches(items: Iterator[Document | Faulty]) -> Iterator[Batch]:
    documents: list[Document] = []
    faults: list[Faulty] = []
    characters = 0
    for item in items:
        if isinstance(item, Faulty):
            faults.append(item)
            continue
        documents.append(item)
        characters += len(item.text)
        if len(documents) >= DOCUMENTS or characters >= CHARACTERS:
            yield Batch(documents, faults, final=False)
            documents, faults, characters = [], [], 0
    yield Batch(documents, faults, final=False)
    yield Batch([], [], final=True)


def _tell_faults(path: Path, faults: Sequence[Faulty], before: int, tell: Tell) -> int:
    for fault in faults[: max(0, NAMED - before)]:
        tell(FileFailed(path=path, reason=f"{fault.where}: {fault.reason}", remedy=fault.remedy))
    return len(faults)


def _state(path: Path, before: FileState | None) -> FileState:
    """The file as it is now. Its bytes are read only if its size or the time of its last change is another."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            # A pipe would be waited for, a device never ends.
            raise Unreadable(path, "it is not a regular file", "Name a file or a folder of files.")
        if before and (before.size, before.mtime_ns) == (found.st_size, found.st_mtime_ns):
            return before
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError as error:
        raise Unreadable(path, "there is no such file or folder", "Check how it is spelled.") from error
    except OSError as error:
        reason = f"it cannot be opened ({error.strerror or error})"
        raise Unreadable(path, reason, "Check that you may read it.") from error
    documents, passages = (before.documents, before.passages) if before else (0, 0)
    return FileState(_known_as(path), found.st_size, found.st_mtime_ns, sha256, documents, passages)


def _known_as(path: Path) -> str:
    return str(path.resolve())


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
