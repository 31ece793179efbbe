"""How fast documents go in: by words alone, and how near making vectors comes to the encoder's own speed.

`worker`: what it costs that files are read by a process with limits: whole ingestions, with it and without it, in
turns. Without it, a file is read in this process and stored part by part, as it was before there were workers.
"""

import asyncio
import json
import shutil
import time
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice
from pathlib import Path
from statistics import median
from typing import NamedTuple

import psutil

from benchmarks.readers import files
from benchmarks.report import Report
from wellsourced.encoders.base import Encoder, Role, Vectors
from wellsourced.events import ignore_event
from wellsourced.ingest import ingest_files
from wellsourced.ingest.file_reading import read_next_batch, split_batches
from wellsourced.readers.registry import reader_for
from wellsourced.sources.library import Library
from wellsourced.worker_pool import ReaderThread
from wellsourced_evaluate.development_data import CORPORA, Bench, show_work, take_corpus, take_rows, tell_progress

# --- ingestion -------------------------------------------------------------------------------------------------------

EMBEDDED = 1_500
"""Documents whose passages are embedded for the comparison: half a minute of work for the encoder."""


class Watched:
    """An encoder that counts its texts and its own seconds: two runs one after the other differ by chance alone."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.texts, self.seconds = 0, 0.0

    @property
    def name(self) -> str:
        """The name of the encoder itself: its vectors are the same."""
        return self._encoder.name

    @property
    def dim(self) -> int:
        """The width of the encoder itself."""
        return self._encoder.dim

    def encode(self, texts: Sequence[str], role: Role = "passage") -> Vectors:
        """What the encoder makes of the texts."""
        begun = time.perf_counter()
        vectors = self._encoder.encode(texts, role)
        self.texts += len(texts)
        self.seconds += time.perf_counter() - begun
        return vectors


async def measure(bench: Bench, encoder: Encoder, report: Report) -> None:
    """Passages a second and bytes a passage, in libraries that are thrown away afterwards."""
    report.section("ingestion", "Ingestion (research and consumer)")
    root = bench.work / "thrown-away"
    shutil.rmtree(root, ignore_errors=True)
    try:
        await _by_words(bench, encoder, root, report)
        await _by_meaning(bench, encoder, root, report)
    finally:
        shutil.rmtree(root, ignore_errors=True)


async def _by_words(bench: Bench, encoder: Encoder, root: Path, report: Report) -> None:
    passages = size = 0
    seconds = 0.0
    for name in (name for name, corpus in CORPORA.items() if corpus.asked):
        Library.create(root, name, CORPORA[name].kind, encoder)
        built = Library.at(root, name, encoder, write=True)
        path = take_corpus(bench, name)
        begun = time.perf_counter()
        await ingest_files(built, [path], tell_progress(name))
        seconds += time.perf_counter() - begun
        show_work("")
        passages += (await built.describe()).passages
        built.close()
        size += weight(root / name)
    report.number("passages stored", passages, "passages")
    report.number("ingestion, found by word", passages / seconds, "passages/s", "at least 3,000")
    report.number("on disk, without vectors", size / passages, "bytes/passage")


async def _by_meaning(bench: Bench, encoder: Encoder, root: Path, report: Report) -> None:
    watched = Watched(encoder)
    path = root / "some.jsonl"
    some = islice(take_rows(bench, "research"), EMBEDDED)
    path.write_text("".join(json.dumps(row) + "\n" for row in some), encoding="utf-8")
    Library.create(root, "some", "research", watched)
    built = Library.at(root, "some", watched, write=True)
    await ingest_files(built, [path], ignore_event)
    watched.encode(["Loads the weights before the clock starts."])
    watched.texts, watched.seconds = 0, 0.0
    begun = time.perf_counter()
    await built.embed_passages(tell_progress("some"))
    seconds = time.perf_counter() - begun
    show_work("")
    report.number("the encoder, while it worked", watched.texts / watched.seconds, "texts/s")
    report.number("library embed", watched.texts / seconds, "texts/s")
    report.number("library embed, of the encoder's own speed", 100 * watched.seconds / seconds, "%", "at least 90")
    stored = (await built.describe()).passages
    built.close()
    report.number("on disk, with vectors", weight(root / "some") / stored, "bytes/passage")


def weight(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


# --- worker ----------------------------------------------------------------------------------------------------------

TURNS = 5
MEASURED = ("BEIR lines, gzip", "MEDLINE XML, gzip", "JATS", "Markdown", "Word", "PDF, one column")
WIDTHS = (24, 12, 12, 12, 12, 10, 10)

Ingestion = Callable[[Library, Sequence[Path]], Awaitable[object]]


class Cost(NamedTuple):
    """Seconds of the clock, and of the processor in this process and in those that it started."""

    clock: float
    processor: float


async def measure_worker(bench: Bench, report: Report) -> None:
    """Seconds of an ingestion by word, without and with a worker, and how much more the second takes."""
    report.section("worker", f"Reading in a worker (whole ingestions, the median of {TURNS} turns)")
    report.row(("format", "clock, none", "clock, one", "proc., none", "proc., one", "clock", "proc."), WIDTHS)
    for name in MEASURED:
        paths = await asyncio.to_thread(files, bench, name)
        turns: dict[Ingestion, list[Cost]] = {_read_here: [], ingest_files: []}
        for turn in range(TURNS):
            for ingestion, costs in turns.items():
                show_work(f"ingesting {name}, turn {turn + 1} of {TURNS}")
                costs.append(await _cost(ingestion, paths, bench.work / "thrown-away"))
        show_work("")
        _tell_worker(name, turns[_read_here], turns[ingest_files], report)


def _tell_worker(name: str, without: Sequence[Cost], with_one: Sequence[Cost], report: Report) -> None:
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
