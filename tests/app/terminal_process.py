"""The command on a terminal of its own, as somebody has it who types: real keys, real signals."""

import fcntl
import os
import select
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence

from tests.forked import ForkedCommand

OPENS_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execvp(sys.argv[1], sys.argv[1:])"
)
"""Makes the terminal that the process has the one whose keys interrupt it."""

COMMAND = (sys.executable, "-m", "wellsourced")
"""Words that begin so are run by a process that has loaded the program already."""

CONTROL_C, CONTROL_D, TAB, UP = "\x03", "\x04", "\t", "\x1b[A"


class TerminalProcess:
    """A process on a terminal of 24 lines; what it prints is `output`, as the terminal gets it."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str], columns: int = 80) -> None:
        self._ours, theirs = os.openpty()
        termios.tcsetwinsize(theirs, (24, columns))
        environment = {**os.environ, "TERM": "xterm", **environment}
        environment.pop("COLUMNS", None)
        self._process: ForkedCommand | subprocess.Popen[bytes]
        if tuple(words[:3]) == COMMAND:
            self._process = ForkedCommand(words[3:], environment, (theirs, theirs, theirs), terminal=True)
        else:
            self._process = subprocess.Popen(
                [sys.executable, "-c", OPENS_TERMINAL, *words],
                stdin=theirs,
                stdout=theirs,
                stderr=theirs,
                env=environment,
                start_new_session=True,
            )
        os.close(theirs)
        fcntl.fcntl(self._ours, fcntl.F_SETFD, fcntl.FD_CLOEXEC)
        self.output = ""

    def __enter__(self) -> "TerminalProcess":
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._ours)

    def type(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def wait_for(self, text: str, seconds: float = 60) -> str:
        """What is printed until this text, which is not looked for again."""
        until = time.monotonic() + seconds
        while text not in self.output:
            assert time.monotonic() < until and self._read(), f"no {text!r} in {self.output!r}"
        before, _, self.output = self.output.partition(text)
        return before

    def type_until(self, keys: str, text: str, seconds: float = 60) -> str:
        """Type keys, again each second, until this text is printed: a signal may come before anybody waits for it."""
        until = time.monotonic() + seconds
        while text not in self.output:
            assert time.monotonic() < until, f"no {text!r} in {self.output!r}"
            self.type(keys)
            again = time.monotonic() + 1
            while text not in self.output and time.monotonic() < again:
                self._read()
        return self.wait_for(text)

    def wait(self, seconds: float = 60) -> int:
        """The exit status; the rest of what was printed is `output`."""
        until = time.monotonic() + seconds
        while self._read():
            assert time.monotonic() < until, f"still there: {self.output!r}"
        return self._process.wait(timeout=10)

    def _read(self) -> bool:
        """Take in what there is; False once nobody writes any more."""
        ready, _, _ = select.select([self._ours], [], [], 0.2)
        if not ready:
            return True
        try:
            read = os.read(self._ours, 65536)
        except OSError:
            return False
        self.output += read.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(read)
