"""Files into the graph and vocabularies out of it, telling how far it is; searches go on in between."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol, TypeVar

from wellsourced.errors import Unreadable
from wellsourced.events import FileFailed, FileRead, FileSkipped, Ingested, Progress, Tell, unheard
from wellsourced.readers import BYTES_READ, concept_files_under
from wellsourced.sources.graph.build import NAMED, Builder, Filling, state_of

INTERVAL = 0.2
"""Seconds between two events of progress, at least."""

T = TypeVar("T")
NOTHING = Ingested(files=0, skipped=0, failed=0, documents=0, passages=0, removed=0)


class Call(Protocol):
    """Runs a function in a thread, when it is its turn."""

    def __call__(self, call: Callable[[], T], /) -> Awaitable[T]: ...


async def add(builder: Builder, call: Call, path: Path, language: str, tell: Tell) -> Ingested:
    """All files of a path, and then the indexes."""
    files = await asyncio.to_thread(concept_files_under, path)
    meter = Meter(tell, sum(_size(one) for one in files))
    ended = NOTHING
    for one in files:
        came = await _add(builder, call, one, language, meter)
        ended = Ingested(**{key: value + getattr(came, key) for key, value in ended})
    await _settle(builder, call, tell)
    tell(ended)
    return ended


async def _add(builder: Builder, call: Call, path: Path, language: str, meter: "Meter") -> Ingested:
    try:
        state = await asyncio.to_thread(state_of, path, language)
        known = await call(lambda: builder.file(state.path))
        if known and known.is_of(state) and known.state == "read":
            meter.skip(path, known.faults)
            return NOTHING.model_copy(update={"skipped": 1})
        removed = await _remove(builder, call, known.key) if known and not known.is_of(state) else 0
        BYTES_READ.set(meter.at)
        given = await _fill(await call(lambda: builder.begin(state)), call, path, meter)
    except Unreadable as error:
        meter.tell(FileFailed(path=path, reason=error.reason, remedy=error.remedy))
        return NOTHING.model_copy(update={"failed": 1})
    finally:
        meter.end(_size(path))
    meter.tell(FileRead(path=path, documents=given.state.concepts, passages=given.state.facts))
    return Ingested(
        files=1, skipped=0, failed=0, documents=given.state.concepts, passages=given.state.facts, removed=removed
    )


async def _fill(filling: Filling, call: Call, path: Path, meter: "Meter") -> Filling:
    try:
        while await call(filling.step):
            meter.say(filling)
    finally:
        meter.tell_faults(path, filling)
    return filling


async def remove(builder: Builder, call: Call, keys: list[int]) -> int:
    """What these files gave; the number of rows."""
    removed = sum([await _remove(builder, call, key) for key in keys])
    await _settle(builder, call, unheard)
    return removed


async def _remove(builder: Builder, call: Call, key: int) -> int:
    steps = builder.remove(key)
    removed = 0
    while (step := await call(lambda: next(steps, None))) is not None:
        removed += step
    return removed


async def _settle(builder: Builder, call: Call, tell: Tell) -> None:
    steps = builder.settle()
    begun = time.monotonic()
    while (step := await call(lambda: next(steps, None))) is not None:
        rate = step.done / max(time.monotonic() - begun, 1e-9)
        tell(Progress(task="indexing", done=step.done, total=step.total, unit="passages", rate=rate))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


class Meter:
    """Tells how far the reading is, not more often than anyone can look."""

    def __init__(self, tell: Tell, total: int) -> None:
        self.tell, self.total = tell, total
        self._before = self._here = self._concepts = self._facts = 0
        self._begun = time.monotonic()
        self._told = 0.0

    def at(self, position: int) -> None:
        """So far into the file at hand, in bytes."""
        self._here = position

    def end(self, size: int) -> None:
        """The file at hand, of so many bytes, is done with."""
        self._before += size
        self._here = 0

    def say(self, filling: Filling) -> None:
        """Where it stands now."""
        if time.monotonic() - self._told < INTERVAL:
            return
        self._told = time.monotonic()
        done = self._before + self._here
        self.tell(
            Progress(
                task="reading",
                done=done,
                total=self.total,
                unit="bytes",
                documents=filling.state.concepts,
                passages=filling.state.facts,
                rate=done / max(self._told - self._begun, 1e-9),
            )
        )

    def skip(self, path: Path, faults: int) -> None:
        """The file is as it was; what could not be read then is not forgotten."""
        self.tell(FileSkipped(path=path))
        if faults:
            reason = f"{faults} parts of it could not be read when it was added"
            self.tell(FileFailed(path=path, reason=reason, remedy="Mend them and add the file again."))

    def tell_faults(self, path: Path, filling: Filling) -> None:
        """The first faulty parts by name, the others by their number."""
        for fault in filling.faults[:NAMED]:
            self.tell(FileFailed(path=path, reason=f"{fault.where}: {fault.reason}", remedy=fault.remedy))
        if (more := len(filling.faults) - NAMED) > 0:
            reason = f"{more} more parts of it cannot be read"
            self.tell(FileFailed(path=path, reason=reason, remedy="Mend them as those above, and add the file again."))
