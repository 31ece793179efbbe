"""Files into a library: each is looked at, read in batches, stored, and remembered with what could not be read of it.

What can go wrong with a file is told once and kept in the library. A permanent fault (it is damaged, nobody knows how
to read it) is told again from there, and the file is not read again until it changes; a transient one (its disk is
away, it was being written) is tried again, a few times at the end of the run and with every further run.
"""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from wellsourced import config
from wellsourced.config.libraries import read_library_settings
from wellsourced.errors import InaccessibleFile, SettingsError, UnreadableFile
from wellsourced.events import Emit, FileFailed, FileRead, FileSkipped, IngestionCompleted, ignore_event
from wellsourced.ingest.file_reading import FileReader, IngestBatch
from wellsourced.ingest.fingerprints import FileFingerprint, fingerprint_file, manifest_path, stamp_file
from wellsourced.ingest.ray_cluster import open_ray
from wellsourced.readers.decompressed_file import BYTES_READ
from wellsourced.readers.file_listing import list_files
from wellsourced.readers.worker.limits import FILE_LIMITS, WorkerLimits
from wellsourced.sources.base import FileFault, FileState, IncrementalIndex
from wellsourced.storage.ingestion_progress import (
    MAX_NAMED_FAULTS,
    ProgressMeter,
    emit_fault_count,
    file_size,
)
from wellsourced.types import SourceKind

MAX_KEPT_FAULTS = 100
"""Faulty parts of one file that are kept; the others are counted."""

MAX_TRIES, RETRY_PAUSE = 3, 1.0
"""How often a file with a transient fault is tried in one run, and seconds before the second time."""


class IngestRun(NamedTuple):
    """One run: where to, as what, and whether faulty files are read again although they are as they were."""

    library: IncrementalIndex
    kind: SourceKind
    meter: ProgressMeter
    again: bool


async def ingest_files(
    library: IncrementalIndex,
    paths: Sequence[Path],
    emit: Emit = ignore_event,
    *,
    again: bool = False,
    limits: WorkerLimits = FILE_LIMITS,
    readers: Sequence[FileReader] = (),
) -> IngestionCompleted:
    """Add the files named, and those below the folders named, to a library that is open for writing.

    What has been told by FileRead is stored and can be searched by word. Files, and parts of files, that cannot be
    read are told by FileFailed, and everything else goes in; `failed` counts the files that gave nothing. `again`
    also reads those that could not be read before and have not changed. Files are parsed in a process of their own,
    within `limits`: one that needs more is a file that cannot be read. `readers` read as many files at the same time,
    in place of this process's own; they are closed in the end.
    Raises SourceUnavailable when the disk is full: what went in stays in.
    """
    files, left_out = await asyncio.to_thread(list_files, paths)
    await library.queue_files(await asyncio.to_thread(lambda: [manifest_path(path) for path in files if path.exists()]))
    meter = ProgressMeter(emit, sum(file_size(path) for path in files))
    for error in left_out:
        emit(_build_failure(error))
    readers = readers or [FileReader(limits)]
    try:
        total = await _ingest_all(IngestRun(library, (await library.describe()).kind, meter, again), files, readers)
    finally:
        for reader in readers:
            await reader.close()
    await library.maintain(emit)
    meter.report()
    ended = total + IngestionCompleted(failed=len(left_out))
    emit(ended)
    return ended


async def _ingest_all(work: IngestRun, files: Sequence[Path], readers: Sequence[FileReader]) -> IngestionCompleted:
    total = IngestionCompleted()
    for attempt in range(1, MAX_TRIES + 1):
        waiting: list[Path] = []
        rest = iter(files)

        async def ingest_rest(reader: FileReader, attempt: int = attempt) -> None:
            nonlocal total
            for path in rest:  # noqa: B023 (all readers take from one list)
                outcome = await _ingest_file(work, reader, path, attempt)
                total += outcome or IngestionCompleted()
                waiting.extend([path] if outcome is None else [])  # noqa: B023

        tasks = [asyncio.ensure_future(ingest_rest(reader)) for reader in readers]
        try:
            await asyncio.gather(*tasks)
        finally:
            # Where one met a full disk, the others stop, too; what they were storing is stored whole.
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        if not waiting:
            break
        await asyncio.sleep(RETRY_PAUSE * attempt)
        files = waiting
    return total


async def _ingest_file(work: IngestRun, reader: FileReader, path: Path, attempt: int) -> IngestionCompleted | None:
    """What came of a file; None when it may go better in a moment."""
    before = work.library.file(manifest_path(path))
    found: FileFingerprint | None = None
    try:
        found = await asyncio.to_thread(fingerprint_file, path, before)
        if before and before.sha256 == found.sha256 and _is_up_to_date(work, before):
            done = await _skip_file(work, path, before, found)
        else:
            done = await _read_documents(work, reader, path, found, before)
    except UnreadableFile as error:
        # A file that changed while it was read is no damaged file, whatever its reader said of it.
        reason = await asyncio.to_thread(_find_change, path, found) or error
        # A disk that is away for a moment comes back: the file is tried once more when all others are in.
        # A package that is missing does not come meanwhile.
        is_passing = isinstance(reason, InaccessibleFile) and not isinstance(reason.__cause__, SettingsError)
        if is_passing and attempt < MAX_TRIES and found:
            return None
        done = await _record_failure(work, path, reason, found, before)
    work.meter.finish_file(file_size(path), path)
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


async def _read_documents(
    work: IngestRun, reader: FileReader, path: Path, found: FileFingerprint, before: FileState | None
) -> IngestionCompleted:
    BYTES_READ.set(partial(work.meter.set_position, path=path))
    reading = FileIngestion(work, path)
    rest = reader.read_batches(path, work.kind, found.sha256)
    coming = asyncio.ensure_future(reader.read_next(path, rest))
    try:
        while not (batch := await coming).is_final:
            # What comes next is read while this is stored: that much, and no more, waits for the one who stores.
            coming = asyncio.ensure_future(reader.read_next(path, rest))
            await reading.store_batch(batch)
            if batch.position:
                work.meter.set_position(batch.position, path)
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
        ids = {document.id for document in batch.documents}
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
    settings: config.Settings,
    name: str,
    paths: tuple[Path, ...],
    vectors: bool,
    emit: Emit,
    *,
    again: bool = False,
    ray: str = "",
) -> IngestionCompleted:
    """Read files into a library: first the text, then its vectors, where the library has those of this encoder.

    ray   "local", or the address of a cluster: its workers read and encode (see `open_ray`)
    """
    encoder = config.build_encoder(settings)
    async with config.open_library(settings, name, write=True) as opened, open_ray(settings, ray) as workers:
        readers = workers.start_readers() if workers else ()
        ingested = await ingest_files(opened, paths, emit, again=again, readers=readers)
        # Another encoder's vectors would be thrown away for this one's: that is for `embed` to do, when it is told to.
        if vectors and encoder and encoder.name == read_library_settings(settings, name).encoder:
            await opened.embed_passages(emit, workers.start_encoder(encoder) if workers else None)
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
