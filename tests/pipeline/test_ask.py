"""The path of one question, over a world small enough to be read."""

from datetime import date

import pytest

from tests.tables import each_row
from tests.world import COLCHICINE, GUIDELINE, TRIAL, WITHDRAWN, context, passages, source
from wellsourced.errors import QuestionError, SourceUnavailable
from wellsourced.events import Event
from wellsourced.pipeline.ask import answer_question
from wellsourced.pipeline.retrieve.retrieval import retrieve
from wellsourced.policy import Policy
from wellsourced.readers.guidelines import read_guidelines
from wellsourced.sources.base import SourceInfo
from wellsourced.sources.fake import FakeSource
from wellsourced.types import Answer, Question

GOUT = Question(text="Does colchicine help in gout?")


OFF_TOPIC = Question(text="Who won the football world cup in Brazil?")


async def test_an_answer_is_a_section_whole_with_the_lines_that_answer_marked() -> None:
    given = await answer_question(GOUT, context(source("trials", TRIAL)))
    (section,) = given.sections
    ((span,),) = section.marked
    assert given.head == "in your sources"
    assert TRIAL.text[section.shown[0].start : section.shown[-1].end] == TRIAL.text
    assert TRIAL.text[span.start : span.end] == COLCHICINE
    (statement,) = given.statements
    (citation,) = statement.citations
    assert statement.text == TRIAL.text[citation.start : citation.end] == citation.quote == COLCHICINE
    assert given.tldr == COLCHICINE
    assert given.basis == "evidence"
    assert not given.abstained


async def test_what_is_wrong_in_a_shown_line_of_a_digest_is_said_beside_its_section() -> None:
    digest = next(one for one in read_guidelines() if one.reference.id == "doi:10.1161/CIR.0000000000001193")
    asked = Question(text="Is OAC considered in men with CHA2DS2-VASc of 1?")
    given = await answer_question(asked, context(source("guidelines", digest, kind="guideline")))
    noted = [digest.text[one.start : one.end] for one in given.sections[0].errata]
    assert [one.partition(":")[0] for one in noted] == ["CHA2DS2-VASc = 1", "CHA2DS2-VASc = 2"]
    assert any(statement.errata for statement in given.statements), "what says it in short carries the note, too"
    plain = await answer_question(GOUT, context(source("trials", TRIAL)))
    assert not any(one.errata for one in (*plain.sections, *plain.statements))


async def test_what_is_not_mentioned_is_named_and_no_line_of_the_closest_section_is_marked() -> None:
    given = await answer_question(Question(text="Does febuxostat help in a gout flare?"), context(source("t", TRIAL)))
    assert (given.head, given.absent, given.abstained) == ("closest", ("febuxostat",), True)
    assert given.statements == ()
    assert [one.marked for one in given.sections] == [()]
    assert given.reason == "Closest sections: febuxostat is not mentioned in them."


async def test_nothing_near_means_no_section_and_a_receipt() -> None:
    given = await answer_question(OFF_TOPIC, context(source("trials", TRIAL)))
    assert (given.head, given.sections, given.statements, given.abstained) == ("nothing", (), (), True)
    assert given.basis == "none"
    assert given.attempts[0].found == 1


async def test_limits_that_may_have_kept_the_answer_away_are_told() -> None:
    nothing = context(source("trials", TRIAL))
    dated = OFF_TOPIC.model_copy(update={"since": date(2000, 1, 1), "as_of": date(2030, 1, 1)})
    told = (await answer_question(dated, nothing)).reason
    assert told.endswith(
        "Only works published from 2000-01-01 until 2030-01-01 were searched, and none without a date."
    )
    german = await answer_question(Question(text="Welche Mannschaft hat das Endspiel gewonnen?"), nothing)
    assert german.reason.endswith("compared as written, in German: ask in English.")


async def test_a_source_that_is_down_is_a_gap_and_the_others_still_answer() -> None:
    down = FakeSource("pubmed", [TRIAL], failure=SourceUnavailable("pubmed: no answer within 30 s"))
    given = await answer_question(GOUT, context(down, source("trials", TRIAL)))
    assert not given.abstained
    (gap,) = given.gaps
    assert (gap.source, gap.status, gap.reason) == ("pubmed", "failed", "pubmed: no answer within 30 s")
    assert [attempt.status for attempt in given.attempts] == ["failed", "ok"]


async def test_a_source_that_never_answers_is_given_up_after_its_time() -> None:
    class Silent(FakeSource):
        async def describe(self) -> SourceInfo:
            return (await super().describe())._replace(live=True)

        async def search(self, query, limit):  # type: ignore[no-untyped-def]
            import asyncio

            await asyncio.sleep(60)

    given = await answer_question(GOUT, context(Silent("slow", [TRIAL]), policy=Policy(source_seconds=0.05)))
    assert given.abstained
    assert given.gaps[0].reason == "no answer within 0.05 s"
    assert given.reason == "No source could be reached."


async def test_a_retracted_article_is_left_out_before_it_is_read() -> None:
    the_context = context(source("trials", WITHDRAWN, TRIAL))
    given = await answer_question(GOUT, the_context)
    assert [item.passage.reference.id for item in given.evidence] == ["pubmed:1"]
    assert ("pubmed:2#0-45", "retracted") in {(one.id, one.reason) for one in given.dropped}


async def test_every_source_is_searched_and_each_may_be_shown() -> None:
    the_context = context(source("guidelines", GUIDELINE, kind="guideline"), source("trials", TRIAL))
    given = await answer_question(Question(text="Is colchicine recommended for a gout flare?"), the_context)
    assert {attempt.search.source for attempt in given.attempts} == {"guidelines", "trials"}
    shown = {item.passage.id: item.passage.reference.id for item in given.evidence}
    assert {shown[one.passage_id] for one in given.sections} == {"doi:10.1000/gout", "pubmed:1"}


async def test_a_question_with_parts_is_searched_part_by_part_and_what_is_not_found_is_named() -> None:
    asked = Question(text="Does colchicine help in a gout flare? What is the capital of Mongolia?")
    given = await answer_question(asked, context(source("trials", TRIAL)))
    assert given.head == "in your sources"
    assert [one.part for one in given.sections] == [""]
    assert given.not_found == ("What is the capital of Mongolia",)
    assert len(given.attempts) >= 2


async def test_a_document_that_changed_since_it_was_indexed_is_not_quoted() -> None:
    changed = TRIAL.model_copy(update={"text": "Everything is different now, and nothing stands where it stood."})
    given = await answer_question(GOUT, context(FakeSource("trials", [changed], passages(TRIAL))))
    assert given.abstained
    assert given.dropped[0].reason == "its document could not be opened"


async def test_the_regime_of_the_question_reaches_every_source() -> None:
    trials = source("trials", TRIAL)
    given = await answer_question(GOUT.model_copy(update={"exclude": ("pubmed:1",)}), context(trials))
    assert trials.queries[0].exclude == ("pubmed:1",)
    assert given.abstained
    assert given.attempts[0].status == "empty"


async def test_the_same_question_gives_the_same_bytes() -> None:
    def without_timings(given: Answer) -> str:
        return given.model_copy(update={"timings": {}}).model_dump_json()

    first = await answer_question(GOUT, context(source("trials", TRIAL)))
    again = await answer_question(GOUT, context(source("trials", TRIAL)))
    assert without_timings(first) == without_timings(again)


async def test_every_step_is_told_in_order() -> None:
    heard: list[Event] = []
    await answer_question(GOUT, context(source("trials", TRIAL)), heard.append)
    assert [type(event).__name__ for event in heard] == [
        "QuestionFramed",
        "SearchPlanned",
        "SourceSearched",
        "PassagesRead",
        "AnswerCompleted",
    ]


async def test_an_answer_can_be_read_back_from_its_json() -> None:
    given = await answer_question(GOUT, context(source("trials", TRIAL)))
    assert Answer.model_validate_json(given.model_dump_json()) == given


@each_row("text", ["", " \n\t ", "???", "gout " * 20_000])
async def test_what_is_no_question_is_refused_in_a_plain_sentence(text: str) -> None:
    with pytest.raises(QuestionError, match=r"question (is empty|has [\d,]+ characters)"):
        await answer_question(Question(text=text), context(source("trials", TRIAL)))


async def test_without_anything_to_search_the_answer_says_so() -> None:
    given = await answer_question(GOUT, context())
    assert given.reason == "There is nothing to search: no library holds any documents."


async def test_a_source_that_cannot_even_say_what_it_holds_is_a_gap_and_the_others_answer() -> None:
    class Damaged(FakeSource):
        async def describe(self) -> SourceInfo:
            raise SourceUnavailable("the disk is away")

    given = await answer_question(GOUT, context(source("trials", TRIAL), Damaged("mine")))
    assert [(gap.source, gap.status, gap.reason) for gap in given.gaps] == [("mine", "failed", "the disk is away")]
    assert given.tldr == COLCHICINE
    alone = await answer_question(GOUT, context(Damaged("mine")))
    assert alone.reason == "No source could be reached."
    assert (await retrieve(GOUT, context(Damaged("mine")))).notes == ("mine could not be searched: the disk is away",)


async def test_what_is_excluded_by_its_bare_pmid_is_not_evidence() -> None:
    card = TRIAL.reference.model_copy(update={"id": "doi:10.1000/trial", "pmid": "31234567"})
    given = await answer_question(
        GOUT.model_copy(update={"exclude": ("31234567",)}),
        context(source("trials", TRIAL.model_copy(update={"reference": card}))),
    )
    assert given.abstained
    assert given.attempts[0].status == "empty"
