"""When a tier answers so well that the next, of less authority, need not be asked."""

from tests.pipeline.retrieve.test_fusion import said
from wellsourced.pipeline.search_plan import is_sufficient
from wellsourced.policy import Policy
from wellsourced.question.understanding import LiteralUnderstanding
from wellsourced.types import Evidence, Expansion, Question

TEXTS = [f"Colchicine is what {people} with gout are given." for people in ("men", "women", "children", "adults")]
QUESTION = Question(text="Is colchicine given in gout?")
POLICY = Policy(sufficient_works=3, min_certainty=0.6)


def evidence(*works: str, kind: str = "research", relevance: float = 0.8) -> list[Evidence]:
    """A passage for each name of a work; the same name again is another passage of the same work."""
    return [
        Evidence(passage=said(name, TEXTS[place], start=100 * place, kind=kind), relevance=relevance)
        for place, name in enumerate(works)
    ]


async def suffices(items: list[Evidence], question: Question = QUESTION, policy: Policy = POLICY) -> bool:
    return await is_sufficient(question, items, LiteralUnderstanding(), policy)


async def test_so_many_works_are_enough_and_one_less_is_not() -> None:
    assert await suffices(evidence("a", "b", "c"))
    assert not await suffices(evidence("a", "b"))
    assert await suffices(evidence("a", "b"), policy=Policy(sufficient_works=2))


async def test_three_passages_of_one_study_are_one_work() -> None:
    assert not await suffices(evidence("a", "a", "a"))
    assert not await suffices(evidence("doi:10.1000/a", "b", "doi:10.1000/A"))


async def test_a_guideline_that_says_three_things_treats_the_question() -> None:
    assert await suffices(evidence("a", "a", "a", kind="guideline"))
    assert not await suffices(evidence("a", "a", kind="guideline"))


async def test_what_is_not_certain_does_not_count() -> None:
    assert not await suffices([*evidence("a", "b"), *evidence("c", relevance=0.59)])
    assert await suffices([*evidence("a", "b", "c", relevance=0.6)])


async def test_a_guideline_on_the_disease_that_says_nothing_of_the_drug_is_not_enough() -> None:
    near = evidence("a", "a", "a", "a", kind="guideline", relevance=0.95)
    assert not await suffices(near, Question(text="Is rilonacept given in gout?"))


async def test_nothing_is_never_enough() -> None:
    assert not await suffices([])


async def test_who_asks_for_a_brand_is_answered_by_what_speaks_of_the_drug() -> None:
    brand = Expansion(kind="brand", said="Colcrys", meant="colchicine", source="wellsourced")
    asked = Question(text="Is Colcrys given in gout?", expansions=(brand,))
    assert await suffices(evidence("a", "b", "c"), asked)
    assert not await suffices(evidence("a", "b", "c"), asked.model_copy(update={"expansions": ()}))
