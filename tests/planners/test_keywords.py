"""Keywords in order of importance, by a model or by rule."""

from tests.planners.worlds import CARDS, QUESTION, World, kinds_of
from tests.scripted_model import Script, ScriptedModel
from tests.tables import each_row
from wellsourced.errors import ModelError, UnparsableReply
from wellsourced.planners.base import Proposal
from wellsourced.planners.keywords import KeywordPlanner
from wellsourced.prompts import planning
from wellsourced.question.understanding import LiteralUnderstanding
from wellsourced.types import Question

RULE = ("colchicine", "shorten", "gout", "flares")


async def proposed(reply: Script, question: Question = QUESTION, limit: int = 8) -> Proposal:
    model = ScriptedModel({planning.ExtractKeywords: reply})
    return await KeywordPlanner(model, LiteralUnderstanding(), limit=limit).plan(question, CARDS, World().look)


def terms(proposal: Proposal) -> dict[str, tuple[str, ...]]:
    return {search.source: search.query.terms for search in proposal.searches}


async def test_keywords_of_the_model_are_the_terms_of_every_query_and_the_first_three_are_looked_up() -> None:
    keywords = ("gout flare", "colchicine", "duration", "adults")
    proposal = await proposed(planning.KeywordsReply(keywords=keywords))
    assert terms(proposal) == dict.fromkeys(("guidelines", "trials", "consumer", "pubmed"), keywords) | {
        "graph": keywords[:3]
    }
    assert proposal.notes == ("keywords by scripted: gout flare, colchicine, duration, adults",)


async def test_the_least_important_keyword_is_the_first_to_go() -> None:
    proposal = await proposed(planning.KeywordsReply(keywords=("a", "b", "c")))
    query = proposal.searches[0].query
    assert [query.terms, *(weaker.terms for weaker in query.relaxations())] == [("a", "b", "c"), ("a", "b"), ("a",)]


async def test_keywords_come_once_without_syntax_and_no_more_than_asked_for() -> None:
    reply = planning.KeywordsReply(keywords=('"Gout"[mh]', "gout", "  ", "GOUT mh", "flare*", "pain?", "fever"))
    assert terms(await proposed(reply, limit=3))["trials"] == ("Gout mh", "gout", "flare")


@each_row(
    ("failure", "why"),
    [
        (ModelError("the model is down"), "because the model named none: the model is down"),
        (UnparsableReply("?", "no JSON"), "the model's reply could not be read (no JSON)"),
        (planning.KeywordsReply(), "because the model named none"),
        ([], "without a language model"),
    ],
)
async def test_without_keywords_of_a_model_the_rule_gives_them_and_it_is_told(failure: Script, why: str) -> None:
    proposal = await proposed(failure)
    assert terms(proposal)["trials"] == RULE
    assert proposal.notes[0].startswith("keywords by rule")
    assert why in proposal.notes[0]


async def test_a_question_without_any_keyword_is_searched_for_as_it_is() -> None:
    proposal = await proposed(planning.KeywordsReply(), Question(text="What is it?"))
    assert terms(proposal)["trials"] == ("What is it?",)
    assert "the question itself is searched for" in proposal.notes[0]


async def test_one_call_is_made_however_many_sources_there_are() -> None:
    model = ScriptedModel({planning.ExtractKeywords: planning.KeywordsReply(keywords=("gout",))})
    await KeywordPlanner(model, LiteralUnderstanding()).plan(QUESTION, CARDS, World().look)
    assert kinds_of(model) == ["ExtractKeywords"]
