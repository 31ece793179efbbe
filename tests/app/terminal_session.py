"""A command at a terminal of its own: what it shows is read, and lines are typed when they are asked for."""

import os
import pty
import select
import signal
import termios
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tests.forked import ForkedCommand

PATIENCE = 60.0
"""Seconds within which what is waited for has to be shown."""

HESITATION = 0.3
"""Seconds between a question and what is typed. Python misses a Ctrl-C in the instant between writing a question and
waiting for its answer, and whatever is typed before the terminal was told to hide it is shown; nobody is so quick."""


class TerminalSession:
    """A process at a terminal; `shown` is all that it showed so far, what was typed and echoed included."""

    def __init__(self, process: ForkedCommand, ours: int) -> None:
        self.process, self.shown, self._ours, self._seen = process, "", ours, 0

    def wait_for(self, words: str) -> str:
        """What is shown from here on up to these words, which are in it."""
        until = time.monotonic() + PATIENCE
        while (at := self.shown.find(words, self._seen)) < 0:
            assert time.monotonic() < until, f"“{words}” was not shown after: {self.shown[self._seen :]}"
            if not self._read(0.2) and self.process.poll() is not None and not self._read(0.2):
                raise AssertionError(f"it ended before “{words}” was shown: {self.shown[self._seen :]}")
        found = self.shown[self._seen : at + len(words)]
        self._seen = at + len(words)
        return found

    def answer(self, question: str, line: str = "") -> str:
        """Wait for a question, and type this and Enter; what was shown before it."""
        found = self.wait_for(question)
        self.wait_for(": ")
        time.sleep(HESITATION)
        self.type(f"{line}\n")
        return found

    def type(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def interrupt(self) -> None:
        """Ctrl-C, as the terminal sends it."""
        time.sleep(HESITATION)
        self.type("\x03")

    def echoes(self) -> bool:
        """Whether the terminal shows what is typed."""
        return bool(termios.tcgetattr(self._ours)[3] & termios.ECHO)

    def finish(self) -> tuple[int, str]:
        """The exit status, and all that was shown."""
        until = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < until, f"it did not end after: {self.shown[self._seen :]}"
            self._read(0.1)
        while self._read(0.1):
            pass
        return self.process.wait(), self.shown

    def _read(self, seconds: float) -> bool:
        if not select.select([self._ours], [], [], seconds)[0]:
            return False
        try:
            piece = os.read(self._ours, 65_536)
        except OSError:  # a terminal whose other end is closed, on Linux
            return False
        self.shown += piece.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(piece)


@contextmanager
def at_terminal(*words: str, **environment: str) -> Iterator[TerminalSession]:
    """Type `wellsourced` and these words at a terminal of 100 columns."""
    ours, theirs = pty.openpty()
    variables: Mapping[str, str] = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", **environment}
    # The terminal comes to control the process, so that Ctrl-C and hidden input are as they are for people.
    process = ForkedCommand(words, variables, (theirs, theirs, theirs), terminal=True)
    try:
        yield TerminalSession(process, ours)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        os.close(theirs)
        os.close(ours)
