"""The whole search for one question, over told sources and over a real library."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.hashed_encoder import HashedEncoder
from tests.pipeline.plan.test_search_plan import Told
from tests.pipeline.retrieve.test_reranking import Scoring
from tests.world import COLCHICINE, GUIDELINE, TRIAL, context, document, source
from wellsourced.context import Context
from wellsourced.errors import QuestionError, SourceUnavailable
from wellsourced.pipeline.ask import answer_question
from wellsourced.pipeline.retrieve.retrieval import RetrievalResult, retrieve
from wellsourced.policy import Policy
from wellsourced.sources.fake import FakeSource
from wellsourced.sources.library import Library
from wellsourced.types import Document, Query, Question, Search

GOUT = Question(text="Does colchicine help in gout?")


def found(given: RetrievalResult) -> list[str]:
    return [one.passage.reference.id for one in given.candidates]


def bearing(one: Document, **about: object) -> Document:
    """The document, its card with what is given."""
    return one.model_copy(update={"reference": one.reference.model_copy(update=about)})


def rewritten(
    the_context: Context, *searches: Search, notes: Sequence[str] = (), failure: Exception | None = None
) -> Context:
    return replace(the_context, planner=Told(*searches, notes=notes, failure=failure))


def ask(name: str, *terms: str) -> Search:
    return Search(source=name, query=Query(terms=terms))


async def test_every_tier_is_searched_and_all_that_is_found_is_one_ranking() -> None:
    given = await retrieve(GOUT, context(source("trials", TRIAL), source("guidelines", GUIDELINE, kind="guideline")))
    assert found(given) == ["doi:10.1000/gout", "pubmed:1"]
    assert [(attempt.tier, attempt.status) for attempt in given.attempts] == [("guidelines", "ok"), ("libraries", "ok")]
    first, second = given.candidates
    assert first.score == second.score == pytest.approx(1 / 61)


async def test_the_ranker_puts_first_what_it_finds_best() -> None:
    texts = [document(f"d{place}", f"Gout, worth {worth}") for place, worth in enumerate((0.1, 0.9, 0.1, 0.2), start=1)]
    given = await retrieve(GOUT, replace(context(source("trials", *texts)), reranker=Scoring()))
    assert found(given) == ["d2", "d1", "d4", "d3"]


async def test_the_ranker_may_bring_in_what_would_not_have_been_among_the_candidates() -> None:
    low = [
        document(f"a{place}", f"Gout in part {word} of a book, worth 0.1") for place, word in enumerate("xyz", start=1)
    ]
    high = [document(f"b{place}", f"Gout at age {place}0, worth 0.{1 + 8 * (place == 2)}") for place in (1, 2, 3)]
    sources = [source("a", *low), source("b", *high)]
    policy = Policy(candidates=3, rerank=6)
    assert found(await retrieve(GOUT, context(*sources, policy=policy))) == ["a1", "b1", "a2"]
    assert "b2" in found(await retrieve(GOUT, replace(context(*sources, policy=policy), reranker=Scoring())))


async def test_no_more_than_the_policys_candidates_are_given() -> None:
    many = [document(f"d{place}", f"{COLCHICINE} It was day {place}.") for place in range(9)]
    assert len((await retrieve(GOUT, context(source("trials", *many), policy=Policy(candidates=4)))).candidates) == 4


async def test_what_is_no_question_is_refused() -> None:
    with pytest.raises(QuestionError):
        await retrieve(Question(text=" "), context(source("trials", TRIAL)))


async def test_a_plan_without_a_search_finds_nothing_and_says_why_nothing_is_answered() -> None:
    the_context = rewritten(context(source("trials", TRIAL)), notes=["this is common knowledge"])
    assert await retrieve(GOUT, the_context) == RetrievalResult(GOUT, (), (), ("this is common knowledge",))
    given = await answer_question(GOUT, the_context)
    assert given.abstained
    assert given.reason == "The plan contains no search, and no answer is given without a source."
    assert given.notes == ("this is common knowledge",)


# --- what an answer tells of it --------------------------------------------------------------------------------------


async def test_one_article_in_two_sources_is_one_piece_of_evidence_and_that_is_told() -> None:
    here, there = bearing(TRIAL, pmid="1"), bearing(document("doi:10.1000/one", TRIAL.text), pmid="1")
    given = await answer_question(GOUT, context(source("trials", here), source("copies", there)))
    assert [item.passage.reference.id for item in given.evidence] == ["pubmed:1"]
    assert given.notes == ("1 duplicate record left out",)


async def test_notes_of_plan_and_ranker_reach_the_answer() -> None:
    the_context = rewritten(
        context(source("trials", TRIAL, GUIDELINE)), ask("trials", "gout"), notes=["no such heading: Gut"]
    )
    given = await answer_question(GOUT, replace(the_context, reranker=Scoring(fails_at=1)))
    assert given.notes == (
        "no such heading: Gut",
        "the ranker could not rank the passages (the weights are gone): they keep the order of the sources",
    )


async def test_a_planner_that_fails_still_leads_to_an_answer() -> None:
    given = await answer_question(GOUT, rewritten(context(source("trials", TRIAL)), failure=ValueError("no plan")))
    assert given.statements[0].text == COLCHICINE
    assert "ValueError: no plan" in given.notes[0]


async def test_the_same_outage_in_two_wordings_is_one_gap() -> None:
    down = FakeSource("pubmed", [TRIAL], failure=SourceUnavailable("pubmed: no answer"))
    the_context = rewritten(
        context(down, source("trials", TRIAL)), ask("pubmed", "a"), ask("pubmed", "b"), ask("trials", "c")
    )
    given = await answer_question(GOUT, the_context)
    assert [gap.reason for gap in given.gaps] == ["pubmed: no answer"]
    assert [attempt.status for attempt in given.attempts] == ["failed", "failed", "ok"]


# --- real libraries ---------------------------------------------------------------------------------------------------


async def _library(root: Path, name: str, *documents: Document) -> Library:
    Library.create(root, name, "research", HashedEncoder())
    library = Library.at(root, name, HashedEncoder(), write=True)
    await library.add(documents)
    return library


async def test_two_libraries_that_hold_one_article_give_it_once_and_it_comes_first(tmp_path: Path) -> None:
    others = [
        document(f"d{place}", f"Gout and {word} in adults, a study.") for place, word in enumerate(("salt", "tea"))
    ]
    local = await _library(tmp_path, "local", *others, bearing(TRIAL, doi="10.1000/one"))
    copies = await _library(
        tmp_path, "copies", bearing(document("copy", TRIAL.text), doi="https://doi.org/10.1000/ONE")
    )
    try:
        the_context = replace(context(), sources=(local, copies))
        given = await retrieve(GOUT, the_context)
        assert found(given)[0] == "pubmed:1"
        assert sorted(found(given)) == ["d0", "d1", "pubmed:1"]
        assert given.candidates[0].also_in == ("copy",)
        answered = await answer_question(GOUT, the_context)
        assert answered.statements[0].text == COLCHICINE
    finally:
        local.close()
        copies.close()
