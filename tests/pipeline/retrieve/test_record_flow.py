"""Records that were found, duplicates among them, and what became of each work: the numbers add up."""

from tests.pipeline.retrieve.test_retrieval import bearing
from tests.tables import each_row
from tests.world import COLCHICINE, TRIAL, context, document, source
from wellsourced.pipeline.ask import answer_question
from wellsourced.pipeline.retrieve.retrieval import retrieve
from wellsourced.presentation.receipts import describe_flow
from wellsourced.types import Answer, Document, Question, RecordFlow, Retraction

GOUT = Question(text="Does colchicine help in a gout flare?")
SAME = bearing(document("europepmc:1", f"{COLCHICINE} It was tried in 52 people."), pmid="1")
GONE = bearing(document("pubmed:9", "Colchicine for gout flares works in a day."), retraction=Retraction(status="true"))
OTHER = document("pubmed:7", "Warfarin is not given for a gout flare with colchicine.")


async def ask(*documents: Document) -> Answer:
    searched = context(source("trials", bearing(TRIAL, pmid="1"), *documents), source("europe", SAME))
    return await answer_question(GOUT, searched)


async def test_every_record_is_a_duplicate_or_of_a_work_that_is_left_out_or_shown() -> None:
    flow = (await ask(OTHER)).flow
    assert flow
    assert flow.identified == {"trials": 2, "europe": 1}
    assert flow.duplicates == 1
    assert sum(flow.identified.values()) - flow.duplicates == flow.included + sum(flow.excluded.values())
    assert flow.included >= 1


async def test_what_was_withdrawn_is_counted_apart() -> None:
    flow = (await ask(GONE)).flow
    assert flow
    assert flow.excluded["withdrawn"] == 1


async def test_nothing_was_searched_where_documents_are_named_and_a_stored_answer_has_its_counts() -> None:
    searched = context(source("trials", TRIAL))
    named = await answer_question(GOUT.model_copy(update={"given": (TRIAL.reference.id,)}), searched)
    assert named.flow is None
    assert "flow" not in named.model_dump(mode="json")
    answer = await ask(OTHER)
    assert Answer.model_validate_json(answer.model_dump_json()).flow == answer.flow


async def test_a_search_counts_works() -> None:
    found = await retrieve(GOUT, context(source("trials", bearing(TRIAL, pmid="1"), OTHER), source("europe", SAME)))
    assert found.count_records() == ({"trials": 2, "europe": 1}, 2)


@each_row("excluded", [{}, {"withdrawn": 1, "read, not cited": 2}])
def test_the_counts_are_told_in_a_line(excluded: dict[str, int]) -> None:
    told = describe_flow(RecordFlow(identified={"trials": 5}, duplicates=1, excluded=excluded, included=4))
    assert told.startswith("records (PRISMA): 5 found (trials 5); 1 duplicate; ")
    assert told.endswith("left out: 1 withdrawn, 2 read, not cited" if excluded else "left out: none")
