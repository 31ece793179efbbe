"""Where a question is taken: in order of authority, and over the network once."""

from wellsourced.sources.base import Card
from wellsourced.stages.plan import plan
from wellsourced.types import Plan, Question

GUIDELINES = Card("guidelines", "guideline", documents=43)
TRIALS = Card("trials", "research", documents=10)
PUBMED = Card("pubmed", "research", live=True)
WEB = Card("brave", "web", live=True)
QUESTION = Question(text="What is first-line drug therapy for HFrEF?")


def asked(plan: Plan) -> list[tuple[str, str, str]]:
    return [(tier.name, search.source, search.query.text) for tier in plan.tiers for search in tier.searches]


def test_guidelines_are_asked_first_then_libraries_and_live_research_then_the_web() -> None:
    names = [
        (tier.name, {one.source for one in tier.searches})
        for tier in plan(QUESTION, [WEB, PUBMED, TRIALS, GUIDELINES]).tiers
    ]
    assert names == [("guidelines", {"guidelines"}), ("libraries", {"pubmed", "trials"}), ("web", {"brave"})]


def test_a_live_source_is_asked_once_and_a_library_in_every_wording() -> None:
    written_out = "What is first-line drug therapy for heart failure with reduced ejection fraction?"
    assert asked(plan(QUESTION, [TRIALS, PUBMED])) == [
        ("libraries", "trials", QUESTION.text),
        ("libraries", "trials", written_out),
        ("libraries", "pubmed", QUESTION.text),
    ]


def test_a_library_that_holds_nothing_is_not_asked() -> None:
    assert plan(QUESTION, [Card("empty", "own")]).tiers == ()
