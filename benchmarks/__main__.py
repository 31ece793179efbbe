"""Measure what the documentation claims: `make bench`, or `python -m benchmarks --help`."""

import argparse
import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from pathlib import Path

from platformdirs import user_cache_path

from benchmarks import (
    encoding,
    figures,
    footprint,
    graph,
    growth,
    ingestion,
    latency,
    load,
    medline,
    readers,
    retrieval,
    waves,
)
from benchmarks.report import Report
from wellsourced.encoders.base import Encoder
from wellsourced.encoders.minilm import MiniLM
from wellsourced_evaluate.development_data import Bench

Claim = Callable[[Bench, Encoder, Report], Awaitable[None]]

CLAIMS: Mapping[str, Claim] = {
    "graph": lambda bench, _, report: graph.measure(bench.data, bench.work / "graph", ROWS_OF_GRAPH, report),
    "footprint": lambda _, __, report: asyncio.to_thread(footprint.measure, report),
    "start": lambda _, __, report: asyncio.to_thread(footprint.measure_starts, report),
    "ingestion": ingestion.measure,
    "retrieval": retrieval.measure,
    "ablation": retrieval.measure_parts,
    "encoding": lambda bench, _, report: encoding.measure(bench, report),
    "latency": latency.measure,
    "memory": lambda bench, _, report: footprint.measure_memory(bench, report),
    "load": lambda bench, _, report: load.measure(bench, report),
    "medline": lambda bench, _, report: medline.measure(bench, report),
    "readers": lambda bench, _, report: readers.measure(bench, report),
    "waves": lambda bench, _, report: waves.measure(bench, report),
    "growth": growth.measure,
    "worker": lambda bench, _, report: ingestion.measure_worker(bench, report),
}
"""In the order in which they are measured: the graph first, since its peak of memory is that of this process."""

ROWS_OF_GRAPH = 2_000_000
"""Lines of relations that are made up: a tenth of what UMLS has."""

DATA = Path(__file__).parents[2] / "shared" / "data"
WORK = user_cache_path("wellsourced", appauthor=False) / "benchmarks"


def counted(words: str) -> int:
    """A number of queries, "all" being 0."""
    return 0 if words == "all" else int(words)


def options() -> argparse.Namespace:
    """What to measure, on what."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=list(CLAIMS), default=list(CLAIMS), help="measure these alone")
    parser.add_argument(
        "--queries", type=counted, default=-1, help='of each set, or "all" (default: all, MedQuAD 1000)'
    )
    parser.add_argument("--sample", type=int, default=0, help="documents of each corpus (default: all)")
    parser.add_argument("--data", type=Path, default=DATA, help=f"the development data (default: {DATA.name})")
    parser.add_argument("--work", type=Path, default=WORK, help="where built libraries are kept")
    parser.add_argument("--fresh", action="store_true", help="build the libraries anew, with the code as it is now")
    parser.add_argument("--out", type=Path, help="JSON lines (default: in the folder of --work, named by the time)")
    parser.add_argument("--keep", action="store_true", help=f"write them into docs/{figures.PAGE.name}")
    return parser.parse_args()


async def main() -> None:
    """Every claim asked for, in order; the libraries are built when the first of them needs them."""
    asked = options()
    bench = Bench(asked.data.resolve(), asked.work.resolve(), asked.sample, asked.queries)
    if not bench.data.is_dir():
        raise SystemExit(f"There are no development data at {bench.data}: name their folder with --data.")
    if asked.fresh:
        for folder in (bench.home, bench.other, bench.files):
            shutil.rmtree(folder, ignore_errors=True)
    # `ask` and the commands find the measured libraries, and nobody's own ones.
    os.environ["WELLSOURCED_HOME"] = str(bench.home)
    out = asked.out or bench.work / f"results-{datetime.now():%Y%m%d-%H%M%S}.jsonl"
    report, encoder = Report(out), MiniLM()
    for claim, measure in CLAIMS.items():
        if claim in asked.only:
            await measure(bench, encoder, report)
    report.note(f"\nThe numbers as JSON lines: {out}")
    report.close()
    if asked.keep:
        figures.keep_results(out, list(CLAIMS))
        report.note(f"Kept in {figures.KEPT}, and shown in {figures.PAGE}")


if __name__ == "__main__":
    asyncio.run(main())
