"""Files into a library: each is looked at, read in batches, stored, and remembered with what could not be read of it.

What can go wrong with a file is told once and kept in the library. A permanent fault (it is damaged, nobody knows how
to read it) is told again from there, and the file is not read again until it changes; a transient one (its disk is
away, it was being written) is tried again, a few times at the end of the run and with every further run.
"""

import asyncio
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from wellsourced import config
from wellsourced.config.libraries import read_library_settings
from wellsourced.errors import InaccessibleFile, SettingsError, SourceUnavailable, UnreadableFile
from wellsourced.events import Emit, FileFailed, FileRead, FileSkipped, IngestionCompleted, ignore_event
from wellsourced.ingest.fingerprints import FileFingerprint, fingerprint_file, manifest_path, stamp_file
from wellsourced.readers.base import DeletedDocuments, DocumentStream, UnreadablePart
from wellsourced.readers.decompressed_file import BYTES_READ
from wellsourced.readers.file_listing import list_files
from wellsourced.readers.worker.limits import FILE_LIMITS, WorkerLimits
from wellsourced.readers.worker.process import SHARED_POOL, Worker, stream_file
from wellsourced.sources.base import FileFault, FileState, IncrementalIndex
from wellsourced.storage.ingestion_progress import (
    MAX_NAMED_FAULTS,
    ProgressMeter,
    emit_fault_count,
    file_size,
)
from wellsourced.types import Document, SourceKind
from wellsourced.worker_pool import ReaderThread

MAX_KEPT_FAULTS = 100
"""Faulty parts of one file that are kept; the others are counted."""

MAX_TRIES, RETRY_PAUSE = 3, 1.0
"""How often a file with a transient fault is tried in one run, and seconds before the second time."""


class IngestRun(NamedTuple):
    """One run: where to, as what, whether faulty files are read again although they are as they were, and by whom."""

    library: IncrementalIndex
    kind: SourceKind
    meter: ProgressMeter
    again: bool
    reader: ReaderThread
    worker: Worker
    limits: WorkerLimits


async def ingest_files(
    library: IncrementalIndex,
    paths: Sequence[Path],
    emit: Emit = ignore_event,
    *,
    again: bool = False,
    limits: WorkerLimits = FILE_LIMITS,
) -> IngestionCompleted:
    """Add the files named, and those below the folders named, to a library that is open for writing.

    What has been told by FileRead is stored and can be searched by word. Files, and parts of files, that cannot be
    read are told by FileFailed, and everything else goes in; `failed` counts the files that gave nothing. `again`
    also reads those that could not be read before and have not changed. Files are parsed in a process of their own,
    within `limits`: one that needs more is a file that cannot be read.
    Raises SourceUnavailable when the disk is full: what went in stays in.
    """
    files, left_out = await asyncio.to_thread(list_files, paths)
    await library.queue_files(await asyncio.to_thread(lambda: [manifest_path(path) for path in files if path.exists()]))
    meter = ProgressMeter(emit, sum(file_size(path) for path in files))
    for error in left_out:
        emit(_build_failure(error))
    reader, worker = ReaderThread(), SHARED_POOL.take()
    try:
        total = await _ingest_all(
            IngestRun(library, (await library.describe()).kind, meter, again, reader, worker, limits), files
        )
    finally:
        if worker.busy:
            worker.close()
        await reader.run(SHARED_POOL.put_back, worker)
        reader.close()
    await library.maintain()
    meter.report()
    ended = total + IngestionCompleted(failed=len(left_out))
    emit(ended)
    return ended


async def _ingest_all(work: IngestRun, files: Sequence[Path]) -> IngestionCompleted:
    total = IngestionCompleted()
    for attempt in range(1, MAX_TRIES + 1):
        waiting: list[Path] = []
        for path in files:
            outcome = await _ingest_file(work, path, attempt)
            total += outcome or IngestionCompleted()
            waiting += [path] if outcome is None else []
        if not waiting:
            break
        await asyncio.sleep(RETRY_PAUSE * attempt)
        files = waiting
    return total


async def _ingest_file(work: IngestRun, path: Path, attempt: int) -> IngestionCompleted | None:
    """What came of a file; None when it may go better in a moment."""
    before = work.library.file(manifest_path(path))
    found: FileFingerprint | None = None
    try:
        found = await asyncio.to_thread(fingerprint_file, path, before)
        if before and before.sha256 == found.sha256 and _is_up_to_date(work, before):
            done = await _skip_file(work, path, before, found)
        else:
            done = await _read_documents(work, path, found, before)
    except UnreadableFile as error:
        # A file that changed while it was read is no damaged file, whatever its reader said of it.
        reason = await asyncio.to_thread(_find_change, path, found) or error
        # A disk that is away for a moment comes back: the file is tried once more when all others are in.
        # A package that is missing does not come meanwhile.
        is_passing = isinstance(reason, InaccessibleFile) and not isinstance(reason.__cause__, SettingsError)
        if is_passing and attempt < MAX_TRIES and found:
            return None
        done = await _record_failure(work, path, reason, found, before)
    work.meter.finish_file(file_size(path))
    return done


def _is_up_to_date(work: IngestRun, before: FileState) -> bool:
    """Whether reading it once more, as it is, would give the same."""
    if before.state == "done":
        return not (work.again and before.faulty)
    return (
        before.state == "failed"
        and not work.again
        and not any(fault.transient for fault in work.library.faults(before.path))
    )


async def _skip_file(work: IngestRun, path: Path, before: FileState, found: FileFingerprint) -> IngestionCompleted:
    """A file that is as it was: nothing is read, and its faults are told from the list."""
    faults = work.library.faults(before.path)
    if (before.size, before.mtime_ns) != found.stamp[:2]:
        # Touched but not changed: remembered, so that its bytes need not be read next time.
        touched = before._replace(size=found.stamp.size, mtime_ns=found.stamp.mtime_ns)
        await work.library.finish_file(touched, None, faults)
    _emit_faults(path, faults[:MAX_NAMED_FAULTS], work.meter.emit)
    if before.state == "failed":
        return IngestionCompleted(failed=1)
    emit_fault_count(path, before.faulty, work.meter.emit)
    work.meter.emit(FileSkipped(path=path))
    return IngestionCompleted(skipped=1)


MAX_DOCUMENTS, MAX_CHARACTERS = 1_000, 4_000_000
"""A batch: so many documents, or fewer of so many characters together."""


class IngestBatch(NamedTuple):
    """What a reader gave next: documents, and then ids of documents to remove. The last one is `final`, and empty."""

    documents: list[Document]
    deleted: list[str]
    faults: list[UnreadablePart]
    is_final: bool = False


def split_batches(items: DocumentStream) -> Iterator[IngestBatch]:
    """Everything that a reader yields, what is deleted after what was given before it."""
    batch, characters = IngestBatch([], [], []), 0
    for item in items:
        if isinstance(item, UnreadablePart):
            batch.faults.append(item)
        elif isinstance(item, DeletedDocuments):
            batch.deleted.extend(item.ids)
        else:
            # A document that comes after a deletion may be the same one again: it must not be stored before it.
            if batch.deleted or len(batch.documents) >= MAX_DOCUMENTS or characters >= MAX_CHARACTERS:
                yield batch
                batch, characters = IngestBatch([], [], []), 0
            batch.documents.append(item)
            characters += len(item.text)
    yield batch
    yield IngestBatch([], [], [], is_final=True)


def read_next_batch(path: Path, rest: Iterator[IngestBatch]) -> IngestBatch:
    """The next batch. Raises UnreadableFile; InaccessibleFile when the fault is not the file's."""
    try:
        return next(rest)
    except UnreadableFile:
        raise
    except OSError as error:
        raise InaccessibleFile(path, f"it cannot be read ({error.strerror or error})", "Add it again later.") from error
    except SettingsError as error:
        # A package that reads this kind of file is missing: once it is here, the file is read without being asked.
        missing = InaccessibleFile(path, error.phrase, "Then add the file again.")
        missing.next_step = error.next_step
        raise missing from error
    except SourceUnavailable as error:
        raise InaccessibleFile(path, error.phrase, "Add it again later.") from error
    except Exception as error:
        # A mistake of ours in a reader must not keep out the files behind this one, run after run.
        remedy = "Leave it out and report this error."
        raise UnreadableFile(path, f"its reader failed ({type(error).__name__}: {error})", remedy) from error


async def _read_documents(
    work: IngestRun, path: Path, found: FileFingerprint, before: FileState | None
) -> IngestionCompleted:
    BYTES_READ.set(work.meter.set_position)
    reading = FileIngestion(work, path)
    rest = split_batches(stream_file(path, work.kind, work.worker, work.limits))
    coming = asyncio.ensure_future(work.reader.run(read_next_batch, path, rest))
    try:
        while not (batch := await coming).is_final:
            # What comes next is read while this is stored.
            coming = asyncio.ensure_future(work.reader.run(read_next_batch, path, rest))
            await reading.store_batch(batch)
            await asyncio.sleep(0)  # whoever wants to stop here can
    finally:
        coming.cancel()
    if error := await asyncio.to_thread(_find_change, path, found):
        raise error
    return await reading.finish(_build_file_state(path, found, before))


def _build_file_state(path: Path, found: FileFingerprint, before: FileState | None) -> FileState:
    """The file as it was found, and what is known of its documents from before."""
    documents, passages = (before.documents, before.passages) if before else (0, 0)
    tries = before.tries if before and before.sha256 == found.sha256 else 0
    at = datetime.now(UTC).isoformat(timespec="seconds")
    size, mtime_ns, _ = found.stamp
    return FileState(manifest_path(path), size, mtime_ns, found.sha256, documents, passages, tries=tries + 1, at=at)


class FileIngestion:
    """One file on its way into a library. It remembers the ids it has met: about 100 bytes of memory a document."""

    def __init__(self, work: IngestRun, path: Path) -> None:
        self.work, self.path, self.name = work, path, manifest_path(path)
        self.held_ids: set[str] = set()
        self.deleted_ids: set[str] = set()
        self.faults: list[FileFault] = []
        self.faulty = self.documents = self.passages = self.removed = 0

    async def store_batch(self, batch: IngestBatch) -> None:
        """Documents first, then what is deleted after them."""
        added = await self.work.library.add_from(self.name, batch.documents)
        ids = {document.reference.id for document in batch.documents}
        self.held_ids |= ids
        self.deleted_ids -= ids
        self.documents += added.documents
        self.passages += added.passages
        if batch.deleted:
            self.removed += await self.work.library.withdraw(self.name, batch.deleted)
            self.held_ids.difference_update(batch.deleted)
            self.deleted_ids.update(batch.deleted)
        faults = [FileFault(self.name, fault.where, fault.reason, fault.remedy) for fault in batch.faults]
        _emit_faults(self.path, faults[: max(0, MAX_NAMED_FAULTS - self.faulty)], self.work.meter.emit)
        self.faults += faults[: max(0, MAX_KEPT_FAULTS - self.faulty)]
        self.faulty += len(faults)
        self.work.meter.add_counts(documents=added.documents, passages=added.passages)

    async def finish(self, state: FileState) -> IngestionCompleted:
        """All of it was read."""
        emit_fault_count(self.path, self.faulty, self.work.meter.emit)
        state = state._replace(documents=self.documents, passages=self.passages, faulty=self.faulty)
        # What a faulty part held may be in the library already: nothing is removed for its sake.
        kept, deleted = (None, None) if self.faulty else (self.held_ids, self.deleted_ids)
        self.removed += await self.work.library.finish_file(state, kept, self.faults, deleted)
        self.work.meter.emit(FileRead(path=self.path, documents=self.documents, passages=self.passages))
        return IngestionCompleted(
            files=1,
            documents=self.documents,
            passages=self.passages,
            removed=self.removed,
            partial=int(bool(self.faulty)),
        )


def _find_change(path: Path, found: FileFingerprint | None) -> InaccessibleFile | None:
    """Why what was read may be neither the old file nor the new one; None when it is as it was found."""
    if found is None:
        return None
    try:
        if stamp_file(path) == found.stamp:
            return None
        reason = "it changed while it was read"
    except UnreadableFile:
        reason = "it disappeared while it was read"
    return InaccessibleFile(
        path, reason, "Add it again when it no longer changes. Its parts read so far are in the library."
    )


async def _record_failure(
    work: IngestRun,
    path: Path,
    error: UnreadableFile,
    found: FileFingerprint | None,
    before: FileState | None,
) -> IngestionCompleted:
    """Tell and remember it. What never was a file is not remembered: a slip of the pen would stay for ever."""
    transient = isinstance(error, InaccessibleFile)
    # Only what was queued has a state: a path that never was a file leaves no trace.
    if before:
        state = _build_file_state(path, found, before) if found else before._replace(tries=before.tries + 1)
        fault = FileFault(state.path, "", error.reason, error.remedy, transient)
        at = datetime.now(UTC).isoformat(timespec="seconds")
        await work.library.finish_file(state._replace(state="failed", at=at), None, [fault])
    work.meter.emit(_build_failure(error, path))
    return IngestionCompleted(failed=1)


def _build_failure(error: UnreadableFile, path: Path | None = None) -> FileFailed:
    transient = isinstance(error, InaccessibleFile)
    return FileFailed(
        path=path or error.path,
        reason=error.reason,
        remedy=error.remedy,
        transient=transient,
        next_step=error.next_step,
    )


def _emit_faults(path: Path, faults: Sequence[FileFault], emit: Emit) -> None:
    for fault in faults:
        emit(FileFailed(path=path, reason=fault.summary, remedy=fault.remedy, transient=fault.transient))


# --- into a library by its name, and out of it


async def ingest_paths(
    settings: config.Settings, name: str, paths: tuple[Path, ...], vectors: bool, emit: Emit, *, again: bool = False
) -> IngestionCompleted:
    """Read files into a library: first the text, then its vectors, where the library has those of this encoder."""
    encoder = config.build_encoder(settings)
    async with config.open_library(settings, name, write=True) as opened:
        ingested = await ingest_files(opened, paths, emit, again=again)
        # Another encoder's vectors would be thrown away for this one's: that is for `embed` to do, when it is told to.
        if vectors and encoder and encoder.name == read_library_settings(settings, name).encoder:
            await opened.embed_passages(emit)
    return ingested


async def remove_documents(settings: config.Settings, name: str, ids: Sequence[str]) -> "RemovalResult":
    """Take documents out of a library, by their ids or by the files that they came from. Raises as `open_library`."""
    async with config.open_library(settings, name, write=True) as opened:
        files = {one: file for one in ids if (file := opened.file(manifest_path(Path(one))))}
        removed = await opened.remove([one for one in ids if one not in files])
        missing = len({*ids} - {*files}) - removed
        for file in files.values():
            # Killed between this and the next line, it would otherwise be known as read, with nothing of it here.
            removed += await opened.finish_file(file._replace(sha256=""), frozenset())
            await opened.forget_file(file.path)
        return RemovalResult(removed, missing, bool(files))


class RemovalResult(NamedTuple):
    """How many documents went, how many of those named were not there, and whether files were among what was named."""

    documents: int
    missing: int
    files: bool
