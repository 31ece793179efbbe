"""The graph: how fast it is built from each format, how fast it answers, and what it knows. Also run on its own:

python -m benchmarks.graph [ROWS]

ROWS is the number of lines of MRREL that are made up (2,000,000), in the real format, since UMLS may not be shared.
"""

import asyncio
import random
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from benchmarks.footprint import peak
from benchmarks.report import Report
from wellsourced.events import Event, FileFailed
from wellsourced.medicine.word_forms import known_abbreviations
from wellsourced.readers.concepts.hpo import hpo_files
from wellsourced.sources.graph.source import Graph
from wellsourced.types import Query

OPEN = ("do.nodes.jsonl.gz", "do.edges.jsonl.gz", "mondo.nodes.jsonl.gz", "mondo.edges.jsonl.gz")
SLIM = "DO_infectious_disease_slim.obo.gz"
HUB = Query(terms=("autosomal recessive inheritance", "deafness"), kind="text")

EXACT = ("asthma", "breast cancer", "Seizure", "chikungunya", "cystic fibrosis", "Hearing impairment", "DOID:1612")
PARTS = (
    "Loeys Dietz 4",
    "familial hypertrophic heart",
    "deafness recessive nonsyndromic",
    "juvenile arthritis systemic",
)
SHORT = ("COPD", "GERD", "ALS", "NSCLC", "ARDS", "ADHD", "SLE")

ROWS_OF_UMLS = 20_000_000
T = TypeVar("T")

LABELS = ("isa", "inverse_isa", "finding_site_of", "has_finding_site", "may_treat", "may_be_treated_by", "mapped_to")


async def measure(data: Path, work: Path, rows: int, report: Report) -> None:
    """Everything about the graph, in files under `work` that are thrown away afterwards."""
    report.section("graph", "The graph")
    shutil.rmtree(work, ignore_errors=True)
    try:
        graph = await _opened(data / "graph", work, report)
        await _answers(graph, report)
        await _known(graph, report)
        graph.close()
        await _umls(work, rows, report)
    finally:
        shutil.rmtree(work, ignore_errors=True)


async def _opened(data: Path, work: Path, report: Report) -> Graph:
    graph = Graph(work / "open.sqlite3", write=True)
    for path in (*(data / name for name in OPEN), data / SLIM, *hpo_files()):
        begun = time.perf_counter()
        before = _rows(graph.path)
        await graph.add_from(path, _loudly)
        rows = _rows(graph.path) - before
        report.number(f"build, {path.name}, {rows:,} rows", rows / (time.perf_counter() - begun), "rows/s")
    report.number("size, DO + Mondo + HPO", graph.path.stat().st_size / 1e6, "MB")
    return graph


def _rows(path: Path) -> int:
    """Concepts, names, definitions, relations and references to other vocabularies that files gave so far."""
    sql = sqlite3.connect(path)
    (rows,) = sql.execute("SELECT ifnull(sum(items), 0) FROM files").fetchone()
    sql.close()
    return int(rows)


def _loudly(event: Event) -> None:
    if isinstance(event, FileFailed):
        print(f"{event.path}: {event.reason}", file=sys.stderr)


async def _answers(graph: Graph, report: Report) -> None:
    for name, terms in (("by name or id", EXACT), ("by full text", PARTS), ("by abbreviation", SHORT)):
        await _timed(f"look-up {name}", graph.find, terms, report)
    await _timed("widen", graph.find_synonyms, EXACT, report)
    searches = [Query(terms=(term,), kind="term") for term in EXACT]
    await _timed("search for a term", lambda query: graph.search(query, 20), searches, report)
    await _timed("search in a hub of 5,000 relations and more", lambda query: graph.search(query, 20), [HUB], report)


async def _timed(
    name: str, ask: Callable[[T], Awaitable[object]], questions: Sequence[T], report: Report, times: int = 20
) -> None:
    seconds = []
    for question in list(questions) * times:
        begun = time.perf_counter()
        await ask(question)
        seconds.append(time.perf_counter() - begun)
    cuts = statistics.quantiles(seconds, n=20)
    report.number(f"{name}, p50", 1000 * statistics.median(seconds), "ms")
    report.number(f"{name}, p95", 1000 * cuts[18], "ms")


async def _known(graph: Graph, report: Report) -> None:
    """Of the abbreviations that the package lists, those whose long form the graph gives by itself."""
    pairs = list(known_abbreviations().items())
    found = same = 0
    for short, long in pairs:
        one, other = await graph.find(short), await graph.find(long)
        sure = one is not None and one.how != "text"
        found += sure
        together = {one.concept, *one.equivalents} if one and sure else set()
        same += other is not None and other.how != "text" and other.concept in together
    report.number("abbreviations of our list that it finds", found, f"of {len(pairs)}")
    report.number("abbreviations that name the concept of their long form", same, f"of {len(pairs)}")


async def _umls(work: Path, rows: int, report: Report) -> None:
    meta = work / "META"
    meta.mkdir(parents=True)
    concepts = max(1_000, rows // 6)
    _write(meta / "MRCONSO.RRF", _conso(concepts))
    _write(meta / "MRREL.RRF", _rel(rows, concepts))
    graph = Graph(work / "umls.sqlite3", write=True)
    rates = {}
    for name, lines in (("MRCONSO.RRF", 3 * concepts), ("MRREL.RRF", rows)):
        begun = time.perf_counter()
        await graph.add_from(meta / name, _loudly)
        rates[name] = lines / (time.perf_counter() - begun)
        report.number(f"build, {name}, {lines:,} lines, indexes included", rates[name], "lines/s")
    report.number("20 million lines of MRREL at that rate", ROWS_OF_UMLS / rates["MRREL.RRF"] / 60, "min")
    report.number("peak of memory", peak() / 1e6, "MB", "below 1,000")
    facts = (await graph.describe()).passages
    report.number(f"size, {concepts:,} concepts and {facts:,} facts", graph.path.stat().st_size / 1e6, "MB")
    terms = [f"condition {number} of the heart" for number in range(0, concepts, concepts // 50)]
    await _timed("look-up by name", graph.find, terms, report, times=2)
    parts = [f"heart {number}" for number in range(0, concepts, concepts // 50)]
    await _timed("look-up by full text", graph.find, parts, report, times=2)
    graph.close()


def _write(path: Path, lines: Iterator[str]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(lines)


def _conso(concepts: int) -> Iterator[str]:
    """Two English names and a Spanish one for each concept, as MRCONSO has them."""
    for number in range(concepts):
        cui = f"C{number:07}"
        names = (("ENG", "P", f"condition {number} of the heart"), ("ENG", "S", f"cardiac condition no {number}"))
        for lat, ts, name in (*names, ("SPA", "P", f"afección {number} del corazón")):
            term = f"{ts}|L{number:07}|PF|S{number:07}|Y|A{number:08}||M{number}|D{number}"
            yield f"{cui}|{lat}|{term}|MSH|PT|D{number}|{name}|0|N||\n"


def _rel(rows: int, concepts: int) -> Iterator[str]:
    """Relations in the order of their first concept; every fifth has no label, as many in UMLS have none."""
    chance = random.Random(7)  # noqa: S311 - the same rows in every run
    for number in range(rows):
        first, second = number * concepts // rows, chance.randrange(concepts)
        rela = "" if number % 5 == 0 else LABELS[chance.randrange(len(LABELS))]
        ends = f"C{first:07}|A{first:08}|AUI|RO|C{second:07}|A{second:08}|AUI"
        yield f"{ends}|{rela}|R{number:08}||SNOMEDCT_US|SNOMEDCT_US|||N||\n"


if __name__ == "__main__":
    data = Path(__file__).parents[2] / "shared" / "data"
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(data, Path(folder) / "work", number, Report(Path(folder) / "results.jsonl")))
