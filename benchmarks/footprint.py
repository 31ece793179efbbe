"""What a default install weighs, what a new process costs before it says anything, and the memory that asking takes.

`start` counts processor time (user and system) of the process and what it starts, never seconds of the clock; two
commits are compared by benchmarks/compare.py. `memory` is the most that a process ever held which opens the libraries
and asks; run as a program this is that process: `python -m benchmarks.footprint QUESTION…` prints bytes as JSON.
"""

import asyncio
import json
import os
import re
import resource
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
from packaging.requirements import Requirement

from benchmarks.questions import draw_questions
from benchmarks.report import Report
from wellsourced import config
from wellsourced.pipeline.ask import answer_question
from wellsourced.types import Question
from wellsourced_evaluate.development_data import CORPORA, Bench, open_library

# --- footprint -------------------------------------------------------------------------------------------------------

MB = 1_000_000
LARGE = 5 * MB


def measure(report: Report) -> None:
    """The sum over everything that `pip install wellsourced` brings, and each part of 5 MB or more."""
    report.section("footprint", "Installed size of the default install (without Python itself)")
    weights = {name: weight(found) for name, found in brought("wellsourced").items()}
    for name, size in sorted(weights.items(), key=lambda one: -one[1]):
        if size >= LARGE:
            report.number(name, size / MB, "MB")
    small = [size for size in weights.values() if size < LARGE]
    report.number(f"{len(small)} others", sum(small) / MB, "MB")
    report.number(f"all {len(weights)} packages", sum(weights.values()) / MB, "MB", "at most 600")


def brought(name: str) -> dict[str, Distribution]:
    """A package and all that it needs here, without extras that nobody asked for."""
    found: dict[str, Distribution] = {}
    waiting = [(name, frozenset[str]())]
    seen = set()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        try:
            found[one[0]] = distribution(one[0])
        except PackageNotFoundError:
            continue
        waiting += _needed(found[one[0]], one[1])
    return {one.metadata["Name"]: one for one in found.values()}


def _needed(one: Distribution, extras: frozenset[str]) -> list[tuple[str, frozenset[str]]]:
    needed = [Requirement(line) for line in one.requires or ()]
    here = [
        need
        for need in needed
        if need.marker is None or any(need.marker.evaluate({"extra": extra}) for extra in ("", *extras))
    ]
    return [(need.name.lower(), frozenset(need.extras)) for need in here]


def weight(one: Distribution) -> int:
    """Bytes of the files that an installed package owns, compiled ones included."""
    paths = (one.locate_file(file) for file in one.files or ())
    return sum(path.stat().st_size for path in paths if path.is_file())  # type: ignore[attr-defined]


# --- start -----------------------------------------------------------------------------------------------------------

ROUNDS = 15
TREE = Path(__file__).parents[1]
STARTS = {
    "Python alone": ("-c", "pass"),
    "wellsourced --help": ("-m", "wellsourced", "--help"),
    "wellsourced search --show-query": ("-m", "wellsourced", "search", "--show-query", "gout[mh] AND colchicine[tiab]"),
    "all that ask imports before the index": (
        "-c",
        "import wellsourced.app.commands.ask, wellsourced.api, wellsourced.config.context",
    ),
    "wellsourced ask": ("-m", "wellsourced", "ask", "How is an acute gout flare treated?"),
}
"""What is started → its arguments to Python."""


def measure_starts(report: Report) -> None:
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


# --- memory ----------------------------------------------------------------------------------------------------------

ASKS = 20
MB = 1_000_000


async def measure_memory(bench: Bench, report: Report) -> None:
    """The peak after opening and after some questions, in a process of its own."""
    for name in (name for name, corpus in CORPORA.items() if corpus.asked):
        await open_library(bench, name, None)
    report.section("memory", "Memory (research and consumer, resident set)")
    words = [sys.executable, "-m", "benchmarks.footprint", *draw_questions(bench, ASKS)]
    done = await asyncio.to_thread(subprocess.run, words, capture_output=True, text=True, check=True)
    peaks = json.loads(done.stdout)
    report.number("after the context is built", peaks["built"] / MB, "MB")
    report.number(f"after {ASKS} questions, at its highest", peaks["asked"] / MB, "MB", "at most 1,200")


def peak() -> int:
    """The most memory, in bytes, that this process ever had resident.

    Linux tells it by address space; `ru_maxrss`, which serves elsewhere, there begins with what the parent held.
    """
    status = Path("/proc/self/status")
    if status.exists() and (told := re.search(r"VmHWM:\s+(\d+) kB", status.read_text(encoding="utf-8"))):
        return int(told[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


async def _ask_all(asked: list[str]) -> dict[str, int]:
    async with config.open_context() as context:
        built = peak()
        for question in asked:
            await answer_question(Question(text=question), context)
    return {"built": built, "asked": peak()}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_ask_all(sys.argv[1:]))))
