"""No statement stands unless its words are in the document and say what it says."""

from tests.world import COLCHICINE, TRIAL, kit, passages, source
from wellsourced.ask import answer
from wellsourced.judges.told import ToldJudge
from wellsourced.kit import Kit
from wellsourced.models.scripted import ScriptedModel
from wellsourced.prompts.writing import Draft, Drafted, Quoted, WriteAnswer
from wellsourced.stages.check import check
from wellsourced.stages.write import UNCHECKED
from wellsourced.types import Answer, Citation, Evidence, Question, Statement, Verdict

(PASSAGE,) = passages(TRIAL)
HALVED = "Colchicine made gout flares shorter."


async def answered(text: str, quote: str, verdict: Verdict | None = None) -> Answer:
    """The answer of a model that says this and quotes that, when the judge of support finds what it was told."""
    draft = Draft(statements=(Drafted(text=text, quotes=(Quoted(passage_id=PASSAGE.id, quote=quote),)),))
    usual = kit(source("trials", TRIAL))
    asked = Kit(
        sources=usual.sources,
        model=ScriptedModel({WriteAnswer: draft}),
        relevance=usual.relevance,
        support=ToldJudge({COLCHICINE: verdict} if verdict else {}),
        planner=usual.planner,
    )
    return await answer(Question(text="Does colchicine help in gout?"), asked)


async def test_a_sentence_of_its_source_is_supported_by_construction_and_no_judge_is_asked() -> None:
    given = await answered(COLCHICINE, COLCHICINE)
    assert [statement.verdict.reason for statement in given.statements] == ["the source's own words"]


async def test_other_words_than_the_sources_are_put_to_the_judge() -> None:
    given = await answered(HALVED, COLCHICINE, Verdict(label="supports", score=0.8))
    assert [(one.text, one.verdict.score) for one in given.statements] == [(HALVED, 0.8)]


async def test_what_the_source_contradicts_is_dropped_and_counted() -> None:
    contradicts = Verdict(label="contradicts", score=0.8, reason="the direction differs")
    given = await answered("Colchicine lengthened the flare.", COLCHICINE, contradicts)
    assert given.abstained
    (dropped,) = [one for one in given.dropped if one.what == "statement"]
    assert dropped.reason == "its source contradicts it: the direction differs"


async def test_an_invented_quote_ends_its_statement() -> None:
    given = await answered(HALVED, "Colchicine halved the length of every flare.")
    assert given.abstained
    assert [one.reason for one in given.dropped if one.what == "statement"] == ["a quote is in no passage read"]


async def test_a_quote_with_other_white_space_is_shown_as_the_source_has_it() -> None:
    given = await answered(COLCHICINE, COLCHICINE.replace(" by two days", "  by\ntwo days"))
    assert given.statements[0].citations[0].quote == COLCHICINE


async def test_a_citation_whose_words_moved_in_the_document_is_refused() -> None:
    citation = Citation(passage_id=PASSAGE.id, quote=COLCHICINE, start=0, end=len(COLCHICINE))
    statement = Statement(text=COLCHICINE, citations=(citation,), verdict=UNCHECKED)
    moved = TRIAL.model_copy(update={"text": " " + TRIAL.text})
    evidence = [Evidence(passage=PASSAGE, relevance=0.9)]
    kept = await check([statement], evidence, {TRIAL.reference.id: moved}, ToldJudge({}))
    assert kept.statements == ()
    assert kept.dropped[0].reason.startswith("the words are not in pubmed:1 at 0 to")
