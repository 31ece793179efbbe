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
from wellsourced.sources.base import SourceInfo
from wellsourced.sources.fake import FakeSource
from wellsourced.types import Answer, Question

GOUT = Question(text="Does colchicine help in gout?")


async def test_an_answer_is_the_sources_own_sentence_with_the_place_it_stands_in() -> None:
    given = await answer_question(GOUT, context(source("trials", TRIAL)))
    (statement,) = given.statements
    (citation,) = statement.citations
    assert statement.text == COLCHICINE
    assert TRIAL.text[citation.start : citation.end] == citation.quote == COLCHICINE
    assert given.tldr == COLCHICINE
    assert given.basis == "evidence"
    assert not given.abstained


async def test_nothing_relevant_means_no_answer_and_a_receipt() -> None:
    given = await answer_question(GOUT, context(source("trials", TRIAL), relevant=()))
    assert given.abstained
    assert given.basis == "none"
    assert given.reason == "Passages were found, but none of them is relevant to the question."
    assert given.attempts[0].found == 1
    assert given.dropped[0].reason.startswith("silent")


async def test_limits_that_may_have_kept_the_answer_away_are_told() -> None:
    nothing = context(source("trials", TRIAL), relevant=())
    dated = GOUT.model_copy(update={"since": date(2000, 1, 1), "as_of": date(2030, 1, 1)})
    told = (await answer_question(dated, nothing)).reason
    assert told.endswith(
        "Only works published from 2000-01-01 until 2030-01-01 were searched, and none without a date."
    )
    german = await answer_question(
        Question(text="Welche Arzneimittel helfen bei einem Gichtanfall am besten?"), nothing
    )
    assert german.reason.endswith("compared as written, in German: ask in English.")


async def test_evidence_below_certainty_is_shown_but_not_answered_from() -> None:
    unsure = Policy(min_relevance=0.5, min_certainty=0.95)
    given = await answer_question(Question(text="What helps in gout?"), context(source("trials", TRIAL), policy=unsure))
    assert given.abstained
    assert len(given.evidence) == 1
    assert "enough certainty" in given.reason


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


async def test_a_retracted_article_is_left_out_before_anyone_judges_it() -> None:
    the_context = context(source("trials", WITHDRAWN, TRIAL), relevant=(COLCHICINE, WITHDRAWN.text))
    given = await answer_question(GOUT, the_context)
    assert [item.passage.reference.id for item in given.evidence] == ["pubmed:1"]
    assert ("pubmed:2#0-45", "retracted") in {(one.id, one.reason) for one in given.dropped}
    assert all(WITHDRAWN.text not in pair.text for pair in the_context.relevance_judge.asked)  # type: ignore[attr-defined]


async def test_a_guideline_that_answers_enough_keeps_the_libraries_closed() -> None:
    guidelines = source("guidelines", GUIDELINE, kind="guideline")
    trials = source("trials", TRIAL)
    the_context = context(guidelines, trials, relevant=(GUIDELINE.text, COLCHICINE), policy=Policy(sufficient_works=1))
    given = await answer_question(Question(text="Is colchicine recommended for gout?"), the_context)
    assert trials.queries == []
    assert [attempt.tier for attempt in given.attempts] == ["guidelines"]


async def test_a_guideline_that_does_not_answer_does_not_stand_in_the_way() -> None:
    the_context = context(source("guidelines", GUIDELINE, kind="guideline"), source("trials", TRIAL))
    given = await answer_question(GOUT, the_context)
    assert given.statements[0].text == COLCHICINE
    assert [attempt.tier for attempt in given.attempts] == ["guidelines", "libraries"]


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
        "QuestionFramed", "SearchPlanned", "SourceSearched", "PassagesRead", "AnswerDrafted", "AnswerChecked",
        "AnswerCompleted",
    ]  # fmt: skip


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
