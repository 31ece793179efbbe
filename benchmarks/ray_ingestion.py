"""What ingestion by word costs with Ray on this machine, against one process, over files as PubMed's baseline has them.

    python -m benchmarks.ray_ingestion --files 20 --citations 5000

Needs the extra `ray`. The same files go into a library of their own, once in each way and by turns, each time in a
process of its own. Seconds are the processor's, of that process and of all that it started, since the clock also
measures what else the machine does. Once more in each way with one small file: what starting costs is told apart.
"""

import argparse
import asyncio
import gzip
import json
import re
import shutil
import subprocess
import sys
import threading
import time
from contextlib import suppress
from itertools import islice
from pathlib import Path
from statistics import median

import psutil

from benchmarks.__main__ import DATA, WORK
from benchmarks.medline import HEAD, TAIL, records
from wellsourced import config
from wellsourced.events import ignore_event
from wellsourced.ingest.file_ingestion import ingest_paths
from wellsourced.readers.worker.process import WORKER_PROGRAM
from wellsourced_evaluate.development_data import Bench

NUMBERS = re.compile(
    r'(<PMID Version="1">|<ArticleId IdType="pubmed">|10\.1234/invented\.|<ArticleId IdType="pmc">PMC)\d+'
)
"""Where a citation says which it is; what it cites comes behind these."""


def write_files(folder: Path, files: int, citations: int, bench: Bench) -> list[Path]:
    """So many files of so many citations, each citation with a number of its own; written once."""
    folder.mkdir(parents=True, exist_ok=True)
    made = [folder / f"pubmed26n{number:04}.xml.gz" for number in range(1, files + 1)]
    if all(path.exists() for path in made):
        return made
    rows = [row.partition("<ReferenceList") for row in islice(records(bench), citations)]
    for file, path in enumerate(made):
        half = path.with_suffix(".half")
        with gzip.open(half, "wt", encoding="utf-8", compresslevel=1) as out:
            out.write(HEAD)
            for row, (head, mark, cited) in enumerate(rows):
                number = file * citations + row + 1
                out.write(NUMBERS.sub(lambda found, number=number: f"{found[1]}{number}", head) + mark + cited)  # type: ignore[misc]
            out.write(TAIL)
        half.rename(path)
    return made


class ProcessorTime:
    """Seconds of the processor of this process and of all below it, looked at twice a second, since who started them
    does not tell them when they end."""

    def __init__(self) -> None:
        self._seconds: dict[tuple[int, float], float] = {}
        self._names: dict[tuple[int, float], str] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def end(self) -> dict[str, float]:
        """Of the writer, of those that read files, of Ray's workers, and of what Ray runs besides."""
        self._ended.set()
        self._thread.join()
        found = dict.fromkeys(("writer", "readers", "workers", "besides"), 0.0)
        for key, seconds in self._seconds.items():
            found[self._names[key]] += seconds
        return found

    def _watch(self) -> None:
        while not self._ended.wait(0.5):
            self._look()
        self._look()

    def _look(self) -> None:
        own = psutil.Process()
        for process in (own, *own.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                key, command = (process.pid, process.create_time()), " ".join(process.cmdline())
                self._seconds[key] = sum(process.cpu_times()[:2])
                is_worker = "ray::FileWorker" in command
                name = "readers" if WORKER_PROGRAM in command else "workers" if is_worker else "besides"
                self._names[key] = "writer" if process == own else name


def ingest(home: Path, ray: str, paths: list[Path]) -> None:
    """In a process of its own: fill a library, and print what came of it and what it cost as JSON."""
    settings = config.Settings(home=home, encoder="none")
    config.create_library(settings, "mine", "research", lexical=True)
    began, spent = time.perf_counter(), ProcessorTime()
    ended = asyncio.run(ingest_paths(settings, "mine", tuple(paths), False, ignore_event, ray=ray))
    clock, seconds = time.perf_counter() - began, spent.end()
    told = {"clock": clock, **seconds, "processor": sum(seconds.values())}
    print(json.dumps({"documents": ended.documents, "passages": ended.passages, **told}))


def measure(work: Path, ray: str, paths: list[Path]) -> dict[str, float]:
    """One ingestion: processor seconds of all its processes, those of the writer, and seconds of the clock."""
    home = work / "thrown-away"
    shutil.rmtree(home, ignore_errors=True)
    command = [
        sys.executable,
        "-m",
        "benchmarks.ray_ingestion",
        "--ingest",
        ray or "alone",
        str(home),
        *map(str, paths),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    shutil.rmtree(home, ignore_errors=True)
    measured: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return measured


def main() -> None:
    """Measure by turns, and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=20)
    parser.add_argument("--citations", type=int, default=5_000, help="in each file (30,000 in one of the baseline)")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--work", type=Path, default=WORK / "ray")
    asked = parser.parse_args()
    bench = Bench(asked.data.resolve(), asked.work, 0, -1)
    paths = write_files(asked.work / f"{asked.files}x{asked.citations}", asked.files, asked.citations, bench)
    small = write_files(asked.work / "1x50", 1, 50, bench)
    found: dict[str, list[dict[str, float]]] = {"": [], "local": []}
    idle = {ray: measure(asked.work, ray, small) for ray in found}
    started = {ray: seconds["processor"] - seconds["besides"] for ray, seconds in idle.items()}
    for turn in range(asked.turns):
        for ray, turns in found.items():
            turns.append(measure(asked.work, ray, paths))
            print(f"turn {turn + 1}, {ray or 'one process'}: {turns[-1]}", flush=True)
    cost = {ray: median(turn["processor"] for turn in turns) for ray, turns in found.items()}
    for ray, turns in found.items():
        documents, seconds, start = turns[0]["documents"], cost[ray], idle[ray]["processor"]
        writer, clock = (1e6 * median(turn[name] for turn in turns) / documents for name in ("writer", "clock"))
        print(
            f"{ray or 'one process'}: {documents / seconds:,.0f} citations a processor second, starting {start:.1f} s"
        )
        print(f"  of one citation {writer:,.0f} µs of the writer, {clock:,.0f} µs of the clock")
    print(f"throughput per processor second with Ray, of one process: {cost[''] / cost['local']:.3f}")
    working = {
        ray: median(turn["processor"] - turn["besides"] for turn in turns) - started[ray]
        for ray, turns in found.items()
    }
    ratio = working[""] / working["local"]
    print(f"without what starting costs, and what Ray's own processes take every second: {ratio:.3f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--ingest"]:
        ingest(Path(sys.argv[3]), sys.argv[2].removesuffix("alone"), [Path(name) for name in sys.argv[4:]])
    else:
        main()
