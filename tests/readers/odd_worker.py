"""A worker whose tasks do what hostile files do to readers, in the shortest way."""

import ctypes
import os
import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any

from wellsourced.readers.base import DocumentStream, UnreadablePart
from wellsourced.readers.worker.serving import serve_requests
from wellsourced.reading_worker import read_file
from wellsourced.types import Document, Reference

Given = Mapping[str, Any]


def file(given: Given, data: bytes) -> DocumentStream:
    """As ever, but lines of JSON meet a mistake of ours."""
    if data.endswith(b".jsonl"):
        raise KeyError("a mistake of ours")
    yield from read_file(given, data)


def abort(given: Given, data: bytes) -> Iterator[bytes]:
    yield b"before"
    os.abort()


def crash(given: Given, data: bytes) -> Iterator[bytes]:
    ctypes.string_at(0)
    yield b""


def hoard(given: Given, data: bytes) -> Iterator[bytes]:
    kept = []
    while True:
        kept.append(bytearray(1 << 20))
        time.sleep(0.002)
    yield b"".join(kept)


def exhaust_c(given: Given, data: bytes) -> Iterator[bytes]:
    """C code that ends the process when it gets no memory, as PDFium does."""
    malloc = ctypes.CDLL(None).malloc
    malloc.restype, malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    while place := malloc(1 << 20):
        ctypes.memset(place, 1, 1 << 20)
        time.sleep(0.002)  # real files take longer too
    os.abort()
    yield b""


def spin(given: Given, data: bytes) -> Iterator[bytes]:
    while True:
        pass
    yield b""


def sleep(given: Given, data: bytes) -> Iterator[bytes]:
    time.sleep(60)
    yield b""


def flood(given: Given, data: bytes) -> DocumentStream:
    while True:
        yield Document(reference=Reference(id="x"), text="x" * 400_000)


def halves(given: Given, data: bytes) -> DocumentStream:
    """Half a character, between two documents."""
    yield Document(reference=Reference(id="1"), text="one")
    yield Document(reference=Reference(id="2"), text="\ud800")
    yield Document(reference=Reference(id="3"), text="three")


def look_around(given: Given, data: bytes) -> Iterator[bytes]:
    """What a hostile file might want: who is there, what is in the environment, the network, the disk."""
    outcomes = []
    for name, attempt in ATTEMPTS.items():
        try:
            attempt()
            outcomes.append(name)
        except OSError:
            pass
    yield ",".join([*outcomes, *sorted(os.environ.keys() & {"HOME", "OPENAI_API_KEY", "PATH"})]).encode()


def _connect() -> None:
    import socket

    with socket.socket() as one:
        one.connect(("127.0.0.1", 9))


def _write() -> None:
    from pathlib import Path

    Path(sys.argv[0]).with_name("written").write_bytes(b"x")


def _start() -> None:
    os.execv("/bin/true", ["true"])  # noqa: S606


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _kill() -> None:
    os.kill(os.getppid(), 0)


ATTEMPTS = {"connect": _connect, "write": _write, "start": _start, "fork": _fork, "kill": _kill}


def echo(given: Given, data: bytes) -> Iterator[bytes]:
    print("what a reader prints goes nowhere")
    yield str(os.getpid()).encode()


def fault(given: Given, data: bytes) -> DocumentStream:
    yield UnreadablePart("line 1", "it is odd", "Mend it.")


TASKS = {
    "file": file, "abort": abort, "crash": crash, "hoard": hoard, "exhaust c": exhaust_c, "spin": spin, "sleep": sleep,
    "flood": flood, "halves": halves, "look around": look_around, "echo": echo, "fault": fault,
}  # fmt: skip

if __name__ == "__main__":
    serve_requests(TASKS)
