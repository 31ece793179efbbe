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


def look_at(root: psutil.Process, seconds: dict[tuple[int, float], tuple[str, float]]) -> None:
    """Note of a process and of all below it what it is, and how many seconds of the processor it has had so far."""
    for process in (root, *root.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            command = " ".join(process.cmdline())
            is_worker = "ray::FileWorker" in command
            name = "reading" if WORKER_PROGRAM in command else "workers" if is_worker else "besides"
            name = "writer" if process == root else name
            key = process.pid, process.create_time()
            # One that has ended and was not yet fetched has no command any more.
            name = name if command else seconds.get(key, (name, 0.0))[0]
            seconds[key] = name, sum(process.cpu_times()[:2])


def ingest(home: Path, ray: str, paths: list[Path]) -> None:
    """In a process of its own: fill a library, and print what came of it as JSON."""
    settings = config.Settings(home=home, encoder="none")
    config.create_library(settings, "mine", "research", lexical=True)
    began = time.perf_counter()
    ended = asyncio.run(ingest_paths(settings, "mine", tuple(paths), False, ignore_event, ray=ray))
    clock = time.perf_counter() - began
    print(json.dumps({"documents": ended.documents, "passages": ended.passages, "clock": clock}), flush=True)


def measure(work: Path, ray: str, paths: list[Path]) -> dict[str, float]:
    """One ingestion: seconds of the clock, and of the processor by kind of process.

    They are looked at from outside, twice a second: who started them does not tell what they took when they end.
    """
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
    seen: dict[tuple[int, float], tuple[str, float]] = {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        while running.poll() is None:
            with suppress(psutil.NoSuchProcess):
                look_at(psutil.Process(running.pid), seen)
            time.sleep(0.5)
        assert running.stdout
        measured: dict[str, float] = json.loads(running.stdout.read().splitlines()[-1])
    shutil.rmtree(home, ignore_errors=True)
    kinds = dict.fromkeys(("writer", "reading", "workers", "besides"), 0.0)
    for name, seconds in seen.values():
        kinds[name] += seconds
    return {**measured, **kinds, "processor": sum(kinds.values())}


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
    working = {ray: seconds - idle[ray]["processor"] for ray, seconds in cost.items()}
    print(f"without what starting costs: {working[''] / working['local']:.3f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--ingest"]:
        ingest(Path(sys.argv[3]), sys.argv[2].removesuffix("alone"), [Path(name) for name in sys.argv[4:]])
    else:
        main()
