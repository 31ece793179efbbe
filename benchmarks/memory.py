"""How much memory a process takes that opens the libraries and asks: the most it ever held.

Run as a program it is that process: `python -m benchmarks.memory QUESTION…` prints bytes as JSON.
"""

import asyncio
import json
import re
import resource
import subprocess
import sys
from pathlib import Path

from benchmarks.report import Report
from wellsourced import config
from wellsourced.pipeline.ask import answer_question
from wellsourced.types import Question
from wellsourced_evaluate.development_data import CORPORA, Bench, draw_questions, open_library

ASKS = 20
MB = 1_000_000


async def measure(bench: Bench, report: Report) -> None:
    """The peak after opening and after some questions, in a process of its own."""
    for name in (name for name, corpus in CORPORA.items() if corpus.asked):
        await open_library(bench, name, None)
    report.section("memory", "Memory (research and consumer, resident set)")
    words = [sys.executable, "-m", "benchmarks.memory", *draw_questions(bench, ASKS)]
    done = await asyncio.to_thread(subprocess.run, words, capture_output=True, text=True, check=True)
    peaks = json.loads(done.stdout)
    report.number("after the context is built", peaks["built"] / MB, "MB")
    report.number(f"after {ASKS} questions, at its highest", peaks["asked"] / MB, "MB", "at most 1,200")


def peak() -> int:
    """The most memory, in bytes, that this process ever had resident.

    Linux tells it by address space; `ru_maxrss`, which serves elsewhere, there begins with what the parent held.
    """
    status = Path("/proc/self/status")
    if status.exists() and (told := re.search(r"VmHWM:\s+(\d+) kB", status.read_text(encoding="utf-8"))):
        return int(told[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


async def _ask_all(asked: list[str]) -> dict[str, int]:
    async with config.open_context() as context:
        built = peak()
        for question in asked:
            await answer_question(Question(text=question), context)
    return {"built": built, "asked": peak()}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_ask_all(sys.argv[1:]))))
