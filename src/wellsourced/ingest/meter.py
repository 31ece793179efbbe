"""How far a long piece of work over files is, told not more often than anyone can look."""

import time
from typing import Literal

from wellsourced.events import Progress, Tell

INTERVAL = 0.1
"""Seconds between two events of progress, at least."""


class Meter:
    """Counts bytes of `total`, 0 when it cannot be known, and what came of them."""

    def __init__(
        self, tell: Tell, total: int, task: Literal["reading", "downloading", "unpacking", "verifying"] = "reading"
    ) -> None:
        self.tell, self.total, self.task = tell, total, task
        self.bytes = self.documents = self.passages = 0
        self._here = 0
        self._began = time.monotonic()
        self._told = 0.0

    def at(self, position: int) -> None:
        """So far into the file at hand, in bytes; heard at the next occasion to tell."""
        self._here = position

    def reach(self, position: int) -> None:
        """So far into the file at hand, in bytes."""
        self.at(position)
        self.add()

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
                task=self.task,
                done=done,
                total=self.total,
                unit="bytes",
                documents=self.documents,
                passages=self.passages,
                rate=rate,
            )
        )
