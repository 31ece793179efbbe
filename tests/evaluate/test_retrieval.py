"""The whole search is put to queries: documents at the place of their best passage, failures told apart."""

from pathlib import Path

import pytest

from tests.world import GUIDELINE, TRIAL, kit, passages, source
from wellsourced.errors import Unavailable
from wellsourced.evaluate.beir import Topics
from wellsourced.evaluate.report import plain, summary
from wellsourced.evaluate.results import Header, Result, Run, code_hash
from wellsourced.evaluate.retrieval import MEASURES, folded, measure_one, measures_of, values_of
from wellsourced.kit import Kit
from wellsourced.sources.told import ToldSource
from wellsourced.stages.find import find
from wellsourced.stages.search import Candidate
from wellsourced.types import Question

TOPICS = Topics({"q": "gout flares"}, {"q": {GUIDELINE.reference.id: 1, "pubmed:9": 1}}, {})


async def asked(kit: Kit, text: str = "gout flares") -> Result:
    return await measure_one("q", TOPICS._replace(texts={"q": text}), kit, measures_of(MEASURES))


async def test_a_document_ranks_where_its_best_passage_does_with_those_of_the_same_words_behind_it() -> None:
    found = await find(Question(text="gout"), kit(source("all", TRIAL, GUIDELINE)))
    first, last = found.candidates[0], found.candidates[-1]
    ids = (first.passage.reference.id, last.passage.reference.id)
    same = Candidate(first.passage, first.source, 0.5, ("pubmed:77", ids[1]))
    assert folded(found._replace(candidates=(same, *found.candidates))) == [ids[0], "pubmed:77", ids[1]]


def test_the_measures_are_those_of_the_places() -> None:
    topics = Topics({"q": "?"}, {"q": {"a": 1, "b": 1, "c": 0}}, {})
    values = values_of(measures_of(MEASURES), "q", topics, ["x", "a", "c", *(f"y{n}" for n in range(20)), "b"])
    # Second of two relevant ones at place 24: gain 1/log2(3) of 1 + 1/log2(3).
    assert values == pytest.approx({"nDCG@10": 0.386853, "R@10": 0.5, "R@100": 1.0, "RR@10": 0.5})


async def test_a_query_that_finds_nothing_counts_as_zero_and_says_so() -> None:
    result = await asked(kit(source("empty")))
    assert result.status == "empty"
    assert set(result.measures.values()) == {0.0}


async def test_a_search_that_fails_is_no_zero() -> None:
    result = await asked(kit(ToldSource("down", [TRIAL], failure=Unavailable("the server is away"))))
    assert (result.status, result.measures) == ("failed", {})
    assert result.errors == ("down: the server is away",)


async def test_what_one_source_found_counts_although_another_failed_and_the_failure_is_kept() -> None:
    down = ToldSource("down", [TRIAL], passages(TRIAL), failure=Unavailable("the server is away"))
    result = await asked(kit(source("up", GUIDELINE), down))
    assert (result.status, result.errors) == ("partial", ("down: the server is away",))
    assert result.measures["R@10"] == 0.5
    assert result.ms > 0


async def test_a_query_that_is_no_question_fails_alone() -> None:
    result = await asked(kit(source("up", GUIDELINE)), "???")
    assert result.status == "failed"
    assert result.errors[0].startswith("The question is empty")


def test_what_failed_is_left_out_of_the_means_and_counted() -> None:
    header = Header(wellsourced="0", code="c", versions={}, corpus={}, topics={}, depth=0, settings={})
    results = {
        "a": Result(query="a", status="ok", measures={"R@10": 1.0}, ms=10, notes=("judged 7 of 50",)),
        "b": Result(query="b", status="empty", measures={"R@10": 0.0}, ms=30, notes=("judged 9 of 50",)),
        "c": Result(query="c", status="failed", errors=("pubmed: no answer",), ms=30_000),
    }
    run = Run(Path("run.jsonl"), header, results)
    found = summary(run)
    assert found.means["R@10"].mean == 0.5
    assert (found.queries, found.empty, found.partial, found.failed) == (3, 1, 0, 1)
    assert found.notes == {"judged 7 of 50": 2}
    assert (found.p50, found.errors) == (20, ("pubmed: no answer",))
    nothing = plain(run._replace(results={"c": results["c"]}))
    assert (nothing["measures"], nothing["ms"]) == ({}, {"p50": None, "p95": None})


def test_other_code_makes_another_run() -> None:
    assert code_hash() == code_hash()
    assert len(code_hash()) == 12
