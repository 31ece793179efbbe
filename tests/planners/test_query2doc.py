"""A passage that might answer lends its words to a search, and is nothing else."""

from tests.planners.worlds import CARDS, QUESTION, World, kinds_of, sensible
from tests.scripted_model import Script, ScriptedModel
from tests.world import COLCHICINE
from wellsourced.errors import ModelError
from wellsourced.planners.base import Proposal
from wellsourced.planners.prompting import Query2DocPlanner
from wellsourced.prompts import planning
from wellsourced.question.understanding import LiteralUnderstanding


async def proposed(reply: Script, words: int = 200) -> Proposal:
    model = ScriptedModel({planning.WritePseudoDocument: reply})
    return await Query2DocPlanner(model, LiteralUnderstanding(), words=words).plan(QUESTION, CARDS, World().look)


async def test_the_question_stays_the_query_and_the_passage_stands_beside_it_where_a_library_can_use_it() -> None:
    proposal = await proposed(planning.PseudoDocument(text=COLCHICINE))
    assert {search.source: (search.query.terms[0], search.query.also) for search in proposal.searches} == {
        "guidelines": (QUESTION.text, (COLCHICINE,)),
        "trials": (QUESTION.text, (COLCHICINE,)),
        "consumer": (QUESTION.text, (COLCHICINE,)),
        "graph": ("colchicine", ()),
        "pubmed": (QUESTION.text, ()),
    }
    assert "the search of trials also has words that scripted made up" in proposal.notes


async def test_one_passage_is_asked_for_each_library_in_its_own_style() -> None:
    model = sensible()
    await Query2DocPlanner(model, LiteralUnderstanding()).plan(QUESTION, CARDS, World().look)
    assert kinds_of(model) == ["WritePseudoDocument"] * 3
    styles = [prompt.card.kind for prompt in model.prompts if isinstance(prompt, planning.WritePseudoDocument)]
    assert styles == ["guideline", "research", "consumer"]


async def test_a_passage_is_cut_at_the_words_asked_for() -> None:
    proposal = await proposed(planning.PseudoDocument(text="word " * 900), words=120)
    assert len(proposal.searches[0].query.also[0].split()) == 120


async def test_an_empty_passage_leaves_the_question_and_is_told() -> None:
    proposal = await proposed(planning.PseudoDocument(text="  "))
    assert {search.query.also for search in proposal.searches} == {()}
    assert "scripted wrote no passage for trials: the question itself is searched for there" in proposal.notes


async def test_one_source_whose_passage_fails_does_not_cost_the_others_theirs() -> None:
    def reply(prompt: planning.WritePseudoDocument) -> planning.PseudoDocument | ModelError:
        return ModelError("too busy") if prompt.card.name == "trials" else planning.PseudoDocument(text=COLCHICINE)

    proposal = await proposed(reply)
    beside = {search.source: search.query.also for search in proposal.searches}
    assert (beside["trials"], beside["guidelines"]) == ((), (COLCHICINE,))
    assert any("too busy" in note for note in proposal.notes)
