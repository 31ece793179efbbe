"""Files into a library: each is looked at, read in batches, stored, and remembered with what could not be read of it.

What can go wrong with a file is told once and kept in the library. A permanent fault (it is damaged, nobody knows how
to read it) is told again from there, and the file is not read again until it changes; a transient one (its disk is
away, it was being written) is tried again, a few times at the end of the run and with every further run.
"""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from wellsourced.errors import Unopened, Unreadable
from wellsourced.events import FileFailed, FileRead, FileSkipped, Ingested, Tell, unheard
from wellsourced.ingest.batches import Batch, batches, following
from wellsourced.ingest.disk import Found, known_as, look, size, stamp
from wellsourced.ingest.meter import Meter
from wellsourced.readers import BYTES_READ, FILE_LIMITS, WORKERS, Limits, OneThread, Worker, list_files, read_file
from wellsourced.sources.base import Fault, FileState, Shelf
from wellsourced.types import Kind

NAMED, KEPT = 5, 100
"""Faulty parts of one file that are told, and that are kept; the others are counted."""

TRIES, PAUSE = 3, 1.0
"""How often a file with a transient fault is tried in one run, and seconds before the second time."""


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


class Work(NamedTuple):
    """One run: where to, as what, whether faulty files are read again although they are as they were, and by whom."""

    library: Shelf
    kind: Kind
    meter: Meter
    again: bool
    reader: OneThread
    worker: Worker
    limits: Limits


async def ingest(
    library: Shelf, paths: Sequence[Path], tell: Tell = unheard, *, again: bool = False, limits: Limits = FILE_LIMITS
) -> Ingested:
    """Add the files named, and those below the folders named, to a library that is open for writing.

    What has been told by FileRead is stored and can be searched by word. Files, and parts of files, that cannot be
    read are told by FileFailed, and everything else goes in; `failed` counts the files that gave nothing. `again`
    also reads those that could not be read before and have not changed. Files are parsed in a process of their own,
    within `limits`: one that needs more is a file that cannot be read.
    Raises Unavailable when the disk is full: what went in stays in.
    """
    files, left_out = await asyncio.to_thread(list_files, paths)
    await library.queue(await asyncio.to_thread(lambda: [known_as(path) for path in files if path.exists()]))
    meter = Meter(tell, sum(size(path) for path in files))
    for error in left_out:
        tell(_told(error))
    reader, worker = OneThread(), WORKERS.take()
    try:
        total = await _all(Work(library, (await library.card()).kind, meter, again, reader, worker, limits), files)
    finally:
        if worker.busy:
            worker.close()
        await reader.do(WORKERS.put_back, worker)
        reader.close()
    await library.maintain()
    meter.say()
    ended = Ingested(**total.plus(Total(failed=len(left_out)))._asdict())
    tell(ended)
    return ended


async def _all(work: Work, files: Sequence[Path]) -> Total:
    total = Total()
    for attempt in range(1, TRIES + 1):
        waiting: list[Path] = []
        for path in files:
            outcome = await _file(work, path, attempt)
            total = total.plus(outcome or Total())
            waiting += [path] if outcome is None else []
        if not waiting:
            break
        await asyncio.sleep(PAUSE * attempt)
        files = waiting
    return total


async def _file(work: Work, path: Path, attempt: int) -> Total | None:
    """What came of a file; None when it may go better in a moment."""
    before = work.library.file(known_as(path))
    found: Found | None = None
    try:
        found = await asyncio.to_thread(look, path, before)
        if before and before.sha256 == found.sha256 and _settled(work, before):
            done = await _known(work, path, before, found)
        else:
            done = await _read(work, path, found, before, attempt)
    except Unreadable as error:
        reason = await asyncio.to_thread(_changed_meanwhile, path, found) or error
        if isinstance(reason, Unopened) and attempt < TRIES and found:
            return None
        done = await _failed(work, path, reason, found, before, attempt)
    work.meter.end(size(path))
    return done


def _settled(work: Work, before: FileState) -> bool:
    """Whether reading it once more, as it is, would give the same."""
    if before.state == "done":
        return not (work.again and before.faulty)
    return (
        before.state == "failed"
        and not work.again
        and not any(fault.transient for fault in work.library.faults(before.path))
    )


async def _known(work: Work, path: Path, before: FileState, found: Found) -> Total:
    """A file that is as it was: nothing is read, and its faults are told from the list."""
    faults = work.library.faults(before.path)
    if (before.size, before.mtime_ns) != found.stamp[:2]:
        # Touched but not changed: remembered, so that its bytes need not be read next time.
        touched = before._replace(size=found.stamp.size, mtime_ns=found.stamp.mtime_ns)
        await work.library.finish(touched, None, faults)
    _tell(path, faults[:NAMED], work.meter.tell)
    if before.state == "failed":
        return Total(failed=1)
    _tell_rest(path, before.faulty, work.meter.tell)
    work.meter.tell(FileSkipped(path=path))
    return Total(skipped=1)


async def _read(work: Work, path: Path, found: Found, before: FileState | None, attempt: int) -> Total:
    BYTES_READ.set(work.meter.at)
    reading = Reading(work, path)
    rest = batches(read_file(path, work.kind, work.worker, work.limits))
    coming = asyncio.ensure_future(work.reader.do(following, path, rest))
    try:
        while not (batch := await coming).final:
            # What comes next is read while this is stored.
            coming = asyncio.ensure_future(work.reader.do(following, path, rest))
            await reading.store(batch)
            await asyncio.sleep(0)  # whoever wants to stop here can
    finally:
        coming.cancel()
    if error := await asyncio.to_thread(_changed_meanwhile, path, found):
        raise error
    return await reading.finish(_state(path, found, before, attempt))


def _state(path: Path, found: Found, before: FileState | None, attempt: int) -> FileState:
    """The file as it was found, and what is known of its documents from before."""
    documents, passages = (before.documents, before.passages) if before else (0, 0)
    tries = before.tries if before and before.sha256 == found.sha256 else 0
    at = datetime.now(UTC).isoformat(timespec="seconds")
    size, mtime_ns, _ = found.stamp
    return FileState(
        known_as(path), size, mtime_ns, found.sha256, documents, passages, tries=tries + attempt, at=at
    )  # fmt: skip


class Reading:
    """One file on its way into a library. It remembers the ids it has met: about 100 bytes of memory a document."""

    def __init__(self, work: Work, path: Path) -> None:
        self.work, self.path, self.name = work, path, known_as(path)
        self.held: set[str] = set()
        self.deleted: set[str] = set()
        self.faults: list[Fault] = []
        self.faulty = self.documents = self.passages = self.removed = 0

    async def store(self, batch: Batch) -> None:
        """Documents first, then what is deleted after them."""
        added = await self.work.library.add_from(self.name, batch.documents)
        ids = {document.reference.id for document in batch.documents}
        self.held |= ids
        self.deleted -= ids
        self.documents += added.documents
        self.passages += added.passages
        if batch.deleted:
            self.removed += await self.work.library.withdraw(self.name, batch.deleted)
            self.held.difference_update(batch.deleted)
            self.deleted.update(batch.deleted)
        self._hear(batch)
        self.work.meter.add(documents=added.documents, passages=added.passages)

    def _hear(self, batch: Batch) -> None:
        faults = [Fault(self.name, fault.where, fault.reason, fault.remedy) for fault in batch.faults]
        _tell(self.path, faults[: max(0, NAMED - self.faulty)], self.work.meter.tell)
        self.faults += faults[: max(0, KEPT - self.faulty)]
        self.faulty += len(faults)

    async def finish(self, state: FileState) -> Total:
        """All of it was read."""
        _tell_rest(self.path, self.faulty, self.work.meter.tell)
        state = state._replace(documents=self.documents, passages=self.passages, faulty=self.faulty)
        # What a faulty part held may be in the library already: nothing is removed for its sake.
        kept, deleted = (None, None) if self.faulty else (self.held, self.deleted)
        self.removed += await self.work.library.finish(state, kept, self.faults, deleted)
        self.work.meter.tell(FileRead(path=self.path, documents=self.documents, passages=self.passages))
        return Total(files=1, documents=self.documents, passages=self.passages, removed=self.removed)


def _changed_meanwhile(path: Path, found: Found | None) -> Unopened | None:
    """Why what was read may be neither the old file nor the new one; None when it is as it was found."""
    if found is None:
        return None
    try:
        if stamp(path) == found.stamp:
            return None
        reason = "it changed while it was being read"
    except Unreadable:
        reason = "it disappeared while it was being read"
    return Unopened(path, reason, "Add it again when nobody writes it any more; what it gave so far is in.")


async def _failed(
    work: Work, path: Path, error: Unreadable, found: Found | None, before: FileState | None, attempt: int
) -> Total:
    """Tell and remember it. What never was a file is not remembered: a slip of the pen would stay for ever."""
    transient = isinstance(error, Unopened)
    if before:
        state = _state(path, found, before, attempt) if found else before._replace(tries=before.tries + attempt)
        fault = Fault(state.path, "", error.reason, error.remedy, transient)
        at = datetime.now(UTC).isoformat(timespec="seconds")
        await work.library.finish(state._replace(state="failed", at=at), None, [fault])
    work.meter.tell(_told(error, path))
    return Total(failed=1)


def _told(error: Unreadable, path: Path | None = None) -> FileFailed:
    transient = isinstance(error, Unopened)
    return FileFailed(path=path or error.path, reason=error.reason, remedy=error.remedy, transient=transient)


def _tell(path: Path, faults: Sequence[Fault], tell: Tell) -> None:
    for fault in faults:
        tell(FileFailed(path=path, reason=fault.said, remedy=fault.remedy, transient=fault.transient))


def _tell_rest(path: Path, faulty: int, tell: Tell) -> None:
    if faulty > NAMED:
        reason = f"{faulty - NAMED} more parts of it cannot be read"
        tell(FileFailed(path=path, reason=reason, remedy="Mend them as those above, and add the file again."))
