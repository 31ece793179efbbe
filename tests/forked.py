"""Run the command as a process of its own that need not load it: a copy of one that has (`tests/loaded_program.py`)."""

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PATIENCE = 300.0
"""Seconds within which the program is loaded."""


class ForkedCommand:
    """A running `wellsourced`, with the methods of `subprocess.Popen` that tests use.

    words         behind `wellsourced`
    environment   all of it; what Python reads of it when it starts does not count
    streams       descriptors of stdin, stdout and stderr, which stay the caller's to close; None: /dev/null
    session       it leads a session of its own, as with start_new_session
    terminal      its stdin is a terminal that comes to control it
    """

    def __init__(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        streams: Sequence[int | None] = (None, None, None),
        *,
        session: bool = False,
        terminal: bool = False,
        folder: Path | None = None,
    ) -> None:
        request = {
            "words": list(words),
            "environment": dict(environment),
            "session": session or terminal,
            "terminal": terminal,
            "folder": str(folder or Path.cwd()),
        }
        nowhere = os.open(os.devnull, os.O_RDWR)
        try:
            self._connection = _connect()
            given = [nowhere if stream is None else stream for stream in streams]
            socket.send_fds(self._connection, [json.dumps(request).encode()], given)
        finally:
            os.close(nowhere)
        self._heard = b""
        self.returncode: int | None = None
        self.pid = self._read_number(PATIENCE)

    def _read_number(self, seconds: float | None) -> int:
        self._connection.settimeout(seconds)
        while b"\n" not in self._heard:
            piece = self._connection.recv(100)
            assert piece, "the program that is copied has ended"
            self._heard += piece
        line, _, self._heard = self._heard.partition(b"\n")
        return int(line)

    def wait(self, timeout: float | None = None) -> int:
        """The exit status. Raises TimeoutExpired."""
        if self.returncode is None:
            try:
                self.returncode = self._read_number(timeout)
            except (TimeoutError, BlockingIOError) as error:
                raise subprocess.TimeoutExpired("wellsourced", timeout or 0) from error
            self._connection.close()
        return self.returncode

    def poll(self) -> int | None:
        """The exit status; None while it runs."""
        with suppress(subprocess.TimeoutExpired):
            return self.wait(0)
        return None

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> "ForkedCommand":
        return self

    def __exit__(self, *_: object) -> None:
        self.wait()


def run_forked(
    words: Sequence[str], stdin: bytes = b"", environment: Mapping[str, str] | None = None, timeout: float = 120
) -> "subprocess.CompletedProcess[bytes]":
    """As `subprocess.run` with everything captured."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        given.write(stdin)
        given.seek(0)
        streams = (given.fileno(), out.fileno(), errors.fileno())
        command = ForkedCommand(words, os.environ if environment is None else environment, streams)
        try:
            status = command.wait(timeout)
        except subprocess.TimeoutExpired:
            command.kill()
            raise
        out.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess(["wellsourced", *words], status, out.read(), errors.read())


def relay_words(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """A program and its environment, for whoever starts programs itself: it runs the command with its own streams."""
    return [sys.executable, "-m", "tests.forked", *words], {
        "PYTEST_XDIST_TESTRUNUID": _run_id(),
        "PYTHONPATH": str(ROOT),
    }


def _connect() -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(_program(os.getpid())[0])
    return connection


@cache
def _program(_: int) -> tuple[str, Any]:
    """Where the program listens, and the connection that holds it open while this process of the tests lives."""
    folder = Path(tempfile.gettempdir()) / f"wellsourced-tests-{os.getuid()}-{_run_id()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    address = str(folder / "program")
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        holding = socket.socket(socket.AF_UNIX)
        try:
            holding.connect(address)
        except OSError:
            with suppress(FileNotFoundError):
                Path(address).unlink()
            started = _start(address)
            holding.connect(address)
            # It outlives this function, and ends with the last process of the tests that holds it.
            return address, (holding, started)
    return address, holding


def _run_id() -> str:
    """The same for all processes of one run of the tests."""
    return os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))


def _start(address: str) -> "subprocess.Popen[bytes]":
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WELLSOURCED_")}
    program = subprocess.Popen(
        [sys.executable, "-m", "tests.loaded_program", address],
        cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    until = time.monotonic() + PATIENCE
    while not Path(address).exists():
        assert time.monotonic() < until, "the program was not loaded in time"
        time.sleep(0.05)
    return program


if __name__ == "__main__":
    sys.exit(ForkedCommand(sys.argv[1:], os.environ, (0, 1, 2)).wait())
