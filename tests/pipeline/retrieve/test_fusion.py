"""One ranking of what several sources found, in which one article is one article."""

from collections.abc import Sequence

import pytest

from tests.tables import each_row
from tests.world import COLCHICINE, NAUSEA, WEATHER
from wellsourced.pipeline.retrieve.retrieval import fuse_searches
from wellsourced.pipeline.retrieve.search import AttemptResult, Candidate, CandidateRanking
from wellsourced.policy import Policy
from wellsourced.types import Attempt, Notice, Passage, Query, Reference, Retraction, Search

POLICY = Policy()
DOI = "10.1000/gout"


def said(id: str, text: str = COLCHICINE, start: int = 0, **about: object) -> Passage:
    reference = Reference.model_validate({"id": id, "depth": "abstract", **about})
    return Passage(reference=reference, text=text, start=start, end=start + len(text))


def found(source: str, *passages: Passage, live: bool = False, asked: str = "gout") -> AttemptResult:
    search = Search(source=source, query=Query(terms=(asked,)))
    status = "ok" if passages else "empty"
    return AttemptResult(Attempt(search=search, tier="all", status=status, found=len(passages)), passages, live)


def fused(*lists: AttemptResult, policy: Policy = POLICY) -> CandidateRanking:
    return fuse_searches(lists, policy)


def order(given: CandidateRanking) -> list[tuple[str, str]]:
    return [(one.passage.reference.id, one.source) for one in given.candidates]


def scores(candidates: Sequence[Candidate]) -> dict[str, float]:
    return {one.passage.reference.id: one.score for one in candidates}


# --- ranks ---------------------------------------------------------------------------------------------------------


def test_of_one_source_the_order_stays() -> None:
    given = fused(found("trials", said("b"), said("a", NAUSEA), said("c", WEATHER)))
    assert order(given) == [("b", "trials"), ("a", "trials"), ("c", "trials")]
    assert scores(given.candidates) == pytest.approx({"b": 1 / 61, "a": 1 / 62, "c": 1 / 63})
    assert given.notes == ()


def test_sources_take_turns_and_of_equals_the_one_that_was_asked_first_comes_first() -> None:
    given = fused(found("z", said("z1"), said("z2", NAUSEA)), found("a", said("a1", WEATHER)))
    assert order(given) == [("z1", "z"), ("a1", "a"), ("z2", "z")]


def test_a_source_that_was_asked_in_three_wordings_does_not_outvote_one_that_was_asked_once() -> None:
    thrice = [found("local", said("a"), said("b", NAUSEA), asked=words) for words in ("gout", "gouty", "podagra")]
    given = fused(*thrice, found("other", said("c", WEATHER)))
    assert scores(given.candidates) == pytest.approx({"a": 1 / 61, "c": 1 / 61, "b": 1 / 62})


def test_wordings_of_one_question_are_fused_within_their_source() -> None:
    given = fused(
        found("local", said("a"), said("b", NAUSEA), asked="MI"),
        found("local", said("b", NAUSEA), said("c", WEATHER), asked="myocardial infarction"),
    )
    assert [id for id, _ in order(given)] == ["b", "a", "c"]


def test_k_says_how_much_more_the_first_places_count() -> None:
    given = fused(found("a", said("a")), policy=Policy(rrf_k=1))
    assert given.candidates[0].score == pytest.approx(1 / 2)


def test_nothing_found_is_nothing() -> None:
    assert fused() == fused(found("a"), found("b")) == CandidateRanking(())


# --- one article ---------------------------------------------------------------------------------------------------


def test_an_article_that_two_sources_found_is_one_candidate_and_rises() -> None:
    given = fused(
        found("trials", said("a", WEATHER), said("x", doi=DOI)),
        found("pubmed", said("b", NAUSEA), said("pubmed:1", doi=f"https://doi.org/{DOI.upper()}"), live=True),
    )
    assert [id for id, _ in order(given)] == ["x", "a", "b"]
    assert given.candidates[0].score == pytest.approx(2 / 62)
    assert given.candidates[0].also_in == ("pubmed:1",)
    assert given.notes == ("1 duplicate record left out",)


def test_records_that_are_known_by_different_ids_are_one_when_a_third_knows_both() -> None:
    given = fused(
        found("a", said("a1", doi=DOI)), found("b", said("pubmed:1", doi=DOI)), found("c", said("c1", pmid="1"))
    )
    assert order(given) == [("a1", "a")]
    assert given.candidates[0].also_in == ("pubmed:1", "c1")
    assert given.notes == ("2 duplicate records left out",)


@each_row(
    ("first", "second", "kept"),
    [
        (("abstract", False), ("full text", True), "second"),
        (("digest", False), ("abstract", True), "second"),
        (("excerpt", False), ("digest", False), "first"),
        (("abstract", True), ("abstract", False), "second"),
        (("abstract", False), ("abstract", False), "first"),
        (("abstract", True), ("abstract", True), "first"),
    ],
)
def test_the_record_that_has_most_to_quote_stays_then_the_local_one_then_the_first(
    first: tuple[str, bool], second: tuple[str, bool], kept: str
) -> None:
    given = fused(
        found("one", said("first", doi=DOI, depth=first[0]), live=first[1]),
        found("two", said("second", doi=DOI, depth=second[0]), live=second[1]),
    )
    assert [id for id, _ in order(given)] == [kept]


def test_what_only_one_record_of_an_article_says_stays_and_is_helped_by_the_other() -> None:
    given = fused(
        found("trials", said("far", WEATHER), said("pmc:PMC1", COLCHICINE, doi=DOI, depth="full text")),
        found("pubmed", said("pubmed:1", NAUSEA, doi=DOI)),
    )
    # Each source speaks for what the other says best of the article: 1/62 + 1/61 for both passages.
    assert scores(given.candidates) == pytest.approx(
        {"pmc:PMC1": 1 / 61 + 1 / 62, "pubmed:1": 1 / 61 + 1 / 62, "far": 1 / 61}
    )


def test_further_passages_of_an_article_do_not_rise_with_its_best_one() -> None:
    given = fused(
        found("trials", said("x", COLCHICINE, doi=DOI), said("x", WEATHER, start=900, doi=DOI)),
        found("pubmed", said("pubmed:1", COLCHICINE, doi=DOI)),
    )
    assert [one.score for one in given.candidates] == pytest.approx([2 / 61, 1 / 62])


def test_of_two_texts_under_one_id_only_that_of_the_record_that_will_be_opened_is_quoted() -> None:
    given = fused(
        found("pubmed", said("pubmed:1", NAUSEA), live=True),
        found("trials", said("pubmed:1", COLCHICINE), said("b", WEATHER)),
    )
    assert order(given) == [("pubmed:1", "trials"), ("b", "trials")]
    assert given.candidates[0].passage.text == COLCHICINE
    assert given.candidates[0].score == pytest.approx(2 / 61)


def test_texts_that_differ_in_a_number_are_both_kept() -> None:
    other = COLCHICINE.replace("two days", "three days")
    given = fused(found("a", said("a1", COLCHICINE, doi=DOI)), found("b", said("b1", other, doi=DOI)))
    assert [id for id, _ in order(given)] == ["a1", "b1"]


def test_a_retraction_that_only_the_record_left_out_tells_of_is_told_of_the_one_that_stays() -> None:
    retracted = Retraction(status="true", notices=(Notice(kind="retraction", source="PubMed"),))
    given = fused(
        found("trials", said("x", doi=DOI, depth="full text")),
        found("pubmed", said("pubmed:1", doi=DOI, retraction=retracted), live=True),
    )
    (one,) = given.candidates
    assert one.passage.reference.retraction.objection == "retracted (PubMed)"
    titled = fused(found("a", said("x", doi=DOI)), found("b", said("y", doi=DOI, title="RETRACTED: A trial")))
    assert titled.candidates[0].passage.reference.retraction.status == "true"
