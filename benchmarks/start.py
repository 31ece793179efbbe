"""What a new process costs before it says anything: the modules that it loads, and the processor time of it.

    python -m benchmarks --only start
    python -m benchmarks.start --base ../other_checkout

The second compares this checkout with another one by turns, in the same run, so that what else the machine does falls
on both. Processor time (user and system) is counted, of the process and what it starts, never seconds of the clock.
"""

import argparse
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
    """The processor time of each start."""
    report.section("start", "Start of a new process (processor time, median)")
    for name, arguments in STARTS.items():
        times = measure_in_turns(arguments, (TREE,))[TREE]
        report.number(name, float(np.median(times)), "s", "at most 0.25" if "--help" in name else "")


def measure_in_turns(arguments: Sequence[str], trees: Sequence[Path], rounds: int = ROUNDS) -> dict[Path, list[float]]:
    """Checkout → processor seconds of each round; the first round only warms the disk and compiles."""
    seconds: dict[Path, list[float]] = {tree: [] for tree in trees}
    for place in range(rounds + 1):
        for tree in trees if place % 2 else reversed(trees):
            taken = processor_seconds(arguments, tree)
            if place:
                seconds[tree].append(taken)
    return seconds


def processor_seconds(arguments: Sequence[str], tree: Path) -> float:
    """Of one process that runs the code of a checkout, in the environment that this one was started in."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = _children_seconds()
    done = subprocess.run(
        [sys.executable, *arguments],
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


def main() -> None:
    """Print each start here and at the base, with the ratio of their medians and of their fastest rounds."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.start", description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="another checkout, to compare with")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    asked = parser.parse_args()
    base = asked.base.resolve()
    print(f"{'processor seconds: median (least)':<40}{'base':>16}{'here':>16}{'here / base':>16}")
    for name, arguments in STARTS.items():
        seconds = measure_in_turns(arguments, (base, TREE), asked.rounds)
        medians = {tree: float(np.median(times)) for tree, times in seconds.items()}
        cells = [f"{medians[tree]:.3f} ({min(seconds[tree]):.3f})" for tree in (base, TREE)]
        ratio = f"{medians[TREE] / medians[base]:.2f} ({min(seconds[TREE]) / min(seconds[base]):.2f})"
        print(f"{name:<40}" + "".join(f"{cell:>16}" for cell in (*cells, ratio)), flush=True)


if __name__ == "__main__":
    main()
