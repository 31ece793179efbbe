"""Whether many questions at once get the answers that each gets alone; what that costs in memory, and holds the loop.

Run as a program it is one process that asks: `python -m benchmarks.load HOME THREADS once|row COUNT`, the questions as
JSON on its standard input; it prints what came of it as JSON.
"""

import asyncio
import hashlib
import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from benchmarks.questions import draw_questions
from benchmarks.report import Report
from wellsourced import config
from wellsourced.config.encoders import build_encoder
from wellsourced.ingest import ingest_files
from wellsourced.pipeline.ask import answer_question
from wellsourced.sources.library import Library
from wellsourced.types import Answer, Question
from wellsourced_evaluate.development_data import Bench, take_corpus

AT_ONCE, IN_A_ROW, PROCESSES = 200, 2_000, 8
"""Questions asked at once, and one after another; processes that ask at once."""

DOCUMENTS = 1_800
"""Of the research corpus: a small library beside the guidelines."""

MB = 1_000_000
BEAT = 0.005
"""Seconds between two beats of the loop."""


class Run(NamedTuple):
    """One process that asked.

    said      the sha256 of each answer without its timings, in the order of the questions
    late      the longest time, in seconds, that a beat of the loop came late; on a busy machine not the loop's fault
    held      the most processor time that the loop's thread spent between two beats
    rest      bytes resident a second after the last answer; `most` at the highest
    """

    said: list[str]
    abstained: int
    late: float
    held: float
    rest: int
    most: int
    seconds: float
    processor: float


async def measure(bench: Bench, report: Report, count: int = AT_ONCE, row: int = IN_A_ROW) -> None:
    """At once, in a row, in several processes, with one thread and with two, cold and warm; then very many in a row."""
    report.section("load", f"Under load (guidelines and {DOCUMENTS:,} documents, {count} questions)")
    with TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        await _fill(bench, home)
        asked = draw_questions(bench, max(count, row))
        alone = await _run(_cold(home, "row"), 2, "row", asked[:count])
        runs = {
            "at once, cold": _run(_cold(home, "once"), 2, "once", asked[:count]),
            "at once, one thread, cold": _run(_cold(home, "one"), 1, "once", asked[:count]),
            "one after another, one thread, warm": _run(home.with_name("row"), 1, "row", asked[:count]),
        }
        for name, run in runs.items():
            _tell(name, await run, alone, report)
        shared = _cold(home, "shared")
        several = await asyncio.gather(
            *(_run(shared, 1 + n % 2, "once", asked[: count // 8]) for n in range(PROCESSES))
        )
        differing = sum(_differing(one, alone) for one in several)
        report.number(f"{PROCESSES} processes at once: answers that differ", differing, "answers", "0")
        if row:
            long = await _run(_cold(home, "long"), 2, "row", asked[:row])
            report.number(f"memory after {len(long.said):,} in a row", long.rest / MB, "MB", "at most 900")


def _tell(name: str, run: Run, alone: Run, report: Report) -> None:
    report.number(f"{name}: answers that differ", _differing(run, alone), "answers", "0")
    report.number(f"{name}: abstained (one after another: {alone.abstained})", run.abstained, "answers")
    report.number(f"{name}: the loop's thread held, at most", run.held * 1000, "ms processor", "at most 50")
    report.number(f"{name}: a beat of the loop late, at most", run.late * 1000, "ms")
    report.number(f"{name}: memory at the highest", run.most / MB, "MB", "at most 900")
    report.number(f"{name}: memory afterwards", run.rest / MB, "MB")
    report.number(f"{name}: seconds", run.seconds, "s")


def _differing(run: Run, alone: Run) -> int:
    return sum(one != other for one, other in zip(run.said, alone.said, strict=False))


async def _fill(bench: Bench, home: Path) -> None:
    """The guidelines, and a small library."""
    settings = config.load({"home": str(home)})
    async with config.open_context(settings):
        pass
    encoder = build_encoder(settings)
    Library.create(home / "libraries", "research", "research", encoder)
    library = Library.at(home / "libraries", "research", encoder, write=True)
    try:
        small = Bench(bench.data, home.parent, DOCUMENTS, bench.queries)
        await ingest_files(library, [take_corpus(small, "research")], lambda _: None)
        await library.embed_passages()
    finally:
        library.close()


def _cold(home: Path, name: str) -> Path:
    """A copy of the home in which nothing was asked."""
    copy = home.with_name(name)
    shutil.copytree(home, copy)
    (copy / "verdicts.sqlite3").unlink(missing_ok=True)
    return copy


async def _run(home: Path, threads: int, way: str, asked: Sequence[str]) -> Run:
    words = [sys.executable, "-m", "benchmarks.load", str(home), str(threads), way]
    done = await asyncio.to_thread(
        subprocess.run, words, input=json.dumps(list(asked)), capture_output=True, text=True, check=True
    )
    return Run(**json.loads(done.stdout))


async def _ask(home: Path, threads: int, way: str, asked: Sequence[str]) -> Run:
    late, held = [0.0], [0.0]

    async def beat() -> None:
        while True:
            clock, processor = time.perf_counter(), time.thread_time()
            await asyncio.sleep(BEAT)
            late.append(time.perf_counter() - clock - BEAT)
            held.append(time.thread_time() - processor)

    async with config.open_context(config.load({"home": str(home), "threads": str(threads)})) as context:
        begun, processor = time.perf_counter(), time.process_time()
        beating = asyncio.create_task(beat())

        async def said(text: str) -> tuple[str, bool]:
            given = await answer_question(Question(text=text), context)
            return _digest(given), given.abstained

        if way == "once":
            told = await asyncio.gather(*map(said, asked))
        else:
            told = [await said(text) for text in asked]
        beating.cancel()
        seconds, spent = time.perf_counter() - begun, time.process_time() - processor
        await asyncio.sleep(1)
        memory = _memory()
    abstained = sum(silent for _, silent in told)
    return Run(
        [one for one, _ in told], abstained, max(late), max(held), memory["VmRSS"], memory["VmHWM"], seconds, spent
    )


def _digest(given: Answer) -> str:
    said: Any = given.model_copy(update={"timings": {}}).model_dump_json()
    return hashlib.sha256(said.encode()).hexdigest()


def _memory() -> dict[str, int]:
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return {name: int(kb) * 1024 for name, kb in re.findall(r"(VmRSS|VmHWM):\s+(\d+) kB", status)}


if __name__ == "__main__":
    print(
        json.dumps(asyncio.run(_ask(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], json.load(sys.stdin)))._asdict())
    )
