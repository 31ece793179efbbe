"""Files into the graph and vocabularies out of it, telling how far it is; searches go on in between."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol, TypeVar

from wellsourced.errors import UnreadableFile
from wellsourced.events import Emit, FileFailed, FileRead, FileSkipped, IngestionCompleted, Progress
from wellsourced.readers.concepts import list_concept_files
from wellsourced.readers.decompressed_file import BYTES_READ
from wellsourced.sources.graph.builder import MAX_NAMED_FAULTS, GraphBuilder
from wellsourced.sources.graph.file_import import FileImport, stat_vocabulary_file

INTERVAL = 0.2
"""Seconds between two events of progress, at least."""

T = TypeVar("T")
NOTHING_INGESTED = IngestionCompleted(files=0, skipped=0, failed=0, documents=0, passages=0, removed=0)


class ThreadRunner(Protocol):
    """Runs a function in a thread, when it is its turn."""

    def __call__(self, call: Callable[[], T], /) -> Awaitable[T]: ...


async def add_files(
    builder: GraphBuilder, call: ThreadRunner, path: Path, language: str, emit: Emit
) -> IngestionCompleted:
    """All files of a path, and then the indexes."""
    files = await asyncio.to_thread(list_concept_files, path)
    meter = GraphProgress(emit, sum(_file_size(one) for one in files))
    ended = NOTHING_INGESTED
    for one in files:
        came = await _add_file(builder, call, one, language, meter)
        ended = IngestionCompleted(**{key: value + getattr(came, key) for key, value in ended})
    await _build_indexes(builder, call, emit)
    emit(ended)
    return ended


async def _add_file(
    builder: GraphBuilder, call: ThreadRunner, path: Path, language: str, meter: "GraphProgress"
) -> IngestionCompleted:
    try:
        state = await asyncio.to_thread(stat_vocabulary_file, path, language)
        known = await call(lambda: builder.find_file(state.path))
        if known and known.is_same_as(state) and known.state == "read":
            meter.report_skip(path, known.faults)
            return NOTHING_INGESTED.model_copy(update={"skipped": 1})
        removed = await _remove_file(builder, call, known.key) if known and not known.is_same_as(state) else 0
        BYTES_READ.set(meter.set_position)
        given = await _import_file(await call(lambda: builder.open_file(state)), call, path, meter)
    except UnreadableFile as error:
        meter.emit(FileFailed(path=path, reason=error.reason, remedy=error.remedy))
        return NOTHING_INGESTED.model_copy(update={"failed": 1})
    finally:
        meter.finish_file(_file_size(path))
    meter.emit(FileRead(path=path, documents=given.state.concepts, passages=given.state.facts))
    return IngestionCompleted(
        files=1, skipped=0, failed=0, documents=given.state.concepts, passages=given.state.facts, removed=removed
    )


async def _import_file(filling: FileImport, call: ThreadRunner, path: Path, meter: "GraphProgress") -> FileImport:
    try:
        while await call(filling.import_batch):
            meter.report(filling)
    finally:
        meter.report_faults(path, filling)
    return filling


async def _remove_file(builder: GraphBuilder, call: ThreadRunner, key: int) -> int:
    steps = builder.remove_file(key)
    removed = 0
    while (step := await call(lambda: next(steps, None))) is not None:
        removed += step
    return removed


async def _build_indexes(builder: GraphBuilder, call: ThreadRunner, emit: Emit) -> None:
    steps = builder.build_indexes()
    begun = time.monotonic()
    while (step := await call(lambda: next(steps, None))) is not None:
        rate = step.done / max(time.monotonic() - begun, 1e-9)
        emit(Progress(task="indexing", done=step.done, total=step.total, unit="passages", rate=rate))


def _file_size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


class GraphProgress:
    """Tells how far the reading is, not more often than anyone can look."""

    def __init__(self, emit: Emit, total: int) -> None:
        self.emit, self.total = emit, total
        self._done_bytes = self._position = self._concepts = self._facts = 0
        self._started = time.monotonic()
        self._last_report = 0.0

    def set_position(self, position: int) -> None:
        """So far into the file at hand, in bytes."""
        self._position = position

    def finish_file(self, size: int) -> None:
        """The file at hand, of so many bytes, is done with."""
        self._done_bytes += size
        self._position = 0

    def report(self, filling: FileImport) -> None:
        """Where it stands now."""
        if time.monotonic() - self._last_report < INTERVAL:
            return
        self._last_report = time.monotonic()
        done = self._done_bytes + self._position
        self.emit(
            Progress(
                task="reading",
                done=done,
                total=self.total,
                unit="bytes",
                documents=filling.state.concepts,
                passages=filling.state.facts,
                rate=done / max(self._last_report - self._started, 1e-9),
            )
        )

    def report_skip(self, path: Path, faults: int) -> None:
        """The file is as it was; what could not be read then is not forgotten."""
        self.emit(FileSkipped(path=path))
        if faults:
            reason = f"{faults} parts of it could not be read when it was added"
            self.emit(FileFailed(path=path, reason=reason, remedy="Mend them and add the file again."))

    def report_faults(self, path: Path, filling: FileImport) -> None:
        """The first faulty parts by name, the others by their number."""
        for fault in filling.faults[:MAX_NAMED_FAULTS]:
            self.emit(FileFailed(path=path, reason=f"{fault.where}: {fault.reason}", remedy=fault.remedy))
        if (more := len(filling.faults) - MAX_NAMED_FAULTS) > 0:
            reason = f"{more} more parts of it cannot be read"
            self.emit(FileFailed(path=path, reason=reason, remedy="Mend them as those above, and add the file again."))
