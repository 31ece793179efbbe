"""The same answer under load: what decides is counted in work; clocks wait for the network, or are the user's own."""

import asyncio
import gc
import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path

import pytest
from threadpoolctl import threadpool_info

from tests.pipeline.retrieve.test_reranking import Scoring, candidates
from tests.world import TRIAL, context, document, passages
from tests.worlds import build_once
from wellsourced import config
from wellsourced.budget import CostTracker, use_cost_tracker
from wellsourced.context import MAX_SEARCHES_PER_SOURCE, Limiter, trim_heap
from wellsourced.encoders.base import in_one_thread
from wellsourced.encoders.minilm import MiniLM
from wellsourced.pipeline.ask import TIME_OVER_REASON, answer_question
from wellsourced.pipeline.retrieve.retrieval import BATCH_SIZE, BATCHES_AT_ONCE, rerank_candidates
from wellsourced.pipeline.retrieve.search import search_tier
from wellsourced.policy import Budget, Policy
from wellsourced.sources.base import SearchResult, SourceInfo
from wellsourced.sources.fake import FakeSource
from wellsourced.sources.library import Library
from wellsourced.types import Answer, Document, Query, Question, Reference, Search, Tier
from wellsourced.worker_pool import count_workers, run_in_worker

GOUT = Question(text="Does colchicine shorten gout flares?")

DRUGS = ["colchicine", "allopurinol", "metformin", "empagliflozin", "apixaban", "warfarin", "ramipril", "bisoprolol"]
CONDITIONS = ("gout", "type 2 diabetes", "atrial fibrillation", "heart failure")
SAID = (
    "{drug} lowered the risk of events in adults with {condition} by 12% compared with placebo.",
    "In {condition}, {drug} was stopped more often than placebo because of nausea.",
)

QUESTIONS = [f"Does {drug} help adults with {condition}?" for drug in DRUGS for condition in CONDITIONS[:3]]
"""24, and for each of them several passages that are about as near as each other."""


# --- the same bytes ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a library that is searched by word and by meaning; to be copied, not used."""

    async def fill(here: Path) -> None:
        encoder = MiniLM()
        Library.create(here / "libraries", "trials", "research", encoder)
        library = Library.at(here / "libraries", "trials", encoder, write=True)
        await library.add([*_documents()])
        await library.embed_passages()
        library.close()

    return build_once(tmp_path_factory, "load", lambda here: asyncio.run(fill(here)))


def _documents() -> Iterator[Document]:
    for drug in DRUGS:
        for condition in CONDITIONS:
            text = " ".join(one.format(drug=drug.capitalize(), condition=condition) for one in SAID)
            reference = Reference(
                id=f"trial:{drug}-{condition[:4]}",
                title=f"{drug.capitalize()} in {condition}",
                kind="research",
                published="2021",
            )
            yield Document(reference=reference, text=text)


def settings(filled: Path, folder: Path, threads: int) -> config.Settings:
    """Of a home in which nothing was asked before."""
    shutil.copytree(filled, folder)
    return config.load({"home": str(folder), "guidelines": "false", "threads": str(threads)})


def told(given: Answer) -> str:
    """All of an answer but how long each step took."""
    return given.model_copy(update={"timings": {}}).model_dump_json()


async def all_at_once(its: config.Settings, questions: Sequence[str]) -> list[str]:
    async with config.open_context(its) as context:
        return [
            told(one)
            for one in await asyncio.gather(*(answer_question(Question(text=text), context) for text in questions))
        ]


async def in_a_row(its: config.Settings, questions: Sequence[str]) -> list[str]:
    async with config.open_context(its) as context:
        return [told(await answer_question(Question(text=text), context)) for text in questions]


@contextmanager
def greedy_neighbours() -> Iterator[None]:
    """Two threads that take Python's lock, and what they get of the processors, as often as they can."""
    over = threading.Event()

    def spin() -> None:
        while not over.is_set():
            sum(range(20_000))

    threads = [threading.Thread(target=spin) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.nightly)])
async def test_many_at_once_one_after_another_and_on_a_busy_machine_are_answered_in_the_same_bytes(
    filled: Path, tmp_path: Path, step: int
) -> None:
    questions = QUESTIONS[::step]
    its = settings(filled, tmp_path / "row", threads=2)
    first = await in_a_row(its, questions)
    assert sum('"abstained":false' in one for one in first) > len(questions) // 2
    assert await all_at_once(its, questions) == first, "what was judged before is remembered"
    with greedy_neighbours():
        assert await all_at_once(settings(filled, tmp_path / "busy", threads=1), questions) == first


# --- no clock where nothing is waited for --------------------------------------------------------------------------


class Slow(FakeSource):
    """Takes its time, over the network or here; counts how many searches it has at once."""

    live = False
    takes = 0.2
    under_way = most = 0

    async def describe(self) -> SourceInfo:
        return (await super().describe())._replace(live=self.live)

    async def search(self, query: Query, limit: int) -> SearchResult:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            await asyncio.sleep(self.takes)
            return await super().search(query, limit)
        finally:
            self.under_way -= 1


class Paced(Slow):
    """Sends one request after another, as politeness asks of whoever uses a service."""

    live = True
    takes = 0.04

    def __init__(self, name: str) -> None:
        super().__init__(name, [TRIAL], passages(TRIAL))
        self._turn = asyncio.Lock()

    async def search(self, query: Query, limit: int) -> SearchResult:
        async with self._turn:
            return await super().search(query, limit)


def slow(takes: float) -> Slow:
    made = Slow("here", [TRIAL], passages(TRIAL))
    made.takes = takes
    return made


async def test_a_source_on_this_machine_is_waited_for_as_long_as_it_takes() -> None:
    given = await answer_question(GOUT, context(slow(0.3), policy=Policy(source_seconds=0.01)))
    assert not given.gaps
    assert not given.abstained


async def test_patience_with_a_live_source_begins_when_the_search_has_its_turn() -> None:
    source = Paced("live")
    the_context = context(source, policy=Policy(source_seconds=0.8))
    tier = Tier(name="live", searches=(Search(source="live", query=Query(terms=("gout",))),))
    cards = [await source.describe()]
    found = await asyncio.gather(*(search_tier(tier, cards, the_context) for _ in range(40)))
    assert [one.attempt.error for (one,) in found] == [""] * 40


async def test_a_live_source_is_asked_a_few_things_at_once() -> None:
    source = slow(0.02)
    source.live = True
    the_context = context(source)
    tier = Tier(
        name="live", searches=(Search(source="here", query=Query(terms=("gout",))),) * 3 * MAX_SEARCHES_PER_SOURCE
    )
    await search_tier(tier, [await source.describe()], the_context)
    assert source.most == MAX_SEARCHES_PER_SOURCE


async def test_a_ranker_that_is_slow_ranks_everything_all_the_same() -> None:
    quick, late = Scoring(), Scoring(wait=0.03)
    policy = Policy(rerank=4 * BATCH_SIZE)
    found = candidates(4 * BATCH_SIZE)
    assert await rerank_candidates(GOUT, found, late, policy) == await rerank_candidates(GOUT, found, quick, policy)
    assert len(late.batches) == 4


# --- in turn -------------------------------------------------------------------------------------------------------


async def test_a_few_questions_are_in_work_and_the_others_wait_in_order() -> None:
    source = slow(0.02)
    the_context = context(source, policy=Policy(concurrent_questions=2))
    ended: list[int] = []

    async def asked(number: int) -> None:
        await answer_question(Question(text=f"Does colchicine shorten gout flares in group {number}?"), the_context)
        ended.append(number)

    await asyncio.gather(*map(asked, range(8)))
    assert source.most == 2
    assert all(abs(place - number) <= 1 for place, number in enumerate(ended))


async def test_who_is_cancelled_while_it_waits_takes_nobodys_turn() -> None:
    limiter, entered = Limiter(), []

    async def enter(name: str) -> None:
        async with limiter.admit_question(1):
            entered.append(name)
            await asyncio.sleep(0.02)

    first, second, third = (asyncio.create_task(enter(name)) for name in ("first", "second", "third"))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.wait_for(asyncio.gather(first, third), 5)
    assert entered == ["first", "third"]


# --- the user's own deadline ---------------------------------------------------------------------------------------


def cut(given: Answer) -> str:
    """The note that says what a deadline left out; "" when there is none."""
    return next((note for note in given.notes if note.startswith("stopped after the ")), "")


async def test_a_deadline_of_the_user_cuts_a_search_and_the_answer_says_which() -> None:
    the_context = replace(context(slow(60)), budget=Budget(seconds=0.2))
    given = await asyncio.wait_for(answer_question(GOUT, the_context), 10)
    assert given.abstained
    assert given.reason == TIME_OVER_REASON
    assert [gap.reason for gap in given.gaps] == ["no answer within the 0.2 s of budget.seconds"]
    assert cut(given) == "stopped after the 0.2 s of budget.seconds; left out: the search of here"


async def test_a_deadline_that_is_over_ends_the_ranking_between_two_batches_and_that_is_told() -> None:
    watch = iter((0.0, 0.5, *[1.5] * 9))
    tracker = CostTracker(Budget(seconds=1), clock=lambda: next(watch))
    judge = Scoring()
    with use_cost_tracker(tracker):
        await rerank_candidates(GOUT, candidates(5 * BATCH_SIZE), judge, Policy(rerank=5 * BATCH_SIZE))
    assert len(judge.batches) == BATCHES_AT_ONCE == 2
    (note,) = tracker.describe_skipped_steps()
    assert note == "stopped after the 1 s of budget.seconds; left out: the ranking of 30 of 50 passages"


async def test_whose_deadline_passes_while_it_waits_is_told_so_at_once() -> None:
    source = slow(0.6)
    patient = context(source, policy=Policy(concurrent_questions=1))
    hurried = replace(patient, budget=Budget(seconds=0.1))
    first = asyncio.create_task(answer_question(GOUT, patient))
    await asyncio.sleep(0.05)
    given = await answer_question(GOUT, hurried)
    assert not first.done()
    assert (given.reason, bool(cut(given))) == (TIME_OVER_REASON, True)
    assert not (await first).abstained


# --- the loop, and the threads -------------------------------------------------------------------------------------

HELD = 0.05
"""Seconds of processor time that the loop's thread may spend on anything in one go."""


async def longest_stretch(work: Sequence[str], its: config.Settings) -> float:
    """The most processor time that the loop's thread spent between two beats while these were answered at once."""
    stretches = [0.0]

    async def beat() -> None:
        while True:
            before = time.thread_time()
            await asyncio.sleep(0)
            stretches.append(time.thread_time() - before)

    async with config.open_context(its) as context:
        beating = asyncio.create_task(beat())
        await asyncio.gather(*(answer_question(Question(text=text), context) for text in work))
        beating.cancel()
    return max(stretches)


async def test_the_event_loop_is_never_held_while_questions_are_answered(filled: Path, tmp_path: Path) -> None:
    its = settings(filled, tmp_path / "loop", threads=1)
    await longest_stretch(QUESTIONS[:8:4], its)  # the first to ask load modules and tables, on the loop
    gc.collect()
    assert await longest_stretch(QUESTIONS[:8], its) < HELD


async def test_a_long_document_is_cut_beside_the_loop() -> None:
    text = " ".join(f"In year {year} colchicine shortened the gout flare in adults." for year in range(20_000))
    long = document("doi:10.1000/long", text)
    source = FakeSource("books", [long], passages(document("doi:10.1000/long", text[:200])))
    beats: list[float] = []

    async def beat() -> None:
        while True:
            before = time.thread_time()
            await asyncio.sleep(0)
            beats.append(time.thread_time() - before)

    beating = asyncio.create_task(beat())
    given = await answer_question(Question(text=GOUT.text, given=("doi:10.1000/long",)), context(source))
    beating.cancel()
    assert given.evidence or given.dropped
    assert max(beats) < HELD


def blas_threads() -> set[int]:
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


def test_products_are_computed_by_one_thread_as_long_as_anybody_asks_for_that() -> None:
    before = blas_threads()
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        for here, there in ((one, other), (other, one)):
            first, second = in_one_thread(), in_one_thread()
            here.submit(first.__enter__).result()
            there.submit(second.__enter__).result()
            here.submit(first.__exit__, None, None, None).result()
            assert blas_threads() == {1}
            there.submit(second.__exit__, None, None, None).result()
            assert blas_threads() == before
    with in_one_thread():
        assert blas_threads() == {1}


# --- workers and memory --------------------------------------------------------------------------------------------

NAME: ContextVar[str] = ContextVar("name", default="nobody")


async def test_no_more_work_runs_at_once_than_there_are_workers_and_it_runs_in_its_callers_context() -> None:
    at_work, most = set[int](), [0]

    def work() -> str:
        at_work.add(threading.get_ident())
        most[0] = max(most[0], len(at_work))
        time.sleep(0.01)
        at_work.discard(threading.get_ident())
        return NAME.get()

    NAME.set("the caller")
    assert await asyncio.gather(*(run_in_worker(work) for _ in range(20))) == ["the caller"] * 20
    assert most[0] == count_workers()


async def test_work_that_is_cancelled_before_its_turn_is_never_done() -> None:
    done: list[int] = []
    let_go = threading.Event()
    blocking = [asyncio.create_task(run_in_worker(let_go.wait)) for _ in range(count_workers())]
    waiting = asyncio.create_task(run_in_worker(done.append, 1))
    await asyncio.sleep(0.01)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    let_go.set()
    await asyncio.gather(*blocking)
    await run_in_worker(done.append, 2)
    assert done == [2]


def resident() -> int:
    """Bytes that this process has in memory."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells, and glibc gives back")
def test_memory_that_was_freed_between_what_is_used_goes_back_to_the_system() -> None:
    before = resident()
    blocks = [bytes(2_000) for _ in range(40_000)]
    kept = blocks[::1_000]
    del blocks
    trim_heap()
    assert resident() - before < 40_000_000
    assert len(kept) == 40
