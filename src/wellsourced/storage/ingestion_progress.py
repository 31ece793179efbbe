"""What is told while files go into a library or the graph: how far it is, what could not be read."""

import time
from pathlib import Path
from typing import Literal

from wellsourced.events import Emit, FileFailed, Progress

INTERVAL = 0.1
"""Seconds between two events of progress, at least."""

MAX_NAMED_FAULTS = 5
"""Faulty parts of one file that are told; the others are counted."""


def file_size(path: Path) -> int:
    """Bytes of a file, 0 when it is not there."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def emit_fault_count(path: Path, faults: int, emit: Emit) -> None:
    """Tell how many faulty parts a file has besides those that were named."""
    if faults > MAX_NAMED_FAULTS:
        reason = f"{faults - MAX_NAMED_FAULTS} more parts cannot be read"
        emit(FileFailed(path=path, reason=reason, remedy="Fix them as above and add the file again."))


class ProgressMeter:
    """Counts bytes of `total`, 0 when it cannot be known, and what came of them.

    Of files that are read at the same time, each has its position.
    """

    def __init__(
        self, emit: Emit, total: int, task: Literal["reading", "downloading", "unpacking", "verifying"] = "reading"
    ) -> None:
        self.emit, self.total, self.task = emit, total, task
        self.bytes = self.documents = self.passages = 0
        self._positions: dict[Path | None, int] = {}
        self._started = time.monotonic()
        self._last_report = 0.0

    def set_position(self, position: int, path: Path | None = None) -> None:
        """So far into the file at hand, in bytes; heard at the next occasion to tell."""
        self._positions[path] = position

    def report_position(self, position: int) -> None:
        """So far into the file at hand, in bytes."""
        self.set_position(position)
        self.add_counts()

    def finish_file(self, size: int, path: Path | None = None) -> None:
        """The file at hand, of so many bytes, is done with."""
        self.bytes += size
        self._positions.pop(path, None)
        self.add_counts()

    def add_counts(self, *, documents: int = 0, passages: int = 0) -> None:
        """So much more has been read."""
        self.documents += documents
        self.passages += passages
        if time.monotonic() - self._last_report >= INTERVAL:
            self.report()

    def report(self) -> None:
        self._last_report = time.monotonic()
        done = self.bytes + sum(self._positions.values())
        rate = done / max(self._last_report - self._started, 1e-9)
        self.emit(
            Progress(
                task=self.task,
                done=done,
                total=self.total,
                unit="bytes",
                documents=self.documents,
                passages=self.passages,
                rate=rate,
            )
        )
