"""Progress of a long piece of work over files, emitted no more often than anyone can look."""

import time
from typing import Literal

from wellsourced.events import Emit, Progress

INTERVAL = 0.1
"""Seconds between two events of progress, at least."""


class ProgressMeter:
    """Counts bytes of `total`, 0 when it cannot be known, and what came of them."""

    def __init__(
        self, emit: Emit, total: int, task: Literal["reading", "downloading", "unpacking", "verifying"] = "reading"
    ) -> None:
        self.emit, self.total, self.task = emit, total, task
        self.bytes = self.documents = self.passages = 0
        self._position = 0
        self._started = time.monotonic()
        self._last_report = 0.0

    def set_position(self, position: int) -> None:
        """So far into the file at hand, in bytes; heard at the next occasion to tell."""
        self._position = position

    def report_position(self, position: int) -> None:
        """So far into the file at hand, in bytes."""
        self.set_position(position)
        self.add_counts()

    def finish_file(self, size: int) -> None:
        """The file at hand, of so many bytes, is done with."""
        self.bytes += size
        self._position = 0
        self.add_counts()

    def add_counts(self, *, documents: int = 0, passages: int = 0) -> None:
        """So much more has been read."""
        self.documents += documents
        self.passages += passages
        if time.monotonic() - self._last_report >= INTERVAL:
            self.report()

    def report(self) -> None:
        """Where it stands now."""
        self._last_report = time.monotonic()
        done = self.bytes + self._position
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
