"""The whole search is put to queries: documents at the place of their best passage, failures told apart."""

from pathlib import Path

import pytest

from tests.world import GUIDELINE, TRIAL, context, passages, source
from wellsourced.context import Context
from wellsourced.errors import SourceUnavailable
from wellsourced.pipeline.retrieve.retrieval import retrieve
from wellsourced.pipeline.retrieve.search import Candidate
from wellsourced.sources.fake import FakeSource
from wellsourced.types import Question
from wellsourced_evaluate.beir import Topics
from wellsourced_evaluate.report import evaluation_to_json, summarize_run
from wellsourced_evaluate.retrieval import (
    MEASURES,
    QueryResult,
    RetrievalRun,
    RunHeader,
    compute_measures,
    hash_code,
    measure_query,
    parse_measures,
    ranked_documents,
)

TOPICS = Topics({"q": "gout flares"}, {"q": {GUIDELINE.reference.id: 1, "pubmed:9": 1}}, {})


async def asked(context: Context, text: str = "gout flares") -> QueryResult:
    return await measure_query("q", TOPICS._replace(texts={"q": text}), context, parse_measures(MEASURES))


async def test_a_document_ranks_where_its_best_passage_does_with_those_of_the_same_words_behind_it() -> None:
    found = await retrieve(Question(text="gout"), context(source("all", TRIAL, GUIDELINE)))
    first, last = found.candidates[0], found.candidates[-1]
    ids = (first.passage.reference.id, last.passage.reference.id)
    same = Candidate(first.passage, first.source, 0.5, ("pubmed:77", ids[1]))
    assert ranked_documents(found._replace(candidates=(same, *found.candidates))) == [ids[0], "pubmed:77", ids[1]]


def test_the_measures_are_those_of_the_places() -> None:
    topics = Topics({"q": "?"}, {"q": {"a": 1, "b": 1, "c": 0}}, {})
    values = compute_measures(
        parse_measures(MEASURES), "q", topics, ["x", "a", "c", *(f"y{n}" for n in range(20)), "b"]
    )
    # Second of two relevant ones at place 24: gain 1/log2(3) of 1 + 1/log2(3).
    assert values == pytest.approx({"nDCG@10": 0.386853, "R@10": 0.5, "R@100": 1.0, "RR@10": 0.5})


async def test_a_query_that_finds_nothing_counts_as_zero_and_says_so() -> None:
    result = await asked(context(source("empty")))
    assert result.status == "empty"
    assert set(result.measures.values()) == {0.0}


async def test_a_search_that_fails_is_no_zero() -> None:
    result = await asked(context(FakeSource("down", [TRIAL], failure=SourceUnavailable("the server is away"))))
    assert (result.status, result.measures) == ("failed", {})
    assert result.errors == ("down: the server is away",)


async def test_what_one_source_found_counts_although_another_failed_and_the_failure_is_kept() -> None:
    down = FakeSource("down", [TRIAL], passages(TRIAL), failure=SourceUnavailable("the server is away"))
    result = await asked(context(source("up", GUIDELINE), down))
    assert (result.status, result.errors) == ("partial", ("down: the server is away",))
    assert result.measures["R@10"] == 0.5
    assert result.ms > 0


async def test_a_query_that_is_no_question_fails_alone() -> None:
    result = await asked(context(source("up", GUIDELINE)), "???")
    assert result.status == "failed"
    assert result.errors[0].startswith("The question is empty")


def test_what_failed_is_left_out_of_the_means_and_counted() -> None:
    header = RunHeader(wellsourced="0", code="c", versions={}, corpus={}, topics={}, depth=0, settings={})
    results = {
        "a": QueryResult(query="a", status="ok", measures={"R@10": 1.0}, ms=10, notes=("judged 7 of 50",)),
        "b": QueryResult(query="b", status="empty", measures={"R@10": 0.0}, ms=30, notes=("judged 9 of 50",)),
        "c": QueryResult(query="c", status="failed", errors=("pubmed: no answer",), ms=30_000),
    }
    run = RetrievalRun(Path("run.jsonl"), header, results)
    found = summarize_run(run)
    assert found.means["R@10"].mean == 0.5
    assert (found.queries, found.empty, found.partial, found.failed) == (3, 1, 0, 1)
    assert found.notes == {"judged 7 of 50": 2}
    assert (found.p50, found.errors) == (20, ("pubmed: no answer",))
    nothing = evaluation_to_json(run._replace(results={"c": results["c"]}), ())
    assert (nothing["measures"], nothing["ms"]) == ({}, {"p50": None, "p95": None})


def test_other_code_makes_another_run() -> None:
    assert hash_code() == hash_code()
    assert len(hash_code()) == 12
