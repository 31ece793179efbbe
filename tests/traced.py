"""Run every command of the command line in one process that is traced by strace, and say what it sent and to whom.

As a program (`python -m tests.traced JOB.json`) this is what is traced; as a module it starts the trace and reads it.
"""

import io
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

STRACE = shutil.which("strace")
SENDING = "connect,sendto,sendmsg,sendmmsg"
MARK = "@@command "
"""What is written into the trace before a command begins."""

UPLOAD = 40.0
"""Seconds within which onnxruntime begins to send what it collected: 9 where it was measured."""

ADDRESS = re.compile(r'sa_family=AF_(INET6?|UNIX), (?:\w+=htons\((\d+)\).*?"([0-9a-fA-F.:]+)"|sun_path=@?"([^"]*)")')
NAME_SERVICES = ("nscd", "resolve")
"""What the sockets of services are called that look up names for others."""


class Sending(NamedTuple):
    """One call of the system that reaches out: the command that made it, to whom, and the line of the trace.

    to   "loopback", or "outside": an address beyond this machine, or a look-up of a name wherever it is asked
    """

    command: str
    to: str
    line: str


class Outcome(NamedTuple):
    """What became of a command: its exit status, and what it wrote."""

    status: int
    output: str


class Job(NamedTuple):
    """What the traced process does.

    commands   name of a command → its words, run in this order
    typed      what stands on standard input of each
    opted_in   take the opt-outs away again, and wait for the reports: the control
    """

    commands: dict[str, list[str]]
    typed: str = ""
    opted_in: bool = False


class Trace(NamedTuple):
    """A traced process that runs, and where it writes."""

    process: "subprocess.Popen[bytes]"
    folder: Path

    def sendings(self) -> list[Sending]:
        """What was sent so far."""
        path = self.folder / "trace"
        return list(sendings(path.read_text(errors="replace"))) if path.exists() else []

    def outcomes(self) -> dict[str, Outcome]:
        """What became of the commands, when all are done."""
        status = self.process.wait(timeout=480)
        told = (self.folder / "stderr").read_text(errors="replace")
        assert status == 0, told[-3000:]
        rows = json.loads((self.folder / "outcomes.json").read_text())
        return {name: Outcome(*row) for name, row in rows.items()}

    def kill(self) -> None:
        """End the process and what it traces, which strace alone would wait for."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def start_trace(job: Job, folder: Path, environment: dict[str, str], *, refuse: bool = False) -> Trace:
    """Start the process in a folder of its own, which is its working directory too.

    The environment is a small one: in that of a continuous integration onnxruntime keeps quiet by itself.
    refuse   let every connection fail: for the control, which must not report to anybody
    """
    assert STRACE
    (folder / "job.json").write_text(json.dumps(job._asdict()))
    inject = ["-e", "inject=connect:error=ENETUNREACH"] if refuse else []
    tracer = [STRACE, "-f", "--seccomp-bpf", "-qq", "-s", "64", "-e", f"trace={SENDING}", *inject]
    words = [*tracer, "-o", str(folder / "trace"), sys.executable, "-m", "tests.traced", str(folder / "job.json")]
    root = Path(__file__).parents[1]
    paths = {"PYTHONPATH": os.pathsep.join([str(root / "src"), str(root)]), "PATH": os.environ["PATH"]}
    with (folder / "stderr").open("wb") as stderr:
        process = subprocess.Popen(
            words, stdout=stderr, stderr=stderr, cwd=folder, env={**paths, **environment}, start_new_session=True
        )
    return Trace(process, folder)


def sendings(trace: str) -> Iterator[Sending]:
    """What a trace says was sent over the network, each with the command that was under way."""
    command = "start"
    for line in trace.splitlines():
        if MARK in line:
            command = line.partition(MARK)[2].partition('"')[0]
        elif found := ADDRESS.search(line):
            _, port, host, path = found.groups()
            if path is None:
                outside = port == "53" or not (host == "::1" or host.startswith(("127.", "::ffff:127.")))
                yield Sending(command, "outside" if outside else "loopback", line)
            elif any(name in path for name in NAME_SERVICES):
                yield Sending(command, "outside", line)


def run_job(path: Path) -> None:
    """What is traced: every command of the job, one after another; what became of them is left beside it."""
    job = Job(**json.loads(path.read_text()))
    outcomes: dict[str, Any] = {}
    ear, mouth = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with ear, mouth:
        import wellsourced.telemetry
        from wellsourced.app.cli import command_line as command

        if job.opted_in:
            for variable in wellsourced.telemetry.OPT_OUTS:
                os.environ.pop(variable)
        for name, words in job.commands.items():
            mouth.send(f"{MARK}{name}".encode())
            outcomes[name] = run_command(command, words, job.typed)
    path.with_name("outcomes.json").write_text(json.dumps(outcomes))
    if job.opted_in:
        time.sleep(UPLOAD)


def run_command(command: Any, words: list[str], typed: str) -> Outcome:
    """What becomes of a command, as it is typed."""
    said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    usual = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO(typed.encode())), said, said
    try:
        command(words, prog_name="wellsourced")
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    finally:
        sys.stdin, sys.stdout, sys.stderr = usual
    return Outcome(status, said.buffer.getvalue().decode())  # type: ignore[attr-defined]


if __name__ == "__main__":
    run_job(Path(sys.argv[1]))
