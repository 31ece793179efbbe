"""How long one waits: for a search, for a whole answer, and for the first answer of a new process."""

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.questions import draw_questions
from benchmarks.report import Report
from wellsourced import config
from wellsourced.encoders.base import Encoder
from wellsourced.pipeline.ask import answer_question
from wellsourced.types import Query, Question
from wellsourced_evaluate.development_data import CORPORA, Bench, open_library, show_work

CANDIDATES = 50
SEARCHES = 200
ASKS = 60
STARTS = 5
WARM = 3


async def measure(bench: Bench, encoder: Encoder, report: Report) -> None:
    """Search, ask and cold start over the libraries of research and consumer."""
    for name in (name for name, corpus in CORPORA.items() if corpus.asked):
        await open_library(bench, name, None)
    report.section("latency", "Latency (research and consumer; one question at a time)")
    for name in (name for name, corpus in CORPORA.items() if corpus.asked):
        await _search(bench, name, None, "by word", report)
        await _search(bench, name, encoder, "by word and meaning", report)
    await _ask(bench, report)
    _cold(report)


async def _search(bench: Bench, name: str, encoder: Encoder | None, how: str, report: Report) -> None:
    source = await open_library(bench, name, encoder)
    seconds = []
    for question in draw_questions(bench, SEARCHES):
        begun = time.perf_counter()
        await source.search(Query(terms=(question,)), CANDIDATES)
        seconds.append(time.perf_counter() - begun)
    _percentiles(f"search in {name}, {how}", [1000 * one for one in seconds[WARM:]], "ms", ("at most 60", ""), report)


async def _ask(bench: Bench, report: Report) -> None:
    seconds, answered, beyond = [], 0, 0
    # Every question is new to it: verdicts of an earlier run would answer for the judge.
    for verdicts in bench.home.glob("verdicts.sqlite3*"):
        verdicts.unlink()
    async with config.open_context() as context:
        cards = [await source.describe() for source in context.sources]
        for place, question in enumerate(draw_questions(bench, ASKS)):
            show_work(f"ask: {place} of {ASKS}")
            begun = time.perf_counter()
            given = await answer_question(Question(text=question), context)
            seconds.append(time.perf_counter() - begun)
            answered += not given.abstained
            beyond += len({attempt.tier for attempt in given.attempts}) > 1
    show_work("")
    report.number("documents searched by ask", sum(card.documents for card in cards), "documents")
    _percentiles("ask", seconds[WARM:], "s", ("at most 3", "at most 6"), report)
    report.note(f"  {answered} of {ASKS} questions answered, {beyond} went beyond the guidelines")


def _percentiles(name: str, values: Sequence[float], unit: str, aims: tuple[str, str], report: Report) -> None:
    for share, aim in zip((50, 95), aims, strict=True):
        report.number(f"{name}, p{share}", float(np.percentile(values, share)), unit, aim)


def _cold(report: Report) -> None:
    """New processes; the first of each kind is left out, since it also warms the disk."""
    command = Path(sys.executable).with_name("wellsourced")
    for words in (["--help"], ["ask", "How is gout treated?"]):
        seconds = [_timed([str(command), *words]) for _ in range(STARTS + 1)][1:]
        aim = "" if words == ["--help"] else "at most 3"
        report.number(f"new process: wellsourced {words[0]}", float(np.median(seconds)), "s", aim)


def _timed(words: Sequence[str]) -> float:
    begun = time.perf_counter()
    done = subprocess.run(words, capture_output=True, text=True)
    # An abstention (3) is an answer, too; anything else is a measurement of nothing.
    if done.returncode not in (0, 3):
        raise RuntimeError(f"{' '.join(words)} ended with {done.returncode}: {done.stderr[-500:]}")
    return time.perf_counter() - begun
