"""What a new process costs before it says anything: the modules that it loads, and the processor time of it.

    python -m benchmarks --only start

Processor time (user and system) is counted, of the process and what it starts, never seconds of the clock. Two commits
are compared by benchmarks/compare.py.
"""

import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.report import Report

ROUNDS = 15
TREE = Path(__file__).parents[1]
STARTS = {
    "Python alone": ("-c", "pass"),
    "wellsourced --help": ("-m", "wellsourced", "--help"),
    "wellsourced query": ("-m", "wellsourced", "query", "gout[mh] AND colchicine[tiab]"),
    "all that ask imports before the index": (
        "-c",
        "import wellsourced.app.commands.ask, wellsourced.api, wellsourced.config.context",
    ),
    "wellsourced ask": ("-m", "wellsourced", "ask", "How is an acute gout flare treated?"),
}
"""What is started → its arguments to Python."""


def measure(report: Report) -> None:
    """The processor time of each start; a first round only warms the disk and compiles."""
    report.section("start", "Start of a new process (processor time, median)")
    for name, arguments in STARTS.items():
        seconds = [processor_seconds(arguments) for _ in range(ROUNDS + 1)][1:]
        report.number(name, float(np.median(seconds)), "s", "at most 0.25" if "--help" in name else "")


def processor_seconds(arguments: Sequence[str], tree: Path = TREE, python: str = sys.executable) -> float:
    """Of one process that runs the code of a checkout, with what that Python has installed.

    Raises RuntimeError when it fails.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = _children_seconds()
    done = subprocess.run(
        [python, *arguments],
        env=environment | {"PYTHONPATH": str(tree / "src")},
        capture_output=True,
        text=True,
    )
    # An abstention (3) is an answer, too; anything else is a measurement of nothing.
    if done.returncode not in (0, 3):
        raise RuntimeError(f"{' '.join(arguments)} ended with {done.returncode}: {done.stderr[-500:]}")
    return _children_seconds() - before


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
