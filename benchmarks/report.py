"""Results: printed for people as they come, written as JSON lines for programs."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO


class Report:
    """One line for each number, on the terminal at once and in the file.

    file   JSON lines {"claim", "name", "value", "unit", "aim"}; it is replaced by each run
    """

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self._file: TextIO = file.open("w", encoding="utf-8")
        self._claim = ""

    def close(self) -> None:
        self._file.close()

    def section(self, claim: str, heading: str) -> None:
        """Begin the numbers of one claim."""
        self._claim = claim
        print(f"\n{heading}\n{'─' * len(heading)}", flush=True)

    def note(self, text: str) -> None:
        """Something that a reader of the numbers has to know."""
        print(text, flush=True)

    def number(self, name: str, value: float, unit: str, aim: str = "") -> None:
        """One measured number; `aim` is what it is compared with, in words."""
        shown = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
        print(f"{name:<58}{shown:>10} {unit:<14}{aim}".rstrip(), flush=True)
        self.record(name, value, unit, aim)

    def record(self, name: str, value: float, unit: str, aim: str = "") -> None:
        """A number for the file alone, because a table shows it."""
        row = {"claim": self._claim, "name": name, "value": round(value, 6), "unit": unit, "aim": aim}
        self._file.write(json.dumps(row, ensure_ascii=False) + "\n")
        self._file.flush()

    def row(self, cells: Sequence[str], widths: Sequence[int]) -> None:
        """One line of a table: the first cell to the left, the others to the right."""
        first, *others = (f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
        print(first.strip().ljust(widths[0]) + "".join(others), flush=True)


def working(text: str) -> None:
    """Say, on the terminal only, what takes so long."""
    if sys.stderr.isatty():
        print(f"\r{text:<100}", end="" if text else "\r", file=sys.stderr, flush=True)
