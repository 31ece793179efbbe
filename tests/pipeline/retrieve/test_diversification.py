"""What says the same twice stands once, and no source takes every place."""

from tests.pipeline.retrieve.test_fusion import said
from tests.world import COLCHICINE, NAUSEA, WEATHER
from wellsourced.pipeline.retrieve.retrieval import diversify_candidates
from wellsourced.pipeline.retrieve.search import Candidate
from wellsourced.types import Notice, Passage, Retraction

LONG = f"{COLCHICINE} {NAUSEA} {WEATHER}"
MANY = [f"{word} was given to adults with gout." for word in ("Salt", "Honey", "Garlic", "Ginger", "Nettle", "Thyme")]


def candidates(*passages: Passage, source: str = "trials") -> list[Candidate]:
    return [Candidate(passage, source, 1 / place) for place, passage in enumerate(passages, start=1)]


def ids(given: tuple[Candidate, ...]) -> list[str]:
    return [one.passage.reference.id for one in given]


def test_an_abstract_in_two_editions_stands_once_and_both_are_named() -> None:
    given = diversify_candidates(
        candidates(said("a", LONG), said("b", NAUSEA), said("c", "Results: " + LONG)),
        10,
    )
    assert ids(given.candidates) == ["a", "b"]
    assert given.candidates[0].also_in == ("c",)
    assert given.notes == ("1 duplicate passage left out",)


def test_the_same_words_under_another_title_are_of_something_else() -> None:
    inherited = "This condition is inherited in an autosomal recessive pattern, one copy from each parent."
    twins = candidates(said("a", inherited, title="Cystic fibrosis"), said("b", inherited, title="Wilson disease"))
    assert ids(diversify_candidates(twins, 10).candidates) == ["a", "b"]


def test_what_contradicts_is_kept() -> None:
    against = LONG.replace("shortened", "did not shorten")
    assert ids(diversify_candidates(candidates(said("a", LONG), said("b", against)), 10).candidates) == [
        "a",
        "b",
    ]


def test_words_that_were_withdrawn_do_not_come_back_through_a_record_that_has_not_heard_of_it() -> None:
    withdrawn = Retraction(status="true", notices=(Notice(kind="retraction", source="PubMed"),))
    own, copy = said("own", LONG, title="A trial"), said("pubmed:2", LONG, title="A trial", retraction=withdrawn)
    given = diversify_candidates(candidates(own, copy, said("own", NAUSEA, 500, title="A trial")), 10)
    assert [one.passage.reference.retraction.objection for one in given.candidates] == ["retracted (PubMed)"] * 2
    assert ids(given.candidates) == ["own", "own"]
