"""The program, loaded once for a whole run of the tests: a copy of its process (fork) for each who wants to run it.

As a program (`python -m tests.loaded_program SOCKET`) this loads `wellsourced`, answers one question so that all is
there that a first question loads, and then serves; it ends when nobody is connected any more. To load costs two and a
half seconds of a processor, a copy a tenth. What a copy shares with a process that was started is its streams,
terminal, signals, environment and folder; what it does not is how Python itself starts (PYTHON… in the environment).
"""

import asyncio
import atexit
import fcntl
import gc
import io
import json
import os
import random
import selectors
import shutil
import signal
import socket
import sys
import tempfile
import termios
import threading
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

MAX_REQUEST = 1_000_000

LOADED = (
    "wellsourced.app.commands.serve", "wellsourced.server.application", "wellsourced.server.assistant_tools", "uvicorn",
    "pydantic_ai.models.openai",
)  # fmt: skip
"""What a question does not load, and a server or a language model does."""

FINDING = "Colchicine shortened gout flares by two days compared with placebo."


def main(address: str) -> None:
    """Load everything and serve."""
    warm_up()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen(64)
        serve(listening)
    shutil.rmtree(Path(address).parent)


def warm_up() -> None:
    """Answer a question from a library of one document, and be one thread again."""
    from click.testing import CliRunner

    from wellsourced import worker_pool
    from wellsourced.app.cli import command_line

    for name in LOADED:
        with suppress(ImportError):
            import_module(name)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "libraries").mkdir()
        asyncio.run(fill_library(Path(folder) / "libraries"))
        words = ("--home", folder, "--set", "guidelines=false", "--set", "encoder=none", "ask", FINDING)
        done = CliRunner().invoke(command_line, words)
        assert done.exit_code == 0, done.output
    worker_pool._pool().shutdown()
    worker_pool._pool.cache_clear()
    assert threading.active_count() == 1, threading.enumerate()
    gc.collect()
    gc.freeze()


async def fill_library(folder: Path) -> None:
    from wellsourced.sources.library import Library
    from wellsourced.types import Document, Reference, Section

    Library.create(folder, "trials", "research", None)
    section = Section(title="", start=0, end=len(FINDING))
    library = Library.at(folder, "trials", None, write=True)
    await library.add([Document(reference=Reference(id="t1", title="Gout"), text=FINDING, sections=(section,))])
    library.close()


def serve(listening: socket.socket) -> None:
    """Copy this process for each request. A connection that asks for nothing holds the program open."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    waiting = selectors.DefaultSelector()
    waiting.register(listening, selectors.EVENT_READ)
    holders = 0
    while True:
        for key, _ in waiting.select():
            if key.fileobj is listening:
                connection, _ = listening.accept()
                waiting.register(connection, selectors.EVENT_READ)
                holders += 1
                continue
            connection = key.fileobj  # type: ignore[assignment]
            waiting.unregister(connection)
            request, streams, _, _ = socket.recv_fds(connection, MAX_REQUEST, 3)
            if request and os.fork() == 0:
                waiting.close()
                listening.close()
                watch(connection, json.loads(request), streams)
            for stream in streams:
                os.close(stream)
            connection.close()
            holders -= 1
            if not holders and not request:
                return


def watch(connection: socket.socket, request: dict[str, Any], streams: list[int]) -> None:
    """Run a copy, say its process id, and its status when it has ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    pid = os.fork()
    if pid == 0:
        connection.close()
        os._exit(become(request, streams))
    for stream in streams:
        os.close(stream)
    connection.sendall(f"{pid}\n".encode())
    _, status = os.waitpid(pid, 0)
    with suppress(OSError):
        connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def become(request: dict[str, Any], streams: list[int]) -> int:
    """Be the command that was asked for; its exit status."""
    from wellsourced.app.cli import main as run_command
    from wellsourced.telemetry import OPT_OUTS

    for place, stream in enumerate(streams):
        os.dup2(stream, place)
    for stream in streams:
        os.close(stream)
    if request["session"]:
        os.setsid()
    if request["terminal"]:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.environ.clear()
    os.environ.update({**request["environment"], **OPT_OUTS})
    os.chdir(request["folder"])
    random.seed()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.stdin = io.TextIOWrapper(open(0, "rb"), encoding="utf-8")  # noqa: SIM115
    sys.stdout = io.TextIOWrapper(open(1, "wb"), encoding="utf-8", line_buffering=os.isatty(1))  # noqa: SIM115
    sys.stderr = io.TextIOWrapper(open(2, "wb"), encoding="utf-8", line_buffering=True)  # noqa: SIM115
    sys.argv = ["wellsourced", *request["words"]]
    status = 0
    try:
        run_command()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1 if end.code else 0
    except KeyboardInterrupt:
        status = 130
    except BaseException:
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        status = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for written in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            written.flush()
    return status


if __name__ == "__main__":
    main(sys.argv[1])
