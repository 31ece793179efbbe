"""What it costs that files are read by a process with limits: whole ingestions, with it and without it, in turns.

Without it, a file is read in this process and stored part by part, as it was before there were workers.
"""

import asyncio
import shutil
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

import psutil

from benchmarks.corpora import Bench
from benchmarks.readers import files
from benchmarks.report import Report, working
from wellsourced.ingest import ingest_files
from wellsourced.ingest.file_ingestion import read_next_batch, split_batches
from wellsourced.readers.reader_thread import ReaderThread
from wellsourced.readers.registry import reader_for
from wellsourced.sources.library import Library

TURNS = 5
MEASURED = ("BEIR lines, gzip", "MEDLINE XML, gzip", "JATS", "Markdown", "Word", "PDF, one column")
WIDTHS = (24, 12, 12, 12, 12, 10, 10)

Ingestion = Callable[[Library, Sequence[Path]], Awaitable[object]]


class Cost(NamedTuple):
    """Seconds of the clock, and of the processor in this process and in those that it started."""

    clock: float
    processor: float


async def measure(bench: Bench, report: Report) -> None:
    """Seconds of an ingestion by word, without and with a worker, and how much more the second takes."""
    report.section("worker", f"Reading in a worker (whole ingestions, the median of {TURNS} turns)")
    report.row(("format", "clock, none", "clock, one", "proc., none", "proc., one", "clock", "proc."), WIDTHS)
    for name in MEASURED:
        paths = await asyncio.to_thread(files, bench, name)
        turns: dict[Ingestion, list[Cost]] = {_read_here: [], ingest_files: []}
        for turn in range(TURNS):
            for ingestion, costs in turns.items():
                working(f"ingesting {name}, turn {turn + 1} of {TURNS}")
                costs.append(await _cost(ingestion, paths, bench.work / "thrown-away"))
        working("")
        _tell(name, turns[_read_here], turns[ingest_files], report)


def _tell(name: str, without: Sequence[Cost], with_one: Sequence[Cost], report: Report) -> None:
    clock = [median(cost.clock for cost in costs) for costs in (without, with_one)]
    processor = [median(cost.processor for cost in costs) for costs in (without, with_one)]
    more = [100 * (pair[1] / pair[0] - 1) for pair in (clock, processor)]
    seconds = (f"{one:,.2f} s" for one in (*clock, *processor))
    report.row((name, *seconds, f"{more[0]:+.0f} %", f"{more[1]:+.0f} %"), WIDTHS)
    report.record(f"{name}, clock with a worker", more[0], "% more", "at most 10")
    report.record(f"{name}, processor with a worker", more[1], "% more")


async def _cost(ingestion: Ingestion, paths: Sequence[Path], folder: Path) -> Cost:
    shutil.rmtree(folder, ignore_errors=True)
    try:
        Library.create(folder, "read", "research")
        library = Library.at(folder, "read", write=True)
        clock, processor = time.perf_counter(), _processor()
        await ingestion(library, paths)
        cost = Cost(time.perf_counter() - clock, _processor() - processor)
        library.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return cost


def _processor() -> float:
    """Seconds of the processor so far, of this process and of the workers that it keeps."""
    here = psutil.Process()
    return sum(sum(one.cpu_times()[:2]) for one in (here, *here.children()))


async def _read_here(library: Library, paths: Sequence[Path]) -> None:
    reader = ReaderThread()
    for path in paths:
        rest = split_batches(reader_for(path)(path, "research"))
        while not (batch := await reader.run(read_next_batch, path, rest)).is_final:
            await library.add_from(str(path), batch.documents)
    reader.close()
    await library.maintain()
