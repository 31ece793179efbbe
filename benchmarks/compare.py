"""Two commits side by side: what the same work costs in each, by turns in one run, as ratios with their intervals.

    make bench-compare BASE=COMMIT
    python -m benchmarks.compare COMMIT [--rounds 10] [--only "ask, a new question"]

The commit is checked out and installed beside the measurements, once. Every piece of work is a command in a new
process, asked of both in each round, so that what else the machine does falls on both. Processor time (user and system)
is counted, never seconds of the clock. The rows are written as JSON lines, too: `compare.jsonl` in the folder of work.
"""

import argparse
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.footprint import TREE, processor_seconds
from benchmarks.report import Report
from wellsourced.confidence import ConfidenceInterval
from wellsourced_evaluate.development_data import Bench, show_work, take_corpus
from wellsourced_evaluate.statistics import bootstrap_mean

ROUNDS = 10
DOCUMENTS = 3_000
QUESTIONS = (
    "How is an acute gout flare treated?",
    "What is the target blood pressure in chronic kidney disease?",
    "When is thrombolysis given in acute ischemic stroke?",
    "Which antibiotics are given for bacterial meningitis?",
    "How much fluid is given in septic shock?",
    "When is a statin recommended after myocardial infarction?",
    "What is the dose of apixaban in atrial fibrillation?",
    "How long is a first deep vein thrombosis treated?",
    "How is hepatic encephalopathy treated?",
    "Which drugs are first line in rheumatoid arthritis?",
    "When is dialysis started in acute kidney injury?",
    "How is diabetic ketoacidosis treated?",
)

ASK_ALL = """
import asyncio, sys
from wellsourced import config
from wellsourced.api import ask

async def ask_all(home, questions):
    async with config.open_context(config.load({"home": home}), libraries=("guidelines",)) as context:
        for question in questions:
            await ask(question, context)

asyncio.run(ask_all(sys.argv[1], sys.argv[2:]))
"""


class Checkout(NamedTuple):
    """A commit with what it needs, and the folder that it may write to."""

    tree: Path
    python: str
    home: Path

    def run(self, *arguments: str) -> float:
        """Run a command of wellsourced; the processor seconds that it took. Raises RuntimeError when it fails."""
        return processor_seconds(("-m", "wellsourced", "--home", str(self.home), *arguments), self.tree, self.python)

    def ask_all(self) -> float:
        """Ask all questions in one process; the processor seconds that it took."""
        return processor_seconds(("-c", ASK_ALL, str(self.home), *QUESTIONS), self.tree, self.python)


Work = Callable[[Checkout, int], float]
"""Does a piece of work in a checkout, in the round of that number, and returns its processor seconds."""


def _ingest(checkout: Checkout, place: int, file: Path) -> float:
    name = f"round-{place}"
    taken = checkout.run("library", "create", name, "--lexical", "--add", str(file))
    shutil.rmtree(checkout.home / "libraries" / name)
    return taken


def list_work(file: Path) -> dict[str, Work]:
    """What is measured, by name; `file` holds the documents that go in."""
    return {
        "--help": lambda one, _: one.run("--help"),
        "query": lambda one, _: one.run("search", "--show-query", "gout[mh] AND colchicine[tiab]"),
        "ask, a new question": lambda one, place: one.run("ask", QUESTIONS[place % len(QUESTIONS)]),
        "ask, a question asked before": lambda one, _: one.run("ask", QUESTIONS[0]),
        f"ask, {len(QUESTIONS)} questions in one process": lambda one, _: one.ask_all(),
        f"library create, {DOCUMENTS:,} documents by word": lambda one, place: _ingest(one, place, file),
    }


def prepare(base: str, work: Path) -> tuple[Checkout, Checkout]:
    """(the commit `base`, what is here): checked out, installed, their guidelines built. Raises CalledProcessError."""
    commit = run_git("rev-parse", "--short", f"{base}^{{commit}}")
    tree = work / "compare" / commit
    if not tree.is_dir():
        run_git("worktree", "prune")
        run_git("worktree", "add", "--detach", str(tree), commit)
    show_work(f"installing {commit}")
    subprocess.run(["make", ".venv/.default"], cwd=tree, check=True, stdout=subprocess.DEVNULL)
    checkouts = (
        Checkout(tree, str(tree / ".venv" / "bin" / "python"), work / "compare" / f"home-{commit}"),
        Checkout(TREE, sys.executable, work / "compare" / "home-here"),
    )
    for one in checkouts:
        show_work(f"building the guidelines of {one.tree.name}")
        one.run("ask", QUESTIONS[0])
    return checkouts


def measure_by_turns(work: Work, checkouts: Sequence[Checkout], rounds: int) -> list[list[float]]:
    """For each checkout the seconds of each round; one round more, the first, only warms the disk and compiles."""
    seconds: list[list[float]] = [[] for _ in checkouts]
    for place in range(rounds + 1):
        for number in range(len(checkouts)) if place % 2 else reversed(range(len(checkouts))):
            taken = work(checkouts[number], place)
            if place:
                seconds[number].append(taken)
    return seconds


def ratio(base: Sequence[float], here: Sequence[float]) -> ConfidenceInterval:
    """The geometric mean of here / base over the rounds, and how far it may be off (bootstrap, 95 %)."""
    logs = bootstrap_mean(np.log(np.array(here) / np.array(base)))
    return ConfidenceInterval(*(float(np.exp(value)) for value in logs))


def run_git(*arguments: str) -> str:
    """What git prints, in this repository. Raises OSError or CalledProcessError where it cannot say."""
    return subprocess.run(["git", *arguments], cwd=TREE, check=True, capture_output=True, text=True).stdout.strip()


def main() -> None:
    """Print what each piece of work costs in both, and the ratio."""
    from benchmarks.__main__ import DATA, WORK

    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=__doc__)
    parser.add_argument("base", help="the commit to compare with")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--only", action="append", help="a piece of work by its name; may be given again")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--work", type=Path, default=WORK)
    asked = parser.parse_args()
    file = take_corpus(Bench(asked.data, asked.work, DOCUMENTS, 0), "research")
    report = Report(asked.work / "compare.jsonl")
    checkouts = prepare(asked.base, asked.work)
    show_work("")
    report.section("compare", f"Processor seconds, median of {asked.rounds} rounds: {checkouts[0].tree.name}, and here")
    widths = (46, 10, 10, 14, 20)
    report.row(("work", "base", "here", "here / base", "95 % interval"), widths)
    for name, work in list_work(file).items():
        if asked.only and name not in asked.only:
            continue
        base, here = measure_by_turns(work, checkouts, asked.rounds)
        found = ratio(base, here)
        cells = (f"{np.median(base):.2f}", f"{np.median(here):.2f}", f"{found.mean:.2f}")
        report.row((name, *cells, f"{found.low:.2f} … {found.high:.2f}"), widths)
        report.record(name, found.mean, "here / base", f"{found.low:.4f},{found.high:.4f}")


if __name__ == "__main__":
    main()
