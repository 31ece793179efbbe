"""How fast each format is read, and what it costs beyond that to store what was read.

Seconds are the processor's, of all threads. Bytes are those of the files after gzip or bzip2 is undone, and of a Word
file those of its text with its marks, without the styles; a PDF packs its pages by itself and counts as it lies there.
"""

import asyncio
import bz2
import gzip
import io
import re
import shutil
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.footprint import MB
from benchmarks.formats import FORMATS
from benchmarks.report import Report
from wellsourced.ingest import ingest_files
from wellsourced.readers.registry import reader_for
from wellsourced.sources.library import Library
from wellsourced.types import Document
from wellsourced_evaluate.development_data import Bench, show_work

TURNS = 3
INGESTED = "BEIR lines, gzip"
WIDTHS = (24, 8, 12, 10, 14, 10)


class Reading(NamedTuple):
    """Files that were read once: how many documents they gave, in how many seconds of the processor."""

    documents: int
    seconds: float


async def measure(bench: Bench, report: Report) -> None:
    """Documents and megabytes a second of each format, and of one of them into a library found by word."""
    report.section("readers", f"Readers (processor time, the median of {TURNS} readings)")
    report.row(("format", "files", "documents", "MB", "documents/s", "MB/s"), WIDTHS)
    for name in FORMATS:
        paths = await asyncio.to_thread(files, bench, name)
        _tell(name, paths, await asyncio.to_thread(_readings, name, paths), report)
    await _stored(bench, report)


def files(bench: Bench, name: str) -> list[Path]:
    """The files of a format; written once, and all of them or none."""
    folder = bench.files / "readers" / re.sub(r"\W+", "-", name.lower())
    if not folder.exists():
        show_work(f"writing {name}")
        half = folder.with_suffix(".half")
        shutil.rmtree(half, ignore_errors=True)
        half.mkdir(parents=True)
        for file, data in FORMATS[name](bench):
            (half / file).write_bytes(data)
        half.rename(folder)
        show_work("")
    return sorted(folder.iterdir())


def unpacked(path: Path) -> int:
    """Bytes of what is read in a file, once it is unpacked."""
    if path.suffix == ".docx":
        with zipfile.ZipFile(path) as parts:
            # The styles of a Word file are ten times as large as the text of a short article.
            return parts.getinfo("word/document.xml").file_size
    if path.suffix not in (".gz", ".bz2"):
        return path.stat().st_size
    with gzip.open(path) if path.suffix == ".gz" else bz2.open(path) as file:
        return file.seek(0, io.SEEK_END)


def read(paths: Sequence[Path]) -> Reading:
    """Read all of these files, none of which may have a fault."""
    begun, documents = time.process_time(), 0
    for path in paths:
        for item in reader_for(path)(path, "research"):
            assert isinstance(item, Document), f"{path}: {item}"
            documents += 1
    return Reading(documents, time.process_time() - begun)


def _readings(name: str, paths: Sequence[Path]) -> Reading:
    readings = []
    for turn in range(TURNS):
        show_work(f"reading {name}, turn {turn + 1} of {TURNS}")
        readings.append(read(paths))
    show_work("")
    return Reading(readings[0].documents, median(one.seconds for one in readings))


def _tell(name: str, paths: Sequence[Path], reading: Reading, report: Report) -> None:
    size = sum(map(unpacked, paths)) / MB
    a_second, megabytes = reading.documents / reading.seconds, size / reading.seconds
    counts = (f"{len(paths):,}", f"{reading.documents:,}", f"{size:,.1f}")
    report.row((name, *counts, f"{a_second:,.0f}", f"{megabytes:,.1f}"), WIDTHS)
    report.record(f"{name}, documents read", a_second, "documents/s")
    report.record(f"{name}, read", megabytes, "MB/s")


async def _stored(bench: Bench, report: Report) -> None:
    """Turn by turn, so that what else the machine does hits both alike."""
    paths, folder = await asyncio.to_thread(files, bench, INGESTED), bench.work / "thrown-away"
    alone, whole = [], []
    for turn in range(TURNS):
        show_work(f"ingesting {INGESTED}, turn {turn + 1} of {TURNS}")
        alone.append(await asyncio.to_thread(read, paths))
        whole.append(await _ingestion(paths, folder))
    show_work("")
    documents = alone[0].documents
    reading, storing = median(one.seconds for one in alone), median(whole)
    report.number(f"{INGESTED}: read, cut, stored and indexed", documents / storing, "documents/s")
    report.number(f"{INGESTED}: slower than reading alone", storing / reading, "times")


async def _ingestion(paths: Sequence[Path], folder: Path) -> float:
    """Seconds that it takes to make these files a library found by word, which is thrown away."""
    shutil.rmtree(folder, ignore_errors=True)
    try:
        Library.create(folder, "read", "research")
        library = Library.at(folder, "read", write=True)
        begun = time.process_time()
        await ingest_files(library, paths)
        seconds = time.process_time() - begun
        library.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return seconds
