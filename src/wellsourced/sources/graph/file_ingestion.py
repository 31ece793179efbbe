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
from wellsourced.sources.graph.builder import GraphBuilder
from wellsourced.sources.graph.file_import import FileImport, stat_vocabulary_file
from wellsourced.storage.ingestion_progress import (
    MAX_NAMED_FAULTS,
    IngestTotals,
    ProgressMeter,
    emit_fault_count,
    file_size,
)

T = TypeVar("T")


class ThreadRunner(Protocol):
    """Runs a function in a thread, when it is its turn."""

    def __call__(self, call: Callable[[], T], /) -> Awaitable[T]: ...


async def add_files(
    builder: GraphBuilder, call: ThreadRunner, path: Path, language: str, emit: Emit
) -> IngestionCompleted:
    """All files of a path, and then the indexes."""
    files = await asyncio.to_thread(list_concept_files, path)
    meter = ProgressMeter(emit, sum(map(file_size, files)))
    total = IngestTotals()
    for one in files:
        total = total.add(await _add_file(builder, call, one, language, meter))
    await _build_indexes(builder, call, emit)
    ended = IngestionCompleted(**total._asdict())
    emit(ended)
    return ended


async def _add_file(
    builder: GraphBuilder, call: ThreadRunner, path: Path, language: str, meter: ProgressMeter
) -> IngestTotals:
    try:
        state = await asyncio.to_thread(stat_vocabulary_file, path, language)
        known = await call(lambda: builder.find_file(state.path))
        # A file that was begun and not ended is not as it was: it goes on.
        if known and known.is_same_as(state) and known.state == "read":
            _emit_skip(path, known.faults, meter.emit)
            return IngestTotals(skipped=1)
        removed = await _remove_file(builder, call, known.key) if known and not known.is_same_as(state) else 0
        BYTES_READ.set(meter.set_position)
        given = await _import_file(await call(lambda: builder.open_file(state)), call, path, meter)
    # One file that cannot be read does not keep the others from going in.
    except UnreadableFile as error:
        meter.emit(FileFailed(path=path, reason=error.reason, remedy=error.remedy))
        return IngestTotals(failed=1)
    finally:
        meter.bytes += file_size(path)
        meter.set_position(0)
    concepts, facts = given.state.concepts, given.state.facts
    meter.emit(FileRead(path=path, documents=concepts, passages=facts))
    return IngestTotals(files=1, documents=concepts, passages=facts, removed=removed)


async def _import_file(filling: FileImport, call: ThreadRunner, path: Path, meter: ProgressMeter) -> FileImport:
    try:
        while await call(filling.import_batch):
            meter.documents, meter.passages = filling.state.concepts, filling.state.facts
            meter.add_counts()
    finally:
        # Told also when the import ends in an error: what was wrong before it may be its cause.
        for fault in filling.faults[:MAX_NAMED_FAULTS]:
            meter.emit(FileFailed(path=path, reason=f"{fault.where}: {fault.reason}", remedy=fault.remedy))
        emit_fault_count(path, len(filling.faults), meter.emit)
    return filling


def _emit_skip(path: Path, faults: int, emit: Emit) -> None:
    """The file is as it was; what could not be read then is not forgotten."""
    emit(FileSkipped(path=path))
    if faults:
        reason = f"{faults} parts of it could not be read when it was added"
        emit(FileFailed(path=path, reason=reason, remedy="Mend them and add the file again."))


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
        done, total = step
        rate = done / max(time.monotonic() - begun, 1e-9)
        emit(Progress(task="indexing", done=done, total=total, unit="passages", rate=rate))
