"""docs/figures.md: what each claim measured when it was last measured, written by `make bench` and by nobody's hand.

`benchmarks/figures.jsonl` keeps the rows of the last run of each claim, with its commit, its day and its machine; a run
of some claims replaces theirs. `python -m benchmarks.figures RESULTS` takes over the results of a run of before.
"""

import argparse
import json
import os
import platform
import subprocess
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.compare import run_git
from benchmarks.footprint import TREE

Row = dict[str, Any]

KEPT, PAGE = TREE / "benchmarks" / "figures.jsonl", TREE / "docs" / "figures.md"

HEAD = """# Figures

What `make bench BENCH="--keep"` measured last, by claim. What it means is told in [performance.md](performance.md).
"""


def keep_results(results: Path, order: Sequence[str]) -> None:
    """Put the figures of a run in the place of those of its claims, and write the page; claims stand in this order."""
    run = {"commit": _find_commit(), "day": f"{datetime.now(UTC):%Y-%m-%d}", "machine": describe_machine()}
    new = [{**row, **run} for row in _read(results)]
    measured = {row["claim"] for row in new}
    old = [row for row in _read(KEPT) if row["claim"] not in measured] if KEPT.exists() else []
    places = {claim: place for place, claim in enumerate(order)}
    rows = sorted([*old, *new], key=lambda row: places.get(row["claim"], len(places)))
    KEPT.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    PAGE.write_text(render_page(rows), encoding="utf-8")


def render_page(rows: Iterable[Row]) -> str:
    """The page: a table for each claim, with the run that it is of."""
    parts = [HEAD]
    for claim, some in groupby(rows, key=lambda row: row["claim"]):
        every = list(some)
        run = every[0]
        parts.append(f"## {claim}\n\nCommit {run['commit']}, {run['day']}; {run['machine']}.\n")
        lines = [f"| {row['name']} | {_show(row['value'])} {row['unit']} | {row['aim']} |" for row in every]
        parts.append("\n".join(("| what | figure | aim |", "|---|---:|---|", *lines)) + "\n")
    return "\n".join(parts)


def describe_machine() -> str:
    """Its processors and Python."""
    return f"{os.cpu_count()} cores of {platform.machine()}, Python {platform.python_version()}"


def _show(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.4g}"


def _read(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _find_commit() -> str:
    try:
        return run_git("rev-parse", "--short", "HEAD")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def main() -> None:
    """Take over the results of a run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="JSON lines that `make bench` wrote")
    results = parser.parse_args().results
    keep_results(results, list(dict.fromkeys(row["claim"] for row in _read(results))))


if __name__ == "__main__":
    main()
